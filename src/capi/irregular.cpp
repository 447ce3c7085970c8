// SPDX-License-Identifier: BSD-3-Clause
// The C interface to irregular plans; every operation is one of the calls that a structure describes.
#include <algorithm>
#include <array>
#include <memory>
#include <topology/agree.hpp>

#include "irregular_arrays.hpp"

using namespace nearfar::capi;
using nearfar::irregular_array;
using nearfar::irregular_item;
using nearfar::irregular_plan;
using nearfar::text;

namespace {

nearfar::irregular_options options_of(const nearfar_irregular_options* options) {
  nearfar::irregular_options o;
  const nearfar_irregular_options known = read_options(options), *const from = &known;
  read_plan_options(known, o);
  require(
      from->order == NEARFAR_SCATTER_ORDER_PLAN || from->order == NEARFAR_SCATTER_ORDER_CANONICAL,
      text("there is no order of additions ", static_cast<int>(from->order), "; there are 0 (plan), 1 (canonical)"));
  o.order = static_cast<nearfar::scatter_order>(from->order);
  if (from->element_bytes != 0) o.element_bytes = from->element_bytes;
  if (from->threads != 0) o.threads = from->threads;
  return o;
}

std::span<const int64_t> references(int64_t count, const int64_t* indices) {
  require(count >= 0, text("the number of references is ", count, "; it must not be negative"));
  require(indices != nullptr || count == 0, "the list of indices is NULL");
  return {indices, static_cast<std::size_t>(count)};
}

/// For the wide forms, which check the rest; a list that is NULL stays so.
std::vector<int64_t> widened(int64_t count, const int32_t* indices) {
  if (count < 0 || indices == nullptr) return {};
  return {indices, indices + count};
}

// ---- operations ----

using kinds = nearfar_irregular_kind;
bool is_on_ghosts(kinds k) { return k <= NEARFAR_IRREGULAR_ASSEMBLE_GHOSTS; }
bool is_combining(kinds k) { return k != NEARFAR_IRREGULAR_GATHER_GHOSTS && k != NEARFAR_IRREGULAR_GATHER; }

/// The arrays of a call, checked as far as that is possible without the plan.
struct prepared {
  explicit prepared(const nearfar_irregular_call* from) {
    require(from != nullptr, "the call is NULL");
    call = *from;
    require(call.kind >= NEARFAR_IRREGULAR_GATHER_GHOSTS && call.kind <= NEARFAR_IRREGULAR_ASSEMBLE,
            text("there is no operation ", static_cast<int>(call.kind), "; there are 0 … ",
                 static_cast<int>(NEARFAR_IRREGULAR_ASSEMBLE)));
    require(call.count >= 1 && call.count <= irregular_plan::max_arrays,
            text("got ", call.count, " arrays; an operation has 1 … ", irregular_plan::max_arrays));
    if (call.kind != NEARFAR_IRREGULAR_ASSEMBLE) read(call.x, "x", &irregular_item::x);
    if (!is_on_ghosts(call.kind)) read(call.values, "values", &irregular_item::values);
    const irregular_array& sample = call.kind == NEARFAR_IRREGULAR_ASSEMBLE ? items[0].values : items[0].x;
    if (is_combining(call.kind)) how = combiner_of_call(call, sample);
  }
  void read(const nearfar_irregular_array* from, const char* name, irregular_array irregular_item::*to) {
    require(from != nullptr, text("the list of arrays '", name, "' is NULL"));
    const bool is_added = is_combining(call.kind) && call.custom == nullptr && call.op == NEARFAR_REDUCE_SUM;
    for (int k = 0; k < call.count; ++k) items[static_cast<std::size_t>(k)].*to = array_of(from[k], is_added, name);
  }
  nearfar::irregular_call untyped() const {
    return {static_cast<nearfar::irregular_kind>(call.kind), {items.data(), static_cast<std::size_t>(call.count)}, how};
  }

  nearfar_irregular_call call;
  std::array<irregular_item, irregular_plan::max_arrays> items{};
  nearfar::detail::combiner how;
};

nearfar_status run_one(nearfar_irregular_plan* plan, kinds kind, const nearfar_irregular_array* x,
                       const nearfar_irregular_array* values, nearfar_reduce_op op) {
  const nearfar_irregular_call call{kind, op, nullptr, 1, x, values};
  return nearfar_irregular_plan_run(plan, &call);
}

nearfar_status run_on_x(nearfar_irregular_plan* plan, kinds kind, const nearfar_irregular_array& x,
                        nearfar_reduce_op op = NEARFAR_REDUCE_SUM) {
  return run_one(plan, kind, &x, nullptr, op);
}

template <class Pointer>
nearfar_status run_on_both(nearfar_irregular_plan* plan, kinds kind, const nearfar_irregular_array& x, Pointer values,
                           nearfar_reduce_op op = NEARFAR_REDUCE_SUM) {
  const nearfar_irregular_array v = described(values, nearfar_irregular_plan_references(plan), x.type, x.components);
  return run_one(plan, kind, &x, &v, op);
}

}  // namespace

extern "C" {

nearfar_status nearfar_irregular_plan_create(const nearfar_distribution* where, int64_t count, const int64_t* indices,
                                             const nearfar_irregular_options* options, nearfar_irregular_plan** plan) {
  return making(plan, [&] {
    const nearfar::distribution& d = value_of(where);
    nearfar::irregular_options wanted;
    make_over(
        where->owner, plan, "plan", [&] { references(count, indices), wanted = options_of(options); },
        [&](nearfar_irregular_plan& made) { made.value.emplace(d, references(count, indices), wanted); });
  });
}

nearfar_status nearfar_irregular_plan_update(nearfar_irregular_plan* handle, const nearfar_distribution* where,
                                             int64_t count, const int64_t* indices) {
  return guarded([&] {
    irregular_plan& plan = value_of(handle);
    nearfar::agree(plan.team(), [&] {
      references(count, indices);
      if (where) value_of(where);
    });
    if (where)
      plan.update(value_of(where), references(count, indices));
    else
      plan.update(references(count, indices));
  });
}

nearfar_status nearfar_irregular_plan_create_i32(const nearfar_distribution* where, int64_t count,
                                                 const int32_t* indices, const nearfar_irregular_options* options,
                                                 nearfar_irregular_plan** plan) {
  const std::vector<int64_t> wide = widened(count, indices);
  return nearfar_irregular_plan_create(where, count, indices ? wide.data() : nullptr, options, plan);
}

nearfar_status nearfar_irregular_plan_update_i32(nearfar_irregular_plan* handle, const nearfar_distribution* where,
                                                 int64_t count, const int32_t* indices) {
  const std::vector<int64_t> wide = widened(count, indices);
  return nearfar_irregular_plan_update(handle, where, count, indices ? wide.data() : nullptr);
}

int64_t nearfar_irregular_plan_owned(const nearfar_irregular_plan* plan) {
  return guarded_value<int64_t>(-1, [&] { return value_of(plan).map().owned(); });
}

int64_t nearfar_irregular_plan_ghosts(const nearfar_irregular_plan* plan) {
  return guarded_value<int64_t>(-1, [&] { return value_of(plan).map().ghosts(); });
}

int64_t nearfar_irregular_plan_references(const nearfar_irregular_plan* plan) {
  return guarded_value<int64_t>(-1, [&] { return value_of(plan).references(); });
}

const int32_t* nearfar_irregular_plan_local_indices(const nearfar_irregular_plan* plan) {
  return guarded_value<const int32_t*>(nullptr, [&] { return value_of(plan).local_indices().data(); });
}

nearfar_status nearfar_irregular_plan_ghost_indices(const nearfar_irregular_plan* plan, int64_t* indices) {
  return guarded([&] {
    const auto all = value_of(plan).ghost_indices();
    require(indices != nullptr || all.empty(), "the array for indices is NULL");
    std::copy(all.begin(), all.end(), indices);
  });
}

nearfar_status nearfar_irregular_plan_allocate(nearfar_irregular_plan* plan, nearfar_element_type type, int components,
                                               void** x) {
  if (x) *x = nullptr;
  int64_t bytes = 0;
  const nearfar_status status = guarded([&] {
    const irregular_plan& p = value_of(plan);
    nearfar::agree(p.team(), [&] {
      require_result(x, "x");
      require(components >= 1, text("an element has ", components, " components; it has 1 or more"));
      bytes = p.map().total() * components * static_cast<int64_t>(bytes_of(type));
    });
  });
  return status == NEARFAR_OK ? nearfar_allocate(plan->owner, bytes, x) : status;
}

nearfar_status nearfar_irregular_plan_gather_ghosts(nearfar_irregular_plan* plan, void* x, int64_t x_elements,
                                                    nearfar_element_type type, int components) {
  return run_on_x(plan, NEARFAR_IRREGULAR_GATHER_GHOSTS, described(x, x_elements, type, components));
}

nearfar_status nearfar_irregular_plan_scatter_ghosts(nearfar_irregular_plan* plan, void* x, int64_t x_elements,
                                                     nearfar_element_type type, int components, nearfar_reduce_op op) {
  return run_on_x(plan, NEARFAR_IRREGULAR_SCATTER_GHOSTS, described(x, x_elements, type, components), op);
}

nearfar_status nearfar_irregular_plan_assemble_ghosts(nearfar_irregular_plan* plan, void* x, int64_t x_elements,
                                                      nearfar_element_type type, int components, nearfar_reduce_op op) {
  return run_on_x(plan, NEARFAR_IRREGULAR_ASSEMBLE_GHOSTS, described(x, x_elements, type, components), op);
}

nearfar_status nearfar_irregular_plan_gather(nearfar_irregular_plan* plan, void* x, int64_t x_elements, void* out,
                                             nearfar_element_type type, int components) {
  return run_on_both(plan, NEARFAR_IRREGULAR_GATHER, described(x, x_elements, type, components), out);
}

nearfar_status nearfar_irregular_plan_gather_const(nearfar_irregular_plan* plan, const void* x, int64_t x_elements,
                                                   void* out, nearfar_element_type type, int components) {
  return run_on_both(plan, NEARFAR_IRREGULAR_GATHER, described(x, x_elements, type, components), out);
}

nearfar_status nearfar_irregular_plan_scatter(nearfar_irregular_plan* plan, const void* in, void* x, int64_t x_elements,
                                              nearfar_element_type type, int components, nearfar_reduce_op op) {
  return run_on_both(plan, NEARFAR_IRREGULAR_SCATTER, described(x, x_elements, type, components), in, op);
}

nearfar_status nearfar_irregular_plan_assemble(nearfar_irregular_plan* plan, void* values, nearfar_element_type type,
                                               int components, nearfar_reduce_op op) {
  return run_on_both(plan, NEARFAR_IRREGULAR_ASSEMBLE, described(static_cast<void*>(nullptr), 0, type, components),
                     values, op);
}

nearfar_status nearfar_irregular_plan_run(nearfar_irregular_plan* plan, const nearfar_irregular_call* call) {
  return guarded([&] {
    irregular_plan& p = value_of(plan);
    p.run(prepared(call).untyped());
  });
}

nearfar_status nearfar_irregular_plan_start(nearfar_irregular_plan* plan, const nearfar_irregular_call* call) {
  return guarded([&] {
    irregular_plan& p = value_of(plan);
    p.start(prepared(call).untyped());
  });
}

}  // extern "C"
