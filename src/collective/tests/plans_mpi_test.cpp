// SPDX-License-Identifier: BSD-3-Clause
// Plans of every kind and method against loops over what every rank is known to hold; many in flight, in any order.
#include <algorithm>
#include <cstdlib>
#include <fake_clock.hpp>
#include <functional>
#include <memory>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>
#include <out_of_step.hpp>
#include <random>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.node_sizes = {0, 2}}};

using words = std::vector<std::int64_t>;

std::int64_t value_of(int rank, index_t i, unsigned seed) {
  return (static_cast<std::int64_t>(seed) * 31 + rank * 1009 + i * 17) % 1000;
}

std::int64_t sum_of(int first, int last, index_t i, unsigned seed) {
  std::int64_t sum = 0;
  for (int r = first; r <= last; ++r) sum += value_of(r, i, seed);
  return sum;
}

// A plan with buffers of its own: fills them, and says what must be in them afterwards.
class test_case {
 public:
  test_case(const team& t, collective_kind kind, index_t count, bool is_in_place, bool is_near)
      : team_(t),
        kind_(kind),
        count_(count),
        ranks_(t.size()),
        rank_(t.rank()),
        root_(t.size() / 2),
        is_in_place_(is_in_place) {
    const index_t in = in_size(), out = std::max(out_size(), is_in_place ? in : 0);
    if (is_near) {
      near_.emplace_back(t, in), near_.emplace_back(t, out);
      in_ = std::span(near_[0].data(), near_[0].size()), out_ = std::span(near_[1].data(), near_[1].size());
    } else {
      heap_[0].resize(static_cast<std::size_t>(in)), heap_[1].resize(static_cast<std::size_t>(out));
      in_ = heap_[0], out_ = heap_[1];
    }
    fill(1);
  }

  void make(plan_options options) { plan_ = std::make_unique<collective_plan>(team_, call(), std::move(options)); }
  collective_plan& plan() { return *plan_; }

  void fill(unsigned seed) {
    seed_ = seed;
    std::fill(out_.begin(), out_.end(), -1);
    const std::span<std::int64_t> to = is_in_place_ && kind_ != collective_kind::bcast ? out_ : in_;
    const bool is_block = is_in_place_ && kind_ == collective_kind::allgather;
    const index_t first = is_block ? rank_ * count_ : 0, many = is_block ? count_ : std::ssize(to);
    for (index_t i = 0; i < many; ++i) to[static_cast<std::size_t>(first + i)] = value_of(rank_, i, seed);
    if (kind_ == collective_kind::bcast && rank_ == root_)
      for (index_t i = 0; i < count_; ++i) out_[static_cast<std::size_t>(i)] = value_of(root_, i, seed);
  }

  bool is_right() const {
    for (index_t i = 0; i < out_size(); ++i) {
      std::int64_t wanted = 0;
      if (!expected(i, wanted)) continue;
      if (out_[static_cast<std::size_t>(i)] != wanted) return false;
    }
    return true;
  }

  std::string name() const {
    return std::string(name_of(kind_)) + " of " + std::to_string(count_) + (is_in_place_ ? " in place" : "");
  }

 private:
  using k = collective_kind;
  bool is_root() const { return rank_ == root_; }
  index_t in_size() const {
    switch (kind_) {
      case k::barrier:
      case k::bcast:
        return 0;
      case k::scatter:
        return is_root() ? count_ * ranks_ : 0;
      case k::alltoall:
      case k::reduce_scatter_block:
        return count_ * ranks_;
      default:
        return count_;
    }
  }
  index_t out_size() const {
    switch (kind_) {
      case k::barrier:
        return 0;
      case k::gather:
        return is_root() ? count_ * ranks_ : 0;
      case k::reduce:
        return is_root() ? count_ : 0;
      case k::allgather:
      case k::alltoall:
        return count_ * ranks_;
      default:
        return count_;
    }
  }

  collective_call call() const {
    switch (kind_) {
      case k::bcast:
        return calls::bcast(out_, root_);
      case k::reduce:
        return calls::reduce(in_, out_, reduce_op::sum, root_);
      case k::scan:
        return calls::scan(in_, out_, reduce_op::sum);
      case k::exscan:
        return calls::exscan(in_, out_, reduce_op::sum);
      case k::allreduce:
        return is_in_place_ ? calls::allreduce(out_, reduce_op::sum) : calls::allreduce(in_, out_, reduce_op::sum);
      case k::reduce_scatter_block:
        return is_in_place_ ? calls::reduce_scatter_block(in_place, out_, reduce_op::sum)
                            : calls::reduce_scatter_block(in_, out_, reduce_op::sum);
      case k::gather:
        return calls::gather(in_, out_, root_);
      case k::scatter:
        return calls::scatter(in_, out_, root_);
      case k::allgather:
        return is_in_place_ ? calls::allgather(in_place, out_) : calls::allgather(in_, out_);
      case k::alltoall:
        return is_in_place_ ? calls::alltoall(in_place, out_) : calls::alltoall(in_, out_);
      default:
        return calls::barrier();
    }
  }

  // False where the value is not defined.
  bool expected(index_t i, std::int64_t& wanted) const {
    const int block = static_cast<int>(i / count_);
    const index_t inside = i % count_;
    switch (kind_) {
      case k::bcast:
        wanted = value_of(root_, i, seed_);
        return true;
      case k::scan:
        wanted = sum_of(0, rank_, i, seed_);
        return true;
      case k::exscan:
        wanted = sum_of(0, rank_ - 1, i, seed_);
        return rank_ > 0;
      case k::reduce_scatter_block:
        wanted = sum_of(0, ranks_ - 1, rank_ * count_ + i, seed_);
        return true;
      case k::gather:
      case k::allgather:
        wanted = value_of(block, inside, seed_);
        return true;
      case k::scatter:
        wanted = value_of(root_, rank_ * count_ + i, seed_);
        return true;
      case k::alltoall:
        wanted = value_of(block, rank_ * count_ + inside, seed_);
        return true;
      default:
        wanted = sum_of(0, ranks_ - 1, i, seed_);
        return true;
    }
  }

  const team& team_;
  collective_kind kind_;
  index_t count_;
  int ranks_, rank_, root_;
  bool is_in_place_;
  unsigned seed_ = 0;
  std::vector<shared_array<std::int64_t>> near_;
  words heap_[2];
  std::span<std::int64_t> in_, out_;
  std::unique_ptr<collective_plan> plan_;
};

constexpr collective_kind all_kinds[] = {
    collective_kind::barrier,   collective_kind::bcast,    collective_kind::reduce,
    collective_kind::allreduce, collective_kind::gather,   collective_kind::scatter,
    collective_kind::allgather, collective_kind::alltoall, collective_kind::reduce_scatter_block,
    collective_kind::scan,      collective_kind::exscan};

bool can_be_in_place(collective_kind kind) {
  return kind == collective_kind::allreduce || kind == collective_kind::allgather ||
         kind == collective_kind::alltoall || kind == collective_kind::reduce_scatter_block;
}

class plans_test : public MpiTest {
 protected:
  void dawdle(unsigned seed) const {
    if ((seed * 7 + static_cast<unsigned>(rank()) * 3) % 5 == 0) fall_behind();
  }
  void go(test_case& t, unsigned rounds) {
    for (unsigned seed = 2; seed < 2 + rounds; ++seed) {
      t.fill(seed);
      dawdle(seed);
      if (seed % 2 == 0) {
        t.plan().run();
      } else {
        t.plan().start();
        while (seed % 3 == 0 && !t.plan().test()) fall_behind(1);
        t.plan().finish();
      }
      EXPECT_TRUE(t.is_right()) << t.name() << ", round " << seed << ", " << t.plan().method() << ", "
                                << t.plan().start_method();
    }
  }
};

TEST_F(plans_test, every_kind_by_its_own_slots_and_by_mpi) {
  const team t(comm());
  for (const auto kind : all_kinds)
    for (const index_t count : {1, 100, 6000})
      for (const bool is_in_place : {false, true}) {
        if (is_in_place && !can_be_in_place(kind)) continue;
        for (const char* method : {"", "mpi"}) {
          test_case one(t, kind, count, is_in_place, false);
          one.make({.method = method, .budget_s = no_tuning});
          go(one, 4);
        }
      }
}

TEST_F(plans_test, every_kind_in_buffers_that_are_near) {
  const team t(comm());
  for (const auto kind : all_kinds)
    for (const index_t count : {1, 100, 6000})
      for (const bool is_in_place : {false, true}) {
        if (is_in_place && !can_be_in_place(kind)) continue;
        test_case one(t, kind, count, is_in_place, true);
        one.make({.budget_s = no_tuning});
        go(one, 5);
      }
}

TEST_F(plans_test, pinned_methods_are_taken) {
  const team t(comm());
  std::vector<double> x(2000, 1.0), y(2000);
  if (size() % t.nodes() != 0 || t.near_size() != size() / t.nodes()) return;
  plans::allreduce slots{t, x, y, reduce_op::sum, {.method = "plan-slots"}};
  EXPECT_EQ("plan-slots", slots.method());
  EXPECT_EQ("plan-slots", slots.start_method());
  slots.run();
  EXPECT_EQ(size(), y[1999]);
  plans::allreduce streamed{t, x, y, reduce_op::sum, {.method = "plan-slots-streamed"}};
  EXPECT_EQ("plan-slots-streamed", streamed.start_method());
  y[1999] = 0;
  streamed.run();
  EXPECT_EQ(size(), y[1999]);
  EXPECT_THROW(plans::allreduce(t, x, y, reduce_op::sum, {.method = "plan-buffers"}), usage_error);
  plans::allreduce plain{t, x, y, reduce_op::sum, {.method = "mpi"}};
  EXPECT_EQ("mpi", plain.method());
  EXPECT_EQ("mpi", plain.start_method());
  EXPECT_NE(std::string::npos, plain.describe().find("pinned"));
}

// On a clock by which a race takes as long as some runs: the next one comes soon, and at the same run on any machine.
TEST_F(plans_test, races_come_again_and_harm_no_buffer) {
  constexpr int most_runs = 100;
  const clock_by_readings clock(rank());
  const team t(comm());
  const auto was_raced_again = [](const collective_plan& p) {
    return p.describe().find(" races)") != std::string::npos;
  };
  for (const std::size_t length : {40, 2000, 20000}) {
    std::vector<double> x(length), y(length), z(length);
    plans::allreduce apart{t, x, y, reduce_op::sum, {.budget_s = 1e-4}};
    plans::allreduce both{t, z, reduce_op::sum, {.budget_s = 1e-4}};
    bool is_done = false;
    for (int run = 0; run < most_runs && !is_done; ++run) {
      const double value = run + rank(), sum = size() * run + size() * (size() - 1) / 2;
      std::fill(x.begin(), x.end(), value);
      std::fill(z.begin(), z.end(), value);
      apart.run();
      both.run();
      NEARFAR_ASSERT_ALL(x.back() == value && y[0] == sum && y.back() == sum && z[0] == sum && z.back() == sum);
      is_done = was_raced_again(apart) && was_raced_again(both);
    }
    EXPECT_TRUE(is_done) << length << ": " << apart.describe() << both.describe();
  }
}

TEST_F(plans_test, tuned_plans_keep_what_they_were_given) {
  const team t(comm());
  std::vector<double> both(3000, rank() + 1.0);
  plans::allreduce plan{t, both, reduce_op::sum, {.name = "sums", .budget_s = 0.02}};
  EXPECT_TRUE(both == std::vector<double>(3000, rank() + 1.0));
  plan.run();
  EXPECT_EQ(size() * (size() + 1) / 2, both[2999]);
  EXPECT_NE(std::string::npos, plan.describe().find("sums"));
  EXPECT_NE(std::string::npos, plan.describe().find("tried mpi"));
  for (const auto kind : all_kinds) {
    test_case one(t, kind, 700, false, false);
    one.make({.budget_s = 0.01});
    go(one, 4);
  }
}

// Every rank starts and finishes in an order of its own.
TEST_F(plans_test, many_in_flight_in_any_order) {
  const team t(comm());
  std::vector<std::unique_ptr<test_case>> all;
  unsigned number = 0;
  for (const auto kind : all_kinds)
    for (const index_t count : {3, 3000}) {
      all.push_back(std::make_unique<test_case>(t, kind, count, false, number % 4 == 0));
      all.back()->make({.method = number % 3 == 0 ? "mpi" : "", .budget_s = no_tuning});
      ++number;
    }
  std::mt19937 order(static_cast<unsigned>(17 + rank()));
  for (unsigned seed = 1; seed < 12; ++seed) {
    std::shuffle(all.begin(), all.end(), order);
    for (auto& one : all) one->fill(seed), one->plan().start();
    dawdle(seed);
    for (auto& one : all) one->plan().test();
    std::shuffle(all.begin(), all.end(), order);
    for (auto& one : all) one->plan().finish();
    for (auto& one : all) EXPECT_TRUE(one->is_right()) << one->name() << ", round " << seed;
  }
}

// A rank that waits for a message has started its part of the plan, and that must do for the others.
TEST_F(plans_test, peers_finish_while_a_rank_waits_elsewhere) {
  const team t(comm());
  for (const auto kind : all_kinds) {
    test_case one(t, kind, 4000, kind == collective_kind::allreduce, true);
    one.make({.budget_s = no_tuning});
    for (unsigned seed = 1; seed < 4; ++seed) {
      one.fill(seed);
      barrier(t);
      one.plan().start();
      int token = 0;
      if (rank() == 0 && size() > 1) MPI_Recv(&token, 1, MPI_INT, size() - 1, 5, comm(), MPI_STATUS_IGNORE);
      one.plan().finish();
      if (rank() == size() - 1 && size() > 1) MPI_Send(&token, 1, MPI_INT, 0, 5, comm());
      EXPECT_TRUE(one.is_right()) << one.name();
    }
  }
}

TEST_F(plans_test, methods_that_need_the_peers) {
  const team t(comm());
  std::mt19937 order(static_cast<unsigned>(5 + rank()));
  std::vector<std::unique_ptr<test_case>> all;
  for (const index_t count : {3, 3000, 30000})
    for (const auto kind :
         {collective_kind::allreduce, collective_kind::bcast, collective_kind::reduce, collective_kind::barrier}) {
      all.push_back(std::make_unique<test_case>(t, kind, count, false, count == 3000));
      try {
        all.back()->make({.method = count == 3000 && t.nodes() == 1 && kind != collective_kind::barrier ? "plan-buffers"
                                    : count == 30000 ? "plan-slots-streamed"
                                                     : "plan-slots"});
      } catch (const usage_error&) {  // nodes of different sizes
        all.back()->make({.budget_s = no_tuning});
      }
    }
  for (unsigned seed = 1; seed < 8; ++seed) {
    std::shuffle(all.begin(), all.end(), order);
    for (auto& one : all) one->fill(seed), one->plan().start();
    std::shuffle(all.begin(), all.end(), order);
    for (auto& one : all) one->plan().finish();
    for (auto& one : all) EXPECT_TRUE(one->is_right()) << one->name() << ", round " << seed;
    barrier(t);
  }
}

// Who is early may be two starts ahead.
TEST_F(plans_test, a_root_that_runs_ahead) {
  const team t(comm());
  words data(500);
  plans::bcast plan{t, data, 0, {.budget_s = no_tuning}};
  for (std::int64_t round = 0; round < 200; ++round) {
    if (rank() == 0) data.assign(500, round);
    if (rank() == size() - 1 && round % 20 == 0) fall_behind();
    plan.start();
    plan.finish();
    EXPECT_EQ(round, data[round % 500]);
  }
}

TEST_F(plans_test, plans_come_and_go) {
  const team t(comm());
  for (unsigned i = 1; i < 40; ++i) {
    test_case one(t, all_kinds[i % std::size(all_kinds)], static_cast<index_t>(1 + i * i * 7), false, false);
    one.make({.budget_s = no_tuning});
    dawdle(i);
    go(one, 2);
  }
}

TEST_F(plans_test, lists_of_counts) {
  const team t(comm());
  const auto ranks = static_cast<std::size_t>(size());
  std::unique_ptr<plans::allgatherv> plan;
  std::vector<int> mine(static_cast<std::size_t>(rank() + 1), 10 * rank()), all(ranks * (ranks + 1) / 2, -1);
  {
    std::vector<index_t> counts, places;
    index_t next = 0;
    for (int r = 0; r < size(); ++r) counts.push_back(r + 1), places.push_back(next), next += r + 1;
    plan = std::make_unique<plans::allgatherv>(t, mine, all, counts, places, plan_options{.budget_s = no_tuning});
  }
  for (int round = 0; round < 5; ++round) {
    std::fill(mine.begin(), mine.end(), 10 * rank() + round);
    plan->start();
    plan->finish();
    std::size_t at = 0;
    for (int r = 0; r < size(); ++r)
      for (int i = 0; i <= r; ++i) EXPECT_EQ(10 * r + round, all[at++]);
  }
}

TEST_F(plans_test, wrong_order_of_calls_is_refused) {
  const team t(comm());
  std::vector<double> x(10), y(10);
  plans::allreduce plan{t, x, y, reduce_op::sum, {.name = "dots", .budget_s = no_tuning}};
  EXPECT_TRUE(plan.test());
  EXPECT_THROW(plan.finish(), usage_error);
  plan.start();
  EXPECT_THROW(plan.start(), usage_error);
  EXPECT_THROW(plan.run(), usage_error);
  plan.finish();
  EXPECT_THROW(plan.finish(), usage_error);
  collective_plan moved = std::move(plan);
  EXPECT_THROW(plan.run(), usage_error);  // NOLINT: use after move by intent
  moved.run();
}

template <class Make>
std::string complaint_of(const Make& make) {
  try {
    make();
  } catch (const usage_error& e) {
    return e.what();
  }
  return "";
}

TEST_F(plans_test, wrong_arguments_are_refused_on_every_rank) {
  const team t(comm());
  using testing::HasSubstr;
  std::vector<double> x(rank() == size() - 1 ? 4 : 5), y(5);
  EXPECT_THAT(complaint_of([&] { plans::allreduce p{t, y, reduce_op::sum, {.method = "swift"}}; }), HasSubstr("swift"));
  EXPECT_THAT(complaint_of([&] {
                plans::allreduce p{t, x, y, reduce_op::sum};
              }),
              HasSubstr("the input has 4 elements"));
  EXPECT_THAT(complaint_of([&] { plans::bcast p{t, y, rank() == 0 ? size() : 0}; }), HasSubstr("root"));
  for (const index_t count : {-1, -3})
    EXPECT_THAT(complaint_of([&] { bcast(t, y.data(), count, MPI_DOUBLE, 0); }),
                HasSubstr("bcast: the count is " + std::to_string(count)));
  if (size() == 1) return;
  EXPECT_THAT(complaint_of([&] { plans::allreduce p{t, x, reduce_op::sum}; }), HasSubstr("5"));
  EXPECT_THAT(complaint_of([&] { plans::bcast p{t, x, 0}; }), HasSubstr("40 B"));
  EXPECT_THAT(complaint_of([&] { plans::bcast p{t, y, rank() == 0 ? 1 : 0}; }), HasSubstr("root"));
  EXPECT_THAT(complaint_of([&] {
                plans::allreduce p{t, y, reduce_op::sum, {.method = rank() == 0 ? "mpi" : ""}};
              }),
              HasSubstr("method"));
}

}  // namespace
}  // namespace nearfar::test
