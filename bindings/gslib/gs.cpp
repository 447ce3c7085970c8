// SPDX-License-Identifier: BSD-3-Clause
// gslib's gather-scatter calls: ids become references of an irregular plan, operations go through the queue of their
// handle.
#include <cstdio>
#include <map>
#include <span>

#include "id_groups.hpp"
#include "operation.hpp"

namespace {

using nearfar_gslib::operation;
using nearfar_gslib::request;
using shared_operation = std::shared_ptr<operation>;

/// What is begun: per handle in the order in which all ranks make the calls, and by the numbers that gs_wait() takes. A
/// plan has one operation in flight, so that the first of a queue is and the others wait.
struct begun {
  struct numbered {
    gs_data* g;
    shared_operation what;
  };
  std::map<gs_data*, std::deque<shared_operation>> queues;
  std::map<int, numbered> numbers;
  int next = 0;
};
begun& calls() {
  static begun all;
  return all;
}

/// Starts it where no other is in flight.
shared_operation post(gs_data* g, request r) {
  if (g == nullptr) fail(1, __FILE__, __LINE__, "gs: the handle is NULL: gs_setup() has not made it");
  auto o = std::make_shared<operation>(g, std::move(r));
  auto& queue = calls().queues[g];
  if (queue.empty()) o->start();
  queue.push_back(o);
  return o;
}

/// Finishes those before it, too, and starts the next.
void complete(gs_data* g, const operation& o) {
  auto& queue = calls().queues[g];
  while (!o.is_over()) {
    queue.front()->finish();
    queue.pop_front();
    if (!queue.empty()) queue.front()->start();
  }
}

void assemble(gs_data* g, request r) {
  const auto o = post(g, std::move(r));
  complete(g, *o);
}

void begin(gs_data* g, request r, int* handle) {
  auto o = post(g, std::move(r));
  *handle = calls().next++;
  calls().numbers.emplace(*handle, begun::numbered{g, std::move(o)});
}

/// Which entries take part and which are flagged; empty where all take part and none is flagged.
std::vector<gs_data::entry> entries_of(std::span<const slong> ids, const nearfar_gslib::id_groups& groups,
                                       bool is_unique) {
  std::vector<gs_data::entry> all;
  bool is_plain = true;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    is_plain = is_plain && ids[i] != 0;
    if (ids[i] == 0) continue;
    const bool is_flagged = is_unique ? !groups.is_unique[all.size()] : ids[i] < 0;
    is_plain = is_plain && !is_flagged;
    all.push_back({i, is_flagged});
  }
  if (is_plain) all.clear();
  return all;
}

/// One team for all handles of the same ranks, so that they share memory and what was tuned. It stays until the program
/// ends: programs make handles again and again on one set of ranks or a few, of communicators that they free in
/// between.
struct kept_team {
  MPI_Comm comm;  ///< a duplicate of gs_setup()'s
  nearfar_team* team;
};

/// Collective: ranks that have such a team all have it.
nearfar_team* team_of(MPI_Comm comm) {
  static std::vector<kept_team> all;
  for (const kept_team& t : all) {
    int relation = MPI_UNEQUAL;
    MPI_Comm_compare(t.comm, comm, &relation);
    if (relation == MPI_CONGRUENT) return t.team;
  }
  kept_team made{};
  MPI_Comm_dup(comm, &made.comm);
  NEARFAR_TRY(nearfar_team_create(made.comm, nullptr, &made.team));
  all.push_back(made);
  return made.team;
}

void make_plan(gs_data* g, nearfar_team* team, const nearfar_gslib::id_groups& groups) {
  nearfar_distribution* owners;
  NEARFAR_TRY(nearfar_distribution_block_sizes(team, groups.own_elements, &owners));
  nearfar_irregular_options options{};
  options.size = sizeof options;
  options.name = "gslib";
  NEARFAR_TRY(nearfar_irregular_plan_create(owners, static_cast<std::int64_t>(groups.elements.size()),
                                            groups.elements.data(), &options, &g->plan));
  NEARFAR_TRY(nearfar_distribution_free(&owners));
}

}  // namespace

extern "C" {

struct gs_data* gs_setup(const slong* id, uint n, const struct comm* c, int unique, gs_method, int verbose) {
  const std::span<const slong> ids(id, n);
  const auto groups = nearfar_gslib::group_ids(*c, ids);
  auto g = std::make_unique<gs_data>();
  make_plan(g.get(), team_of(c->c), groups);
  g->entries = entries_of(ids, groups, unique != 0);
  g->n = n;
  if (verbose != 0 && c->id == 0) std::printf("gs_setup: %s\n", nearfar_gslib_describe(g.get())), std::fflush(stdout);
  return g.release();
}

void gs_free(struct gs_data* g) {
  if (g == nullptr) return;
  const std::unique_ptr<gs_data> doomed(g);
  NEARFAR_TRY(nearfar_irregular_plan_free(&g->plan));  // finishes what is in flight, in the memory of its operation
  calls().queues.erase(g);
  for (auto& [number, call] : calls().numbers)
    if (call.g == g) call.g = nullptr;
}

void gs_unique(slong* id, uint n, const struct comm* c) {
  const std::span<slong> ids(id, n);
  const auto groups = nearfar_gslib::group_ids(*c, ids);
  auto is_one = groups.is_unique.begin();
  for (slong& i : ids)
    if (i != 0 && !*is_one++ && i > 0) i = -i;
}

void gs(void* u, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g, buffer*) {
  assemble(g, {{u}, 1, dom, op, transpose != 0});
}
void gs_vec(void* u, unsigned k, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g, buffer*) {
  assemble(g, {{u}, k, dom, op, transpose != 0});
}
void gs_many(void* const* u, unsigned k, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g, buffer*) {
  assemble(g, {{u, u + k}, 1, dom, op, transpose != 0});
}

void igs(void* u, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g, buffer*, int* handle) {
  begin(g, {{u}, 1, dom, op, transpose != 0}, handle);
}
void igs_vec(void* u, unsigned k, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g, buffer*, int* handle) {
  begin(g, {{u}, k, dom, op, transpose != 0}, handle);
}
void igs_many(void* const* u, unsigned k, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g, buffer*,
              int* handle) {
  begin(g, {{u, u + k}, 1, dom, op, transpose != 0}, handle);
}

void gs_wait(int handle) {
  const auto found = calls().numbers.find(handle);
  if (found == calls().numbers.end())
    fail(1, __FILE__, __LINE__, "gs_wait: there is no call with handle %d to wait for", handle);
  const auto [g, what] = std::move(found->second);
  calls().numbers.erase(found);
  if (g == nullptr && !what->is_over())
    fail(1, __FILE__, __LINE__, "gs_wait: the handle of this call was freed before");
  if (g != nullptr) complete(g, *what);
}

const char* nearfar_gslib_describe(struct gs_data* g) { return nearfar_irregular_plan_describe(g->plan); }

}  // extern "C"
