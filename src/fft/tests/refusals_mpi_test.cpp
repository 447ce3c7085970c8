// SPDX-License-Identifier: BSD-3-Clause
// Transforms that cannot be: every rank gets the same error, which names what is wrong and what is possible.
#include <complex>
#include <functional>
#include <limits>
#include <mpi_test.hpp>
#include <nearfar/error.hpp>
#include <nearfar/fft.hpp>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3}, .node_sizes = {0}, .on_cluster = false}};

using ::testing::AllOf;
using ::testing::HasSubstr;

class FftRefusal : public MpiTest {
 protected:
  using complex = std::complex<double>;

  /// The message, if all ranks threw this error.
  static std::string refusal(const std::function<void()>& step) {
    std::string message = "accepted";
    try {
      step();
    } catch (const usage_error& e) {
      message = e.what();
    }
    return agreed(message != "accepted")   ? message
           : agreed(message == "accepted") ? "accepted"
                                           : "only some ranks: " + message;
  }
  std::string layout_refusal(const fft_shape& shape, const fft_layout_options& options = {}) const {
    return refusal([&] { fft_layout(all, shape, options); });
  }
  std::string plan_refusal(const writable_transpose_arrays& physical, const writable_transpose_arrays& spectral,
                           const fft_options& options = {.method = "isend"}) const {
    return refusal([&] { fft_plan<double>(real, physical, spectral, options); });
  }

  static std::span<complex> complex_at(std::vector<double>& numbers, std::size_t place) {
    return {reinterpret_cast<complex*>(numbers.data() + place), (numbers.size() - place) / 2};
  }

  team all{nearfar::test::everyone()};
  fft_layout real{all, fft_shape::real({6, 8})};
  std::vector<double> u = std::vector<double>(300), other = std::vector<double>(300);
  std::vector<complex> uh = std::vector<complex>(300);
};

// Its stages refuse what the plan itself cannot see; it is not in flight then, and stays with its arrays.
TEST_F(FftRefusal, a_start_on_other_arrays_that_is_refused_changes_nothing) {
  if (size() != 2 || all.near_size() != 2) return;
  const transpose_side cut{decomposition::slab(all, {6, 8}, 1)};  // moves come first
  const fft_layout l(all, fft_shape::real({6, 8}), {.physical = cut});
  for (const fft_fusion fusion : {fft_fusion::never, fft_fusion::always}) {
    const transpose_array<double> in(l.physical());
    const transpose_array<complex> out(l.spectral()), other(l.spectral());
    fft_plan<double> p(l, in, out, {.method = "near-direct", .budget_s = no_tuning, .fusion = fusion});
    const auto fill = [&] {
      for (double& x : in.field()) x = 1;
    };
    fill();
    for (complex& x : other.field()) x = 7;
    try {
      p.forward(u, other);
      return;  // near memory is not shared here
    } catch (const usage_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("near memory"));
    }
    fill();
    p.start(fft_direction::forward);
    p.finish();
    EXPECT_EQ(out.field()[0], complex(rank() == 0 ? 48 : 0, 0));
    for (const complex& x : other.field()) EXPECT_EQ(x, complex(7, 0));
  }
}

TEST_F(FftRefusal, shapes) {
  EXPECT_THAT(layout_refusal({}), HasSubstr("0 axes; 1 to 4"));
  EXPECT_THAT(layout_refusal({{4, 0}}), HasSubstr("axis 1 has 0 points; 1 or more"));
  EXPECT_THAT(layout_refusal({{4, 1}, {fft_kind::c2c, fft_kind::dct1}}), HasSubstr("axis 1 has 1 points; 2 or more"));
  EXPECT_THAT(layout_refusal({{4, 4}, {fft_kind::c2c}}), HasSubstr("1 kinds; the grid has 2 axes"));
  EXPECT_THAT(layout_refusal({{4, 4}, {fft_kind::r2c, fft_kind::r2c}}), HasSubstr("one at most"));
  EXPECT_THAT(layout_refusal({{4, 4}, {fft_kind::c2c, static_cast<fft_kind>(99)}}), HasSubstr("number 99"));
  EXPECT_THAT(layout_refusal({{4, 4}, {}, {4, 5}}), HasSubstr("axis 1 is to keep 5 modes of 4; 1 to 4"));
  EXPECT_THAT(layout_refusal({{4, 4}, {fft_kind::c2c, fft_kind::none}, {4, 2}}),
              HasSubstr("axis 1 is not transformed"));
  EXPECT_THAT(refusal([] { padded(fft_shape::complex({4}), 0.5); }), HasSubstr("padded by 0.5"));
  EXPECT_THAT(refusal([] { padded(fft_shape::complex({4, 8}), 1e30); }), HasSubstr("axis 0 of 4 points"));
  EXPECT_THAT(refusal([] { truncated(fft_shape::complex({4}), 1.5); }), HasSubstr("truncated to 1.5"));
}

TEST_F(FftRefusal, sides) {
  const transpose_side wrong{decomposition::slab(all, {6, 8}, 0)};
  EXPECT_THAT(layout_refusal(fft_shape::real({6, 8}), {.spectral = wrong}),
              AllOf(HasSubstr("spectral side is of a grid of 6 x 8"), HasSubstr("6 x 5")));
  const team another(comm());
  const transpose_side foreign{decomposition::slab(another, {6, 8}, 0)};
  EXPECT_THAT(layout_refusal(fft_shape::real({6, 8}), {.physical = foreign}), HasSubstr("another team"));
  const transpose_side twisted{decomposition::slab(all, {6, 8}, 0), {1, 1}};
  EXPECT_THAT(layout_refusal(fft_shape::real({6, 8}), {.physical = twisted}), HasSubstr("1, 1"));
  EXPECT_THAT(layout_refusal(fft_shape::real({6, 8}), {.process_grid = {size() + 1}}),
              HasSubstr("multiply to the " + std::to_string(size()) + " ranks"));
}

TEST_F(FftRefusal, ranks_that_do_not_agree) {
  if (size() == 1) return;
  const index_t odd = rank() == size() - 1;
  EXPECT_THAT(layout_refusal(fft_shape::real({6 + odd, 8})), AllOf(HasSubstr("extents"), HasSubstr("7")));
  EXPECT_THAT(plan_refusal(u, uh, {.fields = 1, .scaling = static_cast<fft_scaling>(odd)}),
              HasSubstr("fields, scaling"));
  EXPECT_THAT(plan_refusal(u, uh, {.fusion = odd ? fft_fusion::always : fft_fusion::never}), HasSubstr("fusion"));
  EXPECT_THAT(plan_refusal(u, uh, {.method = odd ? "isend" : ""}), HasSubstr("the method"));
  EXPECT_THAT(plan_refusal(u, uh, {.without = {odd ? "persistent" : "neighbor"}}), HasSubstr("left out"));
}

TEST_F(FftRefusal, layouts_that_do_not_agree) {
  if (size() == 1) return;
  const bool is_odd = rank() == size() - 1;
  const transpose_side rows{decomposition::slab(all, {12, 12}, 0)}, columns{decomposition::slab(all, {12, 12}, 1)};
  EXPECT_THAT(layout_refusal(fft_shape::complex({12, 12}), {.spectral = is_odd ? rows : columns}),
              HasSubstr("process grid of the spectral side"));
  const auto plan_on = [&](const fft_layout& one, const fft_layout& another) {
    return refusal([&] { fft_plan<double>(is_odd ? one : another, u, other, {.method = "isend"}); });
  };
  const auto of_kind = [&](fft_kind kind) { return fft_layout(all, {{12, 12}, {kind, fft_kind::dct2}}); };
  EXPECT_THAT(plan_on(of_kind(fft_kind::dct2), of_kind(fft_kind::dst2)), HasSubstr("kinds"));
  const fft_shape cosines{{12, 12}, {fft_kind::dct2, fft_kind::dct2}};
  EXPECT_THAT(plan_on({all, cosines, {.physical = rows}}, {all, cosines, {.physical = columns}}),
              HasSubstr("process grid of the physical side"));
}

TEST_F(FftRefusal, precisions_that_do_not_agree) {
  if (size() == 1) return;
  std::vector<std::complex<float>> narrow(300);
  EXPECT_THAT(refusal([&] {
                if (rank() == 0)
                  fft_plan<float>(real, std::span(reinterpret_cast<float*>(u.data()), u.size()), narrow,
                                  {.method = "isend"});
                else
                  fft_plan<double>(real, u, uh, {.method = "isend"});
              }),
              HasSubstr("bytes of a real"));
}

TEST_F(FftRefusal, factors_of_long_axes_do_not_wrap) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  EXPECT_GT(roundtrip_factor({{most}, {fft_kind::dst1}}), 1e19);
  EXPECT_GT(roundtrip_factor({{most}, {fft_kind::dct2}}), 1e19);
}

TEST_F(FftRefusal, arrays) {
  EXPECT_THAT(plan_refusal(uh, uh), HasSubstr("physical has elements of 16 bytes; they are real, of 8"));
  EXPECT_THAT(plan_refusal(u, u), HasSubstr("spectral has elements of 8 bytes; they are complex, of 16"));
  EXPECT_THAT(plan_refusal(u, std::span<complex>()), HasSubstr("array 0 of spectral is null"));
  EXPECT_THAT(plan_refusal(u, complex_at(u, 2)), HasSubstr("overlap"));
  if (real.physical().parts.own().cells() > 1) {
    EXPECT_THAT(plan_refusal(std::span(u).first(1), uh),
                AllOf(HasSubstr("array 0 of physical has 1 elements"), HasSubstr("are needed")));
  }
  EXPECT_THAT(plan_refusal(u, uh, {.fields = 2}), HasSubstr("physical has 1 arrays; 2 are needed"));
  EXPECT_THAT(plan_refusal(u, uh, {.fields = 0}), HasSubstr("0 fields; 1 or more"));
  EXPECT_THAT(plan_refusal(u, uh, {.scaling = static_cast<fft_scaling>(99)}), HasSubstr("no scaling 99"));
  EXPECT_THAT(plan_refusal(u, uh, {.engines = {"own", "abacus"}}), HasSubstr("'abacus' cannot be had"));
  if (size() > 1) {  // nothing moves on one rank
    EXPECT_THAT(plan_refusal(u, uh, {.method = "pigeon"}), HasSubstr("pigeon"));
  }
}

TEST_F(FftRefusal, calls_out_of_order) {
  fft_plan<double> plan(real, u, uh, {.method = "isend"});
  EXPECT_THAT(refusal([&] { plan.finish(); }), HasSubstr("finished without a start"));
  EXPECT_THAT(refusal([&] { plan.start_forward(u, complex_at(u, 0)); }), HasSubstr("not made in place"));
  EXPECT_THAT(refusal([&] { plan.forward(u, complex_at(u, 2)); }), HasSubstr("overlap"));
  EXPECT_THAT(refusal([&] { plan.forward(uh, uh); }), HasSubstr("physical has elements of 16 bytes"));
  EXPECT_THAT(refusal([&] { plan.backward(std::span<complex>(), u); }), HasSubstr("is null"));
  const std::vector<std::span<double>> two{u, other};
  EXPECT_THAT(refusal([&] { plan.forward(two, uh); }), HasSubstr("physical has 2 arrays; 1 are needed"));
  plan.start_forward(u, uh);
  EXPECT_THAT(refusal([&] { plan.start_backward(uh, u); }), HasSubstr("started while in flight"));
  plan.finish();
  plan.backward(uh, other);
}

}  // namespace
}  // namespace nearfar::test
