// SPDX-License-Identifier: BSD-3-Clause
// Sums, sums of squares and maxima of numbers that all ranks share out: a plan that overlaps with work, and calls.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nearfar/nearfar.hpp>
#include <vector>

constexpr nearfar::index_t count = 4800;

void print_methods() {
  for (const auto& m : nearfar::methods("allreduce")) std::printf("%-20s %s\n", m.name.c_str(), m.description.c_str());
}

int main(int argc, char** argv) {
  nearfar::runtime mpi{argc, argv};
  nearfar::team team = mpi.world();
  if (argc > 1 && std::strcmp(argv[1], "--methods") == 0 && team.is_root()) print_methods();
  const nearfar::index_t first = count * team.rank() / team.size(), last = count * (team.rank() + 1) / team.size();
  std::vector<double> x(static_cast<std::size_t>(last - first));

  // [plan]
  nearfar::shared_array<double> moments{team, 2};  // in memory that near ranks share
  nearfar::plans::allreduce sums{team, moments, nearfar::reduce_op::sum, {.name = "moments"}};
  // [plan]
  double checksum = 0;
  for (int step = 1; step <= 10; ++step) {
    int scale = team.is_root() ? 31 * step : 0;
    nearfar::bcast(team, scale, 0);
    moments[0] = moments[1] = 0;
    for (nearfar::index_t i = first; i < last; ++i) {
      const auto value = static_cast<double>((i * i + scale) % 97);
      x[static_cast<std::size_t>(i - first)] = value;
      moments[0] += value;
      moments[1] += value * value;
    }
    // [overlap]
    sums.start();
    const double largest = *std::max_element(x.begin(), x.end());  // work that does not need the sums
    sums.finish();
    // [overlap]
    // [one shot]
    const double top = nearfar::allreduce(team, largest, nearfar::reduce_op::max);
    // [one shot]
    checksum += moments[0] + 3 * moments[1] + 7 * top;
  }
  if (team.is_root()) std::printf("moments: checksum %lld\n", static_cast<long long>(checksum));
}
