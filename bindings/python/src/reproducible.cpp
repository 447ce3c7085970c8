// SPDX-License-Identifier: BSD-3-Clause
// Reproducible sums.
#include "bind.hpp"

namespace nearfar_python {
namespace {

/// A result of the arrays' type: double has all values of float.
template <class Call>
double result_of(int type, const Call& make) {
  float single = 0;
  double result = 0;
  const bool is_double = type == NEARFAR_ELEMENT_FLOAT64;
  {
    nb::gil_scoped_release others_may_run;
    check(make(static_cast<nearfar_element_type>(type), is_double ? static_cast<void*>(&result) : &single));
  }
  return is_double ? result : static_cast<double>(single);
}

double sum(address team, address local, std::int64_t count, int type) {
  return result_of(type, [&](nearfar_element_type of, void* to) {
    return nearfar_reproducible_sum(object<nearfar_team>(team), object<void>(local), count, of, to);
  });
}

double dot(address team, address a, address b, std::int64_t count, int type) {
  return result_of(type, [&](nearfar_element_type of, void* to) {
    return nearfar_reproducible_dot(object<nearfar_team>(team), object<void>(a), object<void>(b), count, of, to);
  });
}

}  // namespace

void define_reproducible(nb::module_& m) {
  m.def("reproducible_sum", sum);
  m.def("reproducible_dot", dot);
  define(m, "reproducible_allreduce", nearfar_reproducible_allreduce);
}

}  // namespace nearfar_python
