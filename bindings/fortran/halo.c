/* SPDX-License-Identifier: BSD-3-Clause */
/* Halo plans of Fortran arrays, by their descriptors: which field one is, or where its elements lie. */
#include "arrays.h"

nearfar_status nearfar_fortran_find(const nearfar_team* team, const CFI_cdesc_t* array, nearfar_field** field) {
  return nearfar_team_find_field(team, array->base_addr, field);
}

/* A section of a field may begin where the field does; only the whole array is the field. */
static int is_whole(const CFI_cdesc_t* array, const nearfar_field* field, char* message) {
  const int64_t* extents = nearfar_field_extents(field);
  const int rank = nearfar_grid_dimensions(nearfar_field_grid(field));
  if (array->rank != rank) {
    snprintf(message, message_bytes, "an array of rank %d begins where a field of rank %d does: pass the whole field",
             array->rank, rank);
    return 0;
  }
  for (int d = 0; d < rank; ++d) {
    if (array->dim[d].extent != extents[rank - 1 - d]) {
      snprintf(message, message_bytes,
               "dimension %d of the array has %lld elements, the field that begins there %lld: pass the whole field",
               d + 1, (long long)array->dim[d].extent, (long long)extents[rank - 1 - d]);
      return 0;
    }
  }
  return 1;
}

static nearfar_status add_field(nearfar_halo_plan* halo, const CFI_cdesc_t* array, const nearfar_field* field,
                                const int (*ghosts)[2], const int (*fill)[2]) {
  char message[message_bytes];
  if (!is_whole(array, field, message)) return nearfar_halo_plan_refuse(halo, message);
  if (ghosts && fill)
    return nearfar_halo_plan_refuse(
        halo, "a field knows its own ghosts: give ghosts= or fill=, not both, for the layers to fill");
  return nearfar_halo_plan_add_field(halo, field, fill ? fill : ghosts);
}

/* A rank without cells may have an array of any shape, or none. */
static int is_idle(const nearfar_grid* grid) {
  const int64_t *lower = nearfar_grid_lower(grid), *upper = nearfar_grid_upper(grid);
  for (int d = 0; d < nearfar_grid_dimensions(grid); ++d)
    if (upper[d] <= lower[d]) return 1;
  return 0;
}

static int is_usable(const CFI_cdesc_t* array, const nearfar_grid* grid, const int (*ghosts)[2], char* message) {
  const int dimensions = nearfar_grid_dimensions(grid);
  if (array->base_addr == NULL && !is_idle(grid))
    snprintf(message, message_bytes, "the array is not allocated or associated");
  else if (ghosts == NULL)
    snprintf(message, message_bytes,
             "the array is not a field of this team (made by new_field); give an array of your own with ghosts=");
  else if (array->rank != dimensions)
    snprintf(message, message_bytes,
             "the array has rank %d, the grid %d dimensions; for another grid give grid=", array->rank, dimensions);
  else if (array->dim[dimensions - 1].extent < 0)
    snprintf(message, message_bytes, "the array has an assumed size; pass it with its shape");
  else
    return 1;
  return 0;
}

/* Fortran lists dimensions fastest first, the C interface slowest first; ghosts and fill are in C's order already. */
static nearfar_status add_array(nearfar_halo_plan* halo, const nearfar_grid* grid, const CFI_cdesc_t* array,
                                const int (*ghosts)[2], const int (*fill)[2]) {
  char message[message_bytes];
  const int dimensions = nearfar_grid_dimensions(grid);
  int64_t extents[NEARFAR_MAX_DIMENSIONS], strides[NEARFAR_MAX_DIMENSIONS];
  if (!is_usable(array, grid, ghosts, message)) return nearfar_halo_plan_refuse(halo, message);
  for (int d = 0; d < dimensions; ++d) {
    extents[dimensions - 1 - d] = array->dim[d].extent;
    strides[dimensions - 1 - d] = array->dim[d].sm;
  }
  const nearfar_array memory = {array->base_addr, array->elem_len, extents, strides};
  return nearfar_halo_plan_add_array(halo, grid, &memory, ghosts, fill);
}

nearfar_status nearfar_fortran_add(nearfar_halo_plan* halo, const nearfar_grid* grid, const CFI_cdesc_t* array,
                                   const int (*ghosts)[2], const int (*fill)[2]) {
  nearfar_field* field = NULL;
  const nearfar_team* team = nearfar_grid_team(grid);
  if (team == NULL) return nearfar_halo_plan_refuse(halo, nearfar_from_one(nearfar_last_error()));
  const int is_field = array->base_addr && nearfar_team_find_field(team, array->base_addr, &field) == NEARFAR_OK;
  const nearfar_status status =
      is_field ? add_field(halo, array, field, ghosts, fill) : add_array(halo, grid, array, ghosts, fill);
  const char* elements = nearfar_fortran_elements_in_words(array);
  return status == NEARFAR_OK && *elements ? nearfar_halo_plan_name_type(halo, elements) : status;
}

void nearfar_fortran_layout_of(const CFI_cdesc_t* array, nearfar_array_layout* layout) {
  *layout = (nearfar_array_layout){.dimensions = array->rank, .element_bytes = array->elem_len};
  for (int d = 0; d < array->rank && d < NEARFAR_MAX_DIMENSIONS; ++d) {
    layout->extents[d] = array->dim[d].extent;
    layout->strides[d] = array->dim[d].sm;
  }
}

nearfar_status nearfar_fortran_address_of(const CFI_cdesc_t* array, const nearfar_array_layout* wanted, int number,
                                          void** address) {
  char message[message_bytes];
  nearfar_array_layout found;
  nearfar_fortran_layout_of(array, &found);
  int is_same = found.dimensions == wanted->dimensions && found.element_bytes == wanted->element_bytes;
  for (int d = 0; d < NEARFAR_MAX_DIMENSIONS; ++d)
    is_same &= found.extents[d] == wanted->extents[d] && found.strides[d] == wanted->strides[d];
  *address = array->base_addr;
  if (is_same) return NEARFAR_OK;
  snprintf(message, message_bytes, "array %d has not the rank, extents, strides or kind of the plan's array %d", number,
           number);
  return nearfar_refuse(message);
}
