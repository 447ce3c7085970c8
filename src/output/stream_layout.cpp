// SPDX-License-Identifier: BSD-3-Clause
// Frames of a group: bricks of its ranks' boxes, this rank's part of them, and the copies into it.
#include "stream_layout.hpp"

#include <algorithm>
#include <device/device.hpp>
#include <far/talk.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "box_copy.hpp"
#include "broadcast.hpp"
#include "device_copy.hpp"
#include "parts.hpp"
#include "stream_checks.hpp"

namespace nearfar::output {

namespace {

bool is_of_grid(const box& part, const std::vector<index_t>& extents, const std::vector<index_t>& chunk) {
  if (chunk.size() != extents.size()) return false;
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (part.lower[d] % chunk[d] != 0 || part.upper[d] != std::min(part.lower[d] + chunk[d], extents[d])) return false;
  return true;
}

}  // namespace

void stream_layout::take(std::vector<output_array> arrays) {
  arrays_ = std::move(arrays);
  spread_varying();
  require_covered(members_, path_, arrays_);
}

void stream_layout::make_plan(const group_extent& group) {
  const std::size_t count = arrays_.size();
  std::vector<box> mine;
  std::vector<array_shape> shapes;
  for (const output_array& a : arrays_) {
    mine.push_back(a.own.is_empty() ? box{} : a.own);
    shapes.push_back(shape_of(a));
  }
  const auto node = far::all_of_node(members_, mine);
  std::vector<std::vector<box>> of_members(count);
  for (std::size_t a = 0; a < count; ++a)
    for (int m = 0; m < group.size; ++m) of_members[a].push_back(node[as_size(group.first + m) * count + a]);
  plan_.layout = make_layout(std::move(shapes), of_members, table_bytes(as_index(count) * group.size));
  const auto ranks = far::all_of_node(members_, std::vector<int>{members_.rank()});
  for (const brick& b : plan_.layout.bricks) {
    const auto& boxes = of_members[as_size(b.array)];
    const auto at = static_cast<index_t>(std::find(boxes.begin(), boxes.end(), b.where) - boxes.begin());
    brick_ranks_.push_back(arrays_[as_size(b.array)].is_varying ? ranks[as_size(group.first + at)] : -1);
  }
  for (const output_array& a : arrays_) plan_.codecs.push_back(codec_of(a.compression, a.type));
  find_chunks(group.is_leader);
  plan_.journal = journal_path(path_);
  plan_.signature = signature_of(options_.format, arrays_), plan_.format = label_of(options_.format);
  plan_.is_direct = options_.direct, plan_.is_summed = options_.checksum;
  plan_.is_synced = options_.durability == output_durability::step;
  plan_.throttle_bytes_per_s = options_.throttle_bytes_per_s;
  number_writers(group.is_leader);
  find_places();
}

void stream_layout::number_writers(bool is_leader) {
  // Ranks that write are numbered by their ranks in the team.
  std::vector<int> leads(as_size(members_.size()));
  const int lead = is_leader ? 1 : 0;
  watched_mpi("MPI_Allgather",
              [&] { return MPI_Allgather(&lead, 1, MPI_INT, leads.data(), 1, MPI_INT, members_.comm()); });
  plan_.writer = static_cast<int>(std::count(leads.begin(), leads.begin() + members_.rank(), 1));
  plan_.writers = static_cast<int>(std::count(leads.begin(), leads.end(), 1));
  if (plan_.writers > 1 && format_of(options_.format).has_one_writer())
    throw usage_error(
        text("format ", options_.format, " is written by one process, but ", path_, " has ", plan_.writers,
             " writers: one per node that can share memory, or writers_per_node; other formats have any number"));
}

void stream_layout::find_places() {
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    box_in_frame p;
    const box& own = arrays_[a].own;
    for (const brick& b : plan_.layout.bricks) {
      if (b.array != static_cast<int>(a) || own.is_empty() || intersection(b.where, own) != own) continue;
      p.in = &b;
      p.offset_bytes = offset_in(b.where, own) * shape(a).element_bytes;
      index_t stride = shape(a).element_bytes;
      for (int d = own.dimensions - 1; d >= 0; --d) {
        p.strides_bytes[static_cast<std::size_t>(d)] = stride;
        stride *= b.where.extent(d);
      }
      break;
    }
    places_.push_back(p);
  }
}

// The same for all groups, though only the first one's frames say what stands in a file besides the data.
index_t stream_layout::table_bytes(index_t bricks) const {
  if (!has_varying()) return 0;
  index_t bytes = 0;
  agree(members_, [&] {
    if (!members_.is_root()) return;
    std::vector<index_t> most;
    for (const output_array& a : arrays_)
      if (a.is_varying) most.push_back(a.extents[0]);
    const step_request largest{0, std::vector<std::vector<index_t>>(as_size(members_.size()), most)};
    const step_layout made = format_of(options_.format).lay_out_step(request(), largest);
    bytes = step_layout::table_bytes(made.pieces, as_index(arrays_.size()), 0);
  });
  broadcast(members_, bytes);
  return bytes + bytes / 4 + bricks * 16 +
         page_bytes;  // attributes and links take as much room as these; a few gaps more or less
}

// A writer's part of an array is compressed as one: the parts must be those of a regular grid.
void stream_layout::find_chunks(bool is_leader) {
  chunks_.resize(arrays_.size());
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    if (plan_.codecs[a].kind == codec_kind::none) continue;
    struct part {
      box where;
      int bricks = 0;
    } mine;
    for (const brick& b : plan_.layout.bricks)
      if (is_leader && b.array == static_cast<int>(a)) mine = {b.where, mine.bricks + 1};
    std::vector<part> parts(as_size(members_.size()));
    watched_mpi("MPI_Allgather", [&] {
      return MPI_Allgather(&mine, sizeof mine, MPI_BYTE, parts.data(), sizeof mine, MPI_BYTE, members_.comm());
    });
    for (const part& p : parts)
      if (p.bricks > 0 && p.where.lower == decltype(p.where.lower){})
        for (int d = 0; d < p.where.dimensions; ++d) chunks_[a].push_back(p.where.extent(d));
    for (const part& p : parts)
      if (p.bricks > 1 || (p.bricks == 1 && !is_of_grid(p.where, arrays_[a].extents, chunks_[a])))
        throw usage_error(
            text("array ", arrays_[a].name, " of ", path_, " cannot be compressed: the parts of its writers are ",
                 "no grid of equal boxes; fewer writers_per_node, or equal slabs along the first axis (the ",
                 "last may be smaller)"));
  }
}

// ---- a step ----

std::size_t stream_layout::find(const std::string& name) const {
  std::string names;
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    if (arrays_[a].name == name) return a;
    names += text(a > 0 ? ", " : "", arrays_[a].name);
  }
  throw usage_error(text("the stream ", path_, " has no array '", name, "'; it has ", names));
}

void stream_layout::begin_giving(index_t step) {
  step_ = step;
  for (std::size_t a = 0; a < places_.size(); ++a) places_[a].is_given = has_none(a);
}

/// Whether this rank has nothing to give of an array in this step.
bool stream_layout::has_none(std::size_t array) const noexcept {
  const brick* in = places_[array].in;
  return in == nullptr || rows_[array] == 0 || !plan_.layout.has(*in, step_);
}

std::byte* stream_layout::address(std::byte* frame, const box_in_frame& p) const {
  const brick& b = now_.bricks[static_cast<std::size_t>(p.in - plan_.layout.bricks.data())];
  return frame + b.base + plan_.shift(now_, b) + p.offset_bytes;
}

void stream_layout::put(std::byte* frame, const std::string& name, const void* data) {
  const std::size_t a = find(name);
  const output_array& array = arrays_[a];
  std::array<index_t, max_dimensions> strides{};
  index_t stride = shape(a).element_bytes, first = 0;
  for (int d = array.own.dimensions - 1; d >= 0; --d) {
    strides[static_cast<std::size_t>(d)] = stride;
    first += array.padding.low(d) * stride;
    stride *= array.own.extent(d) + array.padding.low(d) + array.padding.high(d);
  }
  put(frame, name, data == nullptr ? nullptr : static_cast<const std::byte*>(data) + first, strides);
}

void stream_layout::put(std::byte* frame, const std::string& name, const void* data,
                        const std::array<index_t, max_dimensions>& strides_bytes) {
  const std::size_t a = find(name);
  box_in_frame& p = places_[a];
  if (has_none(a)) return;
  if (data == nullptr) throw usage_error(text("put() of array ", name, " of ", path_, " with null"));
  const box& own = arrays_[a].own;
  strided_box s{own.dimensions, shape(a).element_bytes, {}, strides_bytes, p.strides_bytes};
  for (int d = 0; d < s.dimensions; ++d) s.extents[static_cast<std::size_t>(d)] = own.extent(d);
  if (rows_[a] >= 0) s.extents[0] = rows_[a];
  const auto* from = static_cast<const std::byte*>(data);
  if (device::is_device_memory(data)) {
    copy_box_from_device(s, address(frame, p), from);
  } else {
    copy_box(s, address(frame, p), from);
  }
  p.is_given = true;
}

output_slot stream_layout::slot(std::byte* frame, const std::string& name) {
  const std::size_t a = find(name);
  box_in_frame& p = places_[a];
  if (p.in == nullptr || rows_[a] == 0) return {};
  p.is_given = true;
  if (!has_none(a)) return {address(frame, p), p.strides_bytes};
  // Of a constant array behind the first step: as with put(), what is written there counts for nothing.
  const box& own = arrays_[a].own;
  ignored_.resize(arrays_.size());
  ignored_[a].resize(as_size(own.cells() * shape(a).element_bytes));
  return {ignored_[a].data(), packed_strides(extents_of(own), own.dimensions, shape(a).element_bytes)};
}

void stream_layout::require_given() const {
  for (std::size_t a = 0; a < places_.size(); ++a)
    if (!places_[a].is_given)
      throw usage_error(text("end_step() of ", path_, ": array ", arrays_[a].name, " was neither put nor asked for"));
}

// From the first element of a box to its last. Files shift the data within a page.
std::vector<std::pair<index_t, index_t>> stream_layout::pages_in(const std::byte* frame) const {
  std::vector<std::pair<index_t, index_t>> parts;
  for (std::size_t a = 0; a < places_.size(); ++a) {
    const box_in_frame& p = places_[a];
    if (p.in == nullptr) continue;
    index_t bytes = shape(a).element_bytes;
    for (int d = 0; d < arrays_[a].own.dimensions; ++d)
      bytes += (arrays_[a].own.extent(d) - 1) * p.strides_bytes[as_size(d)];
    const index_t begin = reinterpret_cast<index_t>(frame) + p.in->base + p.offset_bytes;
    parts.emplace_back(begin / page_bytes * page_bytes, round_to_pages(begin + bytes + page_bytes));
  }
  return parts;
}

}  // namespace nearfar::output
