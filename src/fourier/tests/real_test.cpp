// SPDX-License-Identifier: BSD-3-Clause
// Kinds on reals of the own engine against the definition: every kind, every short length, layouts, in place.
#include <gtest/gtest.h>

#include "case.hpp"

namespace nearfar::fourier::test {
namespace {

const kind real_kinds[] = {kind::real_to_complex,
                           kind::complex_to_real,
                           kind::dct1,
                           kind::dct2,
                           kind::dct3,
                           kind::dct4,
                           kind::dst1,
                           kind::dst2,
                           kind::dst3,
                           kind::dst4};

template <class Real>
class Reals : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Reals, precisions);

line_shape side_by_side(kind what, index_t n, index_t lines) {
  return {what, n, lines, lines, {loop{lines, 1, 1}, loop{}}};
}
line_shape one_after_another(kind what, index_t n, index_t lines) {
  line_shape s{what, n};
  s.lines[0] = {lines, s.in_length(), s.out_length()};
  return s;
}

TYPED_TEST(Reals, LengthsAreRight) {
  for (const kind what : real_kinds)
    for (index_t n = what == kind::dct1 ? 2 : 1; n <= 64; ++n) {
      const line_shape s = n % 2 ? side_by_side(what, n, 9) : one_after_another(what, n, 9);
      EXPECT_LE(error_of<TypeParam>(s), 2 * allowed_error(n)) << describe(s);
    }
}

TYPED_TEST(Reals, VariantsAreRight) {
  for (const char* variant : {"plain", "avx2"}) {
    setenv("NEARFAR_FOURIER_SIMD", variant, 1);
    for (const kind what : real_kinds)
      for (const index_t n : {2, 13, 24, 48, 63})
        for (const line_shape& s : {side_by_side(what, n, 11), one_after_another(what, n, 11)})
          EXPECT_LE(error_of<TypeParam>(s), 2 * allowed_error(n)) << variant << ", " << describe(s);
  }
  unsetenv("NEARFAR_FOURIER_SIMD");
}

TYPED_TEST(Reals, LongLengthsAreRight) {
  for (const kind what : real_kinds)
    for (const index_t n : {97, 100, 128, 134, 202, 256, 385, 512})
      EXPECT_LE(error_of<TypeParam>(one_after_another(what, n, 1)), 2 * allowed_error(n)) << name_of(what) << " " << n;
}

TYPED_TEST(Reals, LayoutsAreRightAndInputIsKept) {
  for (const kind what : real_kinds)
    for (const index_t n : {12, 15, 16}) {
      const std::vector<line_shape> shapes = {
          side_by_side(what, n, 40),
          one_after_another(what, n, 21),
          {what, n, 19, 19, {loop{19, 1, 1}, loop{3, 19 * n + 19, 19 * n + 19}}},
          {what, n, 1, 23, {loop{23, n + 1, 1}, loop{}}},
          {what, n, 23, 1, {loop{23, 1, n + 1}, loop{}}},
          {what, n, 2, 3, {loop{5, 2 * n + 3, 3 * n + 4}, loop{}}},
      };
      for (const line_shape& s : shapes) {
        array<TypeParam> in(is_complex_in(what), in_extent(s)), out(is_complex_out(what), out_extent(s));
        fill_lines(s, in);
        const auto before = in.reals();
        const auto truth = truth_of(s, in);
        make_plan<TypeParam>("own", s)->run(in.at(), out.at());
        EXPECT_LE(worst_error(s, truth, out), 2 * allowed_error(n)) << describe(s) << ", strides " << s.in_stride;
        EXPECT_EQ(in.reals(), before);
        const index_t components = is_complex_out(what) ? 2 : 1;
        EXPECT_EQ(out.untouched_count(), components * (out_extent(s) - s.out_length() * s.line_count()) + 1);
      }
    }
}

TYPED_TEST(Reals, CosinesInPlace) {
  for (const kind what : real_kinds) {
    if (!is_real_to_real(what)) continue;
    for (const line_shape& s : {side_by_side(what, 20, 19), one_after_another(what, 21, 19)}) {
      array<TypeParam> in(false, in_extent(s)), out(false, out_extent(s));
      fill_lines(s, in);
      const auto p = make_plan<TypeParam>("own", s);
      p->run(in.at(), out.at());
      p->run(in.at(), in.at());
      EXPECT_EQ(in.reals(), out.reals()) << describe(s);
    }
  }
}

// Rows of reals with room for n/2 + 1 coefficients, as FFTW has them: there and back in place.
TYPED_TEST(Reals, RealsInPlaceAndBack) {
  for (const index_t n : {6, 7, 64, 134}) {
    const index_t row = n / 2 + 1, lines = 13;
    const line_shape there{kind::real_to_complex, n, 1, 1, {loop{lines, 2 * row, row}, loop{}}};
    const line_shape back{kind::complex_to_real, n, 1, 1, {loop{lines, row, 2 * row}, loop{}}};
    array<TypeParam> data(false, 2 * row * lines);
    fill_lines(there, data);
    std::vector<numbers> truth;
    for (index_t i = 0; i < lines; ++i) {
      truth.push_back(line_of_input(there, data, i, 0));
      for (exact& x : truth.back()) x *= static_cast<long double>(n);
    }
    make_plan<TypeParam>("own", there)->run(data.at(), data.at());
    make_plan<TypeParam>("own", back)->run(data.at(), data.at());
    EXPECT_LE(worst_error(back, truth, data), 2 * allowed_error(n)) << n;
  }
}

}  // namespace
}  // namespace nearfar::fourier::test
