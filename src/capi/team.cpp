// SPDX-License-Identifier: BSD-3-Clause
// The C interface to teams, and the freeing of all that was made from one.
#include <algorithm>
#include <memory>
#include <mutex>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <unordered_set>

#include "handles.hpp"

namespace nearfar::capi {
namespace {

// Shells that outlive their team stay reachable here, so that leak checkers do not count them as lost.
struct shell_list {
  std::mutex mutex;
  std::unordered_set<const void*> shells;
};

shell_list& shells() {
  static auto& list = *new shell_list;  // never destroyed: free functions may run after static destructors
  return list;
}

void keep_shell(const void* handle) {
  const std::lock_guard lock(shells().mutex);
  shells().shells.insert(handle);
}

void drop_shell(const void* handle) {
  const std::lock_guard lock(shells().mutex);
  shells().shells.erase(handle);
}

template <class Handle>
void make_shell(Handle* handle) {
  handle->value.reset();
  handle->owner = nullptr;
  keep_shell(handle);
}

// Frees a handle whose team may be gone; `list` is where a living team keeps such handles.
template <class Handle>
void dispose(Handle* handle, std::vector<Handle*> nearfar_team::*list) noexcept {
  if (handle->owner)
    forget(handle->owner->*list, handle);
  else
    drop_shell(handle);
  delete handle;
}

void end_loan(nearfar_output_crew* crew);

// Plans first, and in one order on all ranks: freeing one may be collective.
void free_all(nearfar_team* team) {
  for (auto* o : team->outputs) make_shell(o);
  for (auto* r : team->output_readers) make_shell(r);
  for (auto* c : team->crews) end_loan(c), make_shell(c);
  for (auto* p : team->plans) make_shell(p);
  for (auto* g : team->gathers) make_shell(g);
  for (auto* p : team->ffts) make_shell(p);
  for (auto* l : team->layouts) make_shell(l);
  for (auto* p : team->transposes) make_shell(p);
  for (auto* a : team->transpose_arrays) make_shell(a);
  for (auto* d : team->decompositions) make_shell(d);
  for (auto* d : team->distributions) make_shell(d);
  for (auto* h : team->halos) make_shell(h), h->parts.clear();
  for (auto* f : team->fields) make_shell(f);
  for (auto* g : team->grids) make_shell(g);
}

void end_loan(nearfar_output_crew* crew) {
  if (crew->computing) free_all(crew->computing.get());
  crew->computing.reset();
}

}  // namespace

team& value_of(nearfar_team* handle) {
  require(handle != nullptr, "the team is NULL: it was not created, or is freed already");
  return handle->value;
}

const team& value_of(const nearfar_team* handle) { return value_of(const_cast<nearfar_team*>(handle)); }

void release(nearfar_collective_plan* handle) noexcept { dispose(handle, &nearfar_team::plans); }
void release(nearfar_distribution* handle) noexcept { dispose(handle, &nearfar_team::distributions); }
void release(nearfar_gather_plan* handle) noexcept { dispose(handle, &nearfar_team::gathers); }
void release(nearfar_decomposition* handle) noexcept { dispose(handle, &nearfar_team::decompositions); }
void release(nearfar_transpose_array* handle) noexcept { dispose(handle, &nearfar_team::transpose_arrays); }
void release(nearfar_transpose_plan* handle) noexcept { dispose(handle, &nearfar_team::transposes); }
void release(nearfar_fft_plan* handle) noexcept { dispose(handle, &nearfar_team::ffts); }
void release(nearfar_fft_layout* handle) noexcept {
  release(handle->physical.parts), release(handle->spectral.parts);
  dispose(handle, &nearfar_team::layouts);
}
void release(nearfar_output* handle) noexcept { dispose(handle, &nearfar_team::outputs); }
void release(nearfar_output_reader* handle) noexcept { dispose(handle, &nearfar_team::output_readers); }
void release(nearfar_output_crew* handle) noexcept {
  end_loan(handle);
  dispose(handle, &nearfar_team::crews);
}
void release(nearfar_halo_plan* handle) noexcept { dispose(handle, &nearfar_team::halos); }
void release(nearfar_field* handle) noexcept { dispose(handle, &nearfar_team::fields); }

void release(nearfar_grid* handle) noexcept {
  if (handle->owner) {
    auto& fields = handle->owner->fields;
    for (auto* f : fields)
      if (f->cells == handle) make_shell(f);
    std::erase_if(fields, [](const nearfar_field* f) { return f->owner == nullptr; });
  }
  dispose(handle, &nearfar_team::grids);
}

}  // namespace nearfar::capi

using namespace nearfar::capi;

namespace {

nearfar_status create(MPI_Comm comm, int node_size, nearfar_team** team) {
  if (team) *team = nullptr;
  return guarded([&] {
    require_result(team, "team");
    *team = new nearfar_team{nearfar::team(comm, nearfar::team_options{.node_size = node_size})};
  });
}

int number_of(const nearfar_team* team, int (nearfar::team::*query)() const noexcept) {
  return guarded_value(-1, [&] { return (value_of(team).*query)(); });
}

}  // namespace

extern "C" {

nearfar_status nearfar_team_create(MPI_Comm comm, nearfar_team** team) { return create(comm, 0, team); }

nearfar_status nearfar_team_create_with(MPI_Comm comm, int node_size, nearfar_team** team) {
  return create(comm, node_size, team);
}

nearfar_status nearfar_team_create_fint(MPI_Fint comm, int node_size, nearfar_team** team) {
  if (const auto status = guarded([] { nearfar::require_own_mpi(); }); status != NEARFAR_OK) return status;
  return create(MPI_Comm_f2c(comm), node_size, team);
}

nearfar_status nearfar_team_free(nearfar_team** team) {
  if (team == nullptr || *team == nullptr) return NEARFAR_OK;
  if ((*team)->lender) return remember(nearfar::status::usage, "the computing team of a crew is freed with the crew");
  const std::unique_ptr<nearfar_team> doomed(*team);
  *team = nullptr;
  return guarded([&] { free_all(doomed.get()); });
}

int nearfar_team_rank(const nearfar_team* team) { return number_of(team, &nearfar::team::rank); }
int nearfar_team_size(const nearfar_team* team) { return number_of(team, &nearfar::team::size); }
int nearfar_team_node(const nearfar_team* team) { return number_of(team, &nearfar::team::node); }
int nearfar_team_nodes(const nearfar_team* team) { return number_of(team, &nearfar::team::nodes); }
int nearfar_team_near_rank(const nearfar_team* team) { return number_of(team, &nearfar::team::near_rank); }
int nearfar_team_near_size(const nearfar_team* team) { return number_of(team, &nearfar::team::near_size); }

const char* nearfar_team_describe(nearfar_team* team) {
  return guarded_value<const char*>(nullptr, [&] {
    team->text = value_of(team).describe();
    return team->text.c_str();
  });
}

nearfar_status nearfar_agree(nearfar_team* team, const char* complaint) {
  return guarded([&] {
    nearfar::agree(value_of(team),
                   [&] { require(complaint == nullptr || *complaint == '\0', complaint ? complaint : ""); });
  });
}

}  // extern "C"
