// SPDX-License-Identifier: BSD-3-Clause
// Reductions over all threads of all ranks against sums worked out one by one: sizes, types, operations, roots, views.
#include <array>
#include <cstring>
#include <optional>
#include <random>

#include "thread_crowd.hpp"

namespace nearfar {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3}, .node_sizes = {0, 2}}};

using test::findings;
using test::input_number;
using test::on_all_threads;
using test::whole_numbers;

constexpr index_t sizes[] = {0, 1, 7, 57, 140, 141, 280, 281, 519, 5000, 20000};

template <class T>
struct kind_of_number;
template <>
struct kind_of_number<double> {
  static MPI_Datatype type() { return MPI_DOUBLE; }
};
template <>
struct kind_of_number<float> {
  static MPI_Datatype type() { return MPI_FLOAT; }
};
template <>
struct kind_of_number<std::int32_t> {
  static MPI_Datatype type() { return MPI_INT32_T; }
};
template <>
struct kind_of_number<std::int64_t> {
  static MPI_Datatype type() { return MPI_INT64_T; }
};

template <class T>
T combined(MPI_Op op, T a, T b) {
  if (op == MPI_SUM) return static_cast<T>(a + b);
  if (op == MPI_MAX) return a < b ? b : a;
  return b < a ? b : a;
}

/// The elements first <= i < last of the reduction of all threads' whole_numbers.
template <class T>
std::vector<T> expected(MPI_Op op, std::uint64_t seed, index_t threads, index_t first, index_t last) {
  std::vector<T> result(as_size(last - first));
  for (index_t i = first; i < last; ++i) {
    T value = static_cast<T>(input_number(seed, 0, i) % 100);
    for (index_t t = 1; t < threads; ++t) value = combined(op, value, static_cast<T>(input_number(seed, t, i) % 100));
    result[as_size(i - first)] = value;
  }
  return result;
}

class thread_reductions : public test::MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    members_.emplace(comm());
  }
  void TearDown() override {
    members_.reset();
    MpiTest::TearDown();
  }
  const team& members() const { return *members_; }

  /// Runs on teams of 2 and 5 threads, and on one where ranks have 1, 2 or 3.
  void on_teams(const std::function<void(const thread_team&, findings&)>& body) {
    for (const int threads : {2, 5, 1 + rank() % 3}) {
      findings found;
      body(thread_team(members(), threads), found);
      EXPECT_EQ(found.text(), "");
    }
  }

 private:
  std::optional<team> members_;
};

template <class T>
void all_sizes(const thread_team& all, findings& found, MPI_Op op) {
  on_all_threads(all, found, [&](thread_rank& me) {
    std::uint64_t seed = 1;
    for (const index_t n : sizes) {
      ++seed;
      const auto in = whole_numbers<T>(seed, me.number(), n);
      const auto right = expected<T>(op, seed, all.size(), 0, n);
      std::vector<T> out(as_size(n), T{77});
      me.allreduce(in.data(), out.data(), n, kind_of_number<T>::type(), op);
      found.expect(out == right, text("allreduce of ", n));
      out = in;
      me.allreduce(MPI_IN_PLACE, out.data(), n, kind_of_number<T>::type(), op);
      found.expect(out == right, text("allreduce in place of ", n));
      const void* seen = me.allreduce_view(in.data(), n, kind_of_number<T>::type(), op);
      found.expect(n == 0 || std::memcmp(seen, right.data(), as_size(n) * sizeof(T)) == 0, text("view of ", n));
    }
  });
}

TEST_F(thread_reductions, give_the_sum_at_every_size) {
  on_teams([](const thread_team& all, findings& found) {
    all_sizes<double>(all, found, MPI_SUM);
    all_sizes<std::int32_t>(all, found, MPI_SUM);
  });
}

// More calls than it takes to try every method.
TEST_F(thread_reductions, give_the_sum_by_every_method) {
  on_teams([](const thread_team& all, findings& found) {
    on_all_threads(all, found, [&](thread_rank& me) {
      constexpr index_t n = 3001;
      for (std::uint64_t seed = 1; seed < 16; ++seed) {
        const auto in = whole_numbers<double>(seed, me.number(), n);
        const auto right = expected<double>(MPI_SUM, seed, all.size(), 0, n);
        std::vector<double> out(as_size(n), -1.0);
        me.allreduce(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM);
        found.expect(out == right, text("allreduce ", seed));
        const void* seen = me.allreduce_view(in.data(), n, MPI_DOUBLE, MPI_SUM);
        found.expect(std::memcmp(seen, right.data(), as_size(n) * sizeof(double)) == 0, text("view ", seed));
      }
    });
  });
}

TEST_F(thread_reductions, give_the_sum_of_arrays_beyond_the_caches) {
  constexpr index_t n = 140'000;  // more than 1 MiB
  const thread_team all(members(), 2);
  const auto right = expected<double>(MPI_SUM, 77, all.size(), 0, n);
  findings found;
  on_all_threads(all, found, [&](thread_rank& me) {
    const auto in = whole_numbers<double>(77, me.number(), n);
    std::vector<double> out(as_size(n), -1.0);
    me.allreduce(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM);
    found.expect(out == right, "large allreduce");
    out = in;
    me.allreduce(MPI_IN_PLACE, out.data(), n, MPI_DOUBLE, MPI_SUM);
    found.expect(out == right, "large allreduce in place");
  });
  EXPECT_EQ(found.text(), "");
}

TEST_F(thread_reductions, give_least_and_greatest) {
  on_teams([](const thread_team& all, findings& found) {
    all_sizes<float>(all, found, MPI_MAX);
    all_sizes<std::int64_t>(all, found, MPI_MIN);
  });
}

TEST_F(thread_reductions, give_the_same_bits_to_all) {
  on_teams([&](const thread_team& all, findings& found) {
    for (const index_t n : {index_t{5}, index_t{20000}}) {
      std::vector<double> first(as_size(n));
      const auto input = [&](index_t thread, index_t i) {
        return static_cast<double>(input_number(9, thread, i)) / 3.0 - 1e18;
      };
      on_all_threads(all, found, [&](thread_rank& me) {
        std::vector<double> in(as_size(n)), out(as_size(n));
        for (index_t i = 0; i < n; ++i) in[as_size(i)] = input(me.number(), i);
        me.allreduce(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM);
        if (me.thread() == 0) first = out;
        me.barrier();
        found.expect(out == first, "threads of one rank see different bits");
        if (members().size() > 1) return;
        for (index_t i = 0; i < n; ++i) {
          double sum = input(0, i);
          for (int t = 1; t < all.threads(); ++t) sum += input(t, i);
          found.expect(out[as_size(i)] == sum, "not summed in the order of threads");
        }
      });
      std::vector<double> of_root = first;
      MPI_Bcast(of_root.data(), static_cast<int>(n), MPI_DOUBLE, 0, comm());
      EXPECT_EQ(std::memcmp(of_root.data(), first.data(), as_size(n) * sizeof(double)), 0);
    }
  });
}

TEST_F(thread_reductions, leave_the_result_with_the_root_alone) {
  on_teams([&](const thread_team& all, findings& found) {
    on_all_threads(all, found, [&](thread_rank& me) {
      std::uint64_t seed = 100;
      for (const index_t n : sizes) {
        const int root_rank = static_cast<int>(seed % static_cast<std::uint64_t>(members().size()));
        const int root_thread = static_cast<int>(seed % static_cast<std::uint64_t>(all.threads_of(root_rank)));
        const bool is_root = members().rank() == root_rank && me.thread() == root_thread;
        auto in = whole_numbers<double>(++seed, me.number(), n);
        const auto kept = in;
        std::vector<double> out(as_size(n), -1.0);
        me.reduce(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM, root_rank, root_thread);
        found.expect(in == kept, "the input was written");
        const auto right =
            is_root ? expected<double>(MPI_SUM, seed, all.size(), 0, n) : std::vector<double>(as_size(n), -1.0);
        found.expect(out == right, text("reduce of ", n));
        me.reduce(is_root ? MPI_IN_PLACE : in.data(), is_root ? in.data() : nullptr, n, MPI_DOUBLE, MPI_SUM, root_rank,
                  root_thread);
        found.expect(in == (is_root ? right : kept), text("reduce in place of ", n));
      }
    });
  });
}

TEST_F(thread_reductions, leave_each_thread_its_block) {
  on_teams([](const thread_team& all, findings& found) {
    on_all_threads(all, found, [&](thread_rank& me) {
      std::uint64_t seed = 200;
      for (const index_t n : {0, 1, 3, 8, 500, 2000}) {
        const auto in = whole_numbers<std::int64_t>(++seed, me.number(), n * all.size());
        std::vector<std::int64_t> out(as_size(n), -1);
        me.reduce_scatter_block(in.data(), out.data(), n, MPI_INT64_T, MPI_SUM);
        const index_t first = me.number() * n;
        found.expect(out == expected<std::int64_t>(MPI_SUM, seed, all.size(), first, first + n), text("blocks of ", n));
      }
    });
  });
}

TEST_F(thread_reductions, write_wanted_results_only) {
  on_teams([](const thread_team& all, findings& found) {
    for (const index_t n : {index_t{3}, index_t{700}, index_t{9000}}) {
      std::vector<double> only(as_size(n));
      on_all_threads(all, found, [&](thread_rank& me) {
        const auto in = whole_numbers<double>(5, me.number(), n);
        me.allreduce(in.data(), me.thread() == all.threads() - 1 ? only.data() : nullptr, n, MPI_DOUBLE, MPI_SUM);
      });
      found.expect(only == expected<double>(MPI_SUM, 5, all.size(), 0, n), text("the only result of ", n));
    }
  });
}

// x -> (x * scale + shift) modulo a prime: putting such maps after one another does not commute.
struct affine_map {
  std::int64_t scale, shift;
};
constexpr std::int64_t prime = 1'000'003;

affine_map after(const affine_map& first, const affine_map& second) {
  return {first.scale * second.scale % prime, (first.shift * second.scale + second.shift) % prime};
}

void compose_maps(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* left = static_cast<const affine_map*>(in);
  auto* right = static_cast<affine_map*>(inout);
  for (int i = 0; i < *count; ++i) right[i] = after(left[i], right[i]);
}

affine_map map_of(index_t thread, index_t i) {
  const std::uint64_t v = input_number(3, thread, i);
  return {static_cast<std::int64_t>(v % 1000) + 1, static_cast<std::int64_t>(v / 1000 % 1000)};
}

TEST_F(thread_reductions, keep_the_order_of_operations_that_do_not_commute) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Op compose = MPI_OP_NULL;
  MPI_Type_contiguous(2, MPI_INT64_T, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(compose_maps, 0, &compose);
  on_teams([&](const thread_team& all, findings& found) {
    on_all_threads(all, found, [&](thread_rank& me) {
      for (const index_t n : {1, 70, 71, 400, 3000}) {
        std::vector<affine_map> in(as_size(n)), out(as_size(n));
        for (index_t i = 0; i < n; ++i) in[as_size(i)] = map_of(me.number(), i);
        me.allreduce(in.data(), out.data(), n, pair, compose);
        bool is_right = true;
        for (index_t i = 0; i < n; ++i) {
          affine_map whole = map_of(0, i);
          for (index_t t = 1; t < all.size(); ++t) whole = after(whole, map_of(t, i));
          is_right = is_right && whole.scale == out[as_size(i)].scale && whole.shift == out[as_size(i)].shift;
        }
        found.expect(is_right, text("composition of ", n));
      }
    });
  });
  MPI_Op_free(&compose);
  MPI_Type_free(&pair);
}

TEST_F(thread_reductions, find_the_place_of_the_least) {
  struct placed {
    double value;
    int place;
  };
  on_teams([](const thread_team& all, findings& found) {
    on_all_threads(all, found, [&](thread_rank& me) {
      for (const index_t n : {1, 5, 300}) {
        std::vector<placed> in(as_size(n)), out(as_size(n));
        const auto value = [](index_t t, index_t i) { return static_cast<double>(input_number(8, t, i) % 50); };
        for (index_t i = 0; i < n; ++i) in[as_size(i)] = {value(me.number(), i), static_cast<int>(me.number())};
        me.allreduce(in.data(), out.data(), n, MPI_DOUBLE_INT, MPI_MINLOC);
        for (index_t i = 0; i < n; ++i) {
          index_t least = 0;
          for (index_t t = 1; t < all.size(); ++t)
            if (value(t, i) < value(least, i)) least = t;
          found.expect(out[as_size(i)].value == value(least, i) && out[as_size(i)].place == least, "least value");
        }
      }
    });
  });
}

TEST_F(thread_reductions, leave_gaps_between_elements_alone) {
  MPI_Datatype gapped = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT32_T, 0, 8, &gapped);
  MPI_Type_commit(&gapped);
  MPI_Op add = MPI_OP_NULL;
  MPI_Op_create(
      [](void* in, void* inout, int* count, MPI_Datatype*) {
        for (int i = 0; i < *count; ++i)
          static_cast<std::int32_t*>(inout)[2 * i] += static_cast<std::int32_t*>(in)[2 * i];
      },
      1, &add);
  on_teams([&](const thread_team& all, findings& found) {
    on_all_threads(all, found, [&](thread_rank& me) {
      for (const index_t n : {1, 40, 900}) {
        std::vector<std::array<std::int32_t, 2>> in(as_size(n)), out(as_size(n), {-1, 12345});
        const auto values = whole_numbers<std::int32_t>(6, me.number(), n);
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = {values[i], static_cast<std::int32_t>(me.number())};
        me.allreduce(in.data(), out.data(), n, gapped, add);
        const auto right = expected<std::int32_t>(MPI_SUM, 6, all.size(), 0, n);
        for (std::size_t i = 0; i < in.size(); ++i)
          found.expect(out[i][0] == right[i] && out[i][1] == 12345, text("gapped elements, ", n));
      }
    });
  });
  MPI_Op_free(&add);
  MPI_Type_free(&gapped);
}

TEST_F(thread_reductions, stay_right_in_any_order_of_calls) {
  on_teams([](const thread_team& all, findings& found) {
    on_all_threads(all, found, [&](thread_rank& me) {
      std::mt19937 random(4242);  // the same calls on every thread
      for (int call = 0; call < 60; ++call) {
        const index_t n = static_cast<index_t>(random() % 3 == 0 ? random() % 3000 : random() % 300);
        const std::uint64_t seed = random();
        const int kind = static_cast<int>(random() % 4);
        auto in = whole_numbers<double>(seed, me.number(), n);
        const auto right = expected<double>(MPI_SUM, seed, all.size(), 0, n);
        if (kind == 0) me.barrier();
        if (kind == 1) {
          const auto* seen = static_cast<const double*>(me.allreduce_view(in.data(), n, MPI_DOUBLE, MPI_SUM));
          found.expect(std::equal(right.begin(), right.end(), seen), "view among other calls");
        } else {
          me.allreduce(MPI_IN_PLACE, in.data(), n, MPI_DOUBLE, MPI_SUM);
          found.expect(in == right, "allreduce among other calls");
        }
      }
    });
  });
}

// So many calls of one size that both methods are tried: neither may take an input that is a result already.
TEST_F(thread_reductions, stay_right_in_place_while_methods_are_tried) {
  if (size() > 1) GTEST_SKIP() << "on one rank";
  const thread_team all(team(MPI_COMM_SELF), 3);
  findings found;
  on_all_threads(all, found, [&](thread_rank& me) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      auto data = whole_numbers<double>(seed, me.number(), 700);
      me.allreduce(MPI_IN_PLACE, data.data(), 700, MPI_DOUBLE, MPI_SUM);
      found.expect(data == expected<double>(MPI_SUM, seed, all.size(), 0, 700), text("call ", seed));
    }
  });
  EXPECT_EQ(found.text(), "");
}

TEST_F(thread_reductions, use_the_programs_own_reduction_over_ranks) {
  struct counted {
    MPI_Comm comm;
    int calls;
  } own{comm(), 0};
  thread_team_options options;
  options.rank_allreduce.context = &own;
  options.rank_allreduce.run = [](void* context, void* data, std::int64_t count, MPI_Datatype type, MPI_Op op) {
    auto* mine = static_cast<counted*>(context);
    ++mine->calls;
    MPI_Allreduce(MPI_IN_PLACE, data, static_cast<int>(count), type, op, mine->comm);
  };
  const thread_team all(members(), 2, options);
  findings found;
  all_sizes<double>(all, found, MPI_SUM);
  EXPECT_EQ(found.text(), "");
  EXPECT_EQ(own.calls > 0, size() > 1);
}

}  // namespace
}  // namespace nearfar
