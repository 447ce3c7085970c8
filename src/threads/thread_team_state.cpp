// SPDX-License-Identifier: BSD-3-Clause
// Making a thread team, the agreement of its threads on a type and an operation, and the rank's scratch memory.
#include "thread_team_state.hpp"

#include <base/env.hpp>
#include <base/internals.hpp>
#include <cstring>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <utility>

namespace nearfar {
namespace {

threads::thread_numbering number_threads(const team& members, int threads, const std::string& name) {
  agree(members, [&] {
    if (threads < 1) throw usage_error(text(name, ": ", threads, " threads; each rank must have at least one"));
  });
  std::vector<int> all(as_size(members.size()));
  watched_mpi("MPI_Allgather",
              [&] { return MPI_Allgather(&threads, 1, MPI_INT, all.data(), 1, MPI_INT, members.comm()); });
  return threads::thread_numbering(all);
}

/// Are there more threads than processors on any node? Nodes with unequal ranks make this a guess.
bool are_cores_short(const team& members, int threads) {
  const team_state& t = state_of(members);
  return !everywhere(t, index_t{t.ranks_here} * threads <= t.hardware_threads);
}

threads::thread_group_setting group_setting_of(const team& members, const std::string& name, int threads,
                                               bool is_short) {
  const team_state& t = state_of(members);
  threads::thread_group_setting how{.threads = threads, .name = name};
  how.first = near::wait_policy::of(t);
  if (is_short && env::string_or("NEARFAR_SPINS", "").empty()) how.first.spins = 0;
  if (t.size == 1) how.first.comm = MPI_COMM_NULL;
  how.others = how.first;
  how.others.comm = MPI_COMM_NULL;
  // Made here because that is collective. Whole lines at once are faster, but only a team with near ranks has tested
  // that they are seen whole.
  const near::arena& memory = near::arena::of(members);
  if (t.near_size > 1) how.lines = &memory.lines();
  return how;
}

bool is_mpi_for_all_threads() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

}  // namespace

thread_team_state::thread_team_state(const team& all, int own_threads, thread_team_options options)
    : members(all),
      name(options.name),
      numbering(number_threads(all, own_threads, options.name)),
      threads(own_threads),
      is_mpi_for_all(is_mpi_for_all_threads()),
      is_rank_alone(all.size() == 1),
      is_short_of_cores(are_cores_short(all, own_threads)),
      group(group_setting_of(all, options.name, own_threads, is_short_of_cores)),
      ranks(all, options.rank_allreduce, is_short_of_cores),
      slots(std::make_unique<slot[]>(as_size(own_threads))),
      table(as_size(own_threads)) {
  for (int t = 0; t < threads; ++t) {
    slots[as_size(t)].arrays.resize(as_size(threads));
    slots[as_size(t)].inputs.resize(as_size(threads));
    slots[as_size(t)].outputs.reserve(as_size(threads));
  }
}

std::byte* thread_team_state::spare(index_t bytes) {
  if (bytes > spare_bytes_) {
    near::block larger = near::arena::of(members).allocate(bytes);
    former_spare_ = std::exchange(spare_, std::move(larger));
    spare_bytes_ = bytes;
  }
  return spare_.data();
}

namespace threads {
namespace {

/// Handles are pointers in one MPI and numbers in another.
template <class Handle>
std::uint64_t number_of(Handle handle) noexcept {
  std::uint64_t number = 0;
  static_assert(sizeof handle <= sizeof number);
  std::memcpy(&number, &handle, sizeof handle);
  return number;
}

constexpr std::uint64_t spread(std::uint64_t v) noexcept {
  v *= 0x9e3779b97f4a7c15ULL;
  return v ^ (v >> 29);
}

bool is_mpis_own(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  check_mpi(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner), "MPI_Type_get_envelope");
  return combiner == MPI_COMBINER_NAMED;
}

thread_elements measure(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) throw usage_error("the type is MPI_DATATYPE_NULL");
  int size = 0;
  MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  check_mpi(MPI_Type_size(type, &size), "MPI_Type_size");
  check_mpi(MPI_Type_get_extent(type, &lower, &extent), "MPI_Type_get_extent");
  check_mpi(MPI_Type_get_true_extent(type, &true_lower, &true_extent), "MPI_Type_get_true_extent");
  if (lower != 0 || true_lower < 0 || true_lower + true_extent > extent)
    throw usage_error(
        "elements of this type begin before or end behind their extent; thread teams do not serve such types");
  return {.type = type, .bytes = extent, .is_dense = size == extent, .is_lasting = is_mpis_own(type)};
}

thread_elements resolve(const thread_team_state& s, const thread_call& c) {
  thread_elements e = measure(c.type);
  if (c.op == MPI_OP_NULL) {
    if (!e.is_dense) throw usage_error(text("elements with gaps can be reduced, but not copied by a thread team"));
    return e;
  }
  e.op = reduction::reducer::of(c.op, c.type);
  if (!e.op.is_valid()) throw usage_error("the operation is not defined on this type");
  e.handle = c.op;
  e.is_lasting = e.is_lasting && e.op.has_kernel();
  e.is_serial = !e.op.has_kernel() && !s.is_mpi_for_all;
  return e;
}

void resolve_for_all(thread_team_state& s, const thread_call& c) {
  s.complaint.clear();
  try {
    s.resolved = resolve(s, c);
  } catch (const error& e) {
    s.complaint = text(s.name, ": ", e.what());
  }
}

}  // namespace

std::uint32_t thread_call::mark() const noexcept {
  std::uint64_t v = spread(static_cast<std::uint64_t>(what) + 1);
  v = spread(v ^ static_cast<std::uint64_t>(count));
  v = spread(v ^ number_of(type));
  v = spread(v ^ number_of(op));
  v = spread(v ^ (static_cast<std::uint64_t>(root_rank) << 32 | static_cast<std::uint32_t>(root_thread)));
  return static_cast<std::uint32_t>(v >> 32);
}

void give_up(thread_team_state& s, int me, status kind, const char* words) {
  // Threads that failed in one call may have learnt different types in it; what they know must stay the same on all.
  s.slots[as_size(me)].known = {};
  s.group.complain(me, kind, words);
}

const thread_elements& elements_of(thread_team_state& s, int me, const thread_call& c) {
  auto& known = s.slots[as_size(me)].known;
  thread_elements& e = known[spread(number_of(c.type) ^ spread(number_of(c.op))) % known.size()];
  if (e.is_lasting && e.type == c.type && e.handle == c.op) return e;
  // Every thread made the same calls and knows the same types, so that all come here or none does.
  if (me == 0) resolve_for_all(s, c);
  s.group.arrive(me);
  if (me != 0) s.group.await(me, 0);
  if (!s.complaint.empty()) {
    const std::string words = s.complaint;
    s.group.meet(me);  // thread 0 writes the next complaint into the same place
    throw usage_error(words);
  }
  return e = s.resolved;
}

void exchange_arrays(thread_team_state& s, int me, const thread_arrays& mine) {
  auto& arrays = s.slots[as_size(me)].arrays;
  s.group.post(me, &mine, sizeof mine);
  arrays[as_size(me)] = mine;
  if (s.group.is_flat() || me == 0)
    for (int other = 0; other < s.threads; ++other)
      if (other != me) s.group.collect(me, other, &arrays[as_size(other)], sizeof mine);
  if (s.group.is_flat()) return;
  if (me == 0) s.table = arrays;
  s.group.arrive(me);
  if (me == 0) return;
  s.group.await(me, 0);
  arrays = s.table;
}

void require_root(const thread_team_state& s, const thread_call& c) {
  if (c.root_rank < 0 || c.root_rank >= s.members.size())
    throw usage_error(text(s.name, ": there is no rank ", c.root_rank, "; the team has ", s.members.size()));
  if (c.root_thread < 0 || c.root_thread >= s.numbering.of(c.root_rank))
    throw usage_error(text(s.name, ": there is no thread ", c.root_thread, " of rank ", c.root_rank, ", which has ",
                           s.numbering.of(c.root_rank)));
}

void copy_elements(const thread_elements& e, std::byte* to, const std::byte* from, index_t count) {
  if (to == from) return;
  if (e.is_dense)
    std::memcpy(to, from, as_size(count * e.bytes));
  else
    e.op.combine_all(to, &from, 1, count);
}

}  // namespace threads
}  // namespace nearfar
