// SPDX-License-Identifier: BSD-3-Clause
// Engines found at run time against the definition, where they are there; and what is said where they are not.
#include <gtest/gtest.h>

#include <loader/shared_library.hpp>
#include <nearfar/error.hpp>

#include "case.hpp"

namespace nearfar::fourier::test {
namespace {

bool is_here(const std::string& name) {
  for (const engine_info& e : engines())
    if (e.name == name) return e.is_available;
  return false;
}

class Plugin : public testing::TestWithParam<const char*> {};

template <class Real>
void expect_right(const char* engine, const line_shape& s) {
  std::unique_ptr<plan<Real>> p;
  try {
    p = make_plan<Real>(engine, s, s.length == 9 ? effort::measure : effort::estimate);
  } catch (const usage_error& e) {  // says so: a library of that precision, or that kind, is not there
    EXPECT_TRUE(std::string(e.what()).find("own") != std::string::npos) << e.what();
    std::printf("not compared: %s\n", e.what());
    return;
  }
  array<Real> in(is_complex_in(s.what), in_extent(s)), out(is_complex_out(s.what), out_extent(s));
  fill_lines(s, in);
  const auto before = in.reals();
  const auto truth = truth_of(s, in);
  p->run(in.at(), out.at());
  EXPECT_LE(worst_error(s, truth, out), 2 * allowed_error(s.length)) << p->describe() << ": " << describe(s);
  EXPECT_EQ(in.reals(), before);
}

TEST_P(Plugin, IsRightOrSaysThatItIsNotHere) {
  const char* engine = GetParam();
  if (!is_here(engine)) {
    EXPECT_THROW(make_plan<double>(engine, {kind::forward, 8}), usage_error);
    GTEST_SKIP() << engine << " is not on this machine: not compared";
  }
  for (int what = 0; what < 12; ++what)
    for (const index_t n : {2, 9, 64, 97}) {
      const line_shape s{static_cast<kind>(what), n, 5, 7, {loop{5, 1, 1}, loop{2, 5 * n, 7 * n}}};
      expect_right<float>(engine, s);
      expect_right<double>(engine, s);
    }
}

TEST_P(Plugin, UnalignedAndInPlaceGiveTheSame) {
  const char* engine = GetParam();
  if (!is_here(engine)) GTEST_SKIP() << engine << " is not on this machine: not compared";
  const line_shape s{kind::backward, 48, 1, 1, {loop{6, 48, 48}, loop{}}};
  const auto p = make_plan<double>(engine, s);
  array<double> in(true, in_extent(s) + 1), out(true, out_extent(s));
  fill_lines(s, in);
  const auto truth = truth_of(s, in);
  p->run(in.at(), out.at());
  EXPECT_LE(worst_error(s, truth, out), 2 * allowed_error(48));
  p->run(in.at(), in.at());
  EXPECT_LE(worst_error(s, truth, in), 2 * allowed_error(48));
}

TEST(Plugin, PlansOutliveTheProgramsOwnCleanup) {
  void (*cleanup)() = nullptr;
  shared_library({"libfftw3.so.3"}).find("fftw_cleanup", cleanup);
  if (!cleanup) GTEST_SKIP() << "fftw is not on this machine: not compared";
  const line_shape s{kind::forward, 60, 1, 1, {loop{4, 60, 60}, loop{}}};
  array<double> in(true, in_extent(s)), out(true, out_extent(s));
  fill_lines(s, in);
  const auto p = make_plan<double>("fftw", s, effort::measure);
  cleanup();
  p->run(in.at(), out.at());
  EXPECT_LE(worst_error(s, truth_of(s, in), out), 2 * allowed_error(s.length));
}

INSTANTIATE_TEST_SUITE_P(Engines, Plugin, testing::Values("fftw", "mkl"),
                         [](const auto& p) { return std::string(p.param); });

}  // namespace
}  // namespace nearfar::fourier::test
