// SPDX-License-Identifier: BSD-3-Clause
// Heat on a graph whose edges know the numbers of their two points alone: gather, compute on edges, scatter-add.
#include <cstdio>
#include <nearfar/nearfar.hpp>
#include <vector>

constexpr nearfar::index_t points = 5000, edges = 12000;

int main(int argc, char** argv) {
  nearfar::runtime mpi{argc, argv};
  nearfar::team team = mpi.world();

  // [references]
  std::vector<nearfar::index_t> ends;  // two points per edge of this rank
  for (nearfar::index_t e = edges * team.rank() / team.size(); e < edges * (team.rank() + 1) / team.size(); ++e) {
    ends.push_back(e * 7 % points);
    ends.push_back((e * 131 + e / 9 * 17 + 3) % points);
  }
  // [references]
  // [plan]
  const auto where = nearfar::distribution::block(team, points);
  nearfar::irregular_plan plan{where, ends, {.name = "edges"}};
  nearfar::irregular_vector<std::int64_t> heat{plan}, change{plan};  // own points and ghosts, near ranks read in place
  // [plan]
  std::vector<nearfar::index_t> offsets(static_cast<std::size_t>(where.owned())), own(offsets.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<nearfar::index_t>(i);
  where.globals(offsets, own);
  for (std::size_t i = 0; i < own.size(); ++i) heat[offsets[i]] = own[i] * own[i] % 1000003;

  for (int step = 0; step < 20; ++step) {
    // [step]
    plan.gather_ghosts(heat);
    for (std::int64_t& c : change) c = 0;
    const auto local = plan.local_indices();
    for (std::size_t k = 0; k < local.size(); k += 2) {
      const std::int64_t flow = (heat[local[k]] - heat[local[k + 1]]) / 16;
      change[local[k]] -= flow;
      change[local[k + 1]] += flow;
    }
    plan.scatter_ghosts(change);  // what other ranks found for our points
    // [step]
    for (nearfar::index_t i = 0; i < where.owned(); ++i) heat[i] += change[i];
  }
  // [values]
  std::vector<std::int64_t> at_ends(ends.size());
  plan.gather(heat, at_ends);  // the same in one call: a value per reference
  // [values]
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < at_ends.size(); ++k) sum += (ends[k] % 97 + 1) * at_ends[k];
  const auto checksum = nearfar::allreduce(team, sum, nearfar::reduce_op::sum);
  if (team.is_root()) std::printf("graph: checksum %lld\n", static_cast<long long>(checksum));
}
