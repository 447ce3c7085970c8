// SPDX-License-Identifier: BSD-3-Clause
// The module nearfar._core: errors, and all functions of the C interface that the package is made of.
#include <nearfar/version.h>

#include "bind.hpp"

namespace nearfar_python {
namespace {

/// The package's exception for a status; NEARFAR_USAGE_ERROR and so on are 1, 2, 3, 4.
void raise(const failure& what) {
  static const char* const names[] = {"NearfarError", "UsageError", "ResourceError", "TransportError", "IoError"};
  const auto at = static_cast<std::size_t>(what.status);
  const nb::object kind = nb::module_::import_("nearfar._errors").attr(names[at < std::size(names) ? at : 0]);
  PyErr_SetString(kind.ptr(), what.message.c_str());
}

}  // namespace
}  // namespace nearfar_python

NB_MODULE(_core, m) {
  using namespace nearfar_python;
  nb::set_leak_warnings(false);
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const failure& what) {
      raise(what);
    }
  });
  m.def("version", [] { return NEARFAR_VERSION; });
  define(m, "end_job", nearfar_end_job);
  define_teams(m);
  define_halos(m);
  define_transposes(m);
  define_ffts(m);
  define_irregular(m);
  define_collectives(m);
  define_outputs(m);
  define_threads(m);
  define_reproducible(m);
  define_arrays(m);
}
