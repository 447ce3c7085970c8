// SPDX-License-Identifier: BSD-3-Clause
// gslib's calls: ids become references, operations go through the queue of their handle.
#include <gather/id_groups.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <topology/agree.hpp>

#include "gslib_calls.hpp"

using namespace nearfar::capi;
using nearfar::text;

namespace {

std::span<int64_t> ids_of(int64_t* id, int64_t n) {
  require(n >= 0, text("the number of ids is ", n, "; it must not be negative"));
  require(id != nullptr || n == 0, "the list of ids is NULL");
  return {id, static_cast<std::size_t>(n)};
}

/// Which entries take part and which are flagged; empty where all take part and none is flagged.
std::vector<nearfar_gs_data::entry> entries_of(std::span<const int64_t> ids,
                                               const nearfar::gathering::id_groups& groups, bool is_unique) {
  std::vector<nearfar_gs_data::entry> all;
  bool is_plain = true;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    is_plain = is_plain && ids[i] != 0;
    if (ids[i] == 0) continue;
    const bool is_flagged = is_unique ? !groups.is_unique[all.size()] : ids[i] < 0;
    is_plain = is_plain && !is_flagged;
    all.push_back({static_cast<nearfar::index>(i), is_flagged});
  }
  if (is_plain) all.clear();
  return all;
}

gs_request many(void* const* u, int k, nearfar_type type, nearfar_scatter_op op, int transpose) {
  require(k >= 1, text("got ", k, " arrays; there is 1 or more"));
  require(u != nullptr, "the list of arrays is NULL");
  return {{u, u + k}, 1, type, op, transpose != 0};
}

/// What waits for nearfar_gs_wait(). A handle that is freed leaves its calls here, abandoned.
struct waiting_list {
  struct entry {
    nearfar_gs_data* g;
    std::shared_ptr<gs_call> call;
  };
  std::mutex mutex;
  std::map<int, entry> calls;
  int next = 0;
};
waiting_list& waiting() {
  static waiting_list list;
  return list;
}

gs_queue& queue_of(nearfar_gs_data* g) {
  plan_of(g);
  if (!g->calls) g->calls = std::make_shared<gs_queue>();
  return *g->calls;
}

void begin(nearfar_gs_data* g, gs_request r, int* handle) {
  require_result(handle, "handle");
  auto call = queue_of(g).post(g, std::move(r));
  waiting_list& list = waiting();
  const std::lock_guard lock(list.mutex);
  *handle = list.next++;
  list.calls.emplace(*handle, waiting_list::entry{g, std::move(call)});
}

waiting_list::entry taken(int handle) {
  waiting_list& list = waiting();
  const std::lock_guard lock(list.mutex);
  const auto found = list.calls.find(handle);
  require(found != list.calls.end(), text("there is no call with handle ", handle, " to wait for"));
  auto call = std::move(found->second);
  list.calls.erase(found);
  return call;
}

/// After what was begun before it on this handle.
void assemble(nearfar_gs_data* g, gs_request r) {
  gs_queue& calls = queue_of(g);
  calls.complete(*calls.post(g, std::move(r)));
}

}  // namespace

extern "C" {

nearfar_status nearfar_gs_setup(nearfar_team* team, const int64_t* id, int64_t n, int unique, const char* method,
                                nearfar_gs_data** g) {
  if (g) *g = nullptr;
  return guarded([&] {
    const nearfar::team& members = value_of(team);
    auto* const mutable_id = const_cast<int64_t*>(id);
    nearfar::agree(members, [&] { require_result(g, "g"), ids_of(mutable_id, n); });
    const std::span<const int64_t> ids = ids_of(mutable_id, n);
    const auto groups = nearfar::gathering::group_ids(members, ids);
    auto handle = std::make_unique<nearfar_gs_data>();
    nearfar::gather_options options{.name = "gslib"};
    if (method) options.method = method;
    handle->value.emplace(nearfar::distribution::block_sizes(members, groups.own_elements), groups.elements, options);
    handle->entries = entries_of(ids, groups, unique != 0);
    handle->n = n;
    handle->owner = team;
    team->gslibs.push_back(handle.get());
    *g = handle.release();
  });
}

nearfar_status nearfar_gs_free(nearfar_gs_data** g) {
  if (g == nullptr || *g == nullptr) return NEARFAR_OK;
  release(*g);
  *g = nullptr;
  return NEARFAR_OK;
}

nearfar_status nearfar_gs_unique(nearfar_team* team, int64_t* id, int64_t n) {
  return guarded([&] {
    const nearfar::team& members = value_of(team);
    nearfar::agree(members, [&] { ids_of(id, n); });
    const auto groups = nearfar::gathering::group_ids(members, ids_of(id, n));
    auto is_one = groups.is_unique.begin();
    for (int64_t& i : ids_of(id, n))
      if (i != 0 && !*is_one++ && i > 0) i = -i;
  });
}

nearfar_status nearfar_gs(void* u, nearfar_type type, nearfar_scatter_op op, int transpose, nearfar_gs_data* g) {
  return nearfar_gs_vec(u, 1, type, op, transpose, g);
}

nearfar_status nearfar_gs_vec(void* u, int k, nearfar_type type, nearfar_scatter_op op, int transpose,
                              nearfar_gs_data* g) {
  return guarded([&] { assemble(g, {{u}, k, type, op, transpose != 0}); });
}

nearfar_status nearfar_gs_many(void* const* u, int k, nearfar_type type, nearfar_scatter_op op, int transpose,
                               nearfar_gs_data* g) {
  return guarded([&] { assemble(g, many(u, k, type, op, transpose)); });
}

nearfar_status nearfar_igs(void* u, nearfar_type type, nearfar_scatter_op op, int transpose, nearfar_gs_data* g,
                           int* handle) {
  return nearfar_igs_vec(u, 1, type, op, transpose, g, handle);
}

nearfar_status nearfar_igs_vec(void* u, int k, nearfar_type type, nearfar_scatter_op op, int transpose,
                               nearfar_gs_data* g, int* handle) {
  return guarded([&] { begin(g, {{u}, k, type, op, transpose != 0}, handle); });
}

nearfar_status nearfar_igs_many(void* const* u, int k, nearfar_type type, nearfar_scatter_op op, int transpose,
                                nearfar_gs_data* g, int* handle) {
  return guarded([&] { begin(g, many(u, k, type, op, transpose), handle); });
}

nearfar_status nearfar_gs_wait(int handle) {
  return guarded([&] {
    const auto [g, call] = taken(handle);
    if (call->is_over())
      call->result();
    else
      g->calls->complete(*call);
  });
}

const char* nearfar_gs_describe(nearfar_gs_data* g) {
  return guarded_value<const char*>(nullptr, [&] {
    g->text = plan_of(g).describe();
    return g->text.c_str();
  });
}

}  // extern "C"
