// SPDX-License-Identifier: BSD-3-Clause
// Every method gathers and scatters as the serial oracles do, bit for bit, whatever the distribution, type and number
// of components.
#include <mpi_test.hpp>
#include <thread>

#include "random_references.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 4}}};

struct triple {
  double a;
  float b;
  std::int32_t c;
  std::int64_t d;
};

class IrregularTest : public MpiTest {
 protected:
  std::vector<std::string> names_here(const team& t) {
    std::vector<std::string> names;
    for (const auto& m : methods("irregular")) {
      try {
        const distribution d = distribution::block(t, 1);
        const irregular_plan p(d, {}, {.method = m.name});
        names.push_back(m.name);
      } catch (const usage_error&) {
      }
    }
    return names;
  }

  template <class T>
  std::vector<T> own_values(const random_references& c, index_t components, std::uint64_t round) {
    std::vector<T> x;
    for (const index_t g : c.owned[static_cast<std::size_t>(rank())])
      for (index_t i = 0; i < components; ++i)
        x.push_back(value_of<T>(static_cast<std::uint64_t>(g), static_cast<std::uint64_t>(i), round));
    return x;
  }
  template <class T>
  std::vector<T> all_values(const random_references& c, index_t components, std::uint64_t round) {
    std::vector<T> x;
    for (index_t g = 0; g < c.elements; ++g)
      for (index_t i = 0; i < components; ++i)
        x.push_back(value_of<T>(static_cast<std::uint64_t>(g), static_cast<std::uint64_t>(i), round));
    return x;
  }
  template <class T>
  std::vector<T> reference_values(const random_references& c, int r, index_t components, std::uint64_t round) {
    std::vector<T> v;
    for (std::size_t k = 0; k < c.references[static_cast<std::size_t>(r)].size(); ++k)
      for (index_t i = 0; i < components; ++i)
        v.push_back(value_of<T>(k + 1000, static_cast<std::uint64_t>(i * 64 + r), round));
    return v;
  }
  template <class T>
  std::vector<std::vector<T>> of_all_ranks(const random_references& c, index_t components, std::uint64_t round) {
    std::vector<std::vector<T>> all;
    for (int r = 0; r < size(); ++r) all.push_back(reference_values<T>(c, r, components, round));
    return all;
  }
  template <class T>
  bool same_bits(const std::vector<T>& a, const T* b) {
    return a.empty() || std::memcmp(a.data(), b, a.size() * sizeof(T)) == 0;
  }
  /// This rank's part of a whole array.
  template <class T>
  std::vector<T> own_part(const random_references& c, const std::vector<T>& all, index_t components) {
    std::vector<T> x;
    for (const index_t g : c.owned[static_cast<std::size_t>(rank())])
      for (index_t i = 0; i < components; ++i) x.push_back(all[static_cast<std::size_t>(g * components + i)]);
    return x;
  }

  template <class T>
  void check_gather(irregular_plan& p, const random_references& c, index_t components, bool in_near_memory) {
    const std::uint64_t round = ++round_;
    const auto own = own_values<T>(c, components, round);
    const auto all = all_values<T>(c, components, round);
    irregular_vector<T> near(p, components);
    std::vector<T> plain(near.size());
    T* const x = in_near_memory ? near.data() : plain.data();
    const std::span<T> whole(x, near.size());
    std::copy(own.begin(), own.end(), x);
    const auto& mine = c.references[static_cast<std::size_t>(rank())];
    std::vector<T> wanted, out(mine.size() * static_cast<std::size_t>(components));
    for (const index_t g : mine)
      for (index_t i = 0; i < components; ++i) wanted.push_back(all[static_cast<std::size_t>(g * components + i)]);
    p.gather_ghosts(array_of(whole, components));
    for (std::size_t k = 0; k < mine.size(); ++k)
      std::copy_n(x + p.local_indices()[k] * components, components, out.data() + static_cast<index_t>(k) * components);
    EXPECT_TRUE(same_bits(wanted, out.data())) << "gather_ghosts";
    EXPECT_TRUE(same_bits(own, x)) << "gather_ghosts changed own elements";
    std::fill(x + own.size(), x + near.size(), T{});
    std::fill(out.begin(), out.end(), T{});
    p.gather(whole, out, components);
    EXPECT_TRUE(same_bits(wanted, out.data())) << "gather";
    std::fill(out.begin(), out.end(), T{});
    p.gather(own, out, components);
    EXPECT_TRUE(same_bits(wanted, out.data())) << "gather of an array without ghosts";
    std::fill(out.begin(), out.end(), T{});
    p.start_gather(own, out, components);
    p.test();
    p.finish();
    EXPECT_TRUE(same_bits(wanted, out.data())) << "start_gather";
  }

  template <class T, class How, class Op>
  void check_scatter(irregular_plan& p, const random_references& c, index_t components, bool in_near_memory,
                     scatter_order order, How how, Op op) {
    const std::uint64_t round = ++round_;
    const auto all = all_values<T>(c, components, round);
    const auto values = of_all_ranks<T>(c, components, round);
    const auto& mine = values[static_cast<std::size_t>(rank())];
    const auto wanted = own_part(c, scattered(c, all, values, components, order, op), components);
    const auto own = own_values<T>(c, components, round);
    irregular_vector<T> near(p, components);
    std::vector<T> plain(near.size());
    T* const x = in_near_memory ? near.data() : plain.data();
    std::copy(own.begin(), own.end(), x);
    p.scatter(mine, std::span<T>(x, near.size()), how, components);
    EXPECT_TRUE(same_bits(wanted, x)) << "scatter";
    std::vector<T> without = own;
    p.scatter(mine, without, how, components);
    EXPECT_TRUE(same_bits(wanted, without.data())) << "scatter to an array without ghosts";
    without = own;
    {
      p.start_scatter(mine, without, how, components);
      while (!p.test()) std::this_thread::yield();
      p.finish();
    }
    EXPECT_TRUE(same_bits(wanted, without.data())) << "start_scatter";
  }

  /// Partial results put into the ghosts by hand, then scatter_ghosts and assemble_ghosts.
  void check_ghosts(irregular_plan& p, const random_references& c, bool in_near_memory) {
    const std::uint64_t round = ++round_;
    const std::vector<index_t> ghosts = p.ghost_indices();
    const auto own = own_values<double>(c, 1, round);
    irregular_vector<double> near(p);
    std::vector<double> plain(near.size());
    const std::span<double> x(in_near_memory ? near.data() : plain.data(), near.size());
    const auto ghost_value = [](index_t g, int r) {
      return value_of<double>(static_cast<std::uint64_t>(g), static_cast<std::uint64_t>(r), 77);
    };
    const auto set = [&] {
      std::copy(own.begin(), own.end(), x.begin());
      for (std::size_t i = 0; i < ghosts.size(); ++i) x[own.size() + i] = ghost_value(ghosts[i], rank());
    };
    std::vector<double> all = all_values<double>(c, 1, round);
    for (int r = 0; r < size(); ++r) {
      std::vector<index_t> unique = c.references[static_cast<std::size_t>(r)];
      std::sort(unique.begin(), unique.end());
      unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
      for (const index_t g : unique)
        if (c.owner[static_cast<std::size_t>(g)] != r) all[static_cast<std::size_t>(g)] += ghost_value(g, r);
    }
    const auto wanted = own_part(c, all, 1);
    set();
    p.scatter_ghosts(x);
    EXPECT_TRUE(same_bits(wanted, x.data())) << "scatter_ghosts";
    set();
    p.assemble_ghosts(x);
    EXPECT_TRUE(same_bits(wanted, x.data())) << "assemble_ghosts";
    for (std::size_t i = 0; i < ghosts.size(); ++i)
      EXPECT_EQ(x[own.size() + i], all[static_cast<std::size_t>(ghosts[i])]) << "assemble_ghosts, ghost " << i;
    const std::vector<double> at_once(x.data(), x.data() + x.size());
    set();
    p.start_assemble_ghosts(x);
    p.finish();
    EXPECT_TRUE(same_bits(at_once, x.data())) << "start_assemble_ghosts";
  }

  void check_assemble(irregular_plan& p, const random_references& c, scatter_order order) {
    const auto values = of_all_ranks<double>(c, 1, 5);
    const std::vector<double> nothing(static_cast<std::size_t>(c.elements), -0.0);
    const auto sums = scattered(c, nothing, values, 1, order, std::plus<>());
    std::vector<double> mine = values[static_cast<std::size_t>(rank())], wanted;
    for (const index_t g : c.references[static_cast<std::size_t>(rank())])
      wanted.push_back(sums[static_cast<std::size_t>(g)]);
    p.assemble(mine);
    EXPECT_TRUE(same_bits(wanted, mine.data())) << "assemble";
    mine = values[static_cast<std::size_t>(rank())];
    p.start_assemble(mine);
    EXPECT_THROW(p.assemble(wanted), usage_error) << "while in flight";
    while (!p.test()) std::this_thread::yield();
    p.finish();
    EXPECT_TRUE(same_bits(wanted, mine.data())) << "start_assemble";
  }

  void check_several(irregular_plan& p, const random_references& c) {
    irregular_vector<double> a(p);
    irregular_vector<std::int32_t> b(p, 2);
    std::vector<float> d(a.size());
    const auto fill = [](auto values, auto* x) { std::copy(values.begin(), values.end(), x); };
    fill(own_values<double>(c, 1, 1), a.data());
    fill(own_values<std::int32_t>(c, 2, 2), b.data());
    fill(own_values<float>(c, 1, 3), d.data());
    p.gather_ghosts(a, b, d);
    const std::vector<index_t> ghosts = p.ghost_indices();
    for (std::size_t i = 0; i < ghosts.size(); ++i) {
      const auto g = static_cast<std::uint64_t>(ghosts[i]);
      const auto at = static_cast<std::size_t>(p.map().owned()) + i;
      EXPECT_EQ(a.data()[at], value_of<double>(g, 0, 1));
      EXPECT_EQ(b.data()[2 * at + 1], value_of<std::int32_t>(g, 1, 2));
      EXPECT_EQ(d[at], value_of<float>(g, 0, 3));
    }
  }

  void check_all(unsigned seed, const std::string& method) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", method '" + method + "'");
    const team t(comm());
    random_references c(seed, t);
    const distribution d = c.make_distribution(t);
    const auto order = seed % 3 == 0 ? scatter_order::canonical : scatter_order::plan;
    irregular_plan p(d, c.references[static_cast<std::size_t>(rank())],
                     {.method = method, .budget_s = 0.005, .order = order});
    const bool in_near_memory = seed % 2 == 0;
    check_gather<double>(p, c, 1, in_near_memory);
    check_gather<std::int32_t>(p, c, 3, !in_near_memory);
    check_gather<char>(p, c, 5, in_near_memory);
    const auto smaller = [](auto a, auto b) { return b < a ? b : a; };
    const auto larger = [](auto a, auto b) { return a < b ? b : a; };
    const auto last = [](auto, auto b) { return b; };
    const auto times = [](auto a, auto b) { return a * b; };
    const auto odd = [](double a, double b) { return b == 1 ? a : a * 0.5 + b; };
    check_scatter<double>(p, c, 1, in_near_memory, order, reduce_op::sum, std::plus<>());
    check_scatter<float>(p, c, 2, in_near_memory, order, reduce_op::sum, std::plus<>());
    check_scatter<std::int32_t>(p, c, 1, in_near_memory, order, reduce_op::min, smaller);
    check_scatter<double>(p, c, 3, in_near_memory, order, reduce_op::max, larger);
    check_scatter<double>(p, c, 1, in_near_memory, order, reduce_op::product, times);
    check_scatter<std::int64_t>(p, c, 1, in_near_memory, order, reduce_op::replace, last);
    if (order == scatter_order::canonical)
      check_scatter<double>(p, c, 1, in_near_memory, order, custom_op{odd, 1.0}, odd);
    check_ghosts(p, c, in_near_memory);
    check_assemble(p, c, order);
    check_several(p, c);
  }

  std::uint64_t round_ = 0;  ///< of values: the same on all ranks, another one for each operation
};

TEST_F(IrregularTest, every_method_does_what_the_oracles_do) {
  const team t(comm());
  std::vector<std::string> names = names_here(t);
  names.push_back("");
  unsigned seed = 1;
  for (const std::string& name : names)
    for (int i = 0; i < 5; ++i) {
      check_all(seed++, name);
      NEARFAR_ASSERT_ALL(!HasFailure());
    }
}

TEST_F(IrregularTest, elements_of_any_type_are_moved) {
  const team t(comm());
  const distribution d = distribution::cyclic(t, 50);
  std::vector<index_t> refs;
  for (index_t g = 49; g >= 0; g -= 1 + rank()) refs.push_back(g);
  irregular_plan p(d, refs, {.method = "near-direct"});
  irregular_vector<triple> x(p);
  for (index_t i = 0; i < d.owned(); ++i) {
    const index_t g = i * size() + rank();
    x[i] = {0.5 * static_cast<double>(g), 1.0F, static_cast<std::int32_t>(g), -g};
  }
  std::vector<triple> out(refs.size());
  p.gather(x, out);
  for (std::size_t k = 0; k < refs.size(); ++k) {
    EXPECT_EQ(out[k].a, 0.5 * static_cast<double>(refs[k]));
    EXPECT_EQ(out[k].d, -refs[k]);
  }
}

}  // namespace
}  // namespace nearfar::test
