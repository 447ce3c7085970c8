// SPDX-License-Identifier: BSD-3-Clause
// Halo plans of arrays in GPU memory: the bits of those of the host, whichever ranks and parts are on a GPU. On a GPU,
// or on the stand-in.
#include <nearfar/nearfar.hpp>
#include <optional>
#include <random>
#include <take_gpu.hpp>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__,
                                              {.ranks = {1, 2, 3, 4}, .node_sizes = {0, 1, 2}, .on_cluster = false}};

using ::testing::HasSubstr;

using HaloOnGpu = on_gpu<MpiTest>;

struct three_floats {
  float a, b, c;
};

/// An array of a tile with ghosts, whose rows run backwards or have gaps: in memory of the host, or in a GPU's.
template <class T>
class tile_array {
 public:
  tile_array(const grid& g, const ghosts& has, bool is_odd, bool is_on_gpu) : is_on_gpu_(is_on_gpu) {
    const box& own = g.own();
    view_.extents.resize(as_size(own.dimensions)), view_.strides.resize(as_size(own.dimensions));
    index_t stride = is_odd ? 2 : 1;
    for (int d = own.dimensions; d-- > 0;) {
      const auto k = as_size(d);
      view_.extents[k] = own.extent(d) + has.low(d) + has.high(d);
      view_.strides[k] = stride;
      stride = stride * view_.extents[k] + (is_odd ? 1 : 0);
    }
    if (own.is_empty()) return;
    if (is_odd) {
      first_ = (view_.extents.back() - 1) * view_.strides.back();
      view_.strides.back() = -view_.strides.back();
    }
    both_.emplace((stride + 1) * index_t{sizeof(T)});
  }
  array_view<T> view() {
    array_view<T> v = view_;
    v.data = static_cast<T*>(data());
    return v;
  }
  void* data() {
    if (!both_) return nullptr;
    return reinterpret_cast<T*>(is_on_gpu_ ? both_->gpu() : both_->host.data()) + first_;
  }
  void fill(unsigned seed) {
    if (!both_) return;
    std::mt19937 random(seed);
    for (unsigned char& b : both_->host) b = static_cast<unsigned char>(random());
    if (is_on_gpu_) both_->up();
  }
  std::vector<unsigned char> bytes() {
    if (!both_) return {};
    if (is_on_gpu_) both_->down();
    return both_->host;
  }

 private:
  bool is_on_gpu_;
  array_view<T> view_;
  index_t first_ = 0;
  std::optional<twin<unsigned char>> both_;
};

struct setting {
  std::vector<index_t> extents;
  ghosts has;
  bool is_odd;
  unsigned on_gpu;  ///< a bit per rank and part
};

/// Two parts of different types in one plan.
class two_parts {
 public:
  two_parts(const grid& g, const setting& s, bool may_be_on_gpu)
      : g_(g),
        s_(s),
        bytes_(g, s.has, s.is_odd, is_on_gpu(0, may_be_on_gpu)),
        reals_(g, s.has, !s.is_odd, is_on_gpu(1, may_be_on_gpu)) {}
  std::vector<halo_part> parts() { return {{g_, bytes_.view(), s_.has}, {g_, reals_.view(), s_.has}}; }
  std::vector<void*> data() { return {bytes_.data(), reals_.data()}; }
  void fill(unsigned seed) { bytes_.fill(seed), reals_.fill(seed + 1); }
  std::vector<std::vector<unsigned char>> bytes() { return {bytes_.bytes(), reals_.bytes()}; }
  bool is_on_gpu(unsigned part, bool may_be = true) const {
    return may_be && (s_.on_gpu >> (2 * static_cast<unsigned>(g_.team().rank()) + part)) % 2 == 1 &&
           !g_.own().is_empty();
  }

 private:
  grid g_;
  setting s_;
  tile_array<three_floats> bytes_;
  tile_array<double> reals_;
};

/// By this method where it can be had; collective.
halo_plan plan_for(const std::vector<halo_part>& parts, const std::string& method) {
  try {
    return halo_plan(parts, {.method = method, .budget_s = 0.001});
  } catch (const usage_error&) {
    return halo_plan(parts, {.method = "isend"});
  }
}

TEST_F(HaloOnGpu, ghosts_have_the_bits_of_the_host_whoever_is_on_a_gpu) {
  const team t(comm());
  const std::vector<std::string> names{"",        "persistent", "near-mixed", "neighbor",          "near-cma",
                                       "leaders", "lanes",      "near-line",  "near-staged+isend", "near-direct"};
  std::size_t next = 0;
  const unsigned all = 0xff;
  unsigned seed = static_cast<unsigned>(rank()) * 1000;
  for (const setting& s :
       {setting{{24}, 2, false, all}, setting{{9, 8}, {{1, 0}, {2, 1}}, true, 0x5a}, setting{{6, 8, 7}, 1, false, 0x36},
        setting{{5, 8, 6}, 1, true, all}, setting{{2, 9}, 1, false, all}, setting{{3}, 1, false, all}}) {
    const grid g(t, s.extents, {.periodic = std::vector<bool>(s.extents.size(), true), .allow_idle = true});
    two_parts on_host(g, s, false), here(g, s, true), other(g, s, true);
    halo_plan truth(on_host.parts(), {.method = "isend"});
    for (const bool has_kernels : {true, false}) {
      let_stand_in_run_kernels(has_kernels);
      halo_plan plan = plan_for(here.parts(), names[next++ % names.size()]);
      for (int round = 0; round < 3; ++round) {
        on_host.fill(++seed), here.fill(seed);
        truth.run();
        plan.start();
        while (round == 1 && !plan.test()) {
        }
        plan.finish();
        EXPECT_EQ(here.bytes(), on_host.bytes()) << plan.describe();
      }
      if (here.is_on_gpu(0)) {
        EXPECT_THAT(plan.describe(), HasSubstr(device::kernel_image() ? "packed by kernels" : "by copies of rows"));
      }
      if (plan.method().find("near-cma") != std::string::npos) continue;  // stays with arrays of the host
      on_host.fill(++seed), other.fill(seed);
      truth.run();
      plan.run(other.data());
      EXPECT_EQ(other.bytes(), on_host.bytes()) << plan.describe();
    }
  }
}

TEST_F(HaloOnGpu, what_does_not_fit_is_refused_where_it_is_given) {
  const team t(comm());
  const grid g(t, {8 * size()}, {.periodic = {true}});
  tile_array<double> on_gpu(g, 1, false, true), on_host(g, 1, false, false);
  halo_plan gpu(g, on_gpu.view(), 1, {.method = "isend"}), host(g, on_host.view(), 1, {.method = "isend"});
  void* const wrong[] = {on_host.data(), on_gpu.data(), nullptr};
  const auto refusal = [](halo_plan& plan, void* const& data) {
    try {
      plan.start({&data, 1});
    } catch (const usage_error& e) {
      return std::string(e.what());
    }
    return std::string("it was taken");
  };
  EXPECT_THAT(refusal(gpu, wrong[0]), HasSubstr("is not in GPU memory, unlike the first"));
  EXPECT_THAT(refusal(host, wrong[1]), HasSubstr("is in GPU memory, unlike the first"));
  EXPECT_THAT(refusal(gpu, wrong[2]), HasSubstr("is null"));
  on_gpu.fill(3), on_host.fill(3);
  gpu.run(), host.run();
  EXPECT_EQ(on_gpu.bytes(), on_host.bytes());
}

TEST_F(HaloOnGpu, without_pins_it_is_the_same_and_said) {
  int* const refuses = of_stand_in<int>("mock_cuda_refuses_pins");
  if (!refuses) GTEST_SKIP() << "a GPU pins";
  const team t(comm());
  const grid g(t, {8 * size(), 5}, {.periodic = {true, false}});
  tile_array<double> on_gpu(g, 1, false, true), on_host(g, 1, false, false);
  halo_plan truth(g, on_host.view(), 1, {.method = "isend"});
  for (const bool is_refused : {false, true}) {
    *refuses = is_refused;
    halo_plan plan(g, on_gpu.view(), 1);
    on_gpu.fill(5), on_host.fill(5);
    plan.run(), truth.run();
    EXPECT_EQ(on_gpu.bytes(), on_host.bytes());
    EXPECT_THAT(plan.describe(), HasSubstr(is_refused ? "pageable near memory" : "through pinned near memory"));
  }
}

TEST_F(HaloOnGpu, a_card_without_free_memory_is_an_error_everywhere) {
  std::size_t* const left = of_stand_in<std::size_t>("mock_cuda_bytes_left");
  if (!left) GTEST_SKIP() << "a GPU has room";
  const team t(comm());
  const grid g(t, {8 * size()}, {.periodic = {true}});
  tile_array<double> array(g, 1, false, true);
  const std::size_t before = *left;
  if (rank() == size() - 1) *left = 0;
  EXPECT_THROW(halo_plan(g, array.view(), 1), resource_error);
  *left = before;
  halo_plan(g, array.view(), 1).run();
}

// Checks look at arrays of the host only.
TEST_F(HaloOnGpu, runs_with_all_checks) {
  const team t(comm());
  ::setenv("NEARFAR_CHECK", "paranoid", 1);
  const grid g(t, {6 * size(), 5}, {.periodic = {true, true}});
  const setting s{{6 * size(), 5}, 1, false, 0x9};
  two_parts here(g, s, true), on_host(g, s, false);
  halo_plan plan(here.parts(), {.budget_s = 0.001}), truth(on_host.parts(), {.method = "isend"});
  here.fill(7), on_host.fill(7);
  plan.run(), truth.run();
  EXPECT_EQ(here.bytes(), on_host.bytes());
  ::unsetenv("NEARFAR_CHECK");
}

}  // namespace
}  // namespace nearfar::test
