// Written by tools/bindings.py from src/capi/owner.template.
// SPDX-License-Identifier: BSD-3-Clause
// From which team an object was made, for bindings of other languages.
#include "../handles.hpp"
using namespace nearfar::capi;
// clang-format off

nearfar_team* nearfar_grid_team(const nearfar_grid* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}

nearfar_team* nearfar_decomposition_team(const nearfar_decomposition* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}

nearfar_team* nearfar_fft_layout_team(const nearfar_fft_layout* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}

nearfar_team* nearfar_output_team(const nearfar_output* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}

nearfar_team* nearfar_output_reader_team(const nearfar_output_reader* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}

nearfar_team* nearfar_transpose_plan_team(const nearfar_transpose_plan* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}
