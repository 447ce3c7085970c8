// SPDX-License-Identifier: BSD-3-Clause
// What exact and reproducible sums cost beside plain ones: adding an array here, a sum over ranks, an allreduce by
// elements.
#include <nearfar/nearfar.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

using nearfar::team;

constexpr int rounds = 15;
constexpr double burst_s = 2e-3;
double kept = 0;  // results go here, so that no sum is optimised away

struct method {
  std::string name;
  std::function<void()> run;
  std::vector<double> samples{};
};

double burst(const team& t, const method& one, int times) {
  MPI_Barrier(t.comm());
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) one.run();
  double mine = (MPI_Wtime() - begin) / times, longest = 0;
  MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, t.comm());
  return longest;
}

// Interleaved bursts; the median of the maxima over ranks, beside the ratio to the first method.
void measure(const team& t, const std::string& what, std::vector<method> methods) {
  std::vector<int> times;
  for (const method& one : methods) {
    burst(t, one, 1);
    times.push_back(static_cast<int>(std::clamp(burst_s / burst(t, one, 1), 1.0, 1e4)));
  }
  for (int r = 0; r < rounds; ++r)
    for (std::size_t k = 0; k < methods.size(); ++k) methods[k].samples.push_back(burst(t, methods[k], times[k]));
  if (!t.is_root()) return;
  std::printf("%-34s", what.c_str());
  double first = 0;
  for (method& one : methods) {
    std::sort(one.samples.begin(), one.samples.end());
    const double median = one.samples[rounds / 2];
    if (first == 0) first = median;
    std::printf("  %s %.2f us (%.2f x)", one.name.c_str(), median * 1e6, median / first);
  }
  std::printf("\n");
}

// Numbers of either sign; their sizes spread evenly over `binary_orders`.
std::vector<double> numbers(std::size_t n, int binary_orders, int rank) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
  std::uniform_real_distribution<double> even(-1, 1);
  std::uniform_int_distribution<int> order(-binary_orders / 2, binary_orders / 2);
  std::vector<double> x(n);
  for (double& one : x) one = std::ldexp(even(random), order(random));
  return x;
}

double vector_sum(const std::vector<double>& x) {
  double simd_lanes[16] = {};
  std::size_t i = 0;
  for (; i + 16 <= x.size(); i += 16)
    for (std::size_t k = 0; k < 16; ++k) simd_lanes[k] += x[i + k];
  return std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(i), x.end(),
                         std::accumulate(simd_lanes, simd_lanes + 16, 0.0));
}

double exact(const std::vector<double>& x) {
  nearfar::exact_sum sum;
  sum.add(std::span<const double>(x));
  return sum.value();
}

double exact_dot(const std::vector<double>& x) {
  nearfar::exact_dot dot;
  dot.add(x, x);
  return dot.value();
}

void add_an_array(const team& t, std::size_t n, int binary_orders) {
  const auto x = numbers(n, binary_orders, t.rank());
  measure(t, "array of " + std::to_string(n) + ", 2^" + std::to_string(binary_orders),
          {{"one by one", [&] { kept += std::accumulate(x.begin(), x.end(), 0.0); }},
           {"vector", [&] { kept += vector_sum(x); }},
           {"exact_sum", [&] { kept += exact(x); }},
           {"exact_dot", [&] { kept += exact_dot(x); }}});
}

void sum_over_ranks(const team& t, std::size_t n) {
  const auto x = numbers(n, 40, t.rank());
  const auto plain = [&] {
    double sum = vector_sum(x);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, t.comm());
    kept += sum;
  };
  measure(t, "sum of " + std::to_string(n) + " per rank",
          {{"MPI_Allreduce", plain}, {"reproducible_sum", [&] { kept += nearfar::reproducible_sum(t, x); }}});
}

void allreduce(const team& t, std::size_t n) {
  const auto x = numbers(n, 40, t.rank());
  std::vector<double> sums(n);
  const auto plain = [&] { MPI_Allreduce(x.data(), sums.data(), static_cast<int>(n), MPI_DOUBLE, MPI_SUM, t.comm()); };
  const auto reproducible = [&] {
    sums = x;
    nearfar::reproducible_allreduce(t, std::span<double>(sums));
  };
  measure(t, "allreduce of " + std::to_string(n), {{"MPI_Allreduce", plain}, {"reproducible_allreduce", reproducible}});
}

}  // namespace

int main(int argc, char** argv) {
  nearfar::runtime mpi(argc, argv);
  const team t = mpi.world();
  if (t.is_root()) std::printf("# %d ranks: medians of %d interleaved bursts, maximum over ranks\n", t.size(), rounds);
  for (const std::size_t n : {100u, 1000u, 100000u, 10000000u}) add_an_array(t, n, 40);
  for (const int binary_orders : {0, 120, 600, 2000}) add_an_array(t, 100000, binary_orders);
  for (const std::size_t n : {1u, 1000u, 100000u, 1000000u}) sum_over_ranks(t, n);
  for (const std::size_t n : {1u, 100u, 1000u, 10000u, 100000u, 1000000u}) allreduce(t, n);
  return std::isnan(kept) ? 1 : 0;
}
