// SPDX-License-Identifier: BSD-3-Clause
// Operations on arrays in GPU memory: the bits of those of the host, whichever ranks and arrays are on a GPU. On a GPU,
// or on the stand-in.
#include <take_gpu.hpp>

#include "random_references.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__,
                                              {.ranks = {1, 2, 3, 4}, .node_sizes = {0, 1, 2}, .on_cluster = false}};

using ::testing::HasSubstr;

/// An array of the host, and the same one where the test wants it.
template <class T>
class both_arrays {
 public:
  both_arrays(index_t values, bool is_on_gpu, std::uint64_t round) : is_on_gpu_(is_on_gpu), there_(values) {
    for (index_t k = 0; k < values; ++k)
      there_.host[as_size(k)] = value_of<T>(static_cast<std::uint64_t>(k), as_size(values), round);
    host = there_.host;
    if (is_on_gpu_ && values > 0) there_.up();
  }
  std::span<T> there() { return is_on_gpu_ ? std::span<T>(there_.gpu(), host.size()) : std::span<T>(there_.host); }
  /// Of the first values.
  bool is_same(index_t values) {
    if (is_on_gpu_ && !host.empty()) there_.down();
    return std::memcmp(host.data(), there_.host.data(), as_size(values) * sizeof(T)) == 0;
  }
  bool is_same() { return is_same(as_index(host.size())); }
  std::vector<T> host;

 private:
  bool is_on_gpu_;
  twin<T> there_;
};

class IrregularOnGpu : public on_gpu<MpiTest> {
 protected:
  /// Whether this rank's array of this number is on the GPU.
  bool draws_gpu(unsigned number) { return (where_ >> (number % 4 + 4 * static_cast<unsigned>(rank()))) % 2 == 1; }

  /// By this method where it can be had.
  static irregular_plan plan_for(const distribution& d, const std::vector<index_t>& references,
                                 const std::string& method, scatter_order order) {
    try {
      return irregular_plan(d, references, {.method = method, .budget_s = 0.001, .order = order});
    } catch (const usage_error&) {
      return irregular_plan(d, references, {.method = "isend", .order = order});
    }
  }

  template <class T, class Op>
  void expect_same_bits(irregular_plan& p, index_t components, const Op& how) {
    const index_t owned = p.map().owned() * components, total = p.map().total() * components;
    const index_t referred = p.references() * components;
    ++round_;
    both_arrays<T> x(total, draws_gpu(0), round_), no_ghosts(owned, draws_gpu(1), round_);
    both_arrays<T> out(referred, draws_gpu(2), round_), other(referred, draws_gpu(3), round_);
    const auto a = [&](std::span<T> v) { return array_of(v, components); };
    p.gather_ghosts(a(x.host)), p.gather_ghosts(a(x.there()));
    EXPECT_TRUE(x.is_same()) << "gather_ghosts: " << p.describe();
    p.scatter_ghosts(a(x.host), how), p.scatter_ghosts(a(x.there()), how);
    EXPECT_TRUE(x.is_same()) << "scatter_ghosts: " << p.describe();
    p.assemble_ghosts(a(x.host), how), p.assemble_ghosts(a(x.there()), how);
    EXPECT_TRUE(x.is_same()) << "assemble_ghosts: " << p.describe();
    p.gather(a(x.host), a(out.host)), p.gather(a(x.there()), a(out.there()));
    EXPECT_TRUE(x.is_same() && out.is_same()) << "gather: " << p.describe();
    const std::span<const T> constant_here(no_ghosts.host), constant_there(no_ghosts.there());
    p.gather(array_of(constant_here, components), a(other.host));
    p.gather(array_of(constant_there, components), a(other.there()));
    EXPECT_TRUE(no_ghosts.is_same() && other.is_same()) << "gather without ghosts: " << p.describe();
    p.scatter(a(out.host), a(x.host), how), p.scatter(a(out.there()), a(x.there()), how);
    EXPECT_TRUE(x.is_same(owned) && out.is_same()) << "scatter: " << p.describe();
    p.scatter(a(other.host), a(no_ghosts.host), how), p.scatter(a(other.there()), a(no_ghosts.there()), how);
    EXPECT_TRUE(no_ghosts.is_same() && other.is_same()) << "scatter without ghosts: " << p.describe();
    p.assemble(a(out.host), how), p.assemble(a(out.there()), how);
    EXPECT_TRUE(out.is_same()) << "assemble: " << p.describe();
    const irregular_item here[] = {{a(x.host), a(out.host)}, {a(x.host), a(other.host)}};
    const irregular_item there[] = {{a(x.there()), a(out.there())}, {a(x.there()), a(other.there())}};
    p.run({irregular_kind::gather, here, {}});
    p.start({irregular_kind::gather, there, {}});
    while (!p.test()) {
    }
    p.finish();
    EXPECT_TRUE(x.is_same() && out.is_same() && other.is_same()) << "two at once: " << p.describe();
  }

  unsigned where_ = 0xffff;
  std::uint64_t round_ = 0;
};

TEST_F(IrregularOnGpu, all_operations_have_the_bits_of_the_host_whoever_is_on_a_gpu) {
  const team t(comm());
  const custom_op subtract{[](double a, double b) { return a - b; }, 0.0};
  const std::vector<std::string> names{"", "isend", "once", "near-staged"};
  unsigned seed = 5;
  for (const unsigned where : {0xffffU, 0x5aa5U, 0x31c7U})
    for (const scatter_order order : {scatter_order::plan, scatter_order::canonical}) {
      where_ = where;
      let_stand_in_run_kernels(seed % 3 != 0);
      random_references c(++seed, t);
      const distribution d = c.make_distribution(t);
      const auto& mine = c.references[static_cast<std::size_t>(rank())];
      irregular_plan p = plan_for(d, mine, names[seed % names.size()], order);
      expect_same_bits<double>(p, 1, reduce_op::sum);
      expect_same_bits<float>(p, 3, reduce_op::max);
      expect_same_bits<double>(p, 1, subtract);
      c.draw_references();
      p.update(c.references[static_cast<std::size_t>(rank())]);
      expect_same_bits<std::int32_t>(p, 1, reduce_op::replace);
      NEARFAR_ASSERT_ALL(!HasFailure());
    }
}

/// Pinning takes longer than a gather: what the first call of a kind has pinned serves all later ones, and after an
/// update of the references only what has grown is pinned anew.
TEST_F(IrregularOnGpu, images_of_arrays_are_pinned_once) {
  auto* const pins = of_stand_in<std::size_t>("mock_cuda_pins_made");
  if (!pins) GTEST_SKIP() << "a GPU does not count";
  let_stand_in_run_kernels(false);
  const team t(comm());
  std::vector<index_t> all(as_size(4 * size()));
  std::iota(all.begin(), all.end(), index_t{0});
  irregular_plan p(distribution::block(t, 4 * size()), all, {.method = "isend"});
  twin<double> x(p.map().total()), values(p.references());
  const std::span x_there(x.gpu(), x.host.size()), values_there(values.gpu(), values.host.size());
  const auto call_each = [&] {
    p.gather_ghosts(x_there), p.scatter_ghosts(x_there, reduce_op::sum);
    p.gather(x_there, values_there), p.scatter(values_there, x_there, reduce_op::sum);
  };
  const std::size_t before = *pins;
  call_each();
  const std::size_t first = *pins;
  EXPECT_GT(first, before);
  for (int n = 0; n < 3; ++n) call_each();
  EXPECT_EQ(*pins, first);
}

TEST_F(IrregularOnGpu, wrong_arrays_and_calls_in_flight_are_refused_as_those_of_the_host) {
  const team t(comm());
  std::vector<index_t> all(as_size(4 * size()));
  std::iota(all.begin(), all.end(), index_t{0});
  irregular_plan p(distribution::block(t, 4 * size()), all, {.method = "isend"});
  twin<double> x(p.map().total()), values(p.references()), wrong(p.references() + 1);
  const std::span x_there(x.gpu(), x.host.size()), values_there(values.gpu(), values.host.size());
  const std::span wrong_there(wrong.gpu(), wrong.host.size());
  EXPECT_THROW(p.gather(x_there, wrong_there), usage_error);
  EXPECT_THROW(p.gather_ghosts(wrong_there), usage_error);
  for (double& v : x.host) v = rank() + 1;
  x.up();
  p.start_gather(x_there, values_there);
  EXPECT_THROW(p.gather(x_there, values_there), usage_error);
  p.finish();
  values.down();
  for (index_t k = 0; k < p.references(); ++k) EXPECT_EQ(values.host[as_size(k)], static_cast<double>(k / 4 + 1));
  EXPECT_THAT(p.describe(), HasSubstr("arrays in GPU memory"));
}

}  // namespace
}  // namespace nearfar::test
