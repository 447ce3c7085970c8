// SPDX-License-Identifier: BSD-3-Clause
// One verdict from races at several sizes.
#include <gtest/gtest.h>

#include <tune/judge.hpp>

namespace {

using nearfar::tune::decision;
using nearfar::tune::judged_together;
using nearfar::tune::timing;

decision race(double plain_s, double ours_s) {
  decision made;
  made.tried = {timing{"ours", ours_s, ours_s, 5, false, false}, timing{"plain", plain_s, plain_s, 5, false, true}};
  return made;
}

TEST(JudgedTogether, OneRaceStandsAsItIs) {
  const auto judged = judged_together({race(2e-6, 1e-6)});
  EXPECT_DOUBLE_EQ(judged[0].median_s, 1e-6);
  EXPECT_DOUBLE_EQ(judged[1].median_s, 2e-6);
}

TEST(JudgedTogether, WhoWinsAtAllSizesHasTheGeometricMean) {
  const auto judged = judged_together({race(1e-6, 0.25e-6), race(8e-6, 8e-6)});
  EXPECT_DOUBLE_EQ(judged[0].median_s, 0.5e-6);
  EXPECT_DOUBLE_EQ(judged[1].median_s, 1e-6);
}

TEST(JudgedTogether, WhoLosesAtOneSizeHasTheWorst) {
  const auto judged = judged_together({race(1e-6, 0.01e-6), race(4e-6, 8e-6), race(40e-6, 50e-6)});
  EXPECT_DOUBLE_EQ(judged[0].median_s, 2e-6);
  EXPECT_EQ(judged[0].name, "ours");
}

TEST(JudgedTogether, AHairSlowerIsNoLoss) {
  const auto judged = judged_together({race(10e-6, 2.5e-6), race(10e-6, 10.2e-6)});
  EXPECT_LT(judged[0].median_s, 6e-6);
}

TEST(JudgedTogether, SomeNanosecondsAreNoLossEvenOfShortCalls) {
  const auto judged = judged_together({race(0.1e-6, 0.16e-6), race(10e-6, 2.5e-6)});
  EXPECT_LT(judged[0].median_s, 0.1e-6);
}

}  // namespace
