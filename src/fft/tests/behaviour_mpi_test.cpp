// SPDX-License-Identifier: BSD-3-Clause
// What is promised besides numbers: the quicker engine is taken and remembered, plans say what they do, memory that
// does not suffice is an error that says how much, and unusual lengths and grids are transformed as any other.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <exchange/exchange.hpp>
#include <fake_clock.hpp>
#include <fourier/engine.hpp>

#include "../engines.hpp"
#include "fft_case.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 4}, .node_sizes = {0}, .on_cluster = false}};

using ::testing::HasSubstr;
using ::testing::Not;
using complex = std::complex<double>;

class FftBehaviour : public MpiTest {
 protected:
  /// Ordinary arrays for a plan on a layout.
  struct arrays {
    explicit arrays(const fft_layout& l)
        : physical(as_size(shape_of(l.physical()).elements + 1)),
          spectral(as_size(shape_of(l.spectral()).elements + 1)) {}
    std::vector<complex> physical, spectral;
  };
  team all{nearfar::test::everyone()};
};

/// Takes so long by a clock that nothing else moves on, and says its name.
class timed_stage : public fft::stage {
 public:
  timed_stage(std::string name, const fake_clock& clock, double seconds)
      : name_(std::move(name)), clock_(clock), seconds_(seconds) {}
  void start(const transpose_arrays&, const transpose_arrays&) override { clock_.pass(seconds_); }
  std::string describe() const override { return name_; }

 private:
  std::string name_;
  const fake_clock& clock_;
  double seconds_;
};

TEST_F(FftBehaviour, the_engine_that_is_quicker_on_the_slowest_rank_is_taken_and_remembered) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("nearfar-fft-" + std::to_string(getppid()))).string();
  setenv("NEARFAR_WISDOM", file.c_str(), 1);
  const bool is_last = rank() == size() - 1;
  const fake_clock clock;
  int made = 0;
  const auto take = [&](const std::vector<std::string>& engines) {
    double number = 0;
    const auto make = [&](const std::string& name) -> std::unique_ptr<fft::stage> {
      ++made;
      return std::make_unique<timed_stage>(name, clock, (name == "lame" && is_last ? 3 : 2) * binary_ms);
    };
    return fft::fastest(all, engines, "of this test", make, std::span(&number, 1), std::span(&number, 1), 0.2)
        ->describe();
  };
  EXPECT_EQ(take({"lame", "swift"}), "swift");
  EXPECT_EQ(made, 2);
  EXPECT_EQ(take({"lame", "swift"}), "swift");
  EXPECT_EQ(made, 3) << "what wisdom knows was made again";
  EXPECT_EQ(take({"swift", "lame"}), "swift");
  EXPECT_EQ(take({"lame"}), "lame") << "the only one";
  MPI_Barrier(comm());
  setenv("NEARFAR_WISDOM", "off", 1);
  if (rank() == 0) std::filesystem::remove(file), std::filesystem::remove(file + ".lock");
}

TEST_F(FftBehaviour, all_engines_that_are_here_race_and_are_right) {
  fft_case c{fft_shape::complex({6, 8, 10}), {}, {.budget_s = 0.02}};
  for (const fourier::engine_info& e : fourier::engines())
    if (fourier::is_available<float>(e.name) && fourier::is_available<double>(e.name) && !e.is_on_device)
      c.options.engines.push_back(e.name);
  expect_right<double>(all, c, 1);
  c.shape = fft_shape::real({6, 8, 10});
  expect_right<float>(all, c, 2);
}

// Whether the whole of a plan is raced or not, for lack of time or of another method: zeros and numbers are what they
// were.
TEST_F(FftBehaviour, making_a_plan_changes_no_array) {
  const fft_layout layout(all, fft_shape::complex({6, 8, 10}));
  for (const double budget_s : {0.0, 0.05})
    for (const complex number : {complex{}, complex{1, 2}}) {
      arrays a(layout);
      std::fill(a.physical.begin(), a.physical.end(), number);
      std::fill(a.spectral.begin(), a.spectral.end(), 3.0 * number);
      const arrays before = a;
      const fft_plan<double> plan(layout, a.physical, a.spectral, {.budget_s = budget_s});
      EXPECT_EQ(a.physical, before.physical) << budget_s;
      EXPECT_EQ(a.spectral, before.spectral) << budget_s;
    }
}

TEST_F(FftBehaviour, the_budget_of_the_root_counts) {
  for (const double others : {0.0, 0.02}) {
    fft_case c{fft_shape::complex({6, 8, 10}), {}, {.budget_s = rank() == 0 ? 0.02 - others : others}};
    expect_right<double>(all, c, 3);
  }
}

// Stages that lose alone may win together: whatever wins is right, there and back, in place, and where wisdom knows it.
TEST_F(FftBehaviour, the_whole_is_raced_and_remembered) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("nearfar-fft-whole-" + std::to_string(getppid()))).string();
  setenv("NEARFAR_WISDOM", file.c_str(), 1);
  const clock_by_readings clock(rank());  // the whole has room in the budget
  fft_case c{fft_shape::real({6, 8, 10}), {}, {.budget_s = 0.1}};
  expect_right<double>(all, c, 1);
  MPI_Barrier(comm());
  const auto is_known = [&] {
    std::ifstream in(file);
    const std::string words{std::istreambuf_iterator<char>(in), {}};
    return words.find("stage by stage") != std::string::npos || words.find("in turn") != std::string::npos ||
           words.find("at once") != std::string::npos;
  };
  if (size() > 1 && rank() == 0) {
    EXPECT_TRUE(is_known());
  }
  expect_right<double>(all, c, 2);
  MPI_Barrier(comm());
  setenv("NEARFAR_WISDOM", "off", 1);
  if (rank() == 0) std::filesystem::remove(file), std::filesystem::remove(file + ".lock");
}

TEST_F(FftBehaviour, plans_say_what_they_do) {
  const fft_layout layout(all, fft_shape::complex({8, 8, 8}));
  EXPECT_THAT(layout.describe(), HasSubstr("axes in memory from slow to fast (0, 1, 2)"));
  arrays a(layout);
  fft_plan<double> plan(layout, a.physical, a.spectral,
                        {.name = "waves", .method = size() > 1 ? "isend" : "", .fusion = fft_fusion::never});
  EXPECT_THAT(plan.describe(), HasSubstr("fft \"waves\": 1 field, double"));
  EXPECT_THAT(plan.describe(), HasSubstr("work arrays"));
  EXPECT_THAT(plan.describe(), HasSubstr("transform along"));
  EXPECT_THAT(plan.describe(), HasSubstr("own"));
  EXPECT_THAT(plan.describe(), Not(HasSubstr("quickest")));
  plan.forward(a.physical, a.spectral);
  const std::string words = plan.describe();
  const auto backward = words.find("  backward");
  EXPECT_THAT(words.substr(0, backward), HasSubstr("quickest"));
  EXPECT_THAT(words.substr(backward), Not(HasSubstr("quickest")));
  if (size() > 1) {
    EXPECT_THAT(words, HasSubstr("move to"));
  }
  if (size() > 1) {
    EXPECT_THAT(words, HasSubstr(size() == 2 ? "isend, 4.1 kB" : "isend, 2.0 kB"));
  }
}

TEST_F(FftBehaviour, methods_that_are_left_out_are_not_taken) {
  const fft_layout layout(all, fft_shape::complex({8, 8, 8}));
  transpose_array<complex> u(layout.physical()), uh(layout.spectral());
  for (const fft_fusion fusion : {fft_fusion::never, fft_fusion::always}) {
    fft_options options{.budget_s = 0.02, .fusion = fusion};
    for (const auto& m : exchange::methods())
      if (m.name != "isend") options.without.push_back(m.name);
    fft_plan<double> plan(layout, u, uh, options);
    plan.forward(u, uh);
    EXPECT_THAT(plan.describe(), Not(HasSubstr("near-")));
    if (size() > 1) {
      EXPECT_THAT(plan.describe(), HasSubstr("isend"));
    }
  }
}

/// One coefficient by the definition.
exact coefficient(const whole_grid& g, const std::vector<exact>& roots, index_t k0, index_t k1) {
  const index_t m = g.extents[0], n = g.extents[1];
  exact sum = 0;
  for (index_t i = 0; i < m; ++i) {
    exact row = 0;
    for (index_t j = 0; j < n; ++j) row += g.values[as_size(i * n + j)] * roots[as_size(j * k1 % n)];
    sum += row * std::polar(1.0L, -fourier::test::half_turns(2 * i * k0, m));
  }
  return sum;
}

TEST_F(FftBehaviour, lengths_with_huge_prime_factors) {
  for (const index_t n : {2 * 10007, 65537}) {
    const fft_layout layout(all, fft_shape::complex({4, n}));
    arrays a(layout);
    const whole_grid g = random_grid({4, n}, true, 7);
    const box own = layout.physical().parts.own();
    const array_shape in = shape_of(layout.physical()), out = shape_of(layout.spectral());
    for_elements(own, [&](const auto& at) { a.physical[as_size(in.offset(at))] = complex(g.at(at)); });
    fft_plan<double> plan(layout, a.physical, a.spectral, {.method = size() > 1 ? "isend" : ""});
    plan.forward(a.physical, a.spectral);
    std::vector<exact> roots;
    for (index_t j = 0; j < n; ++j) roots.push_back(std::polar(1.0L, -fourier::test::half_turns(2 * j, n)));
    const box held = layout.spectral().parts.own();
    long double worst = 0;
    for (index_t i = 0; i < 6 && !held.is_empty(); ++i) {  // of this rank's
      std::array<index_t, max_dimensions> at = held.lower;
      at[0] += i % held.extent(0), at[1] += i * 7919 % held.extent(1);
      const exact truth = coefficient(g, roots, at[0], at[1]);
      worst = std::max(worst, std::abs(truth - exact(a.spectral[as_size(out.offset(at))])));
    }
    EXPECT_LE(worst, 1e-12L * std::sqrt(4.0L * static_cast<long double>(n))) << n;
    plan.backward(a.spectral, a.physical);
    for_elements(own, [&](const auto& at) {
      const complex truth(g.at(at));
      worst = std::max<long double>(worst, std::abs(a.physical[as_size(in.offset(at))] / double(4 * n) - truth));
    });
    EXPECT_LE(worst, 1e-10L) << n;
  }
}

TEST_F(FftBehaviour, grids_that_leave_ranks_without_elements) {
  unsigned seed = 10;
  for (const std::vector<index_t>& extents : {std::vector<index_t>{1, 1, 1}, {1, 2, 3}, {3, 1, 2}, {2, 2}, {3}})
    for (const bool is_real : {false, true}) {
      fft_case c{is_real ? fft_shape::real(extents) : fft_shape::complex(extents), {}, {.budget_s = no_tuning}};
      expect_right<double>(all, c, ++seed);
    }
}

TEST_F(FftBehaviour, a_tuned_layout_is_one_of_those_that_were_timed) {
  const fft_shape shape = fft_shape::real({6, 8, 10});
  const tuned_fft_layout tuned = tune_fft_layout<double>(all, shape, {.budget_s = 0.02});
  EXPECT_THAT(tuned.report, size() == 1 ? HasSubstr("only one") : HasSubstr("chosen unmeasured: "));
  if (size() == 4) {
    EXPECT_THAT(tuned.report, HasSubstr("2 x 2: "));
  }
  fft_layout_options sides{.physical = tuned.layout.physical(), .spectral = tuned.layout.spectral()};
  expect_right<double>(all, {shape, sides, {.budget_s = no_tuning}}, 5);
  std::string refused;
  try {
    tune_fft_layout<double>(all, shape, {}, 0);
  } catch (const usage_error& e) {
    refused = e.what();
  }
  EXPECT_THAT(refused, HasSubstr("timing 1 grid or more, not for 1 and 0"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// The address space of this process may grow by so many bytes while this lives.
class bounded_memory {
 public:
  explicit bounded_memory(index_t more) {
    getrlimit(RLIMIT_AS, &before_);
    index_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit low = before_;
    low.rlim_cur = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + more);
    setrlimit(RLIMIT_AS, &low);
  }
  ~bounded_memory() { setrlimit(RLIMIT_AS, &before_); }
  bounded_memory(const bounded_memory&) = delete;
  bounded_memory& operator=(const bounded_memory&) = delete;

 private:
  rlimit before_{};
};

TEST_F(FftBehaviour, memory_that_does_not_suffice_is_an_error_on_every_rank_and_says_how_much) {
  const index_t mebi = index_t{1} << 20;
  const fft_layout layout(all, fft_shape::complex({64, 64, 256 * size()}));  // 16 MiB per rank and array
  arrays a(layout);
  const fft_options in_place{.method = size() > 1 ? "isend" : "", .budget_s = no_tuning, .fusion = fft_fusion::never};
  std::string refused = "accepted";
  {
    const bounded_memory little(rank() == 0 ? 4 * mebi : 1024 * mebi);
    try {
      fft_plan<double>(layout, a.physical, a.spectral, in_place);
    } catch (const resource_error& e) {
      refused = e.what();
    }
  }
  if (refused == "accepted" && size() == 1) GTEST_SKIP() << "one rank needs no work array";
  EXPECT_THAT(refused, HasSubstr("17 MB asked"));
  fft_plan<double> plan(layout, a.physical, a.spectral, in_place);
  plan.forward(a.physical, a.spectral);
}
#endif

}  // namespace
}  // namespace nearfar::test
