// SPDX-License-Identifier: BSD-3-Clause
// Opens the library and looks up its calls.
#include "formats/adios2_library.hpp"

#include <base/env.hpp>
#include <loader/shared_library.hpp>

namespace nearfar::output {

namespace {

shared_library open_library() {
  const std::string asked = env::string_or("NEARFAR_ADIOS2", "");
  if (!asked.empty()) return shared_library({asked.c_str()});
  return shared_library({"libadios2_c.so", "libadios2_c.so.2.12", "libadios2_c.so.2.11", "libadios2_c.so.2.10",
                         "libadios2_c.so.2.9", "libadios2_c.so.2.8"});
}

adios2_calls find_calls(shared_library library) {
  adios2_calls calls;
  library.find("adios2_init_serial", calls.init);
  library.find("adios2_finalize", calls.finalize);
  library.find("adios2_declare_io", calls.declare_io);
  library.find("adios2_set_engine", calls.set_engine);
  library.find("adios2_set_parameter", calls.set_parameter);
  library.find("adios2_define_variable", calls.define_variable);
  library.find("adios2_define_attribute", calls.define_attribute);
  library.find("adios2_define_attribute_array", calls.define_attribute_array);
  library.find("adios2_open", calls.open);
  library.find("adios2_begin_step", calls.begin_step);
  library.find("adios2_set_selection", calls.set_selection);
  library.find("adios2_put", calls.put);
  library.find("adios2_end_step", calls.end_step);
  library.find("adios2_close", calls.close);
  calls.is_whole = library.has_all();
  return calls;
}

}  // namespace

int adios2_type(element_type type) noexcept {
  switch (type) {
    case element_type::float32:
      return 1;
    case element_type::float64:
      return adios2_double;
    case element_type::complex64:
      return 3;
    case element_type::complex128:
      return 4;
    case element_type::int8:
      return 5;
    case element_type::int16:
      return 6;
    case element_type::int32:
      return 7;
    case element_type::int64:
      return 8;
    default:
      break;
  }
  return -1;
}

const adios2_calls& adios2_found() {
  static const adios2_calls calls = find_calls(open_library());
  return calls;
}

}  // namespace nearfar::output
