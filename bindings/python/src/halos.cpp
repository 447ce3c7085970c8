// SPDX-License-Identifier: BSD-3-Clause
// Halo plans.
#include "bind.hpp"

namespace nearfar_python {
namespace {

address begin(address team, const plan_options& common, int stencil) {
  auto options = with_plan_options<nearfar_halo_options>(common);
  options.stencil = static_cast<nearfar_stencil>(stencil);
  nearfar_halo_plan* halo = nullptr;
  check(nearfar_halo_plan_begin(object<nearfar_team>(team), &options, &halo));
  return address_of(halo);
}

void add_field(address halo, address field, const widths& fill) {
  check(
      nearfar_halo_plan_add_field(object<nearfar_halo_plan>(halo), object<nearfar_field>(field), pairs_or_null(fill)));
}

void add_array(address halo, address grid, address data, std::size_t element_bytes,
               const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides, const widths& ghosts,
               const widths& fill) {
  const nearfar_array array{object<void>(data), element_bytes, extents.data(), strides.data()};
  check(nearfar_halo_plan_add_array(object<nearfar_halo_plan>(halo), object<nearfar_grid>(grid), &array,
                                    pairs_or_null(ghosts), pairs_or_null(fill)));
}

void start_on(address halo, const std::vector<address>& data) {
  nb::gil_scoped_release others_may_run;
  check(nearfar_halo_plan_start_on(object<nearfar_halo_plan>(halo), static_cast<int>(data.size()),
                                   reinterpret_cast<void* const*>(data.data())));
}

}  // namespace

void define_halos(nb::module_& m) {
  m.def("halo_begin", begin);
  m.def("halo_add_field", add_field, nb::arg(), nb::arg(), nb::arg().none());
  m.def("halo_add_array", add_array, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
        nb::arg().none());
  define(m, "halo_refuse", nearfar_halo_plan_refuse);
  define(m, "halo_name_type", nearfar_halo_plan_name_type);
  define(m, "halo_commit", nearfar_halo_plan_commit);
  define_free(m, "halo_free", nearfar_halo_plan_free);
  define(m, "halo_start", nearfar_halo_plan_start);
  m.def("halo_start_on", start_on);
  define_result(m, "halo_test", nearfar_halo_plan_test);
  define(m, "halo_finish", nearfar_halo_plan_finish);
  define(m, "halo_run", nearfar_halo_plan_run);
  define(m, "halo_method", nearfar_halo_plan_method);
  define(m, "halo_describe", nearfar_halo_plan_describe);
  define(m, "halo_describe_json", nearfar_halo_plan_describe_json);
  define(m, "halo_tuned_seconds", nearfar_halo_plan_tuned_seconds);
}

}  // namespace nearfar_python
