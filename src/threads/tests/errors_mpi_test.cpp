// SPDX-License-Identifier: BSD-3-Clause
// What is refused, who is told, and that nobody waits for a thread that will not come.
#include <atomic>
#include <nearfar/error.hpp>
#include <optional>
#include <stdexcept>

#include "thread_crowd.hpp"

namespace nearfar {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2}, .node_sizes = {0}, .on_cluster = false}};

using test::findings;
using test::on_all_threads;
using test::on_plain_threads;

class thread_errors : public test::MpiTest {
 protected:
  /// Runs `call` on each thread of a team of `threads` and counts those that throw E with `word` in the text.
  template <class E>
  static int complaints(const thread_team& all, const std::string& word,
                        const std::function<void(thread_rank&)>& call) {
    std::atomic<int> count{0};
    findings found;
    on_all_threads(all, found, [&](thread_rank& me) {
      try {
        call(me);
      } catch (const E& e) {
        if (std::string(e.what()).find(word) != std::string::npos)
          ++count;
        else
          found.add(e.what());
      }
    });
    EXPECT_EQ(found.text(), "");
    return count;
  }

  static bool still_works(const thread_team& all) {
    findings found;
    on_all_threads(all, found, [&](thread_rank& me) {
      for (const index_t n : {3, 3000}) {
        std::vector<int> ones(as_size(n), 1);
        me.allreduce(MPI_IN_PLACE, ones.data(), n, MPI_INT, MPI_SUM);
        found.expect(ones == std::vector<int>(as_size(n), static_cast<int>(all.size())), "wrong sum afterwards");
        // Of a type and operation that the threads may have met in a call that failed on some of them.
        std::vector<double> halves(as_size(n), 0.5);
        me.allreduce(MPI_IN_PLACE, halves.data(), n, MPI_DOUBLE, MPI_SUM);
        found.expect(halves == std::vector<double>(as_size(n), 0.5 * static_cast<double>(all.size())),
                     "wrong sum of doubles afterwards");
      }
    });
    EXPECT_EQ(found.text(), "");
    return found.text().empty();
  }
};

TEST_F(thread_errors, refuse_a_rank_without_threads_on_all_ranks) {
  const team members(comm());
  EXPECT_THROW(thread_team(members, rank() == size() - 1 ? 0 : 2), usage_error);
}

TEST_F(thread_errors, refuse_numbers_outside_and_numbers_taken) {
  const thread_team all(team(comm()), 2);
  EXPECT_THROW(thread_rank(all, 2), usage_error);
  EXPECT_THROW(thread_rank(all, -1), usage_error);
  {
    const thread_rank first(all, 0);
    EXPECT_THROW(thread_rank(all, 0), usage_error);
  }
  const thread_rank again(all, 0);
  EXPECT_EQ(again.thread(), 0);
}

TEST_F(thread_errors, tell_all_threads_that_their_counts_differ) {
  // Alone, because ranks that go on would wait for this one's sum.
  const thread_team all(team(MPI_COMM_SELF), 3);
  for (const index_t n : {2, 200, 2000})
    for (const int odd_one : {0, 1, 2}) {
      std::vector<double> in(5000), out(3 * 5000);
      EXPECT_EQ(complaints<usage_error>(all, "different calls",
                                        [&](thread_rank& me) {
                                          const index_t mine = me.thread() == odd_one ? n + 1 : n;
                                          me.allreduce(in.data(), out.data() + 5000 * me.thread(), mine, MPI_DOUBLE,
                                                       MPI_SUM);
                                        }),
                3);
      EXPECT_TRUE(still_works(all));
    }
}

TEST_F(thread_errors, tell_all_threads_that_their_operations_types_or_roots_differ) {
  const thread_team all(team(MPI_COMM_SELF), 2);
  std::int32_t in[2][4] = {}, out[2][4] = {};
  const auto both_complain = [&](const std::function<void(thread_rank&, std::int32_t*, std::int32_t*)>& call) {
    EXPECT_EQ(complaints<usage_error>(all, "different calls",
                                      [&](thread_rank& me) { call(me, in[me.thread()], out[me.thread()]); }),
              2);
    EXPECT_TRUE(still_works(all));
  };
  both_complain([](thread_rank& me, auto* from, auto* to) {
    me.allreduce(from, to, 4, MPI_INT32_T, me.thread() == 0 ? MPI_SUM : MPI_MAX);
  });
  both_complain([](thread_rank& me, auto* from, auto* to) {
    me.allreduce(from, to, 4, me.thread() == 0 ? MPI_INT32_T : MPI_FLOAT, MPI_SUM);
  });
  both_complain([](thread_rank& me, auto* from, auto*) { me.bcast(from, 4, MPI_INT32_T, 0, me.thread()); });
  both_complain([](thread_rank& me, auto* from, auto* to) {
    if (me.thread() == 0)
      me.barrier();
    else
      me.allreduce(from, to, 4, MPI_INT32_T, MPI_SUM);
  });
}

TEST_F(thread_errors, refuse_wrong_arguments_on_all_threads) {
  const thread_team all(team(comm()), 3);
  double in[3] = {}, out[3] = {};
  EXPECT_EQ(complaints<usage_error>(
                all, "not defined",
                [&](thread_rank& me) { me.allreduce(&in[me.thread()], &out[me.thread()], 1, MPI_DOUBLE, MPI_BAND); }),
            3);
  EXPECT_EQ(complaints<usage_error>(
                all, "-4",
                [&](thread_rank& me) { me.allreduce(&in[me.thread()], &out[me.thread()], -4, MPI_DOUBLE, MPI_SUM); }),
            3);
  EXPECT_EQ(complaints<usage_error>(all, "no rank",
                                    [&](thread_rank& me) { me.bcast(&in[me.thread()], 1, MPI_DOUBLE, size(), 0); }),
            3);
  EXPECT_EQ(complaints<usage_error>(all, "no thread 3",
                                    [&](thread_rank& me) { me.bcast(&in[me.thread()], 1, MPI_DOUBLE, 0, 3); }),
            3);
  EXPECT_TRUE(still_works(all));
}

TEST_F(thread_errors, are_told_in_the_words_of_their_own_call) {
  if (size() > 1) GTEST_SKIP() << "on one rank";
  const thread_team all(team(MPI_COMM_SELF), 3);
  findings found;
  on_all_threads(all, found, [&](thread_rank& me) {
    double in = 1, out = 0;
    for (int call = 0; call < 300; ++call) {
      const bool is_even = call % 2 == 0;
      try {
        me.allreduce(&in, &out, 1, is_even ? MPI_DOUBLE : MPI_DATATYPE_NULL, MPI_BAND);
        found.add("nothing was thrown");
      } catch (const usage_error& e) {
        found.expect(std::string(e.what()).find(is_even ? "not defined" : "MPI_DATATYPE_NULL") != std::string::npos,
                     e.what());
      }
    }
  });
  EXPECT_EQ(found.text(), "");
}

TEST_F(thread_errors, do_not_leave_the_others_waiting_for_a_wrong_argument_of_one) {
  const thread_team all(team(MPI_COMM_SELF), 3);
  double in[3] = {}, out[3] = {};
  EXPECT_EQ(complaints<usage_error>(all, "NULL",
                                    [&](thread_rank& me) {
                                      me.allreduce(me.thread() == 1 ? nullptr : &in[me.thread()], &out[me.thread()], 1,
                                                   MPI_DOUBLE, MPI_SUM);
                                    }),
            3);
  EXPECT_TRUE(still_works(all));
}

TEST_F(thread_errors, do_not_leave_the_others_waiting_for_a_thread_that_left_by_an_exception) {
  const thread_team all(team(MPI_COMM_SELF), 3);
  std::atomic<int> told{0}, thrown{0};
  findings found;
  on_plain_threads(3, found, [&](int t) {
    try {
      thread_rank me(all, t);
      me.barrier();
      if (t == 1) throw std::runtime_error("the program's own trouble");
      me.barrier();
    } catch (const transport_error& e) {
      if (std::string(e.what()).find("thread 1 of rank 0 has left by an exception") != std::string::npos) ++told;
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  });
  EXPECT_EQ(told.load(), 2);
  EXPECT_EQ(thrown.load(), 1);
}

TEST_F(thread_errors, tell_all_threads_when_the_ranks_fail) {
  thread_team_options options;
  options.rank_allreduce.run = [](void*, void*, std::int64_t, MPI_Datatype, MPI_Op) {
    throw io_error("no way to the others");
  };
  const thread_team all(team(comm()), 3, options);
  if (size() == 1) return;
  for (const index_t n : {index_t{2}, index_t{900}}) {
    std::vector<double> in(as_size(n)), out(as_size(3 * n));
    EXPECT_EQ(complaints<error>(all, "no way to the others",
                                [&](thread_rank& me) {
                                  me.allreduce(in.data(), out.data() + n * me.thread(), n, MPI_DOUBLE, MPI_SUM);
                                }),
              3);
  }
}

}  // namespace
}  // namespace nearfar
