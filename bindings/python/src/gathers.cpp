// SPDX-License-Identifier: BSD-3-Clause
// Distributions and gather plans.
#include "bind.hpp"

namespace nearfar_python {
namespace {

address create(address distribution, std::int64_t count, address indices, bool is_32_bits, const plan_options& common,
               int order, std::size_t element_bytes, int threads) {
  auto options = with_plan_options<nearfar_gather_options>(common);
  options.order = static_cast<nearfar_scatter_order>(order);
  options.element_bytes = element_bytes;
  options.threads = threads;
  const auto* where = object<nearfar_distribution>(distribution);
  nearfar_gather_plan* plan = nullptr;
  nb::gil_scoped_release others_may_run;
  check(is_32_bits ? nearfar_gather_plan_create_i32(where, count, object<std::int32_t>(indices), &options, &plan)
                   : nearfar_gather_plan_create(where, count, object<std::int64_t>(indices), &options, &plan));
  return address_of(plan);
}

/// Address, elements, components, type (0: bytes), bytes of a value, whether it may not be written.
using array = std::tuple<address, std::int64_t, int, int, std::size_t, bool>;

std::vector<nearfar_gather_array> arrays_of(const std::vector<array>& from) {
  std::vector<nearfar_gather_array> to;
  for (const auto& [data, elements, components, type, bytes, is_constant] : from)
    to.push_back({object<void>(data), elements, components, static_cast<nearfar_type>(type), bytes, is_constant});
  return to;
}

template <auto Function>
void operate(address plan, int kind, int op, const std::vector<array>& x, const std::vector<array>& values) {
  const auto xs = arrays_of(x), vs = arrays_of(values);
  nearfar_gather_call call{};
  call.kind = static_cast<nearfar_gather_kind>(kind);
  call.op = static_cast<nearfar_scatter_op>(op);
  call.count = static_cast<int>(xs.empty() ? vs.size() : xs.size());
  call.x = xs.empty() ? nullptr : xs.data();
  call.values = vs.empty() ? nullptr : vs.data();
  nb::gil_scoped_release others_may_run;
  check(Function(object<nearfar_gather_plan>(plan), &call));
}

}  // namespace

void define_gathers(nb::module_& m) {
  define_result(m, "distribution_block", nearfar_distribution_block);
  define_result(m, "distribution_block_sizes", nearfar_distribution_block_sizes);
  define_result(m, "distribution_cyclic", nearfar_distribution_cyclic);
  define_result(m, "distribution_block_cyclic", nearfar_distribution_block_cyclic);
  define_result(m, "distribution_two_block", nearfar_distribution_two_block);
  define_result(m, "distribution_reversed_two_block", nearfar_distribution_reversed_two_block);
  define_result(m, "distribution_from_owned", nearfar_distribution_from_owned);
  define_free(m, "distribution_free", nearfar_distribution_free);
  define(m, "distribution_elements", nearfar_distribution_elements);
  define(m, "distribution_owned", nearfar_distribution_owned);
  define(m, "distribution_describe", nearfar_distribution_describe);
  define(m, "distribution_locate", nearfar_distribution_locate);
  define(m, "distribution_globals", nearfar_distribution_globals);
  define(m, "distribution_check", nearfar_distribution_check);
  m.def("gather_create", create);
  define(m, "gather_update", nearfar_gather_plan_update);
  define(m, "gather_update_i32", nearfar_gather_plan_update_i32);
  define_free(m, "gather_free", nearfar_gather_plan_free);
  define(m, "gather_owned", nearfar_gather_plan_owned);
  define(m, "gather_ghosts", nearfar_gather_plan_ghosts);
  define(m, "gather_references", nearfar_gather_plan_references);
  define(m, "gather_local_indices", nearfar_gather_plan_local_indices);
  define(m, "gather_ghost_indices", nearfar_gather_plan_ghost_indices);
  define_result(m, "gather_allocate", nearfar_gather_plan_allocate);
  m.def("gather_run", operate<nearfar_gather_plan_run>);
  m.def("gather_start", operate<nearfar_gather_plan_start>);
  define_result(m, "gather_test", nearfar_gather_plan_test);
  define(m, "gather_finish", nearfar_gather_plan_finish);
  define(m, "gather_method", nearfar_gather_plan_method);
  define(m, "gather_describe", nearfar_gather_plan_describe);
  define(m, "gather_describe_json", nearfar_gather_plan_describe_json);
  define(m, "gather_tuned_seconds", nearfar_gather_plan_tuned_seconds);
}

}  // namespace nearfar_python
