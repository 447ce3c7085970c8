// SPDX-License-Identifier: BSD-3-Clause
// Making a stream: checks, groups of ranks, rings, files; every step of it fails on all ranks or on none.
#include <unistd.h>

#include <algorithm>
#include <base/clock.hpp>
#include <cctype>
#include <far/talk.hpp>
#include <set>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "formats/format.hpp"
#include "parts.hpp"
#include "stream_state.hpp"
#include "turns.hpp"

namespace nearfar {

using namespace output;

namespace {

constexpr index_t most_file_bytes = index_t{1} << 60;

bool is_good_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

array_shape shape_of(const output_array& a) { return {a.extents, bytes_of(a.type), a.is_varying, a.is_constant}; }

const std::string& compression_of(const output_array& a, const output_options& o) {
  return a.compression.empty() && !a.is_constant ? o.compression : a.compression;
}

void check_array(const output_array& a) {
  if (!is_good_name(a.name))
    throw usage_error(text("an array's name is '", a.name, "'; names have letters, digits, '_' and '-'"));
  if (a.extents.empty() || a.extents.size() > max_dimensions)
    throw usage_error(text("array ", a.name, " has ", a.extents.size(), " dimensions; 1 to 4 are possible"));
  if (bytes_of(a.type) == 0) throw usage_error(text("array ", a.name, " has a type that does not exist"));
  for (std::size_t d = 0; d < a.extents.size(); ++d) {
    const int i = static_cast<int>(d);
    if (a.extents[d] < 1 && !(a.is_varying && d == 0))
      throw usage_error(text("array ", a.name, " has extent ", a.extents[d], "; 1 is the least"));
    if (a.padding.low(i) < 0 || a.padding.high(i) < 0)
      throw usage_error(text("array ", a.name, " has a negative padding in dimension ", d));
  }
}

void check_varying(const output_array& a, const output_options& o) {
  if (!a.is_varying) return;
  const format& f = format_of(o.format);
  if (!f.has_varying())
    throw usage_error(text("array ", a.name, " has another extent in each step, which format ", f.name(),
                           " has not; hdf5 and vtkhdf have it"));
  if (o.expected_steps > 0)
    throw usage_error(text("expected_steps is ", o.expected_steps, ", but array ", a.name,
                           " has another extent in each step, so that each has a file of its own; 0 is possible"));
  if (codec_of(compression_of(a, o), a.type).kind != codec_kind::none)
    throw usage_error(text("array ", a.name, " has another extent in each step and cannot be compressed"));
  for (std::size_t d = 0; d < a.extents.size() && !a.own.is_empty(); ++d)
    if (a.own.lower[d] != 0 || (d > 0 && a.own.upper[d] != a.extents[d]))
      throw usage_error(text("array ", a.name, " varies: its own box begins at 0 and has whole rows; in dimension ", d,
                             " it is from ", a.own.lower[d], " to ", a.own.upper[d]));
}

void check_constant(const output_array& a, const output_options& o) {
  if (!a.is_constant) return;
  if (!format_of(o.format).has_constant(o))
    throw usage_error(text("array ", a.name, " is constant, which needs files of all steps; format ", o.format,
                           " has none here; rsf and zarr have, netcdf and hdf5 with expected_steps"));
  if (a.is_varying) throw usage_error(text("array ", a.name, " is constant and varies; one of both is possible"));
  if (!a.compression.empty())
    throw usage_error(
        text("array ", a.name, " is constant and has compression '", a.compression, "'; none is possible"));
}

void check_options(const output_options& o) {
  if (o.depth < 1 || o.depth > 1024) throw usage_error(text("depth is ", o.depth, "; 1 to 1024 are possible"));
  if (o.most_bytes < 0) throw usage_error(text("most_bytes is ", o.most_bytes, "; 0 means no limit"));
  if (o.writers_per_node < 0)
    throw usage_error(text("writers_per_node is ", o.writers_per_node, "; 0 (tried) or more are possible"));
  if (o.expected_steps < 0) throw usage_error(text("expected_steps is ", o.expected_steps, "; 0 means unknown"));
  if (!(o.throttle_bytes_per_s >= 0)) throw usage_error("throttle_bytes_per_s is negative; 0 means none");
  if (!(o.linger_s >= 0)) throw usage_error("linger_s is negative; 0 means not at all");
  if (o.policy == output_policy::writer && o.crew == nullptr)
    throw usage_error("output_policy::writer needs output_options::crew, whose computing() is the team");
}

void check_words(const std::vector<output_array>& arrays, const output_options& o) {
  for (const output_array& a : arrays) require_attributes("array " + a.name, a.attributes, &a.type);
  for (const output_axis& x : o.axes) require_attributes("the axis " + x.name, x.attributes, nullptr);
  require_attributes("the stream", o.attributes, nullptr);
}

/// What no file could hold, whatever the disk.
void check_sizes(const std::vector<output_array>& arrays, const output_options& o) {
  index_t all = 0;
  for (const output_array& a : arrays) {
    index_t bytes = bytes_of(a.type);
    bool is_too_large = __builtin_mul_overflow(bytes, std::max<index_t>(o.expected_steps, 1), &bytes);
    for (std::size_t d = 0; d < a.extents.size(); ++d)
      is_too_large = is_too_large || __builtin_mul_overflow(bytes, std::max<index_t>(a.extents[d], 1), &bytes);
    if (is_too_large || __builtin_add_overflow(all, bytes, &all) || all > most_file_bytes)
      throw usage_error(text("array ", a.name, " has more bytes in ", std::max<index_t>(o.expected_steps, 1),
                             " steps than a file can hold; ", most_file_bytes, " are possible for all arrays"));
  }
}

bool is_of_grid(const box& part, const std::vector<index_t>& extents, const std::vector<index_t>& chunk) {
  if (chunk.size() != extents.size()) return false;
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (part.lower[d] % chunk[d] != 0 || part.upper[d] != std::min(part.lower[d] + chunk[d], extents[d])) return false;
  return true;
}

template <class Value>
void broadcast(const team& members, Value& value) {
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, members.comm()); });
}

}  // namespace

output_state::output_state(const team& members, std::string path, std::vector<output_array> arrays,
                           output_options options, earlier_steps earlier)
    : members_(members),
      path_(std::move(path)),
      arrays_(std::move(arrays)),
      options_(std::move(options)),
      earlier_(std::move(earlier)),
      waited_s_(earlier_.waited_s),
      longest_wait_s_(earlier_.longest_wait_s),
      copied_s_(earlier_.copied_s) {
  if (earlier_.trial) trial_ = *earlier_.trial;
  writers_per_node_ = earlier_.trial ? trial_.now().writers : std::max(1, options_.writers_per_node);
  wanted_writers_ = writers_per_node_;
  agree(members_, [&] { check_arguments(); });
  for (output_array& a : arrays_) a.compression = compression_of(a, options_);
  check_alike();
  if (options_.opening == output_opening::take_turns) take_turn();
  spread_varying();
  check_cover();
  near::arena::of(members_);  // made by all
  form_group();
  agree(members_, [&] { make_ring(); });
  share_ring();
  open_store();
  agree(members_, [&] {
    if (is_leader()) agent_ = std::make_unique<agent>(plan_, ring_);
  });
  choose_candidates();
  start_writing();
  if (options_.is_pinned) pin_frames();
}

void output_state::check_arguments() const {
  if (path_.empty()) throw usage_error("a stream needs a path");
  if (arrays_.empty()) throw usage_error(text("the stream ", path_, " has no arrays; 1 or more are possible"));
  std::set<std::string> names;
  for (const output_array& a : arrays_) {
    check_array(a);
    if (!names.insert(a.name).second) throw usage_error(text("two arrays of ", path_, " have the name ", a.name));
  }
  check_options(options_);
  check_words(arrays_, options_);
  check_sizes(arrays_, options_);
  const format& f = format_of(options_.format);
  f.check(arrays_, options_);
  for (const output_array& a : arrays_) check_varying(a, options_), check_constant(a, options_);
  for (const output_array& a : arrays_)
    if (codec_of(compression_of(a, options_), a.type).kind != codec_kind::none && !f.has_compression())
      throw usage_error(text("array ", a.name, " has compression '", compression_of(a, options_), "', which format ",
                             f.name(), " has not; 'zarr' has it"));
}

void output_state::check_alike() const {
  require_same(members_, "path of an output stream",
               std::vector<index_t>{static_cast<index_t>(hash64().add(path_).value())});
  require_same(members_, "arrays (names, extents, types), format and compression of an output stream",
               std::vector<index_t>{static_cast<index_t>(signature_of(options_.format, arrays_))});
  const output_options& o = options_;
  require_same(members_, "options of an output stream",
               std::vector<index_t>{static_cast<index_t>(o.policy), o.depth, o.most_bytes, o.writers_per_node,
                                    static_cast<index_t>(o.durability), static_cast<index_t>(o.opening),
                                    o.expected_steps, o.direct ? 1 : 0, o.checksum ? 1 : 0, o.crew != nullptr ? 1 : 0});
}

void output_state::take_turn() {
  turn next;
  agree(members_, [&] {
    if (members_.is_root()) next = next_turn(path_, options_.kept);
  });
  plan_.turn = next.number;
  char letter = members_.is_root() ? next.path.back() : ' ';
  broadcast(members_, plan_.turn);
  broadcast(members_, letter);
  path_ += text('-', letter);
}

void output_state::check_cover() const {
  const std::size_t count = arrays_.size();
  const bool is_root = members_.is_root();
  std::vector<box> mine, all(is_root ? count * as_size(members_.size()) : 0);
  for (const output_array& a : arrays_) mine.push_back(a.own.is_empty() ? box{} : a.own);
  const int bytes = checked_int(as_index(count * sizeof(box)), "bytes of an output stream's boxes");
  watched_mpi("MPI_Gather", [&] {
    return MPI_Gather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, members_.comm());
  });
  agree(members_, [&] {
    for (std::size_t a = 0; is_root && a < count; ++a) {
      std::vector<box> boxes;
      for (std::size_t r = 0; r < as_size(members_.size()); ++r) boxes.push_back(all[r * count + a]);
      require_cover(text("array ", arrays_[a].name, " of ", path_), shape_of(arrays_[a]), boxes);
    }
  });
}

// Consecutive near ranks; each alone where they cannot share memory.
void output_state::form_group() {
  const int near = members_.near_size(), rank = members_.near_rank();
  const int groups = near::arena::of(members_).is_shared() ? std::min(writers_per_node_, near) : near;
  const int group = static_cast<int>(index_t{rank} * groups / near);
  const auto first_of = [&](int g) { return static_cast<int>((index_t{g} * near + groups - 1) / groups); };
  group_first_ = first_of(group);
  group_size_ = first_of(group + 1) - group_first_;
  member_ = rank - group_first_;
  make_plan();
}

void output_state::make_plan() {
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
    for (int m = 0; m < group_size_; ++m) of_members[a].push_back(node[as_size(group_first_ + m) * count + a]);
  plan_.layout = make_layout(std::move(shapes), of_members, table_bytes(as_index(count) * group_size_));
  const auto ranks = far::all_of_node(members_, std::vector<int>{members_.rank()});
  for (const brick& b : plan_.layout.bricks) {
    const auto& boxes = of_members[as_size(b.array)];
    const auto at = static_cast<index_t>(std::find(boxes.begin(), boxes.end(), b.where) - boxes.begin());
    brick_ranks_.push_back(arrays_[as_size(b.array)].is_varying ? ranks[as_size(group_first_ + at)] : -1);
  }
  for (const output_array& a : arrays_) plan_.codecs.push_back(codec_of(a.compression, a.type));
  find_chunks();
  plan_.journal = journal_path(path_);
  plan_.signature = signature_of(options_.format, arrays_), plan_.format = label_of(options_.format);
  plan_.is_direct = options_.direct, plan_.is_summed = options_.checksum;
  plan_.is_synced = options_.durability == output_durability::step;
  plan_.throttle_bytes_per_s = options_.throttle_bytes_per_s;
  // Ranks that write are numbered by their ranks in the team.
  std::vector<int> leads(as_size(members_.size()));
  const int lead = is_leader() ? 1 : 0;
  watched_mpi("MPI_Allgather",
              [&] { return MPI_Allgather(&lead, 1, MPI_INT, leads.data(), 1, MPI_INT, members_.comm()); });
  plan_.writer = static_cast<int>(std::count(leads.begin(), leads.begin() + members_.rank(), 1));
  plan_.writers = static_cast<int>(std::count(leads.begin(), leads.end(), 1));
  if (plan_.writers > 1 && format_of(options_.format).has_one_writer())
    throw usage_error(
        text("format ", options_.format, " is written by one process, but ", path_, " has ", plan_.writers,
             " writers: one per node that can share memory, or writers_per_node; other formats have any number"));
  for (std::size_t a = 0; a < count; ++a) {
    place p;
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
index_t output_state::table_bytes(index_t bricks) const {
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
void output_state::find_chunks() {
  chunks_.resize(arrays_.size());
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    if (plan_.codecs[a].kind == codec_kind::none) continue;
    struct part {
      box where;
      int bricks = 0;
    } mine;
    for (const brick& b : plan_.layout.bricks)
      if (is_leader() && b.array == static_cast<int>(a)) mine = {b.where, mine.bricks + 1};
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

void output_state::make_ring() {
  const index_t frame = plan_.layout.frame_bytes;
  depth_ = options_.policy == output_policy::synchronous ? 1 : options_.depth;
  if (options_.most_bytes > 0 && frame > 0)
    depth_ = static_cast<int>(std::min<index_t>(depth_, options_.most_bytes / frame));
  if (depth_ < 1)
    throw resource_error(text("most_bytes of ", path_, " is ", options_.most_bytes, ", but one frame on ",
                              members_.state().host, " has ", frame, " bytes, which is the least that is possible"));
  if (!is_leader()) return;
  ring_memory_ = near::arena::of(members_).allocate(ring::bytes(group_size_, depth_, frame));
  ring_ = ring(ring_memory_.data(), group_size_, depth_, frame);
}

void output_state::share_ring() {
  near::arena& memory = near::arena::of(members_);
  struct introduction {
    near::handle at;
    int process;
  } mine{{}, getpid()};
  if (is_leader() && memory.is_shared()) mine.at = memory.find(ring_memory_.data(), 1);
  const auto near = far::all_of_node(members_, std::vector<introduction>{mine});
  for (int m = 0; m < group_size_; ++m) processes_.push_back(near[as_size(group_first_ + m)].process);
  agree(members_, [&] {
    if (!is_leader()) {
      const near::handle& h = near[as_size(group_first_)].at;
      ring_mapping_ = memory.attach(h);
      ring_ = ring(ring_mapping_.at(h), group_size_, depth_, plan_.layout.frame_bytes);
    }
    ring_.touch();
    ring_.desk(member_).process = getpid();
  });
}

void output_state::open_store() {
  agree(members_, [&] {
    if (!members_.is_root()) return;
    plan_.files = format_of(options_.format).lay_out(request());
    store_ = store(path_, plan_, arrays_, options_);
  });
  const auto parts = parts_of_writers();
  agree(members_, [&] {
    if (members_.is_root()) note_parts(path_, plan_, arrays_, parts);
  });
  share_files();
  broadcast(members_, plan_.first_step);
  broadcast(members_, plan_.journal_from);
}

// On the root: the bricks of each writer. Leaders are in the order of their ranks, as writers are.
std::vector<std::vector<brick>> output_state::parts_of_writers() const {
  const std::vector<brick> mine = is_leader() ? plan_.layout.bricks : std::vector<brick>();
  const bool is_root = members_.is_root();
  struct heading {
    int bytes = 0, is_leader = 0;
  } own{checked_int(as_index(mine.size() * sizeof(brick)), "bytes of a writer's parts"), is_leader() ? 1 : 0};
  std::vector<heading> of_ranks(is_root ? as_size(members_.size()) : 0);
  watched_mpi("MPI_Gather", [&] {
    return MPI_Gather(&own, sizeof own, MPI_BYTE, of_ranks.data(), sizeof own, MPI_BYTE, 0, members_.comm());
  });
  std::vector<int> bytes, places;
  index_t sum = 0;
  agree(members_, [&] {
    for (const heading& h : of_ranks) {
      bytes.push_back(h.bytes), places.push_back(checked_int(sum, "bytes of all writers' parts"));
      sum += h.bytes;
    }
  });
  std::vector<brick> all(as_size(sum) / sizeof(brick));
  watched_mpi("MPI_Gatherv", [&] {
    return MPI_Gatherv(mine.data(), own.bytes, MPI_BYTE, all.data(), bytes.data(), places.data(), MPI_BYTE, 0,
                       members_.comm());
  });
  std::vector<std::vector<brick>> writers;
  auto next = all.begin();
  for (const heading& h : of_ranks) {
    if (h.is_leader == 0) continue;
    const auto count = h.bytes / as_index(sizeof(brick));
    writers.emplace_back(next, next + count);
    next += count;
  }
  return writers;
}

// What stands in the files of all steps is there by now and concerns nobody any more.
void output_state::share_files() {
  std::vector<std::byte> bytes;
  if (members_.is_root()) {
    for (stream_file& f : plan_.files.files)
      if (!f.is_per_step) f.pieces.clear();
    byte_writer to;
    plan_.files.put(to);
    bytes = to.take();
  }
  index_t size = as_index(bytes.size());
  broadcast(members_, size);
  bytes.resize(as_size(size));
  const int count = checked_int(size, "bytes of a description of an output stream's files");
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(bytes.data(), count, MPI_BYTE, 0, members_.comm()); });
  byte_reader from(bytes);
  plan_.files = file_plan::get(from);
}

void output_state::choose_candidates() {
  if (options_.crew != nullptr) crew_ = options_.crew->state().shared_from_this();
  if (crew_ && options_.policy != output_policy::synchronous && options_.policy != output_policy::thread)
    has_writer_ = crew_->wires || (crew_->letters && near::arena::of(members_).is_shared());
  // All ranks count the same steps of the same candidates, also where a node has no writer and its thread stands in for
  // it.
  const bool has_no_writer = everywhere(members_.state(), !(is_leader() && has_writer_));
  if (options_.policy == output_policy::automatic && !earlier_.trial) {
    std::vector<taker> candidates{taker::caller, taker::thread};
    if (!has_no_writer && !format_of(options_.format).has_one_writer()) candidates.push_back(taker::process);
    trial_ = policy_trial(std::move(candidates), numbers_of_writers(), options_.depth);
  }
}

// What has been announced is called back if it cannot be on some rank; the thread comes last, when nothing can fail any
// more.
void output_state::start_writing() {
  try {
    agree(members_, [&] {
      if (is_leader() && has_writer_) announce_to_writer();
    });
  } catch (const error&) {
    leave();
    ring_.head().end = ending::abandon;
    if (is_leader()) end_agent(seconds_now() + options_.linger_s);
    throw;
  }
  if (!is_leader()) return;
  const bool has_thread = options_.policy == output_policy::thread || options_.policy == output_policy::automatic ||
                          (options_.policy == output_policy::writer && !has_writer_);
  if (has_thread)
    thread_ = quiet_thread([](void* self) { static_cast<agent*>(self)->serve(taker::thread); }, agent_.get());
  set_taker(first_taker());
}

taker output_state::first_taker() const noexcept {
  if (options_.policy == output_policy::thread) return taker::thread;
  if (options_.policy == output_policy::writer) return taker::process;
  return options_.policy == output_policy::automatic ? trial_.now().who : taker::caller;
}

void output_state::announce_to_writer() {
  if (crew_->wires) return announce_far();
  near::arena& memory = near::arena::of(members_);
  const auto bytes = plan_.to_bytes();
  letter_ = memory.allocate(as_index(bytes.size()));
  std::copy(bytes.begin(), bytes.end(), letter_.data());
  mailbox::letter l;
  l.ring = memory.find(ring_memory_.data(), 1), l.plan = memory.find(letter_.data(), as_index(bytes.size()));
  l.plan_bytes = as_index(bytes.size()), l.frame_bytes = plan_.layout.frame_bytes;
  l.members = group_size_, l.depth = depth_;
  ticket_ = crew_->letters.post(l);
}

// Rings are dealt out in the order of their numbers.
void output_state::announce_far() {
  const auto& writers = crew_->far_writers;
  const int writer = writers[as_size(plan_.writer) % writers.size()];
  sender_ = std::make_unique<sender>(crew_->wires->comm(), writer, crew_->lanes++, plan_, ring_);
}

}  // namespace nearfar
