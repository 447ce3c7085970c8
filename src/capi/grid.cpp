// SPDX-License-Identifier: BSD-3-Clause
// The C interface to grids.
#include <topology/agree.hpp>

#include "handles.hpp"

using namespace nearfar::capi;
using nearfar::index_t;
using nearfar::text;

namespace {

void check_extents(int dimensions, const int64_t* extents) {
  require(dimensions >= 1 && dimensions <= nearfar::max_dimensions,
          text("a grid has 1 to ", nearfar::max_dimensions, " dimensions, not ", dimensions));
  require(extents != nullptr, "the grid's extents are NULL");
}

std::vector<bool> flags_of(const int* flags, int dimensions) {
  std::vector<bool> result;
  for (int d = 0; flags && d < dimensions; ++d) result.push_back(flags[d] != 0);
  return result;
}

std::vector<std::vector<index_t>> tiles_of(const nearfar_grid_options& options, int dimensions) {
  std::vector<std::vector<index_t>> result;
  if (options.tile_extents == nullptr) return result;
  require(options.tile_counts != nullptr, "tile_extents are given, but tile_counts is NULL");
  for (int d = 0; d < dimensions; ++d) {
    const int64_t* sizes = options.tile_extents[d];
    const int count = sizes ? options.tile_counts[d] : 0;
    require(count >= 0, text("tile_counts[", d, "] is ", count));
    result.emplace_back();
    if (sizes) result.back().assign(sizes, sizes + count);
  }
  return result;
}

nearfar::grid_options options_of(const nearfar_grid_options& options, int dimensions) {
  nearfar::grid_options result;
  result.periodic = flags_of(options.periodic, dimensions);
  if (options.process_grid) result.process_grid.assign(options.process_grid, options.process_grid + dimensions);
  result.tile_extents = tiles_of(options, dimensions);
  require(options.placement == NEARFAR_PLACEMENT_RANK_ORDER || options.placement == NEARFAR_PLACEMENT_NODE_TILES,
          text("unknown placement ", options.placement));
  result.placement = options.placement == NEARFAR_PLACEMENT_NODE_TILES ? nearfar::placement::node_tiles
                                                                       : nearfar::placement::rank_order;
  result.allow_idle = options.allow_idle != 0;
  return result;
}

}  // namespace

extern "C" {

nearfar_status nearfar_grid_create(nearfar_team* team, int dimensions, const int64_t* extents,
                                   const nearfar_grid_options* options, nearfar_grid** grid) {
  std::vector<index_t> sizes;
  nearfar::grid_options read;
  return making(grid, [&] {
    make_over(
        team, grid, "grid",
        [&] {
          check_extents(dimensions, extents);
          sizes.assign(extents, extents + dimensions);
          read = options_of(read_options(options), dimensions);
        },
        [&](nearfar_grid& made) { made.value.emplace(team->value, sizes, read); });
  });
}

nearfar_status nearfar_grid_from_tiles(nearfar_team* team, int dimensions, const int64_t* extents, const int64_t* lower,
                                       const int64_t* upper, const int* periodic, nearfar_grid** grid) {
  std::vector<index_t> sizes;
  nearfar::box own;
  return making(grid, [&] {
    make_over(
        team, grid, "grid",
        [&] {
          check_extents(dimensions, extents);
          require(lower && upper, "the bounds of this rank's tile are NULL");
          sizes.assign(extents, extents + dimensions);
          own.dimensions = dimensions;
          std::copy_n(lower, dimensions, own.lower.begin());
          std::copy_n(upper, dimensions, own.upper.begin());
        },
        [&](nearfar_grid& made) {
          made.value.emplace(nearfar::grid::from_tiles(team->value, sizes, own, flags_of(periodic, dimensions)));
        });
  });
}

int nearfar_grid_dimensions(const nearfar_grid* grid) {
  return guarded_value(-1, [&] { return value_of(grid).dimensions(); });
}

const int64_t* nearfar_grid_extents(const nearfar_grid* grid) {
  return guarded_value<const int64_t*>(nullptr, [&] { return value_of(grid).extents().data(); });
}

const int64_t* nearfar_grid_lower(const nearfar_grid* grid) {
  return guarded_value<const int64_t*>(nullptr, [&] { return value_of(grid).own().lower.data(); });
}

const int64_t* nearfar_grid_upper(const nearfar_grid* grid) {
  return guarded_value<const int64_t*>(nullptr, [&] { return value_of(grid).own().upper.data(); });
}

}  // extern "C"
