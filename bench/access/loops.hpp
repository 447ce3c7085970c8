// SPDX-License-Identifier: BSD-3-Clause
// The loops of bench_access at one level of optimisation.
#pragma once

#include <nearfar/field.hpp>
#include <nearfar/transpose.hpp>
#include <string>

namespace bench {

struct access_loops {
  using field = nearfar::field<double>;
  using array = nearfar::transpose_array<double>;
  std::string level;
  void (*stencil)(const field& a, const field& b, const nearfar::box& cells);
  void (*stencil_by_view)(nearfar::element_view<const double> a, nearfar::element_view<double> b,
                          const nearfar::box& cells);
  void (*stencil_for_each)(nearfar::element_view<const double> a, nearfar::element_view<double> b,
                           const nearfar::box& cells);
  void (*stencil_by_pointer)(const double* a, double* b, const nearfar::box& cells, nearfar::index_t plane,
                             nearfar::index_t row);
  void (*scale)(const array& a, const nearfar::box& cells);
  void (*scale_by_view)(nearfar::element_view<double> a, const nearfar::box& cells);
  void (*scale_by_pointer)(double* a, const nearfar::box& cells, nearfar::index_t plane, nearfar::index_t row);
};

access_loops loops_o2();
access_loops loops_o3();

}  // namespace bench
