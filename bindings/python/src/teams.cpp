// SPDX-License-Identifier: BSD-3-Clause
// Teams, grids and fields.
#include "bind.hpp"

namespace nearfar_python {

nearfar_box box_of(const box& from) {
  nearfar_box to{};
  for (std::size_t d = 0; d < from.first.size() && d < NEARFAR_MAX_DIMENSIONS; ++d) {
    to.lower[d] = from.first[d];
    to.upper[d] = from.second.at(d);
  }
  return to;
}

box box_from(const nearfar_box& from, int dimensions) {
  return {{from.lower, from.lower + dimensions}, {from.upper, from.upper + dimensions}};
}

namespace {

using numbers = std::vector<std::int64_t>;
using some_flags = std::optional<std::vector<int>>;

std::vector<std::int64_t> copied(const std::int64_t* from, int count) {
  return from ? std::vector<std::int64_t>(from, from + count) : std::vector<std::int64_t>();
}

address create_grid(address team, const numbers& extents, const some_flags& periodic, const some_flags& process_grid,
                    const std::optional<std::vector<numbers>>& tile_extents, int placement, bool allow_idle) {
  nearfar_grid_options options{};
  options.size = sizeof options;
  options.periodic = data_or_null(periodic);
  options.process_grid = data_or_null(process_grid);
  std::vector<const std::int64_t*> tiles;
  std::vector<int> counts;
  if (tile_extents) {
    for (const numbers& sizes : *tile_extents) {
      tiles.push_back(sizes.empty() ? nullptr : sizes.data());
      counts.push_back(static_cast<int>(sizes.size()));
    }
    options.tile_extents = tiles.data();
    options.tile_counts = counts.data();
  }
  options.placement = static_cast<nearfar_placement>(placement);
  options.allow_idle = allow_idle;
  nearfar_grid* grid = nullptr;
  nb::gil_scoped_release others_may_run;
  check(nearfar_grid_create(object<nearfar_team>(team), static_cast<int>(extents.size()), extents.data(), &options,
                            &grid));
  return address_of(grid);
}

address grid_from_tiles(address team, const numbers& extents, const numbers& lower, const numbers& upper,
                        const some_flags& periodic) {
  nearfar_grid* grid = nullptr;
  nb::gil_scoped_release others_may_run;
  check(nearfar_grid_from_tiles(object<nearfar_team>(team), static_cast<int>(extents.size()), extents.data(),
                                lower.data(), upper.data(), data_or_null(periodic), &grid));
  return address_of(grid);
}

address create_field(address grid, std::size_t element_bytes, const widths& ghosts, const some_flags& memory_order) {
  nearfar_field_options options{};
  options.size = sizeof options;
  options.ghosts = pairs_or_null(ghosts);
  options.memory_order = data_or_null(memory_order);
  options.element_bytes = element_bytes;
  nearfar_field* field = nullptr;
  nb::gil_scoped_release others_may_run;
  check(nearfar_field_create(object<nearfar_grid>(grid), nearfar_element_type{}, &options, &field));
  return address_of(field);
}

/// lower, extents and strides (bytes) of a field's array.
std::tuple<numbers, numbers, numbers> field_shape(address field) {
  const auto* of = object<nearfar_field>(field);
  const int dimensions = nearfar_grid_dimensions(nearfar_field_grid(of));
  return {copied(nearfar_field_lower(of), dimensions), copied(nearfar_field_extents(of), dimensions),
          copied(nearfar_field_strides(of), dimensions)};
}

template <auto Function>
std::vector<box> boxes_of(address field) {
  nearfar_box boxes[NEARFAR_MAX_BOXES];
  int count = 0;
  const auto* of = object<nearfar_field>(field);
  check(Function(of, boxes, &count));
  std::vector<box> found;
  for (int i = 0; i < count; ++i) found.push_back(box_from(boxes[i], nearfar_grid_dimensions(nearfar_field_grid(of))));
  return found;
}

}  // namespace

void define_teams(nb::module_& m) {
  m.def("team_create", [](address comm, int node_size) {
    const nearfar_team_options options{sizeof options, node_size};
    nearfar_team* team = nullptr;
    nb::gil_scoped_release others_may_run;
    check(nearfar_team_create(mpi_handle<MPI_Comm>(comm), &options, &team));
    return address_of(team);
  });
  define_free(m, "team_free", nearfar_team_free);
  define(m, "agree", nearfar_agree);
  define(m, "team_rank", nearfar_team_rank);
  define(m, "team_size", nearfar_team_size);
  define(m, "team_node", nearfar_team_node);
  define(m, "team_nodes", nearfar_team_nodes);
  define(m, "team_near_rank", nearfar_team_near_rank);
  define(m, "team_near_size", nearfar_team_near_size);
  define(m, "team_describe", nearfar_team_describe);
  define_result(m, "allocate", nearfar_allocate);
  m.def("free", [](address team, address data) {
    void* at = object<void>(data);
    nearfar_free(object<nearfar_team>(team), &at);
  });
  m.def("grid_create", create_grid, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
        nb::arg(), nb::arg());
  m.def("grid_from_tiles", grid_from_tiles, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  define_free(m, "grid_free", nearfar_grid_free);
  define(m, "grid_describe", nearfar_grid_describe);
  m.def("grid_box", [](address grid) {
    const auto* of = object<nearfar_grid>(grid);
    const int dimensions = nearfar_grid_dimensions(of);
    return box{copied(nearfar_grid_lower(of), dimensions), copied(nearfar_grid_upper(of), dimensions)};
  });
  m.def("field_create", create_field, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
  define_free(m, "field_free", nearfar_field_free);
  define(m, "field_data", nearfar_field_data);
  m.def("field_shape", field_shape);
  m.def("field_core", boxes_of<nearfar_field_core>);
  m.def("field_edge", boxes_of<nearfar_field_edge>);
  m.def("methods", [](const std::string& front) {
    int count = 0;
    const nearfar_method_info* all = nearfar_methods(front.c_str(), &count);
    if (all == nullptr) throw failure{NEARFAR_USAGE_ERROR, nearfar_last_error()};
    std::vector<std::tuple<std::string, std::string, bool, bool, bool>> found;
    for (const nearfar_method_info* i = all; i != all + count; ++i)
      found.emplace_back(i->name, i->description, i->near != 0, i->far != 0, i->is_candidate != 0);
    return found;
  });
}

}  // namespace nearfar_python
