// SPDX-License-Identifier: BSD-3-Clause
// Blocks: planes of the slowest axis that is not transformed, so that all axes of a plane are transformed while it is
// in the cache.
#include "block_plan.hpp"

#include <algorithm>
#include <near/signal.hpp>

namespace nearfar::fft {
namespace {

constexpr index_t crowded_bytes = 512;
constexpr index_t block_bytes =
    index_t{1} << 18;  // of the largest of a block's places: two of them fit into most second-level caches

offsets extents_of(const box& b) {
  offsets e{};
  for (int d = 0; d < b.dimensions; ++d) e[at(d)] = b.extent(d);
  return e;
}

index_t product(const offsets& extents, int dimensions) {
  index_t all = 1;
  for (int d = 0; d < dimensions; ++d) all *= extents[at(d)];
  return all;
}

bool is_transformed(const std::vector<int>& axes, int d) {
  return std::find(axes.begin(), axes.end(), d) != axes.end();
}

}  // namespace

block_plan::block_plan(const stage_context& context, const step& what, index_t bytes_of_real, block_stores how)
    : shape(&context.shape),
      real_bytes(bytes_of_real),
      is_backward(context.is_backward),
      is_nyquist_kept(context.options.nyquist == fft_nyquist::shared),
      stores(how),
      dimensions(what.from.side.parts.dimensions()),
      axes(what.axes) {
  const box& own = what.from.side.parts.own();
  if (own.is_empty()) return;
  total = 1;
  choose_cut(what, own);
  place_all(what, context.is_on_device);
  reserve_scratch();
}

/// The slowest axis that is not transformed, but never the fastest one: its elements lie side by side, and are
/// transformed side by side.
void block_plan::choose_cut(const step& what, const box& own) {
  const std::vector<int> order = order_of(what.from.side), other = order_of(what.to.side);
  for (const int d : order)
    if (cut < 0 && !is_transformed(axes, d) && d != order.back() && d != other.back()) cut = d;
  if (cut >= 0) total = own.extent(cut);
}

/// In the order of memory, but for rows whose length would make all elements of a column fall on few places of the
/// caches.
block_place block_plan::dense(const offsets& extents, bool is_complex, const std::vector<int>& order) const {
  block_place p{block_place::memory::first_scratch, extents, {}, is_complex};
  index_t stride = 1;
  const auto add = [&](int d) { p.strides[at(d)] = stride, stride *= extents[at(d)]; };
  for (std::size_t i = order.size(); i-- > 0;) {
    if (order[i] != cut) add(order[i]);
    const index_t element = element_bytes(is_complex);
    const bool is_row = i + 1 == order.size() && stores != block_stores::ordinary;
    if (is_row && stride * element % crowded_bytes == 0) stride += index_t{near::cache_line_bytes} / element;
  }
  if (cut >= 0) add(cut);
  return p;
}

void block_plan::place_all(const step& what, bool is_one_block) {
  const array_shape from = shape_of(what.from.side), to = shape_of(what.to.side);
  const box &own_from = what.from.side.parts.own(), &own_to = what.to.side.parts.own();
  in_begin = from.offset(own_from.lower), out_begin = to.offset(own_to.lower);
  source = {block_place::memory::in, extents_of(own_from), from.strides, what.from.is_complex};
  result = {block_place::memory::out, extents_of(own_to), to.strides, what.to.is_complex};
  index_t most = 1;
  for (const block_place* p : {&source, &result})
    most = std::max(most, product(p->extents, dimensions) / total * element_bytes(p->is_complex));
  thickness = is_one_block ? total : std::clamp<index_t>(block_bytes / most, 1, total);
  if (cut >= 0)
    for (block_place* p : {&source, &result}) p->extents[at(cut)] = thickness;
  const bool is_copied = stores == block_stores::copied_past_caches;
  places.push_back(is_copied && source.strides[at(axes.front())] != 1
                       ? dense(source.extents, source.is_complex, order_of(what.from.side))
                       : source);
  for (std::size_t i = 0; i < axes.size(); ++i)
    places.push_back(i + 1 < axes.size() || is_copied ? place_after(i, what) : result);
}

void block_plan::reserve_scratch() {
  for (const block_place& p : places) {
    if (p.where == block_place::memory::in || p.where == block_place::memory::out) continue;
    index_t elements = 0;
    for (int d = 0; d < dimensions; ++d) elements = std::max(elements, p.strides[at(d)] * p.extents[at(d)]);
    index_t& bytes = scratch_bytes[p.where == block_place::memory::second_scratch];
    bytes = std::max(bytes, elements * element_bytes(p.is_complex));
  }
}

/// After axis i: already where the step ends if lines have their last lengths, else in a scratch. What goes past the
/// caches must not be in them before.
block_place block_plan::place_after(std::size_t i, const step& what) const {
  const block_place& before = places[i];
  offsets extents = before.extents;
  const int axis = axes[i];
  extents[at(axis)] = result.extents[at(axis)];
  const fft_kind kind = shape->kinds[at(axis)];
  const bool is_complex = kind == fft_kind::r2c ? !is_backward : before.is_complex;
  if (stores == block_stores::ordinary && extents == result.extents && is_complex == what.to.is_complex) return result;
  block_place after = dense(extents, is_complex, order_of(what.to.side));
  const bool is_alike = before.extents == extents && before.strides == after.strides && before.is_complex == is_complex;
  if (before.where == block_place::memory::first_scratch && !is_alike)
    after.where = block_place::memory::second_scratch;
  else if (is_alike && before.where != block_place::memory::in)
    after.where = before.where;
  return after;
}

std::vector<fourier::loop> block_plan::rows_between(const block_place& from, const block_place& to,
                                                    index_t planes) const {
  const index_t element = element_bytes(from.is_complex);
  std::vector<fourier::loop> loops{{element, 1, 1}};
  for (int d = 0; d < dimensions; ++d) {
    const auto k = at(d);
    loops.push_back({d == cut ? planes : from.extents[k], from.strides[k] * element, to.strides[k] * element});
  }
  return joined(loops);
}

line_job block_plan::job(std::size_t i, index_t planes) const {
  const int axis = axes[i];
  const axis_facts f = facts_of(*shape, axis);
  const block_place &in = places[i], &out = places[i + 1];
  line_job j;
  j.what = is_backward ? backward_of(f.kind) : forward_of(f.kind);
  j.length = f.length, j.modes = f.modes;
  j.is_spectral_in = is_backward;
  j.is_on_complex = is_real_to_real(f.kind) && in.is_complex;
  j.is_nyquist_kept = is_nyquist_kept;
  j.past_caches = stores == block_stores::past_caches && i + 1 == axes.size();
  j.in_stride = in.strides[at(axis)], j.out_stride = out.strides[at(axis)];
  for (int d = 0; d < dimensions; ++d)
    if (d != axis) j.loops.push_back({d == cut ? planes : in.extents[at(d)], in.strides[at(d)], out.strides[at(d)]});
  return j;
}

}  // namespace nearfar::fft
