// SPDX-License-Identifier: BSD-3-Clause
// What programs call once an element, in one function each: calls.py counts what these call of the library.
#include <nearfar/nearfar.hpp>

using nearfar::index_t;

#ifdef NEARFAR_CONTROL
// Shows that the count can fail.
int control(const nearfar::team& members) { return members.rank(); }
#else

double of_field(const nearfar::field<double>& t, index_t k, index_t j, index_t i) { return t(k, j, i); }

bool of_field_bounds(const nearfar::field<double>& t, index_t i) {
  const nearfar::box held = t.with_ghosts();
  return i < t.own().upper[0] && i < held.upper[0] && t.data() != nullptr && t.layout().strides_bytes[0] > 0 &&
         t.widths().low(0) > 0;
}

double of_view(nearfar::element_view<const double> t, index_t j, index_t i) { return t(j, i) + t(j, i + 1); }

double of_any_view(nearfar::element_view<double, nearfar::layout_stride> t, index_t i) { return t(i); }

bool of_grid(const nearfar::grid& g, index_t i) {
  return i < g.extents()[0] && i >= g.own().lower[0] && g.dimensions() > 1;
}

index_t of_box(const nearfar::box& b, const nearfar::box& other) {
  return b.cells() + b.extent(0) + nearfar::intersection(b, other).cells();
}

index_t of_region(const nearfar::region& cells) {
  index_t sum = 0;
  for (const nearfar::box& b : cells) sum += b.cells();
  return sum;
}

double of_transpose_array(const nearfar::transpose_array<double>& a, index_t k, index_t j, index_t i) {
  return a(k, j, i);
}

index_t of_decomposition(const nearfar::decomposition& d) { return d.own().lower[0] + d.extents()[0] + d.dimensions(); }

double of_irregular_vector(nearfar::irregular_vector<double>& x, index_t i) { return x[i] + x.data()[i]; }

index_t of_index_map(const nearfar::index_map& m, index_t i) {
  index_t sum = m.owned() + m.ghosts() + m.total() + (m.is_owned(i) ? 1 : 0);
  for (const nearfar::ghost_range& r : m.ghost_ranges()) sum += r.count;
  return sum;
}
#endif
