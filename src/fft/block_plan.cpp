// SPDX-License-Identifier: BSD-3-Clause
// Blocks: planes of the slowest axis that is not transformed, so that all axes of a plane are transformed while it is in the cache.
#include "block_plan.hpp"

#include <algorithm>

namespace nearfar::fft {
namespace {

constexpr index block_bytes =
    index{1} << 18;  // of the largest of a block's places: two of them fit into most second-level caches

offsets extents_of(const box& b) {
  offsets e{};
  for (int d = 0; d < b.dimensions; ++d) e[at(d)] = b.extent(d);
  return e;
}

index product(const offsets& extents, int dimensions) {
  index all = 1;
  for (int d = 0; d < dimensions; ++d) all *= extents[at(d)];
  return all;
}

bool is_transformed(const std::vector<int>& axes, int d) {
  return std::find(axes.begin(), axes.end(), d) != axes.end();
}

}  // namespace

block_plan::block_plan(const stage_context& context, const step& what, index real_bytes)
    : shape(&context.shape),
      is_backward(context.is_backward),
      is_nyquist_kept(context.options.nyquist == fft_nyquist::shared),
      dimensions(what.from.side.parts.dimensions()),
      axes(what.axes) {
  const box& own = what.from.side.parts.own();
  if (own.is_empty()) return;
  total = 1;
  choose_cut(what, own);
  place_all(what, real_bytes, context.is_on_device);
}

/// The slowest axis that is not transformed, but never the fastest one: its elements lie side by side, and are transformed side by side.
void block_plan::choose_cut(const step& what, const box& own) {
  const std::vector<int> order = order_of(what.from.side), other = order_of(what.to.side);
  for (const int d : order)
    if (cut < 0 && !is_transformed(axes, d) && d != order.back() && d != other.back()) cut = d;
  if (cut >= 0) total = own.extent(cut);
}

block_place block_plan::dense(const offsets& extents, bool is_complex, const std::vector<int>& order) const {
  block_place p{block_place::memory::first_scratch, extents, {}, is_complex};
  index stride = 1;
  const auto add = [&](int d) { p.strides[at(d)] = stride, stride *= extents[at(d)]; };
  for (std::size_t i = order.size(); i-- > 0;)
    if (order[i] != cut) add(order[i]);
  if (cut >= 0) add(cut);
  return p;
}

void block_plan::place_all(const step& what, index real_bytes, bool is_one_block) {
  const array_shape from = shape_of(what.from.side), to = shape_of(what.to.side);
  const box &own_from = what.from.side.parts.own(), &own_to = what.to.side.parts.own();
  in_begin = from.offset(own_from.lower), out_begin = to.offset(own_to.lower);
  places.resize(axes.size() + 1);
  places.front() = {block_place::memory::in, extents_of(own_from), from.strides, what.from.is_complex};
  places.back() = {block_place::memory::out, extents_of(own_to), to.strides, what.to.is_complex};
  index most = 1;
  for (const block_place* p : {&places.front(), &places.back()})
    most = std::max(most, product(p->extents, dimensions) / total * real_bytes * (p->is_complex ? 2 : 1));
  thickness = is_one_block ? total : std::clamp<index>(block_bytes / most, 1, total);
  if (cut >= 0)
    for (block_place* p : {&places.front(), &places.back()}) p->extents[at(cut)] = thickness;
  for (std::size_t i = 1; i < axes.size(); ++i) place_between(i, what);
  for (const block_place& p : places)
    if (p.where == block_place::memory::first_scratch || p.where == block_place::memory::second_scratch) {
      index& bytes = scratch_bytes[p.where == block_place::memory::second_scratch];
      bytes = std::max(bytes, product(p.extents, dimensions) * real_bytes * (p.is_complex ? 2 : 1));
    }
}

/// After axis i - 1: already where the step ends if lines have their last lengths, else in a scratch.
void block_plan::place_between(std::size_t i, const step& what) {
  const block_place& before = places[i - 1];
  offsets extents = before.extents;
  const int axis = axes[i - 1];
  extents[at(axis)] = places.back().extents[at(axis)];
  const fft_kind kind = shape->kinds[at(axis)];
  const bool is_complex = kind == fft_kind::r2c ? !is_backward : before.is_complex;
  if (extents == places.back().extents && is_complex == what.to.is_complex) {
    places[i] = places.back();
    return;
  }
  places[i] = dense(extents, is_complex, order_of(what.to.side));
  const bool is_alike = before.extents == extents && before.is_complex == is_complex;
  if (before.where == block_place::memory::first_scratch && !is_alike)
    places[i].where = block_place::memory::second_scratch;
  else if (is_alike && before.where != block_place::memory::in)
    places[i].where = before.where;
}

line_job block_plan::job(std::size_t i, index planes) const {
  const int axis = axes[i];
  const axis_facts f = facts_of(*shape, axis);
  const block_place &in = places[i], &out = places[i + 1];
  line_job j;
  j.what = is_backward ? backward_of(f.kind) : forward_of(f.kind);
  j.length = f.length, j.modes = f.modes;
  j.is_spectral_in = is_backward;
  j.is_on_complex = is_real_to_real(f.kind) && in.is_complex;
  j.is_nyquist_kept = is_nyquist_kept;
  j.in_stride = in.strides[at(axis)], j.out_stride = out.strides[at(axis)];
  for (int d = 0; d < dimensions; ++d)
    if (d != axis) j.loops.push_back({d == cut ? planes : in.extents[at(d)], in.strides[at(d)], out.strides[at(d)]});
  return j;
}

}  // namespace nearfar::fft
