// SPDX-License-Identifier: BSD-3-Clause
#include <kernels/kernels.hpp>
#include <nearfar/error.hpp>

namespace seismic {

int coefficients_of(system_kind system) noexcept {
  switch (system) {
    case system_kind::isotropic:
      return 1;
    case system_kind::fletcher_vti:
      return 4;
    case system_kind::fletcher_tti:
      return 7;
    case system_kind::self_adjoint:
      return 11;
  }
  return 0;
}

int fields_of(system_kind system) noexcept { return system == system_kind::isotropic ? 1 : 2; }

index_t scratch_floats(system_kind system, const tile_shape& shape, index_t rows) noexcept {
  const index_t margins = 2 * tile_shape::margin, ghosts = shape.ghosts;
  switch (system) {
    case system_kind::isotropic:
    case system_kind::fletcher_vti:
      return 0;
    // Per field: d/dz of rows with ghosts on either side, d2/dz2 of the rows, d/dy and d2/dy2 of one row.
    case system_kind::fletcher_tti:
      return 2 * shape.row() * (2 * rows + 2 * ghosts + 2) + margins;
    // Per field, twice: a row, rows with ghosts on either side, a ring of planes.
    case system_kind::self_adjoint:
      return 4 * shape.row() * (1 + rows + 2 * ghosts + (2 * ghosts + 1) * rows) + margins;
  }
  return 0;
}

std::vector<const kernel_table*> usable_kernels() {
  std::vector<const kernel_table*> usable;
  for (const auto* table : {avx512::kernels(), avx2::kernels(), plain::kernels()})
    if (table != nullptr) usable.push_back(table);
  return usable;
}

const kernel_table& kernels_named(std::string_view name) {
  const auto usable = usable_kernels();
  if (name.empty()) return *usable.front();
  std::string names;
  for (const auto* table : usable) {
    if (table->name == name) return *table;
    names += (names.empty() ? "" : ", ") + std::string(table->name);
  }
  throw nearfar::usage_error("there are no kernels '" + std::string(name) +
                             "' for this processor; there are: " + names);
}

}  // namespace seismic
