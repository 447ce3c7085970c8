// SPDX-License-Identifier: BSD-3-Clause
// Plans that make their arrays: the same bits as on the caller's, and errors that name what was asked for.
#include <complex>
#include <cstring>
#include <optional>

#include <mpi_test.hpp>
#include <nearfar/error.hpp>
#include <nearfar/fft.hpp>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3}, .node_sizes = {0}, .on_cluster = false}};

using ::testing::HasSubstr;

class FftOwnArrays : public MpiTest {
 protected:
  template <class Step>
  static std::string refusal(const Step& step) {
    std::string message = "accepted";
    try {
      step();
    } catch (const usage_error& e) {
      message = e.what();
    }
    return agreed(message != "accepted") == agreed(message == "accepted") ? "only some ranks: " + message : message;
  }

  template <class T>
  static bool are_alike(const transpose_array<T>& a, const transpose_array<T>& b) {
    bool is_so = a.fields() == b.fields() && a.elements() == b.elements();
    for (std::size_t f = 0; is_so && f < a.fields() && a.elements() > 0; ++f)
      is_so = std::memcmp(a.data(f), b.data(f), a.field(f).size_bytes()) == 0;
    return is_so;
  }

  template <class T>
  static void fill(const transpose_array<T>& a, unsigned seed) {
    for (std::size_t f = 0; f < a.fields(); ++f)
      for (T& x : a.field(f)) x = static_cast<T>((seed = seed * 1664525U + 1013904223U) >> 16U);
  }

  /// Of elements P on the physical side and S on the spectral one.
  template <class Real, class P, class S>
  void expect_same_bits(const fft_shape& shape, const fft_options& options) const {
    fft_plan<Real> brief({all, shape}, options);
    const transpose_array<P> u = brief.template physical<P>();
    const transpose_array<S> uh = brief.template spectral<S>();
    const fft_layout layout = brief.layout();
    const transpose_array<P> v(layout.physical(), options.fields);
    const transpose_array<S> vh(layout.spectral(), options.fields);
    EXPECT_TRUE(are_alike(u, v) && are_alike(uh, vh)) << "zeros";
    fft_plan<Real> full(layout, v, vh, options);
    const auto seed = static_cast<unsigned>(rank());
    fill(u, seed), fill(v, seed);
    brief.run(fft_direction::forward), full.run(fft_direction::forward);
    EXPECT_TRUE(are_alike(u, v) && are_alike(uh, vh)) << "forward\n" << brief.describe();
    brief.backward(uh, u), full.run(fft_direction::backward);
    EXPECT_TRUE(are_alike(u, v) && are_alike(uh, vh)) << "backward\n" << brief.describe();
  }

  team all{nearfar::test::everyone()};
};

TEST_F(FftOwnArrays, give_the_same_bits) {
  using complex = std::complex<double>;
  expect_same_bits<double, double, complex>(fft_shape::real({6, 8, 10}),
                                            {.budget_s = no_tuning, .scaling = fft_scaling::backward});
  expect_same_bits<double, complex, complex>(fft_shape::complex({4, 6, 5}), {.budget_s = no_tuning, .fields = 2});
  expect_same_bits<float, float, std::complex<float>>(truncated(fft_shape::real({9, 8}), 2.0 / 3),
                                                      {.budget_s = no_tuning});
  expect_same_bits<double, double, double>({{6, 7}, {fft_kind::dct2, fft_kind::dst1}}, {.budget_s = no_tuning});
  expect_same_bits<double, complex, complex>(fft_shape::complex({5}), {.budget_s = no_tuning});  // of one rank
}

TEST_F(FftOwnArrays, of_sides_that_the_program_gives) {
  const fft_shape shape = fft_shape::real({6, 8});
  const transpose_side modes{decomposition::slab(all, spectral_extents(shape), 0), {1, 0}, ghosts(1), 200};
  const fft_plan<double> plan({all, shape, {.spectral = modes}}, {.budget_s = no_tuning, .fields = 2});
  const auto uh = plan.spectral<std::complex<double>>();
  EXPECT_EQ(uh.fields(), 1U) << "one array for all fields";
  EXPECT_EQ(uh.elements(), elements_of(modes, 2));
  EXPECT_EQ(plan.layout().spectral().memory_order, modes.memory_order);
  EXPECT_EQ(plan.physical<double>().fields(), 2U);
}

TEST_F(FftOwnArrays, outlive_their_plan) {
  std::optional<fft_plan<double>> plan(std::in_place, fft_layout(all, fft_shape::real({6, 8})),
                                       fft_options{.budget_s = no_tuning});
  const auto u = plan->physical<double>();
  EXPECT_EQ(u.data(), plan->physical<double>().data()) << "copies share the memory";
  for (double& x : u.field()) x = 3;
  plan.reset();
  for (const double x : u.field()) EXPECT_EQ(x, 3);
}

TEST_F(FftOwnArrays, of_another_type_are_refused) {
  const fft_layout layout(all, fft_shape::real({6, 8}));
  const fft_plan<double> plan(layout, {.name = "waves", .budget_s = no_tuning});
  EXPECT_THAT(refusal([&] { (void)plan.physical<std::complex<double>>(); }),
              HasSubstr("fft \"waves\": elements of physical are float64, not complex128"));
  EXPECT_THAT(refusal([&] { (void)plan.spectral<double>(); }), HasSubstr("are complex128, not float64"));
  EXPECT_THAT(refusal([&] { (void)plan.spectral<std::complex<float>>(); }), HasSubstr("complex128, not complex64"));
  EXPECT_THAT(refusal([&] { (void)plan.physical<std::array<double, 1>>(); }), HasSubstr("not bytes without a type"));
}

TEST_F(FftOwnArrays, are_not_those_of_the_caller) {
  const fft_layout layout(all, fft_shape::real({6, 8}));
  const transpose_array<double> u(layout.physical());
  const transpose_array<std::complex<double>> uh(layout.spectral());
  const fft_plan<double> plan(layout, u, uh, {.budget_s = no_tuning});
  EXPECT_EQ(&plan.layout().shape(), &layout.shape());
  EXPECT_THAT(refusal([&] { (void)plan.physical<double>(); }), HasSubstr("physical is the caller's"));
  EXPECT_THAT(refusal([&] { (void)plan.spectral<std::complex<double>>(); }), HasSubstr("spectral is the caller's"));
}

TEST_F(FftOwnArrays, of_options_that_cannot_be_are_refused_on_every_rank) {
  const auto plan_refusal = [&](const fft_options& options) {
    return refusal([&] { fft_plan<double>({all, fft_shape::real({6, 8})}, options); });
  };
  EXPECT_THAT(plan_refusal({.fields = 0}), HasSubstr("0 fields; 1 or more"));
  EXPECT_THAT(plan_refusal({.engines = {"abacus"}}), HasSubstr("'abacus' cannot be had"));
  if (size() > 1) {
    EXPECT_THAT(plan_refusal({.fields = rank() + 1}), HasSubstr("fields"));
    EXPECT_THAT(plan_refusal({.method = "pigeon"}), HasSubstr("pigeon"));
  }
}

}  // namespace
}  // namespace nearfar::test
