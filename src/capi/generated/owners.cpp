// Written by tools/bindings.py from src/capi/owner.template.
// SPDX-License-Identifier: BSD-3-Clause
// From which team an object was made.
#include "../handles.hpp"
using namespace nearfar::capi;
// clang-format off

nearfar_team* nearfar_grid_team(const nearfar_grid* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}

nearfar_team* nearfar_field_team(const nearfar_field* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}

nearfar_team* nearfar_decomposition_team(const nearfar_decomposition* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}

nearfar_team* nearfar_distribution_team(const nearfar_distribution* object) {
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

nearfar_team* nearfar_halo_plan_team(const nearfar_halo_plan* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}

nearfar_team* nearfar_transpose_plan_team(const nearfar_transpose_plan* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}

nearfar_team* nearfar_fft_plan_team(const nearfar_fft_plan* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}

nearfar_team* nearfar_irregular_plan_team(const nearfar_irregular_plan* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}

nearfar_team* nearfar_collective_plan_team(const nearfar_collective_plan* object) {
  return guarded_value<nearfar_team*>(
      nullptr, [&] { return value_of(object), object->owner; });
}
