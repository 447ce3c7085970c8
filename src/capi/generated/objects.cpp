// Written by tools/bindings.py from src/capi/object.template.
// SPDX-License-Identifier: BSD-3-Clause
// What all objects that are made from a team can be asked in C.
#include "../handles.hpp"
using namespace nearfar::capi;
// clang-format off

const char* nearfar_grid_describe(nearfar_grid* object) {
  return kept_text(object, &nearfar_grid::text, [](auto& o) { return with_axes_marked(o); });
}

const char* nearfar_decomposition_describe(nearfar_decomposition* object) {
  return kept_text(object, &nearfar_decomposition::text, [](auto& o) { return with_axes_marked(o); });
}

const char* nearfar_distribution_describe(nearfar_distribution* object) {
  return kept_text(object, &nearfar_distribution::text, [](auto& o) { return with_axes_marked(o); });
}

const char* nearfar_fft_layout_describe(nearfar_fft_layout* object) {
  return kept_text(object, &nearfar_fft_layout::text, [](auto& o) { return with_axes_marked(o); });
}

const char* nearfar_output_describe(nearfar_output* object) {
  return kept_text(object, &nearfar_output::text, [](auto& o) { return with_axes_marked(o); });
}

const char* nearfar_output_reader_describe(nearfar_output_reader* object) {
  return kept_text(object, &nearfar_output_reader::text, [](auto& o) { return with_axes_marked(o); });
}

const char* nearfar_halo_plan_describe(nearfar_halo_plan* object) {
  return kept_text(object, &nearfar_halo_plan::text, [](auto& o) { return with_axes_marked(o); });
}

const char* nearfar_transpose_plan_describe(nearfar_transpose_plan* object) {
  return kept_text(object, &nearfar_transpose_plan::text, [](auto& o) { return with_axes_marked(o); });
}

const char* nearfar_fft_plan_describe(nearfar_fft_plan* object) {
  return kept_text(object, &nearfar_fft_plan::text, [](auto& o) { return with_axes_marked(o); });
}

const char* nearfar_irregular_plan_describe(nearfar_irregular_plan* object) {
  return kept_text(object, &nearfar_irregular_plan::text, [](auto& o) { return with_axes_marked(o); });
}

const char* nearfar_collective_plan_describe(nearfar_collective_plan* object) {
  return kept_text(object, &nearfar_collective_plan::text, [](auto& o) { return with_axes_marked(o); });
}
