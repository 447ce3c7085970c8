// SPDX-License-Identifier: BSD-3-Clause
// Every method carries out random patterns exactly as a serial oracle does, again and again, bit for bit.
#include <algorithm>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <cstdlib>
#include <exchange/exchange.hpp>
#include <exchange/overlap.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mpi_test.hpp>
#include <near/arena.hpp>
#include <near/doorbells.hpp>
#include <nearfar/error.hpp>
#include <out_of_step.hpp>
#include <topology/team_state.hpp>
#include <utility>

#include "../transport.hpp"
#include "random_pattern.hpp"

namespace nearfar::exchange::test {
namespace {

/// Data of a pattern for some rounds, and what this rank must hold after each: made once, for all methods.
class oracle {
 public:
  oracle(const random_pattern& random, const team& t, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      memory sources;
      for (int r = 0; r < t.size(); ++r) sources.push_back(random.contents(r, round));
      before_.push_back(random.contents(t.rank() + 1000, round));
      after_.push_back(random.expected(t.rank(), sources, before_.back()));
      source_.push_back(std::move(sources[as_size(t.rank())]));
    }
  }
  int rounds() const { return static_cast<int>(source_.size()); }

  void fill(int round, std::byte* source, std::byte* target) const {
    std::copy(source_[as_size(round)].begin(), source_[as_size(round)].end(), source);
    std::copy(before_[as_size(round)].begin(), before_[as_size(round)].end(), target);
  }
  void check(int round, const std::byte* source, const std::byte* target, const std::string& words) const {
    const auto &sent = source_[as_size(round)], &wanted = after_[as_size(round)];
    EXPECT_EQ(0, std::memcmp(wanted.data(), target, wanted.size())) << words;
    EXPECT_EQ(0, std::memcmp(sent.data(), source, sent.size())) << words << ": the source has changed";
  }

 private:
  memory source_, before_, after_;  // by rounds
};

class methods : public nearfar::test::MpiTest {
 protected:
  void TearDown() override {
    overlap() = {};
    MpiTest::TearDown();
  }

  /// Runs the pattern with fresh data in each round; buffers in near memory or in the test's own.
  void run(const team& t, const random_pattern& random, const oracle& truth, const std::string& method, bool in_arena) {
    const index_t bytes = random.buffer_bytes();
    std::vector<std::byte> own(as_size(2 * bytes));
    const near::block block = in_arena ? near::arena::of(t).allocate(2 * bytes) : near::block{};
    std::byte* source = in_arena ? block.data() : own.data();
    std::byte* target = source + bytes;
    exchange e(t, random.of_rank(t.rank(), source, target),
               {.name = "random pattern", .method = method, .budget_s = 0.01});
    for (int round = 0; round < truth.rounds(); ++round) {
      truth.fill(round, source, target);
      e.start();
      e.finish();
      truth.check(round, source, target, text(method, ", round ", round, in_arena ? ", near memory" : ", own memory"));
    }
  }

  /// Rank 0 sends to all others, who have nothing for it and are there before it.
  static void send_in_one_direction(const team& t, const std::string& method, index_t count, int rounds) {
    constexpr index_t number = sizeof(double);
    const near::block block = near::arena::of(t).allocate(count * number);
    auto* const data = reinterpret_cast<double*>(block.data());
    const strided_box whole{0, number, {count}, {number}};
    pattern p;
    p.buffers = {{data, count * number}};
    for (int r = 1; r < t.size(); ++r)
      if (t.rank() == 0) p.sends.push_back({r, 0, whole});
    if (t.rank() > 0) p.receives.push_back({0, 0, whole});
    exchange e(t, p, {.name = "one way", .method = method});
    for (int round = 1; round <= rounds; ++round) {
      if (t.rank() == 0) std::fill_n(data, count, round), nearfar::test::fall_behind();
      e.run();
      EXPECT_EQ(std::count(data, data + count, round), count) << method;
    }
  }

  /// All methods that can be had here, and the tuned choice.
  void run_all(unsigned seed) {
    const team t(comm());
    std::vector<std::string> names{""};
    for (const auto& m : methods_here(t)) names.push_back(m);
    const random_pattern random(seed, t.size());
    const oracle truth(random, t, 4);
    for (const auto& name : names) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", method '" + name + "'");
      overlap().is_off = seed % 3 == 0 && t.rank() % 3 != 1;
      run(t, random, truth, name, seed % 2 == 0);
      if (HasFailure()) break;
    }
  }
};

TEST_F(methods, copy_like_the_oracle) {
  const unsigned last = size() > 4 ? 6 : 12;  // many ranks on few cores take their time
  for (unsigned seed = 1; seed <= last; ++seed) run_all(seed);
}

TEST_F(methods, near_work_is_put_off_only_when_asked) {
  const team t(comm());
  const index_t n = t.size(), number = sizeof(double);
  std::vector<double> m(as_size(2 * n));
  pattern all_to_all;
  all_to_all.buffers = {{m.data(), 2 * n * number}};
  for (int r = 0; r < t.size(); ++r) {
    all_to_all.sends.push_back({r, 0, strided_box{r * number, number, {1}, {number}}});
    all_to_all.receives.push_back({r, 0, strided_box{(n + r) * number, number, {1}, {number}}});
  }
  const bool is_both = t.nodes() > 1 && t.size() > t.nodes();
  constexpr double none = -1;
  for (const bool is_off : {false, true, false}) {
    overlap() = {is_off, none};
    exchange e(t, all_to_all, {.method = "near-line+isend"});
    std::fill(m.begin(), m.end(), t.rank());
    e.run();
    for (int r = 0; r < t.size(); ++r) EXPECT_EQ(r, m[as_size(n + r)]);
    EXPECT_EQ(is_off && is_both, overlap().near_s >= 0) << overlap().near_s << " s, " << e.method();
  }
}

// Naps would last an hour: a method that forgets to ring hangs. One way, nothing but the data's own ring can end a nap.
TEST_F(methods, ring_for_whoever_waits) {
  const std::int64_t usual_most_us = std::exchange(near::doorbells::most_nap_us, 3'600'000'000);
  setenv("NEARFAR_NAP_US", "3600000000", 1);
  const team t(comm());
  state_of(t).is_short_of_cores = true;
  const near::doorbells& doorbells = near::doorbells::of(t);
  EXPECT_EQ(doorbells.may_nap(), t.near_size() > 1);
  const random_pattern random(7, t.size());
  const oracle truth(random, t, 20);
  for (const auto& name : methods_here(t)) {
    SCOPED_TRACE(name);
    run(t, random, truth, name, true);
    for (const index_t count : {4, 3000}) send_in_one_direction(t, name, count, 20);
  }
  EXPECT_EQ(doorbells.naps_slept_out(), 0);
  near::doorbells::most_nap_us = usual_most_us;
  unsetenv("NEARFAR_NAP_US");
}

/// Nobody rings: whoever sleeps hangs.
TEST_F(methods, do_not_sleep_with_a_message_in_flight) {
  const std::int64_t usual_most_us = std::exchange(near::doorbells::most_nap_us, 3'600'000'000);
  setenv("NEARFAR_NAP_US", "3600000000", 1);
  const team t(comm());
  state_of(t).is_short_of_cores = true;
  context c(t);
  c.doorbells = &near::doorbells::of(t);
  c.waiting = near::wait_policy::of(state_of(t));
  for (int first = 1; first <= polls_before_nap + 2; ++first) {  // the last of them: between lying down and sleeping
    SCOPED_TRACE(first);
    int looks = 0;
    wait_until(
        c, [] { return std::string("nobody"); }, [&] { return ++looks >= first + 3; }, [&] { return looks >= first; });
    EXPECT_EQ(looks, first + 3);
  }
  near::doorbells::most_nap_us = usual_most_us;
  unsetenv("NEARFAR_NAP_US");
}

TEST_F(methods, refuse_what_does_not_match) {
  const team t(comm());
  std::vector<double> data(16);
  pattern p;
  p.buffers = {{data.data(), index_t{sizeof(double) * 16}}};
  // Rank 0 sends to itself without a receive: all ranks must hear of it.
  if (t.rank() == 0) p.sends.push_back({0, 0, strided_box{0, 8, {4}, {8}}});
  EXPECT_THROW(exchange(t, p, {}), usage_error);
  p.sends.clear();
  // The last rank's region reaches beyond its buffer.
  if (t.rank() == t.size() - 1) p.sends.push_back({0, 0, strided_box{0, 8, {17}, {8}}});
  if (t.rank() == 0) p.receives.push_back({t.size() - 1, 0, strided_box{0, 8, {17}, {8}}});
  try {
    exchange e(t, p, {});
    ADD_FAILURE() << "a region outside its buffer was accepted";
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("128 bytes"), std::string::npos) << e.what();
  }
}

TEST_F(methods, refuse_sizes_that_differ_at_the_two_ends) {
  const team t(comm());
  std::vector<double> data(16);
  pattern p;
  p.buffers = {{data.data(), index_t{sizeof(double) * 16}}};
  const int right = (t.rank() + 1) % t.size(), left = (t.rank() + t.size() - 1) % t.size();
  p.sends.push_back({right, 0, strided_box{0, 8, {t.rank() == 0 ? 3 : 4}, {8}}});
  p.receives.push_back({left, 0, strided_box{64, 8, {4}, {8}}});
  EXPECT_THROW(exchange(t, p, {}), usage_error);
}

TEST_F(methods, refuse_wrong_calls_and_names) {
  const team t(comm());
  std::vector<double> data(16);
  pattern p;
  p.buffers = {{data.data(), index_t{sizeof(double) * 16}}};
  try {
    exchange e(t, p, {.method = "telepathy"});
    ADD_FAILURE() << "an unknown method was accepted";
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("isend"), std::string::npos) << e.what();
  }
  exchange e(t, p, {.method = "isend"});
  EXPECT_THROW(e.finish(), usage_error);
  e.start();
  EXPECT_THROW(e.start(), usage_error);
  e.finish();
}

TEST_F(methods, several_in_flight_finish_in_any_order) {
  const team t(comm());
  const random_pattern a(7, t.size()), b(8, t.size());
  const oracle truth_a(a, t, 6), truth_b(b, t, 6);
  std::vector<std::byte> ma(as_size(2 * a.buffer_bytes())), mb(as_size(2 * b.buffer_bytes()));
  std::byte *const target_a = ma.data() + a.buffer_bytes(), *const target_b = mb.data() + b.buffer_bytes();
  for (const auto& name : methods_here(t)) {
    if (name == "node-barrier") continue;  // blocks in finish by design
    exchange ea(t, a.of_rank(t.rank(), ma.data(), target_a), {.method = name});
    exchange eb(t, b.of_rank(t.rank(), mb.data(), target_b), {.method = name});
    for (int round = 0; round < 6; ++round) {
      truth_a.fill(round, ma.data(), target_a), truth_b.fill(round, mb.data(), target_b);
      if ((t.rank() + round) % 2 == 0) {
        ea.start(), eb.start(), eb.finish(), ea.finish();
      } else {
        eb.start(), ea.start(), ea.finish(), eb.finish();
      }
      truth_a.check(round, ma.data(), target_a, text(name, ", one of two, round ", round));
      truth_b.check(round, mb.data(), target_b, text(name, ", the other, round ", round));
    }
  }
}

std::size_t entries_in(const char* folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator{}));
}

std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(maps), {}, '\n'));
}

TEST_F(methods, plans_made_and_freed_again_and_again_leave_nothing) {
  const team t(comm());
  const random_pattern random(3, t.size());
  std::vector<std::byte> m(as_size(2 * random.buffer_bytes()));
  const auto make_and_free = [&](const std::string& name, int times) {
    for (int i = 0; i < times; ++i) {
      exchange e(t, random.of_rank(t.rank(), m.data(), m.data() + random.buffer_bytes()),
                 {.method = name, .budget_s = no_tuning});
      e.run();
    }
  };
  for (const auto& name : methods_here(t)) {
    make_and_free(name, 5);
    MPI_Barrier(comm());
    const std::size_t files = entries_in("/proc/self/fd"), maps = mappings();
    make_and_free(name, 20);
    MPI_Barrier(comm());
    EXPECT_LE(entries_in("/proc/self/fd"), files + 1) << name;
    EXPECT_LE(mappings(), maps + 8) << name;
  }
}

}  // namespace
}  // namespace nearfar::exchange::test
