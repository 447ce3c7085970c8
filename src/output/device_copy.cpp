// SPDX-License-Identifier: BSD-3-Clause
// As few copies as there can be: CUDA takes rows at equal distances in one.
#include "device_copy.hpp"

#include <device/device.hpp>

namespace nearfar::output {

namespace {

/// The innermost copy, and what is left of the box around it.
struct copy_plan {
  device::rows rows;
  int dimensions;  // outer ones
};

bool are_apart(const device::rows& r) { return r.from_stride >= r.bytes && r.to_stride >= r.bytes; }

/// Rows that go backwards, or lie in each other, are copied one by one.
copy_plan plan_of(const strided_box& s) {
  const auto last = as_size(s.dimensions - 1);
  device::rows r{1, s.element_bytes, s.element_bytes, s.element_bytes};
  int left = s.dimensions;
  if (s.from_strides[last] == s.element_bytes) r.bytes = s.extents[last] * s.element_bytes, --left;
  if (left == 0) return {r, 0};
  const device::rows several{s.extents[as_size(left - 1)], r.bytes, s.from_strides[as_size(left - 1)],
                             s.to_strides[as_size(left - 1)]};
  return are_apart(several) ? copy_plan{several, left - 1} : copy_plan{r, left};
}

void copy_outer(const strided_box& s, const copy_plan& plan, int dimension, std::byte* to, const std::byte* from) {
  if (dimension == plan.dimensions) return device::copy(to, from, plan.rows, device::direction::to_host);
  const auto d = as_size(dimension);
  for (index_t i = 0; i < s.extents.at(d); ++i)
    copy_outer(s, plan, dimension + 1, to + i * s.to_strides.at(d), from + i * s.from_strides.at(d));
}

}  // namespace

void copy_box_from_device(const strided_box& shape, std::byte* to, const std::byte* from) {
  const strided_box s = merged(shape);
  copy_outer(s, plan_of(s), 0, to, from);
}

}  // namespace nearfar::output
