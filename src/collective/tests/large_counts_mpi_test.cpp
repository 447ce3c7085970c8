// SPDX-License-Identifier: BSD-3-Clause
// Buffers beyond 2^31 bytes, really moved. Needs 14 GiB of memory and two minutes: only with NEARFAR_TEST_LARGE=1
// NEARFAR_TEST_TIMEOUT=600.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2}, .node_sizes = {0}, .on_cluster = false}};

constexpr index_t beyond = (index_t{1} << 31) + 4099;

std::uint8_t value_of(int rank, index_t i) { return static_cast<std::uint8_t>((i % 251 + i / 65537 + 7 * rank) % 61); }

/// The index of the first byte that differs, or -1.
template <class Wanted>
index_t first_wrong(const std::vector<std::uint8_t>& found, Wanted wanted) {
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != wanted(static_cast<index_t>(i))) return static_cast<index_t>(i);
  return -1;
}

class large_counts : public MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    const char* asked = std::getenv("NEARFAR_TEST_LARGE");
    if (asked == nullptr || std::strcmp(asked, "1") != 0) GTEST_SKIP() << "NEARFAR_TEST_LARGE is not 1";
    setenv("NEARFAR_TUNE_AFTER", "-1", 1);
  }
  std::vector<std::uint8_t> mine() const {
    std::vector<std::uint8_t> all(static_cast<std::size_t>(beyond));
    for (index_t i = 0; i < beyond; ++i) all[static_cast<std::size_t>(i)] = value_of(rank(), i);
    return all;
  }
};

TEST_F(large_counts, reductions) {
  const team t(comm());
  const auto in = mine();
  std::vector<std::uint8_t> out(in.size());
  allreduce(t, in, out, reduce_op::sum);
  EXPECT_EQ(first_wrong(out, [](index_t i) { return value_of(0, i) + value_of(1, i); }), -1);
  reduce(t, in, out, reduce_op::max, 1);
  if (rank() == 1) {
    EXPECT_EQ(first_wrong(out, [](index_t i) { return std::max(value_of(0, i), value_of(1, i)); }), -1);
  }
  scan(t, in, out, reduce_op::sum);
  EXPECT_EQ(first_wrong(out, [&](index_t i) { return value_of(0, i) + (rank() > 0 ? value_of(1, i) : 0); }), -1);
}

TEST_F(large_counts, data_movement) {
  const team t(comm());
  auto in = mine();
  std::vector<std::uint8_t> out(static_cast<std::size_t>(2 * beyond));
  allgather(t, in, out);
  EXPECT_EQ(first_wrong(out, [](index_t i) { return value_of(i < beyond ? 0 : 1, i % beyond); }), -1);
  bcast(t, in, 1);
  EXPECT_EQ(first_wrong(in, [](index_t i) { return value_of(1, i); }), -1);
  if (rank() == 1) std::swap(out[0], out[1]);
  scatter(t, out, in, 0);
  EXPECT_EQ(first_wrong(in, [&](index_t i) { return value_of(rank(), i); }), -1);
}

}  // namespace
}  // namespace nearfar::test
