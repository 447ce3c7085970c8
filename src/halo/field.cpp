// SPDX-License-Identifier: BSD-3-Clause
// Fields: layout and allocation of a tile with its ghost cells.
#include <algorithm>
#include <atomic>
#include <base/axis_names.hpp>
#include <base/text.hpp>
#include <near/arena.hpp>
#include <nearfar/error.hpp>
#include <nearfar/field.hpp>
#include <topology/agree.hpp>

#include "boxes.hpp"
#include "layout.hpp"

namespace nearfar {
namespace {

std::vector<int> checked_order(std::vector<int> order, int dimensions) {
  if (order.empty())
    for (int d = 0; d < dimensions; ++d) order.push_back(d);
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool is_permutation = sorted.size() == at(dimensions);
  for (int d = 0; is_permutation && d < dimensions; ++d) is_permutation = sorted[at(d)] == d;
  std::string listed;
  for (const int d : order) listed += text(listed.empty() ? "" : ", ", d);
  if (!is_permutation)
    throw usage_error(text("memory_order is (", listed, "); it must name each of the dimensions 0 to ", dimensions - 1,
                           " once, slowest first"));
  return order;
}

array_layout layout_for(const box& cells, std::size_t element_bytes, const std::vector<int>& order) {
  array_layout a;
  a.element_bytes = element_bytes;
  index_t stride = as_index(element_bytes);
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    const index_t extent = cells.extent(*d);
    a.extents[at(*d)] = extent;
    a.strides_bytes[at(*d)] = stride;
    if (__builtin_mul_overflow(stride, std::max<index_t>(1, extent), &stride))
      throw resource_error(
          text("a field of ", box_in_words(cells), " with ", element_bytes, "-byte elements is too large"));
  }
  return a;
}

/// Where in its first page a field starts. Fields that all start on a page boundary lie on each other in the sets of a
/// first-level cache, and a stencil that walks through ten of them at once finds none of them there: each field starts
/// 13 lines after the last.
index_t next_colour() {
  constexpr index_t step = 13 * 64, page = 4096;
  static std::atomic<index_t> fields = 0;
  return fields++ * step % page;
}

std::shared_ptr<field_state> make_field(const grid& cells, std::size_t element_bytes, const field_options& options) {
  near::arena& arena = near::arena::of(cells.team());
  auto f = std::make_shared<field_state>(field_state{cells, options.ghosts});
  agree(cells.team(), [&] {
    check_element_bytes(element_bytes, "a field");
    check_widths(options.ghosts, cells.dimensions(), "a field");
    const std::vector<int> order = checked_order(options.memory_order, cells.dimensions());
    f->layout = layout_for(grown(cells.own(), options.ghosts), element_bytes, order);
    const index_t bytes = span_of(f->layout, cells.dimensions()).bytes();
    if (bytes == 0) return;
    const index_t colour = next_colour();
    auto block = std::make_shared<near::block>(arena.allocate(bytes + colour));
    f->layout.data = block->data() + colour;
    f->memory = std::move(block);
  });
  return f;
}

}  // namespace

field_base::field_base(const nearfar::grid& cells, std::size_t element_bytes, const field_options& options)
    : state_(make_field(cells, element_bytes, options)) {}

std::array<index_t, max_dimensions> field_base::strides() const noexcept {
  std::array<index_t, max_dimensions> in_elements{};
  for (int d = 0; d < grid().dimensions(); ++d)
    in_elements[at(d)] = layout().strides_bytes[at(d)] / as_index(layout().element_bytes);
  return in_elements;
}

region field_base::core() const {
  ghosts inward;
  for (int d = 0; d < own().dimensions; ++d) inward.set(d, -widths().low(d), -widths().high(d));
  const box inner = grown(own(), inward);
  return inner.is_empty() ? region{} : region{inner};
}

region field_base::edge() const {
  const region inner = core();
  return without(own(), inner.empty() ? box{own().dimensions, {}, {}} : inner.front());
}

}  // namespace nearfar
