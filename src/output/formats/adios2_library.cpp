// SPDX-License-Identifier: BSD-3-Clause
// Opens the library and looks up its calls.
#include "formats/adios2_library.hpp"

#include <base/env.hpp>
#include <base/shared_library.hpp>

namespace nearfar::output {

namespace {

void* open_library() {
  const std::string asked = env::string_or("NEARFAR_ADIOS2", "");
  if (!asked.empty()) return open_first_library({asked.c_str()});
  return open_first_library({"libadios2_c.so", "libadios2_c.so.2.12", "libadios2_c.so.2.11", "libadios2_c.so.2.10",
                             "libadios2_c.so.2.9", "libadios2_c.so.2.8"});
}

adios2_calls find_calls(void* library) {
  adios2_calls calls;
  find_call(library, "adios2_init_serial", calls.init);
  find_call(library, "adios2_finalize", calls.finalize);
  find_call(library, "adios2_declare_io", calls.declare_io);
  find_call(library, "adios2_set_engine", calls.set_engine);
  find_call(library, "adios2_set_parameter", calls.set_parameter);
  find_call(library, "adios2_define_variable", calls.define_variable);
  find_call(library, "adios2_define_attribute", calls.define_attribute);
  find_call(library, "adios2_define_attribute_array", calls.define_attribute_array);
  find_call(library, "adios2_open", calls.open);
  find_call(library, "adios2_begin_step", calls.begin_step);
  find_call(library, "adios2_set_selection", calls.set_selection);
  find_call(library, "adios2_put", calls.put);
  find_call(library, "adios2_end_step", calls.end_step);
  find_call(library, "adios2_close", calls.close);
  return calls;
}

}  // namespace

bool adios2_calls::is_there() const noexcept {
  return init && finalize && declare_io && set_engine && set_parameter && define_variable && define_attribute &&
         define_attribute_array && open && begin_step && set_selection && put && end_step && close;
}

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
  }
  return -1;
}

const adios2_calls& adios2_found() {
  static const adios2_calls calls = find_calls(open_library());
  return calls;
}

}  // namespace nearfar::output
