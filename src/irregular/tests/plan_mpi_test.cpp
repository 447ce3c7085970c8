// SPDX-License-Identifier: BSD-3-Clause
// Plans over their life: made anew, many of them, several in flight, without references, and with arguments that cannot
// be.
#include <sys/mman.h>
#include <base/internals.hpp>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <fake_clock.hpp>
#include <mpi_test.hpp>
#include <near/arena.hpp>

#include "../plan_state.hpp"
#include "random_references.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 4}, .on_cluster = false}};

using ::testing::AllOf;
using ::testing::HasSubstr;

class IrregularPlanTest : public MpiTest {
 protected:
  template <class Step>
  std::string refusal(Step step) {
    try {
      step();
    } catch (const usage_error& e) {
      return e.what();
    }
    return "accepted";
  }
  std::span<const index_t> mine(const random_references& c) { return c.references[static_cast<std::size_t>(rank())]; }

  void expect_equal(irregular_plan& a, irregular_plan& b) {
    EXPECT_TRUE(std::equal(a.local_indices().begin(), a.local_indices().end(), b.local_indices().begin(),
                           b.local_indices().end()));
    EXPECT_EQ(a.ghost_indices(), b.ghost_indices());
    std::vector<double> values(static_cast<std::size_t>(a.references()));
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = value_of<double>(k, static_cast<std::uint64_t>(rank()), 1);
    std::vector<double> x(static_cast<std::size_t>(a.map().owned()), 0.25), y = x, out(values.size()), other(out);
    a.scatter(values, x);
    b.scatter(values, y);
    EXPECT_TRUE(x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
    a.gather(x, out);
    b.gather(y, other);
    EXPECT_EQ(out, other);
  }
};

TEST_F(IrregularPlanTest, updated_plan_equals_a_fresh_one) {
  const team t(comm());
  for (unsigned seed = 1; seed <= 4; ++seed) {
    random_references c(seed, t);
    const distribution d = c.make_distribution(t);
    const auto order = seed % 2 == 0 ? scatter_order::canonical : scatter_order::plan;
    irregular_plan kept(d, mine(c), {.method = seed == 1 ? "" : "near-direct", .budget_s = 0.01, .order = order});
    for (int change = 0; change < 4; ++change) {
      c.draw_references();
      kept.update(mine(c));
      irregular_plan fresh(d, mine(c),
                           {.method = kept.method() == "isend" ? "isend" : "", .budget_s = 0.01, .order = order});
      expect_equal(kept, fresh);
      random_references other(100 * seed + static_cast<unsigned>(change), t);
      const distribution e = other.make_distribution(t);
      kept.update(e, mine(other));
      irregular_plan second(e, mine(other), {.budget_s = 0.01, .order = order});
      expect_equal(kept, second);
      kept.update(d, mine(c));
      NEARFAR_ASSERT_ALL(!HasFailure());
    }
  }
}

/// Bits of one type of number are never added to another's, nor taken for one; integers with and without a sign have
/// the same, and what has no type may be anything.
TEST_F(IrregularPlanTest, numbers_of_two_types_are_not_mixed) {
  const team t(comm());
  const distribution d = distribution::block(t, 8);
  irregular_plan p(d, std::vector<index_t>{0, 3, 7}, {.budget_s = -1});
  struct record {
    float a, b;
  };
  const auto own = static_cast<std::size_t>(d.owned());
  std::vector<double> doubles(own, 0.5), three_doubles(3, 1.0);
  std::vector<std::int64_t> signed_own(own, 5), three_signed{-1, -1, -1};
  std::vector<std::uint64_t> unsigned_own(own, 5), three_unsigned(3);
  std::vector<std::complex<float>> three_complex(3);
  std::vector<record> records(own, {1, 2}), three_records(3);
  const auto names = [](const char* a, const char* b) { return AllOf(HasSubstr(a), HasSubstr(b)); };
  EXPECT_THAT(refusal([&] { p.scatter(three_signed, doubles); }), names("float64", "int64"));
  EXPECT_THAT(refusal([&] { p.scatter(three_signed, doubles, reduce_op::replace); }), names("float64", "int64"));
  EXPECT_THAT(refusal([&] { p.gather(doubles, three_signed); }), names("float64", "int64"));
  EXPECT_THAT(refusal([&] { p.gather(doubles, three_complex); }), names("float64", "complex64"));
  EXPECT_THAT(refusal([&] { p.start_gather(doubles, three_signed); }), names("float64", "int64"));
  EXPECT_THAT(refusal([&] { p.scatter(three_records, doubles); }), names("float64", "bytes without a type"));
  EXPECT_THAT(refusal([&] { p.scatter(three_signed, unsigned_own, reduce_op::min); }), names("int64", "uint64"));
  const custom_op keeps{[](double a, double b) { return a + b; }, 0.0};
  EXPECT_THAT(refusal([&] { p.scatter(three_signed, signed_own, keeps); }), names("float64", "int64"));
  EXPECT_EQ(doubles, std::vector<double>(own, 0.5));
  EXPECT_EQ(signed_own, std::vector<std::int64_t>(own, 5));

  EXPECT_EQ(refusal([&] { p.scatter(three_signed, unsigned_own); }), "accepted");
  EXPECT_EQ(refusal([&] { p.gather(signed_own, three_unsigned); }), "accepted");
  EXPECT_EQ(three_unsigned, std::vector<std::uint64_t>(3, 5));
  EXPECT_EQ(refusal([&] { p.gather(records, three_doubles); }), "accepted");
  EXPECT_EQ(refusal([&] { p.scatter(three_records, doubles, reduce_op::replace); }), "accepted");
  const auto first = d.owned() > 0 && rank() == 0 ? 5 - static_cast<std::uint64_t>(size()) : 5;
  EXPECT_EQ(unsigned_own.empty() ? first : unsigned_own.front(), first);
}

/// Races use an array that is shorter than what ranks own (raced_array.hpp); what they leave behind must not be used.
TEST_F(IrregularPlanTest, plan_of_few_references_to_many_elements_moves_the_right_ones) {
  const team t(comm());
  constexpr index_t each = 300'000;
  const distribution d = distribution::block(t, each * size());
  std::vector<index_t> refs;
  for (int r = 0; r < size(); ++r)
    for (index_t k = 0; k < 20; ++k) refs.push_back((r + 1) * each - 1 - k * (7919 + 13 * rank()));
  for (const std::vector<std::string>& without : {std::vector<std::string>{}, {"parts", "persistent", "rma"}}) {
    irregular_plan p(d, refs, {.without = without, .budget_s = 0.02});
    SCOPED_TRACE(p.describe());
    std::vector<double> x(static_cast<std::size_t>(p.map().total())), out(refs.size());
    for (int again = 0; again < 3; ++again) {
      const double more = 0.25 * again;
      for (index_t i = 0; i < each; ++i) x[static_cast<std::size_t>(i)] = static_cast<double>(rank() * each + i) + more;
      p.gather(x, out);
      for (std::size_t k = 0; k < refs.size(); ++k) EXPECT_EQ(out[k], static_cast<double>(refs[k]) + more);
    }
  }
}

/// A rank that has not started, because it was refused or is late, is what the others' warning names.
TEST_F(IrregularPlanTest, ranks_that_have_not_started_are_named) {
  const team t(comm());
  if (size() == 1) return;
  const distribution d = distribution::block(t, 10 * size());
  const int late = size() - 1;
  const std::vector<index_t> refs{0, 10 * size() - 1};
  for (const char* method : {"isend", "persistent", "near-direct+isend", "near-streamed+isend"}) {
    SCOPED_TRACE(method);
    irregular_plan_state p(d, refs, {.method = method}, std::source_location::current());
    std::vector<double> x(static_cast<std::size_t>(p.elements_here()), rank());
    const irregular_array array = array_of(x);
    const auto start = [&] { p.start_gather_ghosts({&array, 1}); };
    if (rank() != late) {
      start();
      EXPECT_THAT(p.moves.awaited(), AllOf(HasSubstr("rank "), HasSubstr(text(late))));
    }
    MPI_Barrier(comm());
    if (rank() == late) start();
    p.finish();
    EXPECT_EQ(x.back(), rank() == late ? 0 : late);
  }
}

/// An operation is on numbers of one type, in all of its arrays.
TEST_F(IrregularPlanTest, arrays_of_one_operation_are_of_one_type) {
  const team t(comm());
  const distribution d = distribution::block(t, 8);
  irregular_plan p(d, std::vector<index_t>{0, 3, 7}, {.budget_s = -1});
  const auto total = static_cast<std::size_t>(p.map().total());
  std::vector<double> a(total, 0.5);
  std::vector<std::int64_t> b(total, 5);
  const irregular_item both[] = {{array_of(a), {}}, {array_of(b), {}}};
  EXPECT_THAT(refusal([&] { p.run(irregular_kind::scatter_ghosts, both); }),
              AllOf(HasSubstr("float64"), HasSubstr("int64")));
  EXPECT_EQ(b, std::vector<std::int64_t>(total, 5));
  EXPECT_EQ(refusal([&] { p.run(irregular_kind::gather_ghosts, both); }), "accepted");
}

TEST_F(IrregularPlanTest, result_of_the_canonical_order_does_not_depend_on_how_references_are_cut) {
  const team t(comm());
  constexpr index_t elements = 37, references = 900;
  std::vector<index_t> all(references);
  std::vector<double> values(references), wanted(elements, 1.0);
  for (index_t k = 0; k < references; ++k) {
    const auto i = static_cast<std::size_t>(k);
    all[i] = static_cast<index_t>(value_of<std::uint32_t>(i, 1, 2) % elements);
    values[i] = value_of<double>(i, 3, 4);
    wanted[static_cast<std::size_t>(all[i])] += values[i];
  }
  const index_t first = references * rank() / size(), end = references * (rank() + 1) / size();
  const distribution d = distribution::cyclic(t, elements);
  irregular_plan p(d, std::span(all).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first)),
                   {.budget_s = 0.01, .order = scatter_order::canonical});
  std::vector<double> x(static_cast<std::size_t>(d.owned()), 1.0);
  p.scatter(
      std::span<const double>(values).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first)),
      x);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(x[i], wanted[i * static_cast<std::size_t>(size()) + static_cast<std::size_t>(rank())]);
}

// IEEE 754: -0 + -0 is -0, by every method, combined into what is there or among themselves.
template <class T>
int zeros_that_became_positive(const team& t, const std::string& method, scatter_order order) {
  const distribution d = distribution::block(t, 4 * t.size());
  std::vector<index_t> all(static_cast<std::size_t>(d.elements()));
  std::iota(all.begin(), all.end(), index_t{0});
  irregular_plan p(d, all, {.method = method, .budget_s = no_tuning, .order = order});
  std::vector<T> values(all.size(), T(-0.0)), x(static_cast<std::size_t>(d.owned()), T(-0.0));
  p.scatter(values, x, reduce_op::sum);
  p.assemble(values);
  const auto is_positive = [](T v) { return !std::signbit(v); };
  return static_cast<int>(std::count_if(x.begin(), x.end(), is_positive) +
                          std::count_if(values.begin(), values.end(), is_positive));
}

TEST_F(IrregularPlanTest, sums_of_negative_zeros_are_negative) {
  const team t(comm());
  for (const char* method : {"", "isend", "near-direct"})
    for (const auto order : {scatter_order::plan, scatter_order::canonical}) {
      EXPECT_EQ(zeros_that_became_positive<double>(t, method, order), 0) << method;
      EXPECT_EQ(zeros_that_became_positive<float>(t, method, order), 0) << method;
    }
}

// A plan remembers where in near memory its arrays lie.
TEST_F(IrregularPlanTest, arrays_where_near_memory_was_are_no_longer_near) {
  const team t(comm());
  constexpr index_t own = index_t{1} << 18, bytes = own * index_t{sizeof(double)};  // a chunk of its own
  const int right = (rank() + 1) % size();
  const distribution d = distribution::block(t, own * size());
  irregular_plan p(d, std::vector<index_t>{right * own + 7}, {.method = "near-direct"});
  std::vector<double> out(1);
  const auto gather_from = [&](void* at, double value) {
    const std::span x(static_cast<double*>(at), as_size(own));
    x[7] = value + rank();
    p.gather(x, out);
    EXPECT_EQ(out[0], value + right);
    MPI_Barrier(comm());
  };
  void* before = nullptr;
  {
    const near::block memory = near::arena::of(t).allocate(bytes);
    before = memory.data();
    gather_from(before, 100);
  }
  void* const now =
      mmap(before, as_size(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  NEARFAR_ASSERT_ALL(now == before);
  gather_from(now, 200);
  munmap(now, as_size(bytes));
}

TEST_F(IrregularPlanTest, thousands_of_plans_use_no_more_communicators) {
  const team t(comm());
  const distribution d = distribution::block(t, 4 * size());
  const std::vector<index_t> refs{(4 * rank() + 5) % (4 * size()), 0};
  const int rounds = size() > 2 ? 300 : 5000;
  for (int i = 0; i < rounds; ++i) {
    irregular_plan p(d, refs, {.method = i % 2 == 0 ? "near-direct" : "neighbor"});
    if (i % 50 > 1) continue;
    std::vector<index_t> x(static_cast<std::size_t>(d.owned())), out(2);
    for (index_t k = 0; k < d.owned(); ++k) x[static_cast<std::size_t>(k)] = 10 * (4 * rank() + k);
    p.gather(x, out);
    EXPECT_EQ(out[0], 10 * refs[0]);
    EXPECT_EQ(out[1], 0);
  }
}

TEST_F(IrregularPlanTest, plans_may_be_in_flight_together) {
  const team t(comm());
  random_references c(11, t);
  const distribution d = c.make_distribution(t);
  irregular_plan a(d, mine(c), {.budget_s = 0.01}), b(d, mine(c), {.budget_s = 0.01});
  std::vector<index_t> x, y;
  for (const index_t g : c.owned[static_cast<std::size_t>(rank())]) x.push_back(g), y.push_back(-g);
  std::vector<index_t> out(mine(c).size()), other(out.size());
  a.start_gather(x, out);
  b.start_gather(y, other);
  b.finish();
  a.finish();
  EXPECT_TRUE(std::equal(out.begin(), out.end(), mine(c).begin()));
  for (std::size_t k = 0; k < other.size(); ++k) EXPECT_EQ(other[k], -mine(c)[k]);
}

TEST_F(IrregularPlanTest, vectors_fit_an_updated_plan_and_keep_own_values) {
  const team t(comm());
  const distribution d = distribution::block(t, 6 * size());
  irregular_plan p(d, std::vector<index_t>{0}, {.budget_s = 0.01});
  irregular_vector<double> x(p, 2);
  for (index_t i = 0; i < 2 * d.owned(); ++i) x[i] = static_cast<double>(12 * rank() + i);
  std::vector<index_t> all(static_cast<std::size_t>(d.elements()));
  std::iota(all.begin(), all.end(), index_t{0});
  p.update(all);
  x.fit(p);
  std::vector<double> out(2 * all.size());
  p.gather(x, out, 2);
  for (std::size_t k = 0; k < out.size(); ++k) EXPECT_EQ(out[k], static_cast<double>(k));
}

TEST_F(IrregularPlanTest, near_ranks_that_share_no_memory_exchange_messages) {
  setenv("NEARFAR_SHM", "off", 1);
  const team t(comm());
  random_references c(21, t);
  const distribution d = c.make_distribution(t);
  irregular_plan p(d, mine(c), {.budget_s = 0.01});
  if (size() > 1) {
    EXPECT_THAT(refusal([&] { irregular_plan(d, mine(c), {.method = "near-direct"}); }),
                HasSubstr(t.near_size() > 1 ? "near ranks share no memory" : ""));
  }
  unsetenv("NEARFAR_SHM");
  std::vector<index_t> x, out(mine(c).size());
  for (const index_t g : c.owned[static_cast<std::size_t>(rank())]) x.push_back(g);
  p.gather(x, out);
  EXPECT_TRUE(std::equal(out.begin(), out.end(), mine(c).begin()));
}

/// Numbers that follow `"name":` in a text of JSON.
std::vector<int> numbers_of(const std::string& name, const std::string& json) {
  const std::string before = "\"" + name + "\":";
  std::vector<int> found;
  for (std::size_t at = json.find(before); at != std::string::npos; at = json.find(before, at + 1))
    found.push_back(std::atoi(json.c_str() + at + before.size()));
  return found;
}

/// The first runs of methods that make connections take so long that a round of them uses up the budget.
TEST_F(IrregularPlanTest, first_runs_do_not_decide_where_they_take_the_budget) {
  const team t(comm());
  random_references c(3, t);
  const distribution d = c.make_distribution(t);
  const clock_by_readings clock(rank());
  const irregular_plan p(d, mine(c), {.budget_s = 20e-3});
  const std::vector<int> samples = numbers_of("samples", p.describe_json());
  EXPECT_EQ(samples.empty(), size() == 1) << p.describe_json();
  for (const int n : samples) EXPECT_GE(n, 3) << p.describe_json();
}

TEST_F(IrregularPlanTest, nobody_needs_to_refer_to_anything) {
  const team t(comm());
  const distribution d = distribution::block(t, 0);
  irregular_plan p(d, {});
  irregular_vector<double> x(p);
  std::vector<double> none;
  p.gather(x, none);
  p.scatter(none, x);
  p.assemble(none);
  EXPECT_EQ(p.map().total(), 0);
  EXPECT_THAT(p.describe(), HasSubstr("0 references"));
  EXPECT_THAT(p.describe_json(), HasSubstr(R"({"plan":"irregular","name":)"));
}

TEST_F(IrregularPlanTest, elements_may_be_fewer_than_ranks) {
  const team t(comm());
  for (const distribution& d : {distribution::block(t, 1), distribution::cyclic(t, 1)}) {
    irregular_plan p(d, std::vector<index_t>{0, 0}, {.budget_s = 0.01});
    irregular_vector<double> x(p);
    for (index_t i = 0; i < x.owned(); ++i) x.data()[i] = 5;
    std::vector<double> out(2);
    p.scatter(std::vector<double>{1, 2}, x);
    p.gather(x, out);
    EXPECT_EQ(out, (std::vector<double>(2, 5 + 3 * size())));
  }
}

TEST_F(IrregularPlanTest, indices_out_of_range_are_refused_on_every_rank) {
  const team t(comm());
  const bool is_last = rank() == size() - 1;
  for (const distribution& d : {distribution::block(t, 10), distribution::cyclic(t, 10)}) {
    const std::vector<index_t> refs{0, is_last ? 10 : 1}, low{is_last ? -1 : 0};
    EXPECT_THAT(
        refusal([&] { irregular_plan(d, refs); }),
        HasSubstr("reference 1 of rank " + std::to_string(size() - 1) + " is to element 10; elements are 0 … 9"));
    EXPECT_THAT(refusal([&] { irregular_plan(d, low); }), HasSubstr("is to element -1"));
    irregular_plan p(d, std::vector<index_t>{9, 9}, {.method = "near-staged"});
    EXPECT_THAT(refusal([&] { p.update(refs); }), HasSubstr("is to element 10"));
    std::vector<index_t> x(static_cast<std::size_t>(d.owned()), 4), out(2);
    p.gather(x, out);  // as it was
    EXPECT_EQ(out, (std::vector<index_t>{4, 4}));
  }
}

TEST_F(IrregularPlanTest, methods_and_options_are_checked) {
  const team t(comm());
  const distribution d = distribution::block(t, 10);
  EXPECT_THAT(refusal([&] { irregular_plan(d, {}, {.method = "fast"}); }),
              HasSubstr("no method to gather 'fast'; there are near-direct"));
  EXPECT_THAT(refusal([&] { irregular_plan(d, {}, {.element_bytes = 0}); }), HasSubstr("elements of 0 bytes"));
  if (size() == 1) return;
  const auto order = rank() == 0 ? scatter_order::plan : scatter_order::canonical;
  EXPECT_THAT(refusal([&] { irregular_plan(d, {}, {.order = order}); }), HasSubstr("must be the same on every rank"));
}

TEST_F(IrregularPlanTest, arrays_of_another_plan_are_refused) {
  const team t(comm());
  const distribution d = distribution::block(t, 10 * size());
  const std::vector<index_t> refs{0, 10 * size() - 1, 0};
  irregular_plan p(d, refs, {.budget_s = 0.01});
  std::vector<double> x(static_cast<std::size_t>(p.map().total())), out(3), two(2), longer(x.size() + 1);
  const std::vector<double> constant(x.size());
  EXPECT_THAT(refusal([&] { p.gather_ghosts(longer); }), HasSubstr("got an x of " + std::to_string(longer.size())));
  EXPECT_THAT(refusal([&] { p.gather(x, two); }), HasSubstr("values for 2 references; this plan has 3"));
  EXPECT_THAT(refusal([&] { p.gather(longer, out); }), HasSubstr("(which x may have or not)"));
  EXPECT_THAT(refusal([&] { p.gather(x, out, 2); }), HasSubstr(""));
  std::vector<float> narrow(3);
  EXPECT_THAT(refusal([&] { p.gather(x, narrow); }), HasSubstr("elements of 8 bytes and values of 4 bytes"));
  const irregular_item unwritable{array_of(constant), {}};
  EXPECT_THAT(refusal([&] { p.run({irregular_kind::gather_ghosts, {&unwritable, 1}}); }), HasSubstr("constant array"));
  EXPECT_THAT(refusal([&] { p.scatter(narrow, x); }), HasSubstr("elements of 8 bytes and values of 4 bytes"));
  const std::vector<char> messages(3);
  std::vector<char> word(x.size());
  EXPECT_THAT(refusal([&] { p.scatter(messages, word); }), HasSubstr("no 4- or 8-byte numbers"));
  p.gather(x, out);  // still as it was
}

TEST_F(IrregularPlanTest, one_operation_at_a_time) {
  const team t(comm());
  const distribution d = distribution::block(t, 10);
  irregular_plan p(d, std::vector<index_t>{3}, {.budget_s = 0.01});
  std::vector<double> x(static_cast<std::size_t>(p.map().total()), 2.0), out(1);
  p.start_gather(x, out);
  EXPECT_THAT(refusal([&] { p.gather(x, out); }), HasSubstr("while in flight"));
  EXPECT_THAT(refusal([&] { p.update(std::vector<index_t>{4}); }), HasSubstr("while in flight"));
  p.finish();
  EXPECT_EQ(out[0], 2.0);
  EXPECT_THAT(refusal([&] { p.finish(); }), HasSubstr("was finished without a start"));
  p.start_gather(x, out);
  irregular_plan moved = std::move(p);
  moved.finish();
  out[0] = 0;
  {
    irregular_plan dropped(d, std::vector<index_t>{3}, {.budget_s = no_tuning});
    dropped.start_gather(x, out);
  }
  EXPECT_EQ(out[0], 2.0) << "destroying a plan finishes what it has in flight";
  moved.gather(x, out);
  EXPECT_THAT(refusal([&] { p.gather(x, out); }), HasSubstr("moved from"));
}

}  // namespace
}  // namespace nearfar::test
