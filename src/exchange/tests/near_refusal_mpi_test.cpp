// SPDX-License-Identifier: BSD-3-Clause
// Near memory that cannot be read or mapped any more once a plan has been made: what it would have carried comes in
// messages, in that epoch and in later ones, and by memory again where that is allowed again.
#include <algorithm>
#include <closed_process.hpp>
#include <exchange/exchange.hpp>
#include <mpi_test.hpp>
#include <near/arena.hpp>
#include <nearfar/team.hpp>
#include <numeric>
#include <optional>

#include "../transport.hpp"

namespace nearfar::exchange::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 3}, .on_cluster = false}};

using values = std::vector<std::int64_t>;

/// Each rank sends a row of a matrix to the next one. 2 KiB: below what the MPI itself would read from other processes.
class near_refusals : public nearfar::test::MpiTest {
 protected:
  static constexpr index_t count = 256, number = sizeof(std::int64_t);

  exchange ring_of_rows(const std::string& method, std::int64_t* sent, std::int64_t* received) {
    const strided_box row{0, number, {count}, {number}};
    pattern p;
    p.buffers = {{sent, count * number}, {received, count * number}};
    p.sends.push_back({(rank() + 1) % size(), 0, row});
    p.receives.push_back({(rank() + size() - 1) % size(), 1, row});
    return exchange(*whole, std::move(p), {.name = "ring", .method = method});
  }
  values row_of(int of, int round) const {
    values v(count);
    std::iota(v.begin(), v.end(), 1000000 * round + 1000 * of);
    return v;
  }
  void expect_round(exchange& e, std::int64_t* sent, const std::int64_t* received, int round) {
    const values mine = row_of(rank(), round), theirs = row_of((rank() + size() - 1) % size(), round);
    std::copy(mine.begin(), mine.end(), sent);
    e.run();
    EXPECT_TRUE(std::equal(theirs.begin(), theirs.end(), received)) << e.method() << ", round " << round;
    EXPECT_TRUE(std::equal(mine.begin(), mine.end(), sent)) << e.method() << ", round " << round;
  }
  bool has(const std::string& method) const {
    const auto here = methods_here(*whole);
    return std::find(here.begin(), here.end(), method) != here.end();
  }

  void SetUp() override {
    MpiTest::SetUp();
    whole.emplace(comm());
  }

  std::optional<team> whole;
};

TEST_F(near_refusals, processes_that_cannot_be_read_any_more_send_messages) {
  if (!has("near-cma")) GTEST_SKIP() << "processes cannot read each other here";
  values sent(count), received(count);
  exchange e = ring_of_rows("near-cma", sent.data(), received.data());
  int round = 0;
  expect_round(e, sent.data(), received.data(), ++round);
  {
    const nearfar::test::closed_process closed;
    EXPECT_TRUE(closed.is_changed());
    MPI_Barrier(comm());
    for (int i = 0; i < 3; ++i) expect_round(e, sent.data(), received.data(), ++round);
    MPI_Barrier(comm());
  }
  MPI_Barrier(comm());
  for (int i = 0; i < 2; ++i) expect_round(e, sent.data(), received.data(), ++round);
}

TEST_F(near_refusals, arrays_that_have_moved_to_memory_that_cannot_be_mapped_come_in_messages) {
  for (const std::string method : {"near-direct", "node-barrier"}) {
    if (!has(method)) GTEST_SKIP() << "near ranks cannot map each other's memory here";
    near::arena& memory = near::arena::of(*whole);
    constexpr index_t own_chunk_bytes = 4 << 20;
    const near::block before = memory.allocate(own_chunk_bytes), after = memory.allocate(own_chunk_bytes);
    auto* const first = reinterpret_cast<std::int64_t*>(before.data());
    auto* const second = reinterpret_cast<std::int64_t*>(after.data());
    values received(count);
    exchange e = ring_of_rows(method, first, received.data());
    int round = 0;
    expect_round(e, first, received.data(), ++round);
    {
      const nearfar::test::no_descriptors lack;
      const std::vector<moved_buffer> moves{{0, second}};
      NEARFAR_ASSERT_ALL(e.rebind(moves));
      for (int i = 0; i < 3; ++i) expect_round(e, second, received.data(), ++round);
      MPI_Barrier(comm());
    }
    for (int i = 0; i < 2; ++i) expect_round(e, second, received.data(), ++round);
  }
}

}  // namespace
}  // namespace nearfar::exchange::test
