// SPDX-License-Identifier: BSD-3-Clause
// An operation is an assembly of the handle's plan; flagged entries and those without an id are packed around it.
#include "operation.hpp"

#include <algorithm>
#include <cstring>

namespace nearfar_gslib {
namespace {

constexpr std::size_t max_arrays = 16;  // of one call of a plan

nearfar_element_type type_of(gs_dom dom) {
  return with_domain(dom, []<class T>(T) {
    if (std::is_same_v<T, double>) return NEARFAR_ELEMENT_FLOAT64;
    if (std::is_same_v<T, float>) return NEARFAR_ELEMENT_FLOAT32;
    return sizeof(T) == 8 ? NEARFAR_ELEMENT_INT64 : NEARFAR_ELEMENT_INT32;
  });
}

nearfar_reduce_op op_of(gs_op op) {
  const nearfar_reduce_op ops[] = {NEARFAR_REDUCE_SUM, NEARFAR_REDUCE_PRODUCT, NEARFAR_REDUCE_MIN, NEARFAR_REDUCE_MAX,
                                   NEARFAR_REDUCE_SUM};
  return ops[checked(op)];
}

template <class T>
void combine_bits(void*, void* to, const void* from, std::int64_t values) {
  for (std::int64_t i = 0; i < values; ++i) combine(gs_bpr, static_cast<T*>(to)[i], static_cast<const T*>(from)[i]);
}

}  // namespace

operation::operation(gs_data* g, request r)
    : g_(g), r_(std::move(r)), element_bytes_(bytes_of(r_.dom) * r_.components), identity_(bytes_of(r_.dom)) {
  if (r_.components == 0) fail(1, __FILE__, __LINE__, "gs: an element has 0 components; it has 1 or more");
  if (r_.arrays.empty()) fail(1, __FILE__, __LINE__, "gs: got 0 arrays; there is 1 or more");
  for (const void* u : r_.arrays)
    if (u == nullptr && g->n != 0) fail(1, __FILE__, __LINE__, "gs: an array is NULL");
  with_domain(r_.dom, [&]<class T>(T) {
    const T neutral = identity<T>(r_.op);
    std::memcpy(identity_.data(), &neutral, sizeof neutral);
    if (r_.op == gs_bpr) bits_ = {sizeof(T), identity_.data(), combine_bits<T>, nullptr};
  });
}

/// step(place in the caller's array, place in packed_, is_flagged)
template <class Step>
void operation::each_entry(Step step) const {
  std::size_t to = 0;
  for (void* u : r_.arrays)
    for (const auto& e : g_->entries) {
      step(static_cast<std::byte*>(u) + e.at * element_bytes_, to, e.is_flagged);
      to += element_bytes_;
    }
}

void operation::pack() {
  packed_.resize(g_->entries.size() * element_bytes_ * r_.arrays.size());
  each_entry([&](const std::byte* value, std::size_t to, bool is_flagged) {
    if (!is_flagged || r_.is_transposed) {
      std::memcpy(packed_.data() + to, value, element_bytes_);
      return;
    }
    for (std::size_t at = 0; at < element_bytes_; at += identity_.size())
      std::memcpy(packed_.data() + to + at, identity_.data(), identity_.size());
  });
}

void operation::unpack() const {
  each_entry([&](std::byte* value, std::size_t from, bool is_flagged) {
    if (!is_flagged || !r_.is_transposed) std::memcpy(value, packed_.data() + from, element_bytes_);
  });
}

void operation::start() {
  if (state_ != state::waiting) return;
  if (!g_->entries.empty()) pack();
  start_arrays(0);
  state_ = state::in_flight;
}

void operation::start_arrays(std::size_t first) {
  std::array<nearfar_irregular_array, max_arrays> some{};
  const std::size_t count = std::min(some.size(), r_.arrays.size() - first);
  const std::int64_t elements = nearfar_irregular_plan_references(g_->plan);
  const std::size_t bytes = static_cast<std::size_t>(elements) * element_bytes_;
  const bool is_custom = r_.op == gs_bpr;
  for (std::size_t k = 0; k < count; ++k) {
    void* const data = packed_.empty() ? r_.arrays[first + k] : packed_.data() + (first + k) * bytes;
    some[k] = {elements == 0 ? nullptr : data,
               elements,
               static_cast<int>(r_.components),
               is_custom ? nearfar_element_type{} : type_of(r_.dom),
               identity_.size(),
               0};
  }
  const nearfar_irregular_call call = {NEARFAR_IRREGULAR_ASSEMBLE, op_of(r_.op), is_custom ? &bits_ : nullptr,
                                       static_cast<int>(count),    nullptr,      some.data()};
  NEARFAR_TRY(nearfar_irregular_plan_start(g_->plan, &call));
  end_ = first + count;
}

void operation::finish() {
  start();
  if (is_over()) return;
  NEARFAR_TRY(nearfar_irregular_plan_finish(g_->plan));
  while (end_ < r_.arrays.size()) {
    start_arrays(end_);
    NEARFAR_TRY(nearfar_irregular_plan_finish(g_->plan));
  }
  if (!packed_.empty()) unpack();
  packed_ = {};
  state_ = state::over;
}

}  // namespace nearfar_gslib
