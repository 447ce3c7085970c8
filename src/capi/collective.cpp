// SPDX-License-Identifier: BSD-3-Clause
// The C interface to collective plans, to near memory, and to the calls that bindings assemble themselves.
#include "collective.hpp"

#include <algorithm>
#include <memory>

using namespace nearfar::capi;

namespace nearfar::capi {

namespace {

call_side side_of(const nearfar_team* team, const nearfar_side& from) {
  call_side side{from.data, from.count, from.type, from.capacity, from.scale > 0 ? from.scale : 1};
  side.counts = list(team, from.counts);
  side.displs = list(team, from.displs);
  side.types = from.types;
  return side;
}

collective_call call_of(const nearfar_team* team, const nearfar_call* call) {
  require(call != nullptr, "the call is NULL");
  require(call->kind >= 0 && call->kind <= static_cast<int>(collective_kind::exscan),
          text("there is no kind of call ", call->kind));
  return {static_cast<collective_kind>(call->kind), side_of(team, call->send), side_of(team, call->receive), call->op,
          call->root};
}

}  // namespace
}  // namespace nearfar::capi

extern "C" {

nearfar_status nearfar_run_call(nearfar_team* team, const nearfar_call* call) {
  return once(team, [&] { return call_of(team, call); });
}

nearfar_status nearfar_collective_plan_create(nearfar_team* team, const nearfar_call* call,
                                              const nearfar_plan_options* options, nearfar_collective_plan** plan) {
  return make(team, options, plan, [&] { return call_of(team, call); });
}

const char* nearfar_collectives_describe(nearfar_team* team) {
  return kept_text(team, &nearfar_team::text, nearfar::describe_collectives);
}

nearfar_status nearfar_allocate(nearfar_team* team, int64_t bytes, void** data) {
  return making(data, [&] {
    nearfar::agree(value_of(team), [&] { require_result(data, "data"); });
    team->memory.emplace_back(team->value, bytes);
    *data = team->memory.back().data();
  });
}

nearfar_status nearfar_free(nearfar_team* team, void** data) {
  if (data == nullptr || *data == nullptr) return NEARFAR_OK;
  return guarded([&] {
    value_of(team);
    auto& all = team->memory;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const nearfar::shared_memory& m) { return m.data() == *data; });
    require(found != all.end(), "the address is not from nearfar_allocate of this team, or is freed already");
    all.erase(found);
    *data = nullptr;
  });
}

nearfar_status nearfar_collective_plan_run(nearfar_collective_plan* plan) {
  return guarded([&] { value_of(plan).run(); });
}

nearfar_status nearfar_collective_plan_start(nearfar_collective_plan* plan) {
  return guarded([&] { value_of(plan).start(); });
}

const char* nearfar_collective_plan_start_method(nearfar_collective_plan* plan) {
  return guarded_value<const char*>(nullptr, [&] {
    plan->start_method = value_of(plan).start_method();
    return plan->start_method.c_str();
  });
}

}  // extern "C"
