// SPDX-License-Identifier: BSD-3-Clause
// Opening a reader and selecting boxes; each of its steps fails on all ranks or on none.
#include <algorithm>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "broadcast.hpp"
#include "reader_state.hpp"
#include "turns.hpp"

namespace nearfar {

using namespace output;

namespace {

constexpr index_t alignment = 64, most_stride = 1 << 30;

std::string format_of_journal(const std::vector<journal_record>& records) {
  if (records.empty()) return "";
  const format_label& label = records.front().format;
  return {label.begin(), std::find(label.begin(), label.end(), '\0')};
}

[[noreturn]] void refuse_stream(const std::string& path, const std::string& why) {
  throw usage_error(text("the stream ", path, " cannot be read back: ", why,
                         "; rsf, zarr, netcdf, hdf5 and vtkhdf can, where no array varies"));
}

}  // namespace

reader_state::reader_state(const team& members, std::string path, const output_reader_options& options)
    : members_(members), path_(std::move(path)), options_(options), boxes_(noted.plan, codecs_) {
  agree(members_, [&] { check_arguments(); });
  require_same(members_,
               {{"path of an output reader", {static_cast<index_t>(hash64().add(path_).value())}},
                {"options of an output reader",
                 {options_.stride, options_.reads_ahead ? 1 : 0, options_.depth, options_.checksum ? 1 : 0}}});
  read_descriptions();
}

void reader_state::check_arguments() const {
  if (path_.empty()) throw usage_error("a reader needs the path of a stream");
  if (options_.stride == 0 || options_.stride < -most_stride || options_.stride > most_stride)
    throw usage_error(text(
        "stride is ", options_.stride,
        "; 1 goes on to the next step, -1 to the one before, and 0 nowhere (reads_ahead = false reads none ahead)"));
  if (options_.depth < 1 || options_.depth > 1024)
    throw usage_error(text("depth is ", options_.depth, "; 1 to 1024 are possible"));
  if (options_.most_bytes < 0) throw usage_error(text("most_bytes is ", options_.most_bytes, "; 0 means no limit"));
}

// Others see what the root has seen, also where the stream goes on meanwhile.
void reader_state::read_descriptions() {
  std::vector<journal_record> records;
  std::vector<char> parts;
  std::vector<char> path, older;
  agree(members_, [&] {
    if (!members_.is_root()) return;
    const stream_choice of = stream_at(path_);
    path.assign(of.path.begin(), of.path.end()), older.assign(of.older.begin(), of.older.end());
  });
  broadcast_list(members_, path, "letters of a stream's path");
  broadcast_list(members_, older, "letters of a stream's path");
  path_.assign(path.begin(), path.end()), older_.assign(older.begin(), older.end());
  agree(members_, [&] {
    if (!members_.is_root()) return;
    journal_contents whole = read_journal(journal_path(path_), true);
    require_undamaged(journal_path(path_), whole);
    records = std::move(whole.records);
    const std::string words = text_of_parts(path_);
    parts.assign(words.begin(), words.end());
  });
  broadcast_list(members_, records, "bytes of the journal of an output stream");
  broadcast_list(members_, parts, "bytes of a description of an output stream");
  agree(members_, [&] { understand(std::move(records), {parts.begin(), parts.end()}); });
}

void reader_state::understand(std::vector<journal_record> records, const std::string& parts) {
  const std::string format = format_of_journal(records);
  if (format == "adios2") refuse_stream(path_, "its format is adios2");
  if (parts.empty()) refuse_stream(path_, text("there is no ", parts_path(path_), ": it was lost"));
  noted = parts_of_text(path_, parts);
  if (noted.arrays.empty() && noted.entries.empty()) refuse_stream(path_, "it has arrays that vary, or no step yet");
  if (!noted.has_types) refuse_stream(path_, text("it is older than the types in ", parts_path(path_)));
  whole_ = whole_steps_of(std::move(records));
  require_same_arrays(path_, noted, whole_);
  find_codecs();
  for (index_t s = 0; s < whole_.steps(); ++s) steps.push_back({s, whole_.times[as_size(s)]});
}

void reader_state::find_codecs() {
  for (std::size_t a = 0; a < noted.arrays.size(); ++a) {
    const output_array& array = noted.arrays[a];
    codecs_.push_back(codec_of(array.compression, array.type));
    const bool is_compressed = noted.plan.codecs[a].kind != codec_kind::none;
    if (is_compressed != (codecs_[a].kind != codec_kind::none))
      throw io_error(text(parts_path(path_), " cannot be understood: array ", array.name, " has compression '",
                          array.compression, "' and ", is_compressed ? "" : "no ", "chunks"));
  }
}

std::size_t reader_state::find(const std::string& name) const {
  std::string names;
  for (std::size_t a = 0; a < noted.arrays.size(); ++a) {
    if (noted.arrays[a].name == name) return a;
    names += text(a > 0 ? ", " : "", noted.arrays[a].name);
  }
  throw usage_error(text("the stream ", path_, " has no array '", name, "'; it has ", names));
}

box_place reader_state::place_of(const output_selection& s) const {
  const std::size_t a = find(s.name);
  const auto& extents = noted.arrays[a].extents;
  box_place p{.array = static_cast<int>(a), .where = s.wanted.is_empty() ? box{} : s.wanted, .padding = s.padding};
  for (int d = 0; d < max_dimensions; ++d)
    if (s.padding.low(d) < 0 || s.padding.high(d) < 0)
      throw usage_error(text("array ", s.name, " has a negative padding in dimension ", d));
  if (p.where.is_empty()) return p;
  if (as_size(s.wanted.dimensions) != extents.size())
    throw usage_error(text("the box that is wanted of array ", s.name, " has ", s.wanted.dimensions,
                           " dimensions; the array has ", extents.size()));
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (s.wanted.lower.at(d) < 0 || s.wanted.upper.at(d) > extents[d])
      throw usage_error(text("the box that is wanted of array ", s.name, " is from ", s.wanted.lower.at(d), " to ",
                             s.wanted.upper.at(d), " in dimension ", d, "; 0 to ", extents[d], " are possible"));
  return p;
}

std::vector<box_place> reader_state::places_of(const std::vector<output_selection>& wanted) const {
  std::vector<box_place> places;
  for (const output_selection& s : wanted) {
    places.push_back(place_of(s));
    const auto is_same = [&](const box_place& p) { return p.array == places.back().array; };
    if (std::count_if(places.begin(), places.end(), is_same) > 1)
      throw usage_error(text("array ", s.name, " of ", path_, " is selected twice"));
  }
  return places;
}

// ---- memory ----

index_t reader_state::lay_out(bool is_constant) {
  index_t bytes = 0;
  for (box_place& p : is_constant ? constant_ : changing_) {
    p.offset = (bytes + alignment - 1) / alignment * alignment;
    bytes = p.offset + noted.plan.layout.bytes_of({.array = p.array, .where = p.where});
  }
  return bytes;
}

int reader_state::depth_for(index_t frame_bytes) const {
  if (options_.most_bytes == 0 || frame_bytes == 0) return options_.depth;
  const auto depth = static_cast<int>(std::min<index_t>(options_.depth, options_.most_bytes / frame_bytes));
  if (depth < 1)
    throw resource_error(text("most_bytes of the reader of ", path_, " is ", options_.most_bytes,
                              ", but the boxes of one step have ", frame_bytes, " bytes, which is the least"));
  return depth;
}

void reader_state::take_memory() {
  constants_.memory.resize(as_size(lay_out(true)));
  frame_bytes_ = lay_out(false);
  depth_ = depth_for(frame_bytes_);
  ahead_ = std::make_unique<read_ahead>(static_cast<int>(depth_), frame_bytes_,
                                        [this](index_t step, read_frame& into, const std::atomic<bool>& is_called_off) {
                                          read(boxes_, changing_, step, into, &is_called_off);
                                        });
}

void reader_state::select(const std::vector<output_selection>& wanted) {
  std::vector<box_place> places;
  std::array<index_t, 1> has_constant{};
  agree(
      members_,
      [&] {
        if (now_ != nullptr) throw usage_error(text("select() of the reader of ", path_, " within a step"));
        places = places_of(wanted);
        for (const box_place& p : places)
          if (noted.arrays[as_size(p.array)].is_constant) has_constant[0] = 1;
      },
      has_constant);
  ahead_.reset();  // its memory first
  constant_.clear(), changing_.clear();
  for (const box_place& p : places) (noted.arrays[as_size(p.array)].is_constant ? constant_ : changing_).push_back(p);
  try {
    agree(members_, [&] { take_memory(); });
    if (has_constant[0] != 0 && whole_.steps() > 0) read_constants();
  } catch (const error&) {
    ahead_.reset(), constant_.clear(), changing_.clear();
    throw;
  }
}

void reader_state::read_constants() {
  agree(members_, [&] {
    box_reader by(noted.plan, codecs_);
    read(by, constant_, 0, constants_, nullptr);
  });
  compare(0, std::move(constants_.sums));
}

}  // namespace nearfar
