// SPDX-License-Identifier: BSD-3-Clause
// One plan held against the definitions, forward and backward, on arrays as users hold them.
#pragma once

#include <mpi_test.hpp>
#include <nearfar/error.hpp>
#include <thread>

#include "grid_truth.hpp"

namespace nearfar::test {

/// Arrays of one side, with a filler where nothing belongs.
template <class Real>
class side_arrays {
 public:
  side_arrays(const transpose_side& side, bool is_complex, index_t fields, bool is_near)
      : side_(side), shape_(shape_of(side)), reals_(is_complex ? 2 : 1), fields_(fields) {
    if (is_near) {
      std::vector<void*> starts;
      near_ = allocate_near({side}, fields, bytes(), starts);
      take(starts);
    } else {
      own_.resize(as_size((std::max(side.field_stride, shape_.elements) * fields + 1) * reals_));
      std::vector<void*> starts;
      for (index_t i = 0; i < fields; ++i) starts.push_back(own_.data() + i * shape_.elements * reals_);
      take(starts);
    }
  }
  /// A field's arrays of both sides start at one address then.
  void move_to(std::vector<std::vector<Real>>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) starts_[i] = fields[i].data();
  }

  Real* start(index_t field) const { return starts_[as_size(field)]; }
  writable_transpose_arrays arrays() {
    list_.assign(starts_.begin(), starts_.begin() + (side_.field_stride > 0 ? 1 : fields_));
    lengths_.assign(list_.size(), elements_of(side_, fields_));
    return {list_.data(), lengths_.data(), list_.size(), bytes()};
  }

  void fill(const std::vector<whole_grid>& grids) const {
    for (index_t f = 0; f < fields_; ++f) {
      std::fill_n(start(f), shape_.elements * reals_, filler);
      for_elements(side_.parts.own(), [&](const auto& at) {
        const exact x = grids[as_size(f)].at(at);
        Real* to = start(f) + shape_.offset(at) * reals_;
        to[0] = static_cast<Real>(x.real());
        if (reals_ == 2) to[1] = static_cast<Real>(x.imag());
      });
    }
  }
  void clear() const {
    for (index_t f = 0; f < fields_; ++f) std::fill_n(start(f), shape_.elements * reals_, filler);
  }

  /// The largest difference, as a fraction of the largest number; 1 where something was written that does not belong
  /// to the part (if the other side is not in the same memory).
  long double error(const std::vector<whole_grid>& grids, bool is_alone) const {
    long double worst = 0, largest = 1e-30L;
    for (index_t f = 0; f < fields_; ++f) {
      index_t others = 0;
      for (index_t i = 0; i < shape_.elements * reals_; ++i) others += start(f)[i] == filler;
      if (is_alone && others != (shape_.elements - side_.parts.own().cells()) * reals_) return 1;
      for (const exact& x : grids[as_size(f)].values) largest = std::max(largest, std::abs(x));
      for_elements(side_.parts.own(), [&](const auto& at) {
        const exact x = grids[as_size(f)].at(at);
        const Real* is = start(f) + shape_.offset(at) * reals_;
        worst = std::max(worst, std::abs(x - exact(is[0], reals_ == 2 ? is[1] : Real(0))));
      });
    }
    return worst / largest;
  }

 private:
  static constexpr Real filler = Real(777);
  std::size_t bytes() const { return sizeof(Real) * as_size(reals_); }
  void take(const std::vector<void*>& starts) {
    for (index_t i = 0; i < fields_; ++i)
      starts_.push_back(side_.field_stride == 0 ? static_cast<Real*>(starts[as_size(i)])
                        : shape_.elements == 0  ? static_cast<Real*>(starts[0])
                                                : static_cast<Real*>(starts[0]) + i * side_.field_stride * reals_);
  }

  transpose_side side_;
  array_shape shape_;
  index_t reals_, fields_;
  std::shared_ptr<void> near_;
  std::vector<Real> own_;
  std::vector<Real*> starts_;
  std::vector<void*> list_;
  std::vector<index_t> lengths_;
};

inline void multiply(whole_grid& g, long double factor) {
  for (exact& x : g.values) x *= factor;
}

struct fft_case {
  fft_shape shape;
  fft_layout_options sides{};
  fft_options options{};
  bool is_near = true, is_in_place = false;
};

/// What scaling makes of the definitions.
inline long double true_factor(const fft_case& c, bool is_backward) {
  const long double n = roundtrip_factor(c.shape);
  switch (c.options.scaling) {
    case fft_scaling::forward:
      return is_backward ? 1 : 1 / n;
    case fft_scaling::backward:
      return is_backward ? 1 / n : 1;
    case fft_scaling::orthonormal:
      return 1 / std::sqrt(n);
    default:
      return 1;
  }
}

template <class Real>
void expect_right(const team& members, const fft_case& c, unsigned seed) {
  const fft_layout layout(members, c.shape, c.sides);
  const bool is_complex = is_physical_complex(c.shape), is_spectral = is_spectral_complex(c.shape);
  const index_t fields = c.options.fields;
  side_arrays<Real> physical(layout.physical(), is_complex, fields, c.is_near);
  side_arrays<Real> spectral(layout.spectral(), is_spectral, fields, c.is_near);
  const index_t most = std::max(shape_of(layout.physical()).elements * (is_complex ? 2 : 1),
                                shape_of(layout.spectral()).elements * (is_spectral ? 2 : 1));
  std::vector<std::vector<Real>> both(as_size(fields), std::vector<Real>(as_size(most + 1)));
  if (c.is_in_place) {
    physical.move_to(both);
    spectral.move_to(both);
  }
  std::vector<whole_grid> first, second, there, back;
  for (index_t f = 0; f < fields; ++f) {
    const auto number = static_cast<unsigned>(f);
    first.push_back(random_grid(c.shape.extents, is_complex, seed + number));
    second.push_back(random_grid(spectral_extents(c.shape), is_spectral, seed + 100 + number));
    there.push_back(true_transform(first.back(), c.shape, c.options.nyquist, false));
    back.push_back(true_transform(second.back(), c.shape, c.options.nyquist, true));
    multiply(there.back(), true_factor(c, false)), multiply(back.back(), true_factor(c, true));
  }
  const long double tolerance = 40 * std::numeric_limits<Real>::epsilon();
  fft_plan<Real> plan(layout, physical.arrays(), spectral.arrays(), c.options);
  for (int round = 0; round < 2; ++round) {
    spectral.clear(), physical.fill(first);
    MPI_Barrier(members.comm());
    plan.forward(physical.arrays(), spectral.arrays());
    EXPECT_LE(spectral.error(there, !c.is_in_place), tolerance) << "forward\n" << plan.describe();
    if (!c.is_in_place) {
      EXPECT_LE(physical.error(first, !c.is_in_place), tolerance) << "forward changed its input";
    }
    physical.clear(), spectral.fill(second);
    MPI_Barrier(members.comm());
    plan.start_backward(spectral.arrays(), physical.arrays());
    while (!plan.test()) std::this_thread::yield();
    plan.finish();
    EXPECT_LE(physical.error(back, !c.is_in_place), tolerance) << "backward\n" << plan.describe();
    if (!c.is_in_place) {
      EXPECT_LE(spectral.error(second, !c.is_in_place), tolerance) << "backward changed its input";
    }
  }
}

}  // namespace nearfar::test
