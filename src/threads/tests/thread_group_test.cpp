// SPDX-License-Identifier: BSD-3-Clause
// The thread group by itself, without MPI, so that thread sanitizers see all of it: posts, barriers, shares, and errors
// that spread.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>
#include "../numbering.hpp"
#include "../thread_group.hpp"

namespace nearfar::threads {
namespace {

thread_group_setting setting_for(int threads) {
  thread_group_setting how{.threads = threads, .name = "thread group"};
  how.first.spins = how.others.spins = static_cast<int>(std::thread::hardware_concurrency()) < threads ? 0 : 200;
  how.first.limit_s = how.others.limit_s = 300;
  return how;
}

template <class Body>
void on_threads(int threads, Body body) {
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) all.emplace_back([&body, t] { body(t); });
  for (auto& t : all) t.join();
}

/// What `body` throws on each thread; "" where it does not.
template <class Body>
std::vector<std::string> errors_on_threads(int threads, Body body) {
  std::vector<std::string> errors(as_size(threads));
  on_threads(threads, [&](int me) {
    try {
      body(me);
    } catch (const error& e) {
      errors[as_size(me)] = e.what();
    }
  });
  return errors;
}

TEST(thread_group, shows_posts_to_everyone) {
  for (const int threads : {1, 2, 3, 4}) {
    thread_group c(setting_for(threads));
    std::atomic<int> wrong{0};
    on_threads(threads, [&](int me) {
      for (int call = 0; call < 300; ++call) {
        std::vector<int> mine(as_size(1 + call % 56), 1000 * me + call), theirs(mine.size());
        const auto bytes = as_index(mine.size() * sizeof(int));
        c.begin(me, static_cast<std::uint32_t>(call));
        c.post(me, mine.data(), bytes);
        for (int other = 0; other < threads; ++other) {
          if (other == me) continue;
          c.collect(me, other, theirs.data(), bytes);
          if (theirs != std::vector<int>(mine.size(), 1000 * other + call)) ++wrong;
        }
      }
    });
    EXPECT_EQ(wrong.load(), 0);
  }
}

TEST(thread_group, gathers_at_the_first_and_hears_its_answer) {
  for (const int threads : {2, 5, 9}) {
    thread_group c(setting_for(threads));
    std::atomic<int> wrong{0};
    on_threads(threads, [&](int me) {
      for (int call = 0; call < 100; ++call) {
        c.begin(me, 7);
        int sum = me + call, next = 0;
        c.post(me, &sum, sizeof sum);
        if (me == 0) {
          for (int other = 1; other < threads; ++other) c.collect(0, other, &next, sizeof next), sum += next;
          c.announce(&sum, sizeof sum);
        } else {
          c.hear(me, &sum, sizeof sum);
        }
        if (sum != threads * call + threads * (threads - 1) / 2) ++wrong;
      }
    });
    EXPECT_EQ(wrong.load(), 0);
  }
}

TEST(thread_group, meets_so_that_plain_memory_may_be_shared) {
  for (const int threads : {1, 2, 4, 6}) {
    thread_group c(setting_for(threads));
    std::vector<int> written(as_size(threads) * 32);
    int in_between = 0;
    std::atomic<int> wrong{0};
    on_threads(threads, [&](int me) {
      for (int call = 1; call <= 100; ++call) {
        c.begin(me, 1);
        written[as_size(me) * 32] = call;
        c.meet(me);
        for (int other = 0; other < threads; ++other)
          if (written[as_size(other) * 32] != call) ++wrong;
        c.meet_around(me, [&] { in_between = call; });
        if (in_between != call) ++wrong;
        c.meet(me);
      }
    });
    EXPECT_EQ(wrong.load(), 0);
  }
}

TEST(thread_group, tells_all_when_calls_differ) {
  for (const int threads : {2, 3, 4}) {
    thread_group c(setting_for(threads));
    for (int odd_one = 0; odd_one < threads; ++odd_one) {
      const auto errors = errors_on_threads(threads, [&](int me) {
        c.begin(me, me == odd_one ? 5 : 6);
        try {
          c.post(me, &me, sizeof me);
          int theirs = 0;
          for (int other = 0; other < threads; ++other)
            if (other != me) c.collect(me, other, &theirs, sizeof theirs);
        } catch (const error& e) {
          c.complain(me, e.code(), e.what());
          throw;
        }
      });
      for (const auto& words : errors) EXPECT_NE(words.find("different calls"), std::string::npos) << words;
      // The next call is as good as any.
      const auto none = errors_on_threads(threads, [&](int me) {
        c.begin(me, 6);
        c.meet(me);
      });
      for (const auto& words : none) EXPECT_EQ(words, "");
    }
  }
}

TEST(thread_group, spreads_an_error_to_those_who_wait) {
  for (const int threads : {2, 6}) {
    thread_group c(setting_for(threads));
    const auto errors = errors_on_threads(threads, [&](int me) {
      c.begin(me, 1);
      if (me == 1) {
        c.complain(me, status::resource, "no memory on thread 1");
        throw resource_error("no memory on thread 1");
      }
      c.meet(me);
    });
    for (const auto& words : errors) EXPECT_EQ(words, "no memory on thread 1");
  }
}

// The first error of a call is the one that is told; that of a later call replaces it.
TEST(thread_group, tells_the_first_error_of_a_call) {
  thread_group c(setting_for(3));
  for (const std::string call : {"first call", "second call"}) {
    for (int me = 0; me < 3; ++me) c.begin(me, 1);
    c.complain(0, status::usage, call + ", first error");
    c.complain(1, status::resource, call + ", second error");
    try {
      c.meet(2);
      ADD_FAILURE() << "nobody has come";
    } catch (const usage_error& e) {
      EXPECT_EQ(e.what(), call + ", first error");
    } catch (const error& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

TEST(thread_group, does_not_wait_for_a_thread_that_has_left) {
  thread_group c(setting_for(3));
  for (int call = 0; call < 2; ++call) {
    const auto errors = errors_on_threads(3, [&](int me) {
      if (me == 2) return c.abandon(me);
      c.begin(me, 1);
      c.require_all_here();
      c.meet(me);
    });
    EXPECT_NE(errors[0].find("thread 2 of rank 0 has left"), std::string::npos) << errors[0];
    EXPECT_EQ(errors[0], errors[1]);
  }
}

TEST(thread_group, gives_a_wait_up_in_the_end) {
  auto how = setting_for(2);
  how.first.limit_s = how.others.limit_s = 0.05;
  thread_group c(how);
  c.begin(0, 1);
  EXPECT_THROW(c.meet(0), transport_error);
}

TEST(shares, cover_every_element_once_and_cut_at_lines) {
  for (const index_t element : {1, 2, 4, 8, 12, 16, 24, 64, 100})
    for (const index_t count : {0, 1, 7, 8, 9, 63, 64, 65, 1000, 12345})
      for (const int parts : {1, 2, 3, 7, 64}) {
        index_t next = 0;
        for (int p = 0; p < parts; ++p) {
          const share s = share_of(count, element, p, parts);
          EXPECT_EQ(s.first, next);
          EXPECT_LE(s.first, s.last);
          EXPECT_TRUE(s.last == count || s.last * element % 64 == 0);
          next = s.last;
        }
        EXPECT_EQ(next, count);
      }
}

TEST(numbers, count_threads_over_ranks) {
  const thread_numbering even({3, 3, 3}), uneven({1, 4, 2});
  EXPECT_EQ(even.all(), 9);
  EXPECT_EQ(even.first(2), 6);
  EXPECT_EQ(even.of(1), 3);
  EXPECT_EQ(uneven.all(), 7);
  EXPECT_EQ(uneven.first(2), 5);
  EXPECT_EQ(uneven.of(0), 1);
  EXPECT_EQ(uneven.of(1), 4);
  EXPECT_EQ(uneven.of(2), 2);
}

}  // namespace
}  // namespace nearfar::threads
