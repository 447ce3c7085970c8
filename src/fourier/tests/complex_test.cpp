// SPDX-License-Identifier: BSD-3-Clause
// Complex transforms of the own engine against the definition: lengths, layouts, and what must not change a bit.
#include <gtest/gtest.h>

#include <base/text.hpp>
#include <fourier/pieces.hpp>
#include <nearfar/error.hpp>

#include "case.hpp"

namespace nearfar::fourier::test {
namespace {

const char* const variants[] = {"plain", "avx2", "avx512"};

template <class Real>
class Complex : public testing::Test {
 protected:
  void TearDown() override { unsetenv("NEARFAR_FOURIER_SIMD"); }
};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Complex, precisions);

line_shape side_by_side(kind what, index_t n, index_t lines) {
  return {what, n, lines, lines, {loop{lines, 1, 1}, loop{}}};
}
line_shape one_after_another(kind what, index_t n, index_t lines) {
  return {what, n, 1, 1, {loop{lines, n, n}, loop{}}};
}

template <class Real>
void expect_right_in_every_variant(const line_shape& s) {
  array<Real> in(true, in_extent(s)), out(true, out_extent(s));
  fill_lines(s, in);
  const auto truth = truth_of(s, in);
  for (const char* variant : variants) {
    setenv("NEARFAR_FOURIER_SIMD", variant, 1);
    make_plan<Real>("own", s)->run(in.at(), out.at());
    EXPECT_LE(worst_error(s, truth, out), allowed_error(s.length)) << variant << ", " << describe(s);
  }
}

TYPED_TEST(Complex, LengthsAreRightInEveryVariant) {
  for (index_t n = 1; n <= 64; ++n)
    expect_right_in_every_variant<TypeParam>(side_by_side(n % 2 ? kind::forward : kind::backward, n, 19));
  for (const index_t n : {96, 97, 121, 125, 128, 144, 169, 192, 256, 343, 384, 512, 1009, 1024, 1155, 2048})
    expect_right_in_every_variant<TypeParam>(one_after_another(n % 3 ? kind::forward : kind::backward, n, 2));
}

TYPED_TEST(Complex, LayoutsAreRight) {
  const index_t n = 24;
  const std::vector<line_shape> shapes = {
      side_by_side(kind::forward, n, 64),
      one_after_another(kind::backward, n, 33),
      {kind::forward, n, 7, 7, {loop{7, 1, 1}, loop{3, 7 * n, 7 * n}}},          // second of three axes
      {kind::backward, n, 40, 1, {loop{40, 1, n}, loop{2, 40 * n, 40 * n}}},     // transposes on the way
      {kind::forward, n, 1, 21, {loop{21, n, 1}, loop{2, 21 * n, 21 * n}}},      // and back
      {kind::forward, n, 3, 2, {loop{5, 3 * n + 1, 2 * n}, loop{2, 500, 600}}},  // neither is contiguous
      {kind::backward, n, 18, 18, {loop{2, 18 * n, 18 * n}, loop{18, 1, 1}}},    // the second loop is side by side
      {kind::forward, n, 1, 1, {loop{1, 0, 0}, loop{9, n + 2, n + 4}}},
  };
  for (const line_shape& s : shapes) {
    array<TypeParam> in(true, in_extent(s)), out(true, out_extent(s));
    fill_lines(s, in);
    const auto before = in.reals();
    const auto truth = truth_of(s, in);
    make_plan<TypeParam>("own", s)->run(in.at(), out.at());
    EXPECT_LE(worst_error(s, truth, out), allowed_error(n)) << describe(s) << " stride " << s.in_stride;
    EXPECT_EQ(in.reals(), before);
    EXPECT_EQ(out.untouched_count(), 2 * (out_extent(s) - n * s.line_count()) + 1) << "written outside the lines";
  }
}

TYPED_TEST(Complex, InPlaceIsTheSameAsOutOfPlace) {
  for (const index_t n : {1, 5, 16, 60, 67, 97, 256})
    for (const line_shape& s : {side_by_side(kind::forward, n, 21), one_after_another(kind::backward, n, 21)}) {
      array<TypeParam> in(true, in_extent(s)), out(true, out_extent(s));
      fill_lines(s, in);
      const auto p = make_plan<TypeParam>("own", s);
      p->run(in.at(), out.at());
      p->run(in.at(), in.at());
      EXPECT_EQ(in.reals(), out.reals()) << n;
    }
}

TYPED_TEST(Complex, BitsOfALineDependOnNothingElse) {
  for (const index_t n : {30, 64, 97, 103, 128}) {
    const line_shape wide = side_by_side(kind::forward, n, 37), alone = one_after_another(kind::forward, n, 1);
    array<TypeParam> in(true, in_extent(wide)), out(true, out_extent(wide));
    fill_lines(wide, in);
    make_plan<TypeParam>("own", wide)->run(in.at(), out.at());
    for (const index_t line : {0, 3, 17, 36}) {
      array<TypeParam> one(true, n), result(true, n);
      for (index_t k = 0; k < n; ++k) one.set(k, in.get(in_place_of(wide, k, line, 0)));
      make_plan<TypeParam>("own", alone)->run(one.at(), result.at());
      for (index_t k = 0; k < n; ++k)
        EXPECT_EQ(result.get(k), out.get(out_place_of(wide, k, line, 0))) << n << " " << k;
    }
  }
}

TYPED_TEST(Complex, UnalignedArraysAreRight) {
  const line_shape s = side_by_side(kind::forward, 32, 24);
  array<TypeParam> in(true, in_extent(s) + 1), out(true, out_extent(s)), shifted(true, out_extent(s) + 1);
  fill_lines(s, in);
  const auto p = make_plan<TypeParam>("own", s);
  p->run(in.at(), out.at());
  std::vector<TypeParam> moved(in.reals().size() + 3);
  std::copy(in.reals().begin(), in.reals().end(), moved.begin() + 1);
  p->run(moved.data() + 1, shifted.at(1));
  for (std::size_t i = 0; i + 1 < out.reals().size(); ++i) EXPECT_EQ(shifted.reals()[i + 1], out.reals()[i]);
}

TYPED_TEST(Complex, ForwardAndBackwardGiveTheInput) {
  for (const index_t n : {7, 48, 64, 89, 131, 1000}) {
    const line_shape s = one_after_another(kind::forward, n, 5);
    array<TypeParam> in(true, in_extent(s)), out(true, out_extent(s));
    fill_lines(s, in);
    auto back = s;
    back.what = kind::backward;
    std::vector<numbers> truth;
    for (index_t i = 0; i < 5; ++i) {
      truth.push_back(line_of_input(s, in, i, 0));
      for (exact& x : truth.back()) x *= static_cast<long double>(n);
    }
    make_plan<TypeParam>("own", s)->run(in.at(), out.at());
    make_plan<TypeParam>("own", back)->run(out.at(), out.at());
    EXPECT_LE(worst_error(s, truth, out), 2 * allowed_error(n)) << n;
  }
}

TYPED_TEST(Complex, EnergyIsKept) {
  const index_t n = 720;
  const line_shape s = one_after_another(kind::forward, n, 1);
  array<TypeParam> in(true, n), out(true, n);
  fill_lines(s, in);
  make_plan<TypeParam>("own", s)->run(in.at(), out.at());
  long double before = 0, after = 0;
  for (index_t k = 0; k < n; ++k) {
    before += std::norm(in.get(k));
    after += std::norm(out.get(k));
  }
  EXPECT_NEAR(static_cast<double>(after / (before * n)), 1, 20 * std::numeric_limits<TypeParam>::epsilon());
}

TYPED_TEST(Complex, PiecesAreOneLine) {
  constexpr index_t n = 40, lines = 27;
  const line_shape s = side_by_side(kind::backward, n, lines);
  array<TypeParam> in(true, in_extent(s)), whole(true, out_extent(s));
  fill_lines(s, in);
  make_plan<TypeParam>("own", s)->run(in.at(), whole.at());
  // The input as three ranks would have it, each with strides of its own; the output cut elsewhere.
  const index_t cuts[] = {0, 9, 10, n};
  std::vector<array<TypeParam>> ranks;
  std::vector<source_piece> sources;
  for (int r = 0; r < 3; ++r) {
    const index_t stride = lines + r;
    ranks.emplace_back(true, (cuts[r + 1] - cuts[r]) * stride);
    for (index_t k = cuts[r]; k < cuts[r + 1]; ++k)
      for (index_t i = 0; i < lines; ++i) ranks.back().set((k - cuts[r]) * stride + i, in.get(k * lines + i));
    sources.push_back({cuts[r], cuts[r + 1], nullptr, stride, {1, 0}});
  }
  for (std::size_t r = 0; r < 3; ++r) sources[r].base = ranks[r].at();
  array<TypeParam> low(true, 13 * lines), high(true, lines * (n - 13));
  const target_piece targets[] = {{0, 13, low.at(), lines, {1, 0}}, {13, n, high.at(), 1, {n - 13, 0}}};
  bundle_engine<TypeParam> engine(kind::backward, n);
  engine.run({{0, 0}, {lines, 1}}, sources, targets);
  for (index_t k = 0; k < n; ++k)
    for (index_t i = 0; i < lines; ++i)
      EXPECT_EQ(k < 13 ? low.get(k * lines + i) : high.get(i * (n - 13) + k - 13), whole.get(k * lines + i))
          << k << " " << i;
}

/// Two ranks' parts of a grid of three planes, of which one has room behind each plane.
TYPED_TEST(Complex, PiecesStepFromPlaneToPlaneEachAsItsOwn) {
  constexpr index_t n = 12, cut = 5, lines = 37, planes = 3;
  const line_shape s{kind::forward, n, lines, lines, {loop{lines, 1, 1}, loop{planes, n * lines, n * lines}}};
  array<TypeParam> in(true, in_extent(s)), whole(true, out_extent(s));
  fill_lines(s, in);
  make_plan<TypeParam>("own", s)->run(in.at(), whole.at());
  const index_t low_step = cut * lines, high_step = (n - cut) * lines + 3;
  array<TypeParam> low(true, planes * low_step), high(true, planes * high_step);
  array<TypeParam> low_out(true, planes * low_step), high_out(true, planes * high_step);
  for (index_t j = 0; j < planes; ++j)
    for (index_t k = 0; k < n; ++k)
      for (index_t i = 0; i < lines; ++i) {
        const exact x = in.get(in_place_of(s, k, i, j));
        k < cut ? low.set(j * low_step + k * lines + i, x) : high.set(j * high_step + (k - cut) * lines + i, x);
      }
  const source_piece from[] = {{0, cut, low.at(), lines, {1, low_step}}, {cut, n, high.at(), lines, {1, high_step}}};
  const target_piece to[] = {{0, cut, low_out.at(), lines, {1, low_step}},
                             {cut, n, high_out.at(), lines, {1, high_step}}};
  bundle_engine<TypeParam> engine(kind::forward, n);
  engine.run({{0, 0}, {lines, planes}}, from, to);
  for (index_t j = 0; j < planes; ++j)
    for (index_t k = 0; k < n; ++k)
      for (index_t i = 0; i < lines; ++i)
        EXPECT_EQ(
            k < cut ? low_out.get(j * low_step + k * lines + i) : high_out.get(j * high_step + (k - cut) * lines + i),
            whole.get(out_place_of(s, k, i, j)))
            << k << " " << i << " " << j;
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const usage_error& e) {
    return e.what();
  }
  return "no error";
}

TEST(ComplexErrors, NameTheValueAndWhatIsAllowed) {
  const auto make = [](line_shape s, const char* engine = "own") { return [=] { make_plan<double>(engine, s); }; };
  EXPECT_EQ(message_of(make({kind::forward, 0})), "length of a forward transform is 0; allowed is 1 … 281474976710656");
  EXPECT_EQ(message_of(make({kind::dct1, 1})), "length of a DCT-I transform is 1; allowed is 2 … 281474976710656");
  EXPECT_EQ(message_of(make({kind::forward, 4, 1, 0})),
            "output stride of lines of 4 elements is 0; allowed is any other");
  EXPECT_EQ(message_of(make({kind::forward, 4, 1, 1, {loop{-1, 1, 1}, loop{}}})),
            "loop 0 over lines has -1 lines; 0 or more are allowed");
  EXPECT_NE(
      message_of(make({kind::forward, 4}, "nonesuch")).find("'nonesuch' cannot be had here; engines that can: own"),
      std::string::npos);
  double x[2] = {};
  const auto null_call = [&] { make_plan<double>("own", {kind::forward, 1})->run(nullptr, x); };
  EXPECT_NE(message_of(null_call).find("input array of a transform"), std::string::npos);
  const auto gap = [&] {
    const source_piece in[] = {{0, 1, x, 1, {}}};
    const target_piece out[] = {{1, 2, x, 1, {}}};
    bundle_engine<double>(kind::forward, 1).run({{0, 0}, {1, 1}}, in, out);
  };
  EXPECT_NE(message_of(gap).find("output piece of elements 1 … 2 follows after element 0"), std::string::npos);
}

TEST(ComplexErrors, NoLinesNeedNoArrays) {
  make_plan<float>("own", {kind::forward, 8, 1, 1, {loop{0, 8, 8}, loop{}}})->run(nullptr, nullptr);
}

}  // namespace
}  // namespace nearfar::fourier::test
