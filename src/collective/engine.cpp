// SPDX-License-Identifier: BSD-3-Clause
// Choosing an algorithm for a call, and racing the candidates once a size class is used often.
#include <algorithm>
#include <array>
#include <base/env.hpp>
#include <base/internals.hpp>
#include <base/log.hpp>
#include <base/text.hpp>
#include <bit>
#include <cmath>
#include <collective/engine.hpp>
#include <collective/inter_node.hpp>
#include <limits>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <tune/wisdom.hpp>

#include "choice.hpp"
#include "lengths.hpp"
#include "normal.hpp"
#include "normal_blocks.hpp"
#include "races.hpp"

namespace nearfar::collective {

struct engine::details {
  pins forced;
  job_memory memory;
};

namespace {

bool are_nodes_consecutive(const team_state& s) {
  const bool mine = s.near_ranks.back() - s.near_ranks.front() == s.near_size - 1;
  return everywhere(s, mine);
}

constexpr const char* direct_name = "near-direct";
constexpr std::int64_t calls_before_wisdom_is_checked = 8;  // times those before a first race

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr double message_s = 1e-6, far_message_s = 20e-6;  // what the MPI takes for one, less what we take
constexpr index_t bytes_unknown =
    256 << 10;  // guessed where no rank knows all lengths: better too early a race than too late

// A race takes some tens of milliseconds, longer where the operation does: worth its time where calls have taken as
// much, here guessed alike on all ranks, but for the operation, which has been measured.
std::int64_t calls_worth_a_race(index_t bytes, bool is_far, double operation_s = 0, double race_of_operation_s = 0) {
  constexpr double race_s = 0.1, byte_s = 0.5e-9;
  const double call_s = (is_far ? 30e-6 : 1e-6) + byte_s * static_cast<double>(bytes) + operation_s;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>((race_s + race_of_operation_s) / call_s), 24, 100'000);
}

// The most that an operation costs by a tree of messages, whether by the execution or by the element.
double operation_by_tree(const reduction::executions& ours, index_t count, int ranks) {
  const double stages = std::ceil(std::log2(ranks)), whole = stages * static_cast<double>(count);
  const double by_execution = stages / static_cast<double>(ours.number);
  return ours.seconds * std::max(by_execution, whole / static_cast<double>(ours.elements));
}

setting setting_of(const nearfar::team& members, bool has_process_reads) {
  const team_state& s = state_of(members);
  setting made;
  made.ranks = s.size;
  made.nodes = s.nodes;
  made.near_ranks = s.largest_node;
  made.are_nodes_equal = s.smallest_node == s.largest_node;
  made.is_order_by_node = are_nodes_consecutive(s);
  made.has_process_reads = has_process_reads;
  return made;
}

bool has_same_shape(const call& a, const call& b) {
  return a.what == b.what && a.receive.count == b.receive.count && a.receive.type == b.receive.type && a.op == b.op &&
         a.root == b.root && a.send.count == b.send.count && a.send.type == b.send.type;
}

// Where no rank knows all lengths, no size could be agreed on.
bool has_one_class(kind what) {
  return what == kind::gatherv || what == kind::scatterv || what == kind::alltoallv || what == kind::alltoallw;
}

bool is_lasting(const side& s) {
  type_shape shape;
  return s.data != MPI_IN_PLACE && find_shape(s.type, shape) && shape.is_lasting;
}

// Handles of predefined types never change their meaning, others may be freed and come back as something else. Only
// what is significant on this rank counts; in place is rare enough to be looked at each time.
bool has_lasting_types(const call& c, int rank) {
  if (!has_equal_blocks(c.what)) return false;
  const bool is_root = rank == c.root;
  const bool sends = c.what != kind::barrier && c.what != kind::bcast && (is_root || c.what != kind::scatter);
  const bool receives = c.what != kind::barrier && (is_root || c.what != kind::gather);
  return (!sends || is_lasting(c.send)) && (!receives || is_lasting(c.receive));
}

// Where the input would lie if the own block were in place.
bool is_own_block(const call& c, const job& j, int rank, const std::byte* in, const std::byte* out) {
  const index_t own = j.bytes * rank;
  if (c.what == kind::gather || c.what == kind::allgather) return in == out + own;
  return c.what == kind::scatter && in + own == out;
}

}  // namespace

bool is_refusal(int code) {
  if (code == MPI_SUCCESS) return false;
  int found = MPI_ERR_OTHER;
  MPI_Error_class(code, &found);
  const int refusals[] = {MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_ROOT, MPI_ERR_OP, MPI_ERR_ARG};
  return std::find(std::begin(refusals), std::end(refusals), found) != std::end(refusals);
}

engine::engine(const nearfar::team& members, engine_options options)
    : options_(std::move(options)), workspace_{members} {
  agree(members, [&] {
    details_ = std::make_unique<details>(details{pins(), {}});
    const std::string order = env::string_or("NEARFAR_REPRODUCIBLE", "off");
    if (order != "off" && order != "order")
      throw usage_error(text("NEARFAR_REPRODUCIBLE is '", order, "'; it can be off or order"));
    is_reproducible_ = order == "order";
    options_.tune_after =
        static_cast<int>(env::integer_or("NEARFAR_TUNE_AFTER", options_.tune_after, -1, 1'000'000'000));
    options_.tunes_again = env::integer_or("NEARFAR_TUNE_AGAIN", options_.tunes_again ? 1 : 0, 0, 1) != 0;
  });
  const std::array<std::int64_t, 3> wishes{is_reproducible_ ? 1 : 0, options_.tune_after, options_.tunes_again ? 1 : 0};
  require_same(members, "what NEARFAR_REPRODUCIBLE (order: 1), NEARFAR_TUNE_AFTER and NEARFAR_TUNE_AGAIN say", wishes);
  node_segment_ = std::make_unique<node_segment>(members, options_.name, options_.is_short_of_cores);
  workspace_.near = node_segment_.get();
  workspace_.has_wisdom = everywhere(state_of(members), !tune::wisdom_path().empty());
  if (members.nodes() > 1) {
    inter_node_ = std::make_shared<inter_node>(members);
    workspace_.far = inter_node_.get();
    node_segment_->name_far_peers([known = inter_node_] { return known->describe_peers(); });
  }
  setting_ = setting_of(members, node_segment_->memory().has_process_reads());
}

engine::~engine() = default;

// The buffers of a call like the last one; false where more than that must be looked at.
bool engine::bind_buffers(const call& c) {
  const int rank = workspace_.members.rank();
  const bool sends = c.what != kind::bcast && (c.what != kind::scatter || rank == c.root);
  const bool receives = has_result(c, rank) && (c.what != kind::gather || rank == c.root);
  const auto* in = sends ? static_cast<const std::byte*>(c.send.data) : nullptr;
  auto* out = receives ? static_cast<std::byte*>(c.receive.data) : nullptr;
  if ((sends && in == nullptr) || (receives && out == nullptr) || out == MPI_IN_PLACE) return false;
  if (in == MPI_IN_PLACE && c.what != kind::allreduce) return false;
  if (in == out || (in != nullptr && out != nullptr && is_own_block(c, job_, rank, in, out))) return false;
  job_.in = c.what == kind::bcast || in == MPI_IN_PLACE ? out : in;
  job_.out = out;
  return true;
}

// The same call again, on whatever buffers: only these must be looked at, and not even these if MPI's own carries it
// out. A race needs the whole job.
bool engine::is_repeated(const call& c) {
  if (!is_repeatable_ || !has_same_shape(c, last_) || latest_->calls + 1 == latest_->tune_at) return false;
  if (choice_.is_made && choice_.first == nullptr) return true;
  return can_rebind_ && bind_buffers(c);
}

void engine::leave(kind what) noexcept {
  node_segment_->new_call();
  node_segment_->claim({});
  latest_ = &records_.at(what, false, 0);
  ++latest_->calls;
  is_counted_ = true;
  is_repeatable_ = was_accelerated_ = false;
}

bool engine::understand(const call& c) {
  const team_state& s = state_of(workspace_.members);
  is_repeatable_ = false;
  if (!make_job(c, s.rank, s.size, job_, details_->memory)) return false;
  const bool is_reduction = job_.op.is_valid();
  const bool is_generic = is_reduction && !job_.op.has_kernel();
  latest_ = &records_.at(c.what, is_generic, class_of(job_.bytes));
  claim_ = claim_of(job_);
  setting_.bytes = job_.bytes;
  setting_.is_commutative = !is_reduction || job_.op.is_commutative();
  choice_ = {};
  is_repeatable_ = is_reduction ? !is_generic && c.what != kind::reduce_scatter : has_lasting_types(c, s.rank);
  if (!is_repeatable_) return true;
  last_ = c;
  const bool is_in_place_here = is_in_place(c.send) || is_in_place(c.receive);
  can_rebind_ = details_->memory.to_pack.empty() && details_->memory.to_unpack.empty() && c.what != kind::barrier &&
                (!is_in_place_here || c.what == kind::allreduce);
  return true;
}

const algorithm* engine::choose(const call& c) {
  node_segment_->new_call();
  const algorithm* chosen = nullptr;
  try {
    chosen = look_up(c);
  } catch (const usage_error&) {  // of this rank's arguments: the call has not happened
    forget_call();
    throw;
  }
  node_segment_->claim(chosen != nullptr ? claim_ : call_claim{});
  return chosen;
}

void engine::forget_call() {
  node_segment_->forget_call();
  if (is_counted_) --latest_->calls;
}

const algorithm* engine::look_up(const call& c) {
  if (is_broken_) throw transport_error(text(options_.name, ": an earlier call on this communicator failed"));
  was_accelerated_ = is_counted_ = false;
  next_ = nullptr;
  if (node_segment_->is_stream_due(c.what)) [[unlikely]]
    node_segment_->look_at_stream();
  if (!is_repeated(c) && !understand(c)) return nullptr;
  is_counted_ = true;
  record& r = *latest_;
  ++r.calls;
  r.bytes += job_.bytes;
  if (!r.is_decided) decide(r, c, setting_);
  if (r.calls == r.tune_at) {
    prepare_job(details_->memory);
    node_segment_->claim(claim_);
    tune(r, c, setting_);
    choice_ = {};
  }
  // Kinds with one class for all sizes never go directly by themselves: nothing need be known of their calls.
  if (has_one_class(c.what) && r.chosen == nullptr) r.left_until = r.tune_at < 0 ? never : r.tune_at;
  if (!choice_.is_made) choice_ = pick(r, c.what);
  next_ = choice_.then;
  was_accelerated_ = choice_.first != nullptr;
  is_measured_ = was_accelerated_ && is_measured(r);
  if (is_measured_) of_operation_ = {};
  job_.op.measure_into(is_measured_ ? &of_operation_ : nullptr);
  if (was_accelerated_) prepare_job(details_->memory);
  return choice_.first;
}

engine::choice engine::pick(const record& r, kind what) {
  choice made{true, r.chosen != nullptr && r.chosen->serves(setting_) ? r.chosen : nullptr, nullptr};
  if (is_reproducible_ && job_.op.is_valid()) {
    made.then = with_ring(default_in_order(what, setting_));
    if (made.first == nullptr) made.first = made.then;
  }
  if (!may_be_near_ || !r.goes_direct || setting_.bytes < direct_from_bytes) return made;
  const algorithm* direct = find_algorithm(what, direct_name);
  if (direct != nullptr && direct->serves(setting_)) made = {true, direct, made.first};
  return made;
}

void engine::decide(record& r, const call& c, const setting& s) {
  r.is_decided = true;
  bool is_forced = false;
  r.chosen = details_->forced.find(c.what, s, is_forced);
  const bool needs_order = is_reproducible_ && job_.op.is_valid();
  r.is_fixed = is_forced || needs_order || options_.tune_after < 0;
  if (needs_order && (r.chosen == nullptr || !r.chosen->is_ordered))
    r.chosen = default_in_order(c.what, s);
  else if (!is_forced)
    r.chosen = default_algorithm(c.what, s);
  r.chosen = with_ring(r.chosen);
  if (r.is_fixed) return;
  const std::int64_t first_race =
      options_.tune_after > 0 ? options_.tune_after
                              : calls_worth_a_race(has_one_class(c.what) ? bytes_unknown : s.bytes, s.nodes > 1);
  const auto known = recall(workspace_, c, job_);
  if (known) {
    take(r, c.what, known->method);
    r.chosen_s = known->seconds, r.native_s = known->plain_seconds;
  }
  if (!known)
    r.tune_at = r.calls + first_race - 1;
  else if (options_.tunes_again)
    r.tune_at = r.calls + calls_before_wisdom_is_checked * first_race;
}

void engine::tune(record& r, const call& c, const setting& s) {
  r.tune_at = -1;
  const bool is_first = !r.races;
  if (is_first) r.races = std::make_unique<tune::ranking>(needed_gain, options_.budget_s);
  tune::ranking& races = *r.races;
  std::vector<const algorithm*> candidates;
  const bool on_near_memory = may_be_near_ && s.bytes >= direct_from_bytes;
  const auto takes_part = [&](const algorithm& a) {
    const bool is_candidate = a.is_candidate || (on_near_memory && a.name == std::string_view(direct_name));
    return is_candidate && a.serves(s) && races.is_wanted(a.name) && with_ring(&a) != nullptr;
  };
  for (const algorithm& a : algorithms_of(c.what))
    if (takes_part(a)) candidates.push_back(&a);
  if (candidates.empty()) return;
  const bool with_native = races.is_wanted(native_name);
  const race_options how{races.budget_s(), options_.overhead_s, on_near_memory};
  const auto held = has_one_class(c.what) ? race_over_lengths(workspace_, candidates, c, job_, how)
                                          : race_algorithms(workspace_, candidates, with_native, c, job_, how);
  if (!held) return;
  races.note(held->race, held->cost_s);
  const std::string before = r.chosen != nullptr ? r.chosen->name : native_name;
  const std::string now = races.best(before, direct_name);
  if (on_near_memory) r.goes_direct = races.best(r.goes_direct ? direct_name : now) == direct_name;
  take(r, c.what, now);
  for (const tune::timing& t : held->race.tried) {
    if (t.name == now) r.chosen_s = t.minimum_s;
    if (t.name == native_name) r.native_s = t.minimum_s;
  }
  if (is_first || now != before) keep(workspace_, c, job_, {now, r.chosen_s, r.native_s});
  if (options_.tunes_again) r.tune_at = r.calls + races.calls_until_next(races.seconds_of(now));
}

void engine::take(record& r, kind what, const std::string& name) {
  r.chosen = name == native_name ? nullptr : with_ring(find_algorithm(what, name));
}

// Rings cost memory that many communicators never need: they are made at the first call that takes one.
const algorithm* engine::with_ring(const algorithm* a) {
  return a == nullptr || !a->needs_ring || node_segment_->ring_bytes() > 0 || make_ring() ? a : nullptr;
}

bool engine::make_ring() {
  if (has_ring_failed_) return false;
  try {
    node_segment_->make_ring(ring_bytes);
  } catch (const resource_error& e) {
    has_ring_failed_ = true;
    if (workspace_.members.is_root()) near::say_once_that_messages_serve(e.what());
  }
  return !has_ring_failed_;
}

// An operation of the program's own may take any time. It is measured in two calls, of which one may have been
// interrupted, and again whenever calls of this kind and size have doubled, since another one may have come; until the
// first race.
bool engine::is_measured(const record& r) const noexcept {
  const bool is_generic = job_.op.is_valid() && !job_.op.has_kernel();
  const auto pair = static_cast<std::uint64_t>(r.calls) & ~std::uint64_t{1};
  return is_generic && !r.is_fixed && !r.races && std::has_single_bit(pair);
}

// Algorithms execute an operation once for each rank and piece, a tree of messages once for each doubling of ranks:
// where that costs more than messages do, the MPI's own way is taken, at least until a race.
void engine::weigh_operation(record& r, kind what) {
  const bool is_first = r.calls % 2 == 0;
  const reduction::executions& cost =
      is_first || of_operation_.seconds < r.of_operation.seconds ? of_operation_ : r.of_operation;
  if (is_first) r.of_operation = cost;
  if (is_first) return;
  const int ranks = setting_.ranks;
  const double by_tree_s = cost.number > 0 ? operation_by_tree(cost, job_.count, ranks) : 0;
  std::array<double, 3> most{cost.seconds, by_tree_s, cost.seconds - by_tree_s};
  watched_mpi("MPI_Allreduce", [&] {
    return MPI_Allreduce(MPI_IN_PLACE, most.data(), static_cast<int>(most.size()), MPI_DOUBLE, MPI_MAX,
                         workspace_.members.comm());
  });
  const auto all = algorithms_of(what);
  const auto racers = 1 + std::count_if(all.begin(), all.end(),
                                        [&](const algorithm& a) { return a.is_candidate && a.serves(setting_); });
  const double race_s = static_cast<double>(least_rounds * racers) * most[0];
  const bool is_far = setting_.nodes > 1;
  const bool is_left = most[2] > std::log2(ranks) * (is_far ? far_message_s : message_s);
  if (r.tune_at > 0 && options_.tune_after == 0) {
    const std::int64_t next = calls_worth_a_race(job_.bytes, is_far, most[is_left ? 1 : 0], race_s);
    const bool is_clear = is_left && race_s > options_.budget_s;  // nothing could win a race so long
    r.tune_at = is_clear ? -1 : std::min(r.tune_at, r.calls + next);
  }
  if (!is_left) return;
  r.chosen = nullptr;
  choice_ = {};
}

int engine::finish(const call& c) {
  if (is_measured_) weigh_operation(*latest_, c.what);
  return finish_job(c, job_, details_->memory);
}

std::string engine::describe() const {
  text_writer out;
  for_records([&](kind what, std::size_t size_class, bool is_generic, const record& r) {
    out << name_of(what) << (is_generic ? " (MPI's operation)" : "") << " below "
        << readable_bytes(std::int64_t{1} << size_class) << ": " << r.calls << " calls by "
        << (r.chosen == nullptr ? "mpi" : r.chosen->name);
    if (r.native_s > 0)
      out << ", measured " << readable_time(r.chosen_s) << ", MPI's own " << readable_time(r.native_s);
    out << '\n';
  });
  return out.str();
}

}  // namespace nearfar::collective
