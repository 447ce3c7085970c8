// SPDX-License-Identifier: BSD-3-Clause
// A rank that waits lets MPI serve others: every wait of near memory goes through patience, whatever the front.
#include <atomic>
#include <base/internals.hpp>
#include <limits>
#include <mpi_test.hpp>
#include <near/patience.hpp>
#include <nearfar/team.hpp>
#include <topology/team_state.hpp>

namespace nearfar::near::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2}, .node_sizes = {0}, .on_cluster = false}};

class patience_lets_mpi_progress : public nearfar::test::MpiTest {
 protected:
  /// Rank 0 waits for sums that rank 1 makes in its memory from afar, and for a message that only its MPI can send on.
  void serve(const wait_policy& policy) {
    constexpr int sums = 20, count = 1 << 20;
    std::vector<int> memory(4096, 0), long_message(count, rank() == 0 ? 7 : 0);
    MPI_Win window;
    MPI_Win_create(memory.data(), static_cast<MPI_Aint>(4096 * sizeof(int)), sizeof(int), MPI_INFO_NULL, comm(),
                   &window);
    if (rank() == 1) {
      MPI_Recv(long_message.data(), count, MPI_INT, 0, 0, comm(), MPI_STATUS_IGNORE);
      EXPECT_EQ(7, long_message.back());
      for (int i = 0; i < sums; ++i) add_to_rank_0(window);
    } else {
      MPI_Request sent;
      MPI_Isend(long_message.data(), count, MPI_INT, 1, 0, comm(), &sent);
      const std::atomic_ref<int> last(memory[4095]);
      const std::string name = "a wait";
      const std::function<std::string()> whom = [] { return "rank 1"; };
      patience p(policy, name, whom);
      while (last.load(std::memory_order_acquire) != sums) p.idle();
      MPI_Wait(&sent, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(comm());
    MPI_Win_free(&window);
  }

 private:
  static void add_to_rank_0(MPI_Win window) {
    const std::vector<int> ones(4096, 1);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Accumulate(ones.data(), 4096, MPI_INT, 0, 0, 4096, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock(0, window);
  }
};

// A spin of hours: if MPI had its turn only behind it, the test would not end.
TEST_F(patience_lets_mpi_progress, while_it_spins) {
  const team t(comm());
  wait_policy policy = wait_policy::of(state_of(t));
  policy.spins = std::numeric_limits<int>::max();
  serve(policy);
}

TEST_F(patience_lets_mpi_progress, while_it_yields) {
  const team t(comm());
  wait_policy policy = wait_policy::of(state_of(t));
  policy.spins = 0;
  serve(policy);
}

}  // namespace
}  // namespace nearfar::near::test
