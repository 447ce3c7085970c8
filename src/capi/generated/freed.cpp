// Written by tools/bindings.py from src/capi/freed.template.
// SPDX-License-Identifier: BSD-3-Clause
// How C frees what was made from a team.
#include "../handles.hpp"
using namespace nearfar::capi;
// clang-format off

nearfar_status nearfar_grid_free(nearfar_grid** object) { return free_handle(object); }

nearfar_status nearfar_field_free(nearfar_field** object) { return free_handle(object); }

nearfar_status nearfar_decomposition_free(nearfar_decomposition** object) { return free_handle(object); }

nearfar_status nearfar_distribution_free(nearfar_distribution** object) { return free_handle(object); }

nearfar_status nearfar_fft_layout_free(nearfar_fft_layout** object) { return free_handle(object); }

nearfar_status nearfar_output_free(nearfar_output** object) { return free_handle(object); }

nearfar_status nearfar_output_reader_free(nearfar_output_reader** object) { return free_handle(object); }

nearfar_status nearfar_output_writers_free(nearfar_output_writers** object) { return free_handle(object); }

nearfar_status nearfar_transpose_array_free(nearfar_transpose_array** object) { return free_handle(object); }

nearfar_status nearfar_halo_plan_free(nearfar_halo_plan** object) { return free_handle(object); }

nearfar_status nearfar_transpose_plan_free(nearfar_transpose_plan** object) { return free_handle(object); }

nearfar_status nearfar_fft_plan_free(nearfar_fft_plan** object) { return free_handle(object); }

nearfar_status nearfar_irregular_plan_free(nearfar_irregular_plan** object) { return free_handle(object); }

nearfar_status nearfar_collective_plan_free(nearfar_collective_plan** object) { return free_handle(object); }
