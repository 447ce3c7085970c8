// SPDX-License-Identifier: BSD-3-Clause
// The C interface to teams, and the freeing of all that was made from one.
#include <algorithm>
#include <memory>
#include <mutex>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <unordered_set>

#include "from_integer.hpp"
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

template <class Handle>
void make_shell(Handle* handle) {
  if constexpr (std::is_same_v<Handle, nearfar_output_writers>) end_loan(handle);
  if constexpr (std::is_same_v<Handle, nearfar_halo_plan>) handle->parts.clear();
  handle->value.reset();
  handle->owner = nullptr;
  keep_shell(handle);
}

void free_all(nearfar_team* team) {
  const auto empty = [](const auto& handles) {
    for (auto* handle : handles) make_shell(handle);
  };
  std::apply([&](const auto&... lists) { (empty(lists), ...); }, team->made);
}

}  // namespace

void drop_shell(const void* handle) {
  const std::lock_guard lock(shells().mutex);
  shells().shells.erase(handle);
}

void end_loan(nearfar_output_writers* writers) {
  if (writers->computing) free_all(writers->computing.get());
  writers->computing.reset();
}

void empty_fields_of(nearfar_grid* grid) {
  auto& fields = grid->owner->all<nearfar_field>();
  for (auto* f : fields)
    if (f->cells == grid) make_shell(f);
  std::erase_if(fields, [](const nearfar_field* f) { return f->owner == nullptr; });
}

team& value_of(nearfar_team* handle) {
  require(handle != nullptr, "the team is NULL: it was not created, or is freed already");
  return handle->value;
}

const team& value_of(const nearfar_team* handle) { return value_of(const_cast<nearfar_team*>(handle)); }

void refuse_handle(const char* noun, bool is_null, const char* freed_with) {
  throw usage_error(is_null ? text(noun, " is NULL: it was not created, or is freed already")
                            : text(noun, " was freed with its ", freed_with));
}

void refuse_uncommitted(const nearfar_halo_plan& plan) {
  throw usage_error(text("halo plan '", plan.options.name, "' is not committed yet"));
}

}  // namespace nearfar::capi

using namespace nearfar::capi;

namespace {

nearfar_status create(MPI_Comm comm, const nearfar_team_options* options, nearfar_team** team) {
  return making(team, [&] {
    nearfar::require_usable(comm);
    nearfar::team_options wanted;
    nearfar::agree(comm, [&] { wanted.node_size = read_options(options).node_size; });
    const nearfar::team made(comm, wanted);
    nearfar::agree(made, [&] { require_result(team, "team"); });
    *team = new nearfar_team{made};
  });
}

int number_of(const nearfar_team* team, int (nearfar::team::*query)() const noexcept) {
  return guarded_value(-1, [&] { return (value_of(team).*query)(); });
}

}  // namespace

extern "C" {

nearfar_status nearfar_team_create(MPI_Comm comm, const nearfar_team_options* options, nearfar_team** team) {
  return create(comm, options, team);
}

nearfar_status nearfar_team_create_fint(MPI_Fint comm, const nearfar_team_options* options, nearfar_team** team) {
  if (const auto status = guarded([] { nearfar::require_own_mpi(); }); status != NEARFAR_OK) return status;
  return create(comm_from(comm), options, team);
}

nearfar_status nearfar_team_free(nearfar_team** team) {
  if (team == nullptr || *team == nullptr) return NEARFAR_OK;
  if ((*team)->lender)
    return remember(nearfar::status::usage, "the computing team of a nearfar_output_writers is freed with it");
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
  return kept_text(team, &nearfar_team::text, [](auto& t) { return t.describe(); });
}

nearfar_status nearfar_agree(nearfar_team* team, const char* complaint) {
  return guarded([&] {
    nearfar::agree(value_of(team),
                   [&] { require(complaint == nullptr || *complaint == '\0', complaint ? complaint : ""); });
  });
}

}  // extern "C"
