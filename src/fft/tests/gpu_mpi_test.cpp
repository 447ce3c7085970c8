// SPDX-License-Identifier: BSD-3-Clause
// Transforms of arrays in GPU memory: what the definitions say, and clear errors. On a GPU, or on stand-ins for CUDA's
// libraries.
#include <take_gpu.hpp>

#include "fft_case.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 4}, .node_sizes = {0}, .on_cluster = false}};

class FftOnGpu : public on_gpu<MpiTest> {
 protected:
  /// Arrays of one side: numbers of the whole grid in the rank's part, a filler elsewhere.
  template <class Real>
  class side {
   public:
    side(const transpose_side& s, bool is_complex)
        : side_(s), shape_(shape_of(s)), reals_(is_complex ? 2 : 1), both_(shape_.elements * reals_ + 2) {}
    writable_transpose_arrays arrays() const { return {both_.gpu(), shape_.elements, sizeof(Real) * as_size(reals_)}; }
    void fill(const whole_grid& g) {
      clear_host();
      for_own(
          [&](Real* to, const exact& x) {
            to[0] = static_cast<Real>(x.real());
            if (reals_ == 2) to[1] = static_cast<Real>(x.imag());
          },
          g);
      both_.up();
    }
    void clear() { clear_host(), both_.up(); }
    long double error(const whole_grid& g) {
      both_.down();
      long double worst = 0, largest = 1e-30L;
      index_t others = 0;
      for (const Real x : both_.host) others += x == filler;
      if (others != shape_.elements * reals_ + 2 - side_.parts.own().cells() * reals_) return 1;
      for (const exact& x : g.values) largest = std::max(largest, std::abs(x));
      for_own(
          [&](const Real* is, const exact& x) {
            worst = std::max(worst, std::abs(x - exact(is[0], reals_ == 2 ? is[1] : Real(0))));
          },
          g);
      return worst / largest;
    }

   private:
    static constexpr Real filler = Real(777);
    void clear_host() { std::fill(both_.host.begin(), both_.host.end(), filler); }
    template <class Body>
    void for_own(const Body& body, const whole_grid& g) {
      for_elements(side_.parts.own(), [&](const auto& at) {
        body(both_.host.data() + shape_.offset(at) * reals_,
             g.values[as_size(global_index(side_.parts.extents(), at))]);
      });
    }
    transpose_side side_;
    array_shape shape_;
    index_t reals_;
    twin<Real> both_;
  };

  template <class Real>
  void expect_right_on_gpu(const team& t, const fft_case& c) {
    const fft_layout layout(t, c.shape, c.sides);
    side<Real> physical(layout.physical(), is_physical_complex(c.shape));
    side<Real> spectral(layout.spectral(), is_spectral_complex(c.shape));
    whole_grid first = random_grid(c.shape.extents, is_physical_complex(c.shape), 5);
    whole_grid second = random_grid(spectral_extents(c.shape), is_spectral_complex(c.shape), 6);
    whole_grid there = true_transform(first, c.shape, c.options.nyquist, false);
    whole_grid back = true_transform(second, c.shape, c.options.nyquist, true);
    multiply(there, true_factor(c, false)), multiply(back, true_factor(c, true));
    const long double tolerance = 40 * std::numeric_limits<Real>::epsilon();
    fft_plan<Real> plan(layout, physical.arrays(), spectral.arrays(), c.options);
    for (int round = 0; round < 2; ++round) {
      spectral.clear(), physical.fill(first);
      plan.forward(physical.arrays(), spectral.arrays());
      EXPECT_LE(spectral.error(there), tolerance) << plan.describe();
      EXPECT_LE(physical.error(first), tolerance) << "forward changed its input";
      physical.clear(), spectral.fill(second);
      plan.backward(spectral.arrays(), physical.arrays());
      EXPECT_LE(physical.error(back), tolerance) << plan.describe();
      EXPECT_LE(spectral.error(second), tolerance) << "backward changed its input";
    }
    EXPECT_NE(plan.describe().find("cufft"), std::string::npos) << plan.describe();
  }
};

TEST_F(FftOnGpu, complex_and_real_are_what_definitions_say) {
  const team t(comm());
  for (const fft_shape& shape : {fft_shape::complex({6, 5, 4}), fft_shape::real({4, 6, 10}), fft_shape::real({7, 9}),
                                 fft_shape{{4, 6, 5}, {fft_kind::c2c, fft_kind::none, fft_kind::c2c}}}) {
    fft_case c{.shape = shape};
    c.options.budget_s = 0.002;
    for (const fft_scaling scaling : {fft_scaling::none, fft_scaling::forward, fft_scaling::orthonormal}) {
      c.options.scaling = scaling;
      expect_right_on_gpu<double>(t, c);
      expect_right_on_gpu<float>(t, c);
      NEARFAR_ASSERT_ALL(!HasFailure());
    }
  }
}

TEST_F(FftOnGpu, caller_sides_with_padding_and_other_orders_are_what_definitions_say) {
  const team t(comm());
  fft_case c{.shape = fft_shape::real({6, 4, 8})};
  c.options.budget_s = 0.002;
  const fft_layout chosen(t, c.shape);
  c.sides.physical = chosen.physical();
  c.sides.physical->padding = {{0, 2}, {1, 1}, {2, 0}};
  c.sides.spectral = chosen.spectral();
  c.sides.spectral->memory_order = {1, 2, 0};
  c.sides.spectral->padding = {{1, 0}, {1, 1}, {1, 2}};
  expect_right_on_gpu<double>(t, c);
  expect_right_on_gpu<float>(t, c);
}

TEST_F(FftOnGpu, what_cannot_be_is_refused_everywhere) {
  const team t(comm());
  const fft_layout layout(t, fft_shape::complex({4, 4, 4}));
  using number = std::complex<double>;
  const index_t elements = std::max(shape_of(layout.physical()).elements, shape_of(layout.spectral()).elements) + 1;
  twin<double> a(2 * elements), b(2 * elements);
  std::vector<number> on_host(as_size(elements));
  const std::span first(reinterpret_cast<number*>(a.gpu()), as_size(elements));
  const std::span second(reinterpret_cast<number*>(b.gpu()), as_size(elements));
  const auto message = [&](const auto& body) -> std::string {
    try {
      body();
    } catch (const usage_error& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  EXPECT_NE(message([&] { fft_plan<double>(layout, first, on_host); }).find("some arrays are in GPU memory"),
            std::string::npos);
  EXPECT_NE(message([&] { fft_plan<double>(layout, first, second, {.engines = {"own"}}); }).find("cufft"),
            std::string::npos);
  std::vector<number> other(as_size(elements));
  EXPECT_NE(
      message([&] { fft_plan<double>(layout, on_host, other, {.engines = {"cufft"}}); }).find("the host's memory"),
      std::string::npos);
  const fft_layout cosine(t, {{4, 4, 4}, {fft_kind::dct2, fft_kind::dct2, fft_kind::dct2}});
  EXPECT_NE(message([&] {
              fft_plan<double>(cosine, std::span(a.gpu(), 2 * as_size(elements)),
                               std::span(b.gpu(), 2 * as_size(elements)));
            }).find("cuFFT has no"),
            std::string::npos);
  const fft_layout fewer(t, truncated(fft_shape::complex({6, 6, 6}), 0.5));
  twin<double> large(2 * 216);
  EXPECT_NE(message([&] {
              fft_plan<double>(fewer, std::span(reinterpret_cast<number*>(large.gpu()), 216), second);
            }).find("all modes are kept"),
            std::string::npos);
  fft_plan<double> plan(layout, first, second, {.budget_s = 0.002});
  EXPECT_NE(message([&] { plan.start_forward(on_host, second); }).find("not in GPU memory"), std::string::npos);
}

}  // namespace
}  // namespace nearfar::test
