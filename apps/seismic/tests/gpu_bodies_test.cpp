// SPDX-License-Identifier: BSD-3-Clause
// The bodies of the GPU's kernels, run on this processor, against the CPU's kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <gpu/launches.hpp>
#include <memory/huge_array.hpp>
#include <random>

namespace seismic {
namespace {

/// Arrays of a step with random numbers wherever a kernel may read.
class arrays {
 public:
  arrays(system_kind system, const tile_shape& shape, bool repeats) : system_(system), shape_(shape) {
    std::mt19937 dice(17);
    std::uniform_real_distribution<float> number(-1, 1);
    const auto filled = [&](index_t margin, auto value) {
      huge_array a(shape.volume(), 0);
      for (index_t k = -shape.ghosts; k < shape.nz + shape.ghosts; ++k)
        for (index_t j = -shape.ghosts; j < shape.ny + shape.ghosts; ++j)
          for (index_t i = -margin; i < shape.nx + margin; ++i) a.data()[shape.at(k, j, i)] = value();
      return a;
    };
    const index_t margin = repeats ? tile_shape::margin : 0;
    for (int f = 0; f < fields_of(system); ++f) {
      now_.push_back(filled(margin, [&] { return number(dice); }));
      next_.push_back(filled(0, [&] { return number(dice); }));
    }
    for (int c = 0; c < coefficients_of(system); ++c) {
      // The first coefficients are zero in the padding: it stays as it is.
      const bool has_rim = system == system_kind::self_adjoint && c > 0;
      coefficients_.push_back(filled(has_rim ? tile_shape::margin : 0, [&] { return 0.1f * std::abs(number(dice)); }));
    }
    for (std::size_t d = 0; d < 3; ++d) {
      const index_t extent = std::max({shape.nz, shape.ny, shape.padded_nx()}) + tile_shape::margin;
      for (index_t n = 0; n < extent; ++n) damping_[d].push_back(0.1f * std::abs(number(dice)));
    }
  }

  step_arguments arguments(bool repeats) {
    step_arguments a;
    a.shape = shape_;
    for (std::size_t f = 0; f < now_.size(); ++f) {
      a.now[f] = now_[f].data() + shape_.at(0, 0, 0);
      a.next[f] = next_[f].data() + shape_.at(0, 0, 0);
    }
    for (std::size_t c = 0; c < coefficients_.size(); ++c)
      a.coefficients[c] = coefficients_[c].data() + shape_.at(0, 0, 0);
    for (std::size_t d = 0; d < 3; ++d) a.damping[d] = damping_[d].data();
    a.per_metre = {0.9f, 1.1f, 0.8f}, a.is_flat = shape_.ny == 1, a.repeats = repeats;
    a.z_end = shape_.nz, a.y_end = shape_.ny;
    return a;
  }
  std::vector<huge_array>& next() { return next_; }

 private:
  system_kind system_;
  tile_shape shape_;
  std::vector<huge_array> now_, next_, coefficients_;
  std::array<std::vector<float>, 3> damping_;
};

struct range {
  index_t z_begin, z_end, y_begin, y_end;
};

void expect_same(system_kind system, const tile_shape& shape, bool repeats, const range& r) {
  arrays of_cpu(system, shape, repeats), of_gpu(system, shape, repeats);
  step_arguments a = of_cpu.arguments(repeats), b = of_gpu.arguments(repeats);
  for (step_arguments* s : {&a, &b})
    s->z_begin = r.z_begin, s->z_end = r.z_end, s->y_begin = r.y_begin, s->y_end = r.y_end;
  huge_array scratch(scratch_floats(system, shape, r.y_end - r.y_begin), 0);
  a.scratch = scratch.data();
  kernels_named("plain").of(system, shape.radius)(a);
  gpu::run_on_host(gpu::launch_of(system, b), &b);
  for (std::size_t f = 0; f < of_cpu.next().size(); ++f) {
    float most = 0;
    for (index_t k = 0; k < shape.nz; ++k)
      for (index_t j = 0; j < shape.ny; ++j)
        for (index_t i = 0; i < shape.nx; ++i) {
          const index_t at = shape.at(k, j, i);
          most = std::max(most, std::abs(of_cpu.next()[f].data()[at] - of_gpu.next()[f].data()[at]));
        }
    EXPECT_LT(most, 2e-5) << "system " << static_cast<int>(system) << ", radius " << shape.radius << ", field " << f
                          << ", nx " << shape.nx << (repeats ? ", repeats" : "");
  }
}

using system_and_radius = std::tuple<int, int>;
class GpuBodies : public testing::TestWithParam<system_and_radius> {
 protected:
  system_kind system() const { return static_cast<system_kind>(std::get<0>(GetParam())); }
  int radius() const { return std::get<1>(GetParam()); }
  tile_shape shape(index_t nz, index_t ny, index_t nx) const { return {nz, ny, nx, radius(), radius()}; }
};

TEST_P(GpuBodies, AgreeOnWholeGrids) {
  for (const bool repeats : {false, true}) expect_same(system(), shape(21, 19, 37), repeats, {0, 21, 0, 19});
}

TEST_P(GpuBodies, AgreeOnPartsOfAGrid) { expect_same(system(), shape(40, 30, 70), false, {3, 37, 5, 17}); }

TEST_P(GpuBodies, AgreeOnManyPlanesOfSeveralBlocks) { expect_same(system(), shape(97, 3, 17), false, {0, 97, 0, 3}); }

TEST_P(GpuBodies, AgreeOnFlatGrids) { expect_same(system(), shape(30, 1, 50), false, {0, 30, 0, 1}); }

INSTANTIATE_TEST_SUITE_P(All, GpuBodies,
                         testing::Combine(testing::Range(0, static_cast<int>(systems)), testing::Values(2, 4, 6)));

}  // namespace
}  // namespace seismic
