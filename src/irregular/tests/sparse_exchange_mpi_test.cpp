// SPDX-License-Identifier: BSD-3-Clause
// Messages arrive whole and in order of their senders, maxima are those of all ranks. Messages beyond 2^31 bytes need 5
// GiB of memory: only with NEARFAR_TEST_LARGE=1 NEARFAR_TEST_TIMEOUT=600.
#include <cstdlib>
#include <cstring>
#include <mpi_test.hpp>
#include <nearfar/error.hpp>
#include <nearfar/sparse_exchange.hpp>

namespace nearfar::irregular {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 4}, .node_sizes = {0}, .on_cluster = false}};

class SparseExchangeTest : public test::MpiTest {
 protected:
  static std::vector<std::byte> words(int from, int to, int round) {
    return std::vector<std::byte>(static_cast<std::size_t>(1 + 100 * from + 10 * to + round), std::byte(from + to));
  }
  /// In two pieces, which arrive as one message.
  static void put(sparse_exchange& talk, int to, const std::vector<std::byte>& bytes) {
    talk.put(to, bytes.front());
    std::copy(bytes.begin() + 1, bytes.end(), talk.append(to, bytes.size() - 1).begin());
  }
  static bool writes(int from, int to, int round) { return from != to && (from + 2 * to + round) % 3 != 0; }
};

TEST_F(SparseExchangeTest, messages_arrive) {
  const team t(comm());
  sparse_exchange talk(t, "test");
  for (int round = 0; round < 20; ++round) {
    for (int to = 0; to < size(); ++to)
      if (writes(rank(), to, round)) put(talk, to, words(rank(), to, round));
    std::vector<std::int64_t> sums(static_cast<std::size_t>(round % 3), talk.appended_bytes());
    const std::int64_t put_here = talk.appended_bytes();
    const auto in = talk.deliver(sums);
    EXPECT_EQ(talk.appended_bytes(), 0);
    EXPECT_EQ(talk.deliveries(), round + 1);
    std::int64_t put_by_all = 0;
    MPI_Allreduce(&put_here, &put_by_all, 1, MPI_INT64_T, MPI_SUM, comm());
    for (const std::int64_t sum : sums) EXPECT_EQ(sum, put_by_all);
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

TEST_F(SparseExchangeTest, refuses_ranks_that_there_are_not) {
  const team t(comm());
  sparse_exchange talk(t, "cells of neighbours");
  for (const int peer : {-1, rank(), size()}) try {
      talk.put(peer, 1.0);
      ADD_FAILURE() << "a message for rank " << peer << " was taken";
    } catch (const usage_error& e) {
      const std::string words = e.what();
      EXPECT_NE(words.find("cells of neighbours"), std::string::npos) << words;
      EXPECT_NE(words.find("rank " + std::to_string(peer)), std::string::npos) << words;
    }
  EXPECT_EQ(talk.appended_bytes(), 0);
  EXPECT_TRUE(talk.deliver().empty());
}

TEST_F(SparseExchangeTest, messages_are_longer_than_an_int_counts) {
  const char* asked = std::getenv("NEARFAR_TEST_LARGE");
  if (asked == nullptr || std::strcmp(asked, "1") != 0) GTEST_SKIP() << "NEARFAR_TEST_LARGE is not 1";
  const team t(comm());
  const std::size_t bytes = (std::size_t{1} << 31) + 4099;
  const auto value = [](std::size_t i) { return static_cast<std::byte>(i % 251 + i / 65537); };
  sparse_exchange talk(t, "test");
  if (rank() == 0 && size() > 1) {
    const std::span<std::byte> out = talk.append(1, bytes);
    for (std::size_t i = 0; i < bytes; ++i) out[i] = value(i);
  }
  const auto in = talk.deliver();
  EXPECT_EQ(in.size(), rank() == 1 ? 1U : 0U);
  if (rank() != 1 || in.empty()) return;
  EXPECT_EQ(in[0].bytes.size(), bytes);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < in[0].bytes.size(); ++i) wrong += in[0].bytes[i] != value(i) ? 1 : 0;
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace nearfar::irregular
