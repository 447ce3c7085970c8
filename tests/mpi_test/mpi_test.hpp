// SPDX-License-Identifier: BSD-3-Clause
// GoogleTest for MPI programs: every rank runs the same test body and all agree on its verdict.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shapes.hpp"

namespace nearfar::test {

/// Number of ranks of the present shape whose `flag` is set (collective over them).
///
/// Uses a communicator that no test can reach, so that a rank which left its test early cannot pair this
/// call with a collective of the test.
int ranks_with(bool flag);

/// The ranks of the present shape; lives as long as the shape. For what a fixture makes before SetUp(); tests take
/// comm().
MPI_Comm everyone();

/// Base of all MPI tests; gives each test a communicator of its own, of the ranks of the present shape (shapes.hpp).
///
/// MPI_COMM_WORLD has more ranks than the shape: use comm().
/// Do not use ASSERT_* in a test body: a rank that returns alone leaves the others waiting. EXPECT_* and
/// NEARFAR_ASSERT_ALL are safe.
class MpiTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// All ranks of the shape; lives as long as the test.
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// True on all ranks if `ok` is true on all ranks, else false on all (collective).
  static bool agreed(bool ok) { return ranks_with(!ok) == 0; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

/// The fatal assertion of MPI tests: either all ranks leave the test body here or none does (collective).
#define NEARFAR_ASSERT_ALL(condition)                          \
  do {                                                         \
    const bool nearfar_ok = static_cast<bool>(condition);      \
    EXPECT_TRUE(nearfar_ok) << #condition;                     \
    if (!::nearfar::test::MpiTest::agreed(nearfar_ok)) return; \
  } while (0)

}  // namespace nearfar::test
