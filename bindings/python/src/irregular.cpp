// SPDX-License-Identifier: BSD-3-Clause
// Distributions and irregular plans.
#include "bind.hpp"

namespace nearfar_python {
namespace {

address create(address distribution, std::int64_t count, address indices, bool is_32_bits, const plan_options& common,
               int order, std::size_t element_bytes, int threads) {
  auto options = with_plan_options<nearfar_irregular_options>(common);
  options.order = static_cast<nearfar_scatter_order>(order);
  options.element_bytes = element_bytes;
  options.threads = threads;
  const auto* where = object<nearfar_distribution>(distribution);
  nearfar_irregular_plan* plan = nullptr;
  nb::gil_scoped_release others_may_run;
  check(is_32_bits ? nearfar_irregular_plan_create_i32(where, count, object<std::int32_t>(indices), &options, &plan)
                   : nearfar_irregular_plan_create(where, count, object<std::int64_t>(indices), &options, &plan));
  return address_of(plan);
}

/// Address, elements, components, type (0: bytes), bytes of a value, whether it may not be written.
using array = std::tuple<address, std::int64_t, int, int, std::size_t, bool>;

std::vector<nearfar_irregular_array> arrays_of(const std::vector<array>& from) {
  std::vector<nearfar_irregular_array> to;
  for (const auto& [data, elements, components, type, bytes, is_constant] : from)
    to.push_back(
        {object<void>(data), elements, components, static_cast<nearfar_element_type>(type), bytes, is_constant});
  return to;
}

template <auto Function>
void operate(address plan, int kind, int op, const std::vector<array>& x, const std::vector<array>& values) {
  const auto xs = arrays_of(x), vs = arrays_of(values);
  nearfar_irregular_call call{};
  call.kind = static_cast<nearfar_irregular_kind>(kind);
  call.op = static_cast<nearfar_reduce_op>(op);
  call.count = static_cast<int>(xs.empty() ? vs.size() : xs.size());
  call.x = xs.empty() ? nullptr : xs.data();
  call.values = vs.empty() ? nullptr : vs.data();
  nb::gil_scoped_release others_may_run;
  check(Function(object<nearfar_irregular_plan>(plan), &call));
}

}  // namespace

void define_irregular(nb::module_& m) {
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
  m.def("irregular_create", create);
  define(m, "irregular_update", nearfar_irregular_plan_update);
  define(m, "irregular_update_i32", nearfar_irregular_plan_update_i32);
  define_free(m, "irregular_free", nearfar_irregular_plan_free);
  define(m, "irregular_owned", nearfar_irregular_plan_owned);
  define(m, "irregular_ghosts", nearfar_irregular_plan_ghosts);
  define(m, "irregular_references", nearfar_irregular_plan_references);
  define(m, "irregular_local_indices", nearfar_irregular_plan_local_indices);
  define(m, "irregular_ghost_indices", nearfar_irregular_plan_ghost_indices);
  define_result(m, "irregular_allocate", nearfar_irregular_plan_allocate);
  m.def("irregular_run", operate<nearfar_irregular_plan_run>);
  m.def("irregular_start", operate<nearfar_irregular_plan_start>);
  define_result(m, "irregular_test", nearfar_irregular_plan_test);
  define(m, "irregular_finish", nearfar_irregular_plan_finish);
  define(m, "irregular_method", nearfar_irregular_plan_method);
  define(m, "irregular_describe", nearfar_irregular_plan_describe);
  define(m, "irregular_describe_json", nearfar_irregular_plan_describe_json);
  define(m, "irregular_tuned_seconds", nearfar_irregular_plan_tuned_seconds);
}

}  // namespace nearfar_python
