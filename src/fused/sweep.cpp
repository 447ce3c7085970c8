// SPDX-License-Identifier: BSD-3-Clause
// Lines in bundles side by side where memory is contiguous, plane by plane where two axes are transformed.
#include "sweep.hpp"

#include <algorithm>
#include <base/axis_names.hpp>
#include <base/text.hpp>
#include <nearfar/error.hpp>
#include <transpose/side.hpp>

namespace nearfar::fused {

namespace {

constexpr index_t line_bytes = 64;

std::byte* cache_lines(index_t bytes) {
  const index_t whole = (bytes + line_bytes - 1) / line_bytes * line_bytes;
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(line_bytes, as_size(whole)));
  if (memory == nullptr) throw resource_error(text("no memory for a plane of ", bytes, " bytes"));
  return memory;
}

}  // namespace

index_t length_of(const stage_shape& shape, std::size_t k) {
  const line_step& s = shape.steps[k];
  const auto d = at(s.axis);
  return s.what == fourier::kind::complex_to_real ? shape.to.parts.extents()[d] : shape.through.extents()[d];
}

template <class Real>
sweep<Real>::sweep(const stage_shape& shape, std::vector<box> parts)
    : parts_(std::move(parts)),
      own_(shape.through.own()),
      to_(shape_of(shape.to)),
      from_order_(checked_order(shape.from)),
      to_order_(checked_order(shape.to)),
      axis_(shape.steps[0].axis),
      gathering_(shape.steps[0].what, length_of(shape, 0)),
      in_bytes_(element_bytes<Real>(is_complex_in(shape.steps[0].what))),
      middle_bytes_(element_bytes<Real>(is_complex_out(shape.steps[0].what))),
      out_bytes_(element_bytes<Real>(is_complex_out(shape.steps.back().what))),
      middle_length_(shape.to.parts.extents()[at(axis_)]) {
  if (shape.steps.size() == 2) {
    side_ = shape.steps[1].axis;
    finishing_.emplace(shape.steps[1].what, length_of(shape, 1));
    out_length_ = shape.to.parts.extents()[at(side_)];
  }
  choose_axes();
  std::vector<int> order = outer_;
  for (const int d : {second_, side_, axis_})
    if (d >= 0) order.push_back(d);
  regions_ = regions_of(own_, parts_, axis_, order);
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const auto is_same = [&](int d) { return regions_[i].lines.lower[at(d)] == regions_[i - 1].lines.lower[at(d)]; };
    if (i == 0 || !std::all_of(outer_.begin(), outer_.end(), is_same)) groups_.push_back(i);
  }
  groups_.push_back(regions_.size());
  if (finishing_ && !own_.is_empty()) {
    // Rows of a power of two would fall on each other in the first-level cache.
    pitch_ = (extent(side_) + 7) / 8 * 8 + 8;
    plane_.reset(cache_lines(middle_length_ * pitch_ * middle_bytes_));
  }
  views_.resize(parts_.size());
  pieces_.reserve(parts_.size() + 1);
}

/// Bundles along the axis that is contiguous in memory, in that of both sides if it is the same.
template <class Real>
void sweep<Real>::choose_axes() {
  std::vector<int> free;
  for (const int d : to_order_)
    if (d != axis_ && d != side_) free.push_back(d);
  const auto take = [&free](int d) {
    std::erase(free, d);
    return d;
  };
  if (!finishing_ && !free.empty()) {
    const bool is_from_free = from_order_.back() != axis_;
    side_ = take(is_from_free ? from_order_.back() : free.back());
    if (!free.empty()) second_ = take(free.back());
  }
  outer_ = free;
}

template <class Real>
void sweep<Real>::run(std::span<const exchange::lent_box> boxes, std::byte* out, bool past_caches) {
  if (own_.is_empty()) return;
  is_past_caches_ = past_caches;
  look_at(boxes);
  out_ = out;
  for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
    const box& lines = regions_[groups_[g]].lines;
    place where = lines.lower;
    for (;;) {
      run_plane(groups_[g], groups_[g + 1], where);
      auto d = outer_.rbegin();
      for (; d != outer_.rend(); ++d) {
        if (++where[at(*d)] < lines.upper[at(*d)]) break;
        where[at(*d)] = lines.lower[at(*d)];
      }
      if (d == outer_.rend()) break;
    }
  }
}

template <class Real>
void sweep<Real>::look_at(std::span<const exchange::lent_box> boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    views_[i].first = boxes[i].first;
    for (std::size_t k = 0; k < from_order_.size(); ++k)
      views_[i].strides[at(from_order_[k])] = boxes[i].strides_bytes[k] / in_bytes_;
  }
}

template <class Real>
void sweep<Real>::run_plane(std::size_t first, std::size_t last, const place& where) {
  for (std::size_t i = first; i < last; ++i) gather(regions_[i], where);
  if (finishing_) finish_plane(where);
}

template <class Real>
const void* sweep<Real>::source_of(const line_part& p, const region& r, const place& where) const {
  const view& v = views_[p.part];
  place first = r.lines.lower;
  for (const int d : outer_) first[at(d)] = where[at(d)];
  first[at(axis_)] += p.begin;
  index_t offset = 0;
  for (int d = 0; d < own_.dimensions; ++d) offset += (first[at(d)] - parts_[p.part].lower[at(d)]) * v.strides[at(d)];
  return v.first + offset * in_bytes_;
}

template <class Real>
std::byte* sweep<Real>::target_of(const place& where) const {
  return out_ + to_.offset(where) * out_bytes_;
}

template <class Real>
void sweep<Real>::gather(const region& r, const place& where) {
  const auto stride = [](const place& strides, int d) { return d < 0 ? index_t{0} : strides[at(d)]; };
  pieces_.clear();
  for (const line_part& p : r.parts) {
    const place& s = views_[p.part].strides;
    pieces_.push_back({p.begin, p.end, source_of(p, r, where), s[at(axis_)], {stride(s, side_), stride(s, second_)}});
  }
  const auto count = [&r](int d) { return d < 0 ? index_t{1} : r.lines.extent(d); };
  fourier::target_piece target{0, middle_length_, nullptr, 0, {}};
  if (finishing_) {
    target.base = plane_.get() + (r.lines.lower[at(side_)] - own_.lower[at(side_)]) * middle_bytes_;
    target.stride = pitch_;
    target.line_stride = {1, 0};
  } else {
    place first = r.lines.lower;
    for (const int d : outer_) first[at(d)] = where[at(d)];
    target.base = target_of(first);
    target.stride = to_.strides[at(axis_)];
    target.line_stride = {stride(to_.strides, side_), stride(to_.strides, second_)};
  }
  gathering_.run({{0, 0}, {count(side_), count(second_)}}, pieces_, {&target, 1}, is_past_caches_ && !finishing_);
}

template <class Real>
void sweep<Real>::finish_plane(const place& where) {
  place first = own_.lower;
  for (const int d : outer_) first[at(d)] = where[at(d)];
  const fourier::source_piece source{0, extent(side_), plane_.get(), 1, {pitch_, 0}};
  const fourier::target_piece target{
      0, out_length_, target_of(first), to_.strides[at(side_)], {to_.strides[at(axis_)], 0}};
  finishing_->run({{0, 0}, {middle_length_, 1}}, {&source, 1}, {&target, 1}, is_past_caches_);
}

template <class Real>
std::string sweep<Real>::describe() const {
  std::string words = text("lines along axis ", axis_number(axis_, own_.dimensions), ", ", gathering_.describe());
  if (finishing_)
    words += text("; then along axis ", axis_number(side_, own_.dimensions), ", ", finishing_->describe(),
                  ", plane by plane");
  return words;
}

template class sweep<float>;
template class sweep<double>;

}  // namespace nearfar::fused
