// SPDX-License-Identifier: BSD-3-Clause
// Barrier, broadcast and gathering over all threads of all ranks.
#include <atomic>
#include <new>
#include <out_of_step.hpp>

#include "thread_crowd.hpp"

namespace nearfar {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__,
                                              {.ranks = {1, 2, 3}, .node_sizes = {0, 2}, .on_cluster = false}};

using test::findings;
using test::on_all_threads;
using test::whole_numbers;

constexpr index_t sizes[] = {0, 1, 3, 280, 281, 519, 5000};

class thread_data_movement : public test::MpiTest {
 protected:
  void on_teams(const std::function<void(const thread_team&, findings&)>& body) {
    const team members(comm());
    for (const int threads : {2, 5, 1 + rank() % 3}) {
      findings found;
      body(thread_team(members, threads), found);
      EXPECT_EQ(found.text(), "");
    }
  }
};

TEST_F(thread_data_movement, number_threads_over_ranks) {
  on_teams([&](const thread_team& all, findings& found) {
    index_t sum = 0;
    for (int r = 0; r < size(); ++r) {
      EXPECT_EQ(all.first_of(r), sum);
      sum += all.threads_of(r);
    }
    EXPECT_EQ(all.size(), sum);
    EXPECT_EQ(all.threads_of(rank()), all.threads());
    on_all_threads(all, found, [&](thread_rank& me) {
      found.expect(me.number() == all.first_of(rank()) + me.thread(), "number()");
    });
    EXPECT_NE(all.describe(), "");
  });
}

TEST_F(thread_data_movement, let_no_thread_through_a_barrier_before_all_have_come) {
  on_teams([](const thread_team& all, findings& found) {
    std::atomic<int> come{0};
    on_all_threads(all, found, [&](thread_rank& me) {
      for (int round = 1; round <= 50; ++round) {
        ++come;
        me.barrier();
        found.expect(come.load() >= round * all.threads(), "a thread came through too early");
        me.barrier();
      }
    });
  });
}

/// Counters in memory that all ranks of a machine share, however few of them are said to be near.
class machine_counters {
 public:
  struct counters {
    std::atomic<int> at_the_door{0}, come{0};
  };
  explicit machine_counters(MPI_Comm ranks) {
    int rank = 0;
    MPI_Comm_rank(ranks, &rank);
    void* base = nullptr;
    MPI_Win_allocate_shared(rank == 0 ? MPI_Aint{sizeof(counters)} : 0, 1, MPI_INFO_NULL, ranks, &base, &window_);
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &bytes, &unit, &base);
    all_ = rank == 0 ? new (base) counters : static_cast<counters*>(base);
    MPI_Barrier(ranks);
  }
  ~machine_counters() { MPI_Win_free(&window_); }
  machine_counters(const machine_counters&) = delete;
  machine_counters& operator=(const machine_counters&) = delete;
  counters* operator->() const { return all_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  counters* all_ = nullptr;
};

// One thread waits until one of each other rank stands before the barrier, and lets them get ahead.
TEST_F(thread_data_movement, let_no_rank_through_a_barrier_before_all_have_come) {
  const thread_team all(team(comm()), 2);
  const machine_counters seen(comm());
  findings found;
  on_all_threads(all, found, [&](thread_rank& me) {
    for (int round = 1; round <= 20; ++round) {
      const bool is_late = round % size() == rank();
      if (me.thread() == 1) {
        if (!is_late) ++seen->at_the_door;
        while (is_late && seen->at_the_door < round * (size() - 1)) test::fall_behind(1);
        if (is_late) test::fall_behind();
        ++seen->come;
      }
      me.barrier();
      found.expect(seen->come >= round * size(), "a thread came through too early");
      me.barrier();
    }
  });
  EXPECT_EQ(found.text(), "");
}

TEST_F(thread_data_movement, broadcast_from_any_thread) {
  on_teams([&](const thread_team& all, findings& found) {
    on_all_threads(all, found, [&](thread_rank& me) {
      std::uint64_t seed = 300;
      for (const index_t n : sizes)
        for (int root_rank = 0; root_rank < size(); ++root_rank) {
          const int root_thread = static_cast<int>(++seed % static_cast<std::uint64_t>(all.threads_of(root_rank)));
          const index_t root = all.first_of(root_rank) + root_thread;
          auto data = whole_numbers<float>(seed, me.number(), n);
          me.bcast(data.data(), n, MPI_FLOAT, root_rank, root_thread);
          found.expect(data == whole_numbers<float>(seed, root, n), text("broadcast of ", n));
        }
    });
  });
}

TEST_F(thread_data_movement, gather_in_the_order_of_threads) {
  on_teams([](const thread_team& all, findings& found) {
    on_all_threads(all, found, [&](thread_rank& me) {
      std::uint64_t seed = 400;
      for (const index_t n : sizes) {
        ++seed;
        std::vector<std::int64_t> right, out(as_size(n * all.size()), -1);
        for (index_t t = 0; t < all.size(); ++t) {
          const auto part = whole_numbers<std::int64_t>(seed, t, n);
          right.insert(right.end(), part.begin(), part.end());
        }
        const auto in = whole_numbers<std::int64_t>(seed, me.number(), n);
        me.allgather(in.data(), out.data(), n, MPI_INT64_T);
        found.expect(out == right, text("gathering of ", n));
        std::fill(out.begin(), out.end(), -1);
        std::copy(in.begin(), in.end(), out.begin() + me.number() * n);
        me.allgather(MPI_IN_PLACE, out.data(), n, MPI_INT64_T);
        found.expect(out == right, text("gathering in place of ", n));
      }
    });
  });
}

}  // namespace
}  // namespace nearfar
