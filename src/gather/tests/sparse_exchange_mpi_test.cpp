// SPDX-License-Identifier: BSD-3-Clause
// Messages arrive whole and in order of their senders, maxima are those of all ranks. Messages beyond 2^31 bytes need 5
// GiB of memory: only with NEARFAR_TEST_LARGE=1 NEARFAR_TEST_TIMEOUT=600.
#include <cstdlib>
#include <cstring>
#include <mpi_test.hpp>

#include "sparse_exchange.hpp"

namespace nearfar::gathering {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 4}, .node_sizes = {0}, .on_cluster = false}};

class SparseExchangeTest : public test::MpiTest {
 protected:
  static std::vector<std::byte> words(int from, int to, int round) {
    return std::vector<std::byte>(static_cast<std::size_t>(1 + 100 * from + 10 * to + round), std::byte(from + to));
  }
  static bool writes(int from, int to, int round) { return from != to && (from + 2 * to + round) % 3 != 0; }
};

TEST_F(SparseExchangeTest, messages_arrive) {
  const team t(comm());
  for (int round = 0; round < 20; ++round) {
    std::vector<message> out;
    for (int to = 0; to < size(); ++to)
      if (writes(rank(), to, round)) out.push_back({to, words(rank(), to, round)});
    const auto in = sparse_exchange(t, out, "test");
    std::size_t k = 0;
    for (int from = 0; from < size(); ++from) {
      if (!writes(from, rank(), round)) continue;
      if (k >= in.size()) break;
      EXPECT_EQ(in[k].peer, from);
      EXPECT_EQ(in[k++].bytes, words(from, rank(), round));
    }
    EXPECT_EQ(k, in.size());
  }
}

TEST_F(SparseExchangeTest, messages_are_longer_than_an_int_counts) {
  const char* asked = std::getenv("NEARFAR_TEST_LARGE");
  if (asked == nullptr || std::strcmp(asked, "1") != 0) GTEST_SKIP() << "NEARFAR_TEST_LARGE is not 1";
  const team t(comm());
  const std::size_t bytes = (std::size_t{1} << 31) + 4099;
  const auto value = [](std::size_t i) { return static_cast<std::byte>(i % 251 + i / 65537); };
  std::vector<message> out;
  if (rank() == 0 && size() > 1) {
    out.push_back({1, std::vector<std::byte>(bytes)});
    for (std::size_t i = 0; i < bytes; ++i) out[0].bytes[i] = value(i);
  }
  const auto in = sparse_exchange(t, out, "test");
  EXPECT_EQ(in.size(), rank() == 1 ? 1U : 0U);
  if (rank() != 1 || in.empty()) return;
  EXPECT_EQ(in[0].bytes.size(), bytes);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < in[0].bytes.size(); ++i) wrong += in[0].bytes[i] != value(i) ? 1 : 0;
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace nearfar::gathering
