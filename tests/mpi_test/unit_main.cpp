// SPDX-License-Identifier: BSD-3-Clause
// The main() of serial tests: GoogleTest's own, in a target whose precompiled header all of them share.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
