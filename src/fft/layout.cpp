// SPDX-License-Identifier: BSD-3-Clause
// Layouts: collective checks, then the sides and the route between them.
#include <base/axis_names.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <fft/description.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <transpose/side.hpp>

#include "route.hpp"

namespace nearfar {
namespace {

constexpr index_t double_complexes_per_line = 4;

void check_side(const team& members, const std::optional<transpose_side>& side, const std::vector<index_t>& extents,
                const char* name) {
  if (!side) return;
  if (&state_of(side->parts.team()) != &state_of(members))
    throw usage_error(text("fft: the ", name, " side belongs to another team"));
  if (side->parts.extents() != extents)
    throw usage_error(text("fft: the ", name, " side is of a grid of ", extents_in_words(side->parts.extents()),
                           "; this shape has ", extents_in_words(extents), " there"));
  shape_of(*side);  // checks its order and padding
}

void check_process_grid(const team& members, const std::vector<int>& grid, std::size_t axes) {
  if (grid.empty()) return;
  index_t product = 1;
  for (const int parts : grid) product = parts < 1 || product > members.size() ? 0 : product * parts;
  if (grid.size() > axes || product != members.size())
    throw usage_error(text("fft: the process grid ", extents_in_words(grid), " for a grid of ", axes,
                           " axes; at most as many numbers as axes are possible, which multiply to the ",
                           members.size(), " ranks"));
}

std::vector<shared_values> shared_values_of(const fft_shape& shape) {
  std::vector<index_t> kinds;
  for (const fft_kind k : shape.kinds) kinds.push_back(static_cast<index_t>(k));
  return {{"fft: extents", shape.extents, true}, {"fft: modes", shape.modes, true}, {"fft: kinds", kinds, true}};
}

void check_alike(const team& members, const fft_shape& shape, const fft_layout_options& options) {
  std::vector<shared_values> all = shared_values_of(shape);
  all.push_back({"fft: which sides are given", {options.physical.has_value(), options.spectral.has_value()}});
  all.push_back({"fft: process grid", {options.process_grid.begin(), options.process_grid.end()}, true});
  for (const auto* side : {&options.physical, &options.spectral})
    if (*side) {
      const std::vector<int> order = fft::order_of(**side);
      all.push_back({"fft: memory_order of a side", {order.begin(), order.end()}});
      add_shared_values(text("the ", side == &options.physical ? "physical" : "spectral", " side of an fft"),
                        (*side)->parts, all);
    }
  require_same(members, all);
}

/// Extents, kinds and cuts of everything on the way.
index_t hash_of(const std::vector<fft::step>& route) {
  hash64 all;
  for (const fft::step& s : route) {
    for (const int d : s.axes) all.add(index_t{d});
    const decomposition& parts = s.to.side.parts;
    all.add(parts.describe());
    for (const int d : fft::order_of(s.to.side)) all.add(index_t{d});
  }
  return static_cast<index_t>(all.value());
}

}  // namespace

void fft::require_same_layout(const fft_layout_state& layout) {
  std::vector<shared_values> all = shared_values_of(layout.shape);
  add_shared_values("the physical side of an fft", layout.physical.parts, all);
  add_shared_values("the spectral side of an fft", layout.spectral.parts, all);
  all.push_back({"fft: the way between the sides (its hash)", {hash_of(layout.forward)}});
  require_same(layout.members, all);
}

fft_layout::fft_layout(const nearfar::team& members, fft_shape shape, fft_layout_options options) {
  fft_shape full;
  agree(members, [&] {
    full = fft::checked(shape);
    check_side(members, options.physical, full.extents, "physical");
    check_side(members, options.spectral, spectral_extents(full), "spectral");
    check_process_grid(members, options.process_grid, full.extents.size());
  });
  check_alike(members, full, options);
  const transpose_side physical =
      options.physical ? *options.physical : fft::chosen_physical(members, full, options.process_grid);
  std::vector<fft::step> route = fft::find_route(full, physical, options.spectral);
  transpose_side& spectral = route.back().to.side;
  if (!options.spectral) spectral.padding = fft::row_padding(spectral, double_complexes_per_line);
  state_ = std::make_shared<fft_layout_state>(
      fft_layout_state{members, std::move(full), physical, spectral, std::move(route)});
}

const nearfar::team& fft_layout::team() const noexcept { return state_->members; }
const fft_shape& fft_layout::shape() const noexcept { return state_->shape; }
const transpose_side& fft_layout::physical() const noexcept { return state_->physical; }
const transpose_side& fft_layout::spectral() const noexcept { return state_->spectral; }

std::string fft_layout::describe() const { return from_zero(description_of(*this)); }

std::string description_of(const fft_layout& layout) {
  return text(fft::describe(layout.shape()), "\n", describe_side("physical", layout.physical()),
              describe_side("spectral", layout.spectral()));
}

}  // namespace nearfar
