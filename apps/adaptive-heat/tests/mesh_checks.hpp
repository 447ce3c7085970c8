// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the distributed mesh share: the whole mesh on every rank, and brute-force geometry.
#pragma once

#include <algorithm>
#include <mesh/closed_form.hpp>
#include <mesh/forest.hpp>
#include <mpi_test.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "mesh_tables.hpp"

namespace adaptive_heat::test {

inline codes codes_of(const std::vector<octant>& leaves) {
  codes list;
  for (const octant& o : leaves) list.push_back(o.code());
  return list;
}

/// Every rank's words, by rank. Collective.
inline codes gathered(MPI_Comm comm, const codes& mine) {
  int ranks = 1;
  const int count = static_cast<int>(mine.size());
  MPI_Comm_size(comm, &ranks);
  std::vector<int> counts(static_cast<std::size_t>(ranks)), places(counts.size(), 0);
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
  std::partial_sum(counts.begin(), counts.end() - 1, places.begin() + 1);
  codes all(static_cast<std::size_t>(places.back() + counts.back()));
  MPI_Allgatherv(mine.data(), count, MPI_UINT64_T, all.data(), counts.data(), places.data(), MPI_UINT64_T, comm);
  return all;
}

inline std::vector<octant> all_leaves(MPI_Comm comm, const forest& mesh) {
  std::vector<octant> leaves;
  for (const std::uint64_t code : gathered(comm, codes_of(mesh.leaves()))) leaves.push_back(octant::from_code(code));
  return leaves;
}

/// The mesh is that of the closed form, and each leaf lies within its rank's piece.
inline void expect_closed_form(MPI_Comm comm, const forest& mesh, const ball& b) {
  const std::vector<octant> expected = closed_form_leaves(b, mesh.levels()), found = all_leaves(comm, mesh);
  EXPECT_EQ(found.size(), expected.size());
  EXPECT_TRUE(found == expected) << "some leaves differ";
  const int rank = mesh.team().rank();
  for (const octant& o : mesh.leaves())
    EXPECT_TRUE(o.key() >= mesh.parts().begin(rank) && o.end_key() <= mesh.parts().end(rank));
}

/// How far the closed boxes of two octants overlap along the three axes: 0 where they touch, negative where they do
/// not.
inline std::array<std::int64_t, 3> overlaps(const octant& a, const octant& b) {
  const auto along = [&](std::int64_t p, std::int64_t q) {
    return std::min(p + a.side(), q + b.side()) - std::max(p, q);
  };
  return {along(a.x, b.x), along(a.y, b.y), along(a.z, b.z)};
}

inline bool touch(const octant& a, const octant& b) {
  const auto o = overlaps(a, b);
  return std::min({o[0], o[1], o[2]}) >= 0;
}

/// Whether `other` shares more than a point with the face or edge of `o` in that direction (an area of a face, a length
/// of an edge).
inline bool is_at(const octant& o, direction d, const octant& other) {
  const std::array<std::int64_t, 3> at{o.x, o.y, o.z}, low{other.x, other.y, other.z};
  const std::array<int, 3> to{d.x, d.y, d.z};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t first = to[i] > 0 ? at[i] + o.side() : at[i], last = to[i] < 0 ? at[i] : at[i] + o.side();
    const std::int64_t common = std::min(last, low[i] + other.side()) - std::max(first, low[i]);
    if (common < 0 || (to[i] == 0 && common == 0)) return false;
  }
  return true;
}

inline ball random_ball(std::mt19937& bits, double largest) {
  std::uniform_real_distribution<double> place(-0.05, 1.05), size(0.001, largest);
  return {{place(bits), place(bits), place(bits)}, size(bits)};
}

/// Splitters between leaves, many of them in octets of siblings, some equal so that ranks have nothing.
inline std::vector<std::uint64_t> random_splitters(std::mt19937& bits, const std::vector<octant>& all, int ranks) {
  std::vector<std::uint64_t> splitters{0};
  for (int r = 1; r < ranks; ++r) {
    const std::size_t i = bits() % (all.size() + 1);
    splitters.push_back(i == all.size() ? key_end : all[i].key());
    if (bits() % 4 == 0) splitters.back() = splitters[bits() % splitters.size()];
  }
  splitters.push_back(key_end);
  std::sort(splitters.begin(), splitters.end());
  return splitters;
}

}  // namespace adaptive_heat::test
