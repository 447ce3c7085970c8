// SPDX-License-Identifier: BSD-3-Clause
// The same bits for any number of ranks, threads and blocks; kernels that agree.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <mpi_test.hpp>
#include <nearfar/team.hpp>
#include <solver/propagator.hpp>

#include "materials.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__,
                                              {.ranks = {1, 2, 4, 6}, .node_sizes = {0, 2}, .on_cluster = false}};

class same_waves : public nearfar::test::MpiTest {
 protected:
  grid points{{26, 31, 23}, {10, 12, 11}, {}};

  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    MpiTest::SetUp();
  }

  /// A pulse in p near the middle, and later one near a corner.
  static void pulse(propagator& waves, const std::array<index_t, 3>& where, float size) {
    const field_view p = waves.now(0);
    for (std::size_t d = 0; d < 3; ++d)
      if (where[d] < p.own.lower[d] || where[d] >= p.own.upper[d]) return;
    index_t at = 0;
    for (std::size_t d = 0; d < 3; ++d) at += (where[d] - p.own.lower[d]) * p.strides[d];
    p.data[at] += size;
  }

  static void run(propagator& waves, const grid& points) {
    for (index_t n = 0; n < 14; ++n) {
      if (n == 0) pulse(waves, {13, points.is_flat() ? 0 : 15, 11}, 1);
      if (n == 4) pulse(waves, {25, 0, 22}, -0.5f);
      waves.step();
    }
  }

  /// Compares own points of the ranks with those of a run of one rank alone, on every rank.
  void expect_same(const propagator_options& options, const medium& m) {
    propagator_options serial = options;
    serial.threads = 1;
    propagator alone(nearfar::team(MPI_COMM_SELF), points, m, serial),
        together(nearfar::team(comm()), points, m, options);
    run(alone, points), run(together, points);
    for (int f = 0; f < together.fields(); ++f) {
      const field_view a = alone.now(f), t = together.now(f);
      index_t different = 0;
      for (index_t k = t.own.lower[0]; k < t.own.upper[0]; ++k)
        for (index_t j = t.own.lower[1]; j < t.own.upper[1]; ++j) {
          const float* row = a.data + k * a.strides[0] + j * a.strides[1];
          const float* mine = t.data + (k - t.own.lower[0]) * t.strides[0] + (j - t.own.lower[1]) * t.strides[1];
          different += !std::equal(row, row + points.points[2], mine);
        }
      EXPECT_EQ(different, 0) << "field " << f << ", rows of " << t.own.extent(0) * t.own.extent(1);
      double size = 0;
      for (index_t i = 0; i < points.points[2]; ++i)
        size += std::abs(a.data[13 * a.strides[0] + (points.is_flat() ? 0 : 15) * a.strides[1] + i]);
      EXPECT_GT(size, 1e-3);  // there is something to compare
    }
  }
};

TEST_F(same_waves, of_any_ranks_threads_and_blocks) {
  for (const system_kind system :
       {system_kind::isotropic, system_kind::fletcher_vti, system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const side_kind sides : {side_kind::rigid, side_kind::periodic}) {
      SCOPED_TRACE(static_cast<int>(system) * 10 + static_cast<int>(sides));
      expect_same({.system = system, .dt_s = 0.0008, .sides = sides, .threads = 2, .rows_per_block = 5},
                  sharp_blocks());
    }
}

TEST_F(same_waves, behind_sponges_and_under_free_surfaces) {
  expect_same({.system = system_kind::isotropic,
               .order = 4,
               .dt_s = 0.0008,
               .sides = side_kind::sponge,
               .absorbing_cells = 6,
               .has_free_surface = true,
               .threads = 1},
              sharp_blocks());
  expect_same({.system = system_kind::self_adjoint,
               .order = 4,
               .dt_s = 0.0008,
               .sides = side_kind::sponge,
               .absorbing_cells = 6,
               .threads = 3},
              sharp_blocks());
}

TEST_F(same_waves, behind_matched_layers) {
  if (size() > 2) points.points = {48, 31, 23};
  for (const bool is_transposed : {false, true})
    expect_same({.system = system_kind::isotropic,
                 .order = 4,
                 .dt_s = 0.0008,
                 .sides = side_kind::cpml,
                 .absorbing_cells = 5,
                 .is_transposed = is_transposed,
                 .threads = 2},
                sharp_blocks());
  for (const system_kind system : {system_kind::fletcher_vti, system_kind::fletcher_tti, system_kind::self_adjoint})
    expect_same(
        {.system = system, .order = 4, .dt_s = 0.0008, .sides = side_kind::cpml, .absorbing_cells = 5, .threads = 2},
        sharp_blocks());
}

TEST_F(same_waves, in_two_dimensions) {
  points.points = {30, 1, 41};
  for (const system_kind system : {system_kind::isotropic, system_kind::fletcher_tti, system_kind::self_adjoint})
    expect_same({.system = system, .order = 4, .dt_s = 0.0008, .threads = 2}, sharp_blocks());
}

TEST_F(same_waves, by_kernels_of_any_vector_length_to_rounding) {
  for (const system_kind system :
       {system_kind::isotropic, system_kind::fletcher_vti, system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const int order : {4, 8, 12}) {
      std::vector<std::vector<float>> results;
      if (points.points[0] / order / 2 < 1) continue;
      for (const auto* table : usable_kernels()) {
        propagator waves(nearfar::team(MPI_COMM_SELF), points, sharp_blocks(),
                         {.system = system, .order = order, .dt_s = 0.0006, .threads = 1, .kernels = table->name});
        run(waves, points);
        const field_view p = waves.now(0);
        results.emplace_back();
        for (index_t k = 0; k < points.points[0]; ++k)
          results.back().insert(results.back().end(), p.data + k * p.strides[0],
                                p.data + k * p.strides[0] + points.points[2]);
      }
      for (std::size_t n = 1; n < results.size(); ++n)
        for (std::size_t at = 0; at < results[0].size(); ++at)
          EXPECT_NEAR(results[n][at], results[0][at], 3e-6) << usable_kernels()[n]->name;
    }
}

// The largest whole part of the time that is not more; without a time the largest round number.
TEST(even_steps, divide_a_time_or_are_round) {
  EXPECT_DOUBLE_EQ(even_step(0.3, 1), 0.25);
  EXPECT_DOUBLE_EQ(even_step(0.25, 1), 0.25);
  EXPECT_DOUBLE_EQ(even_step(0.00199, 0.004), 0.004 / 3);
  EXPECT_DOUBLE_EQ(even_step(7, 1), 1);
  EXPECT_DOUBLE_EQ(even_step(0.00199), 0.00175);
  EXPECT_DOUBLE_EQ(even_step(0.0079), 0.006);
}

/// Of a cube's propagator: what it says that it takes, and by how much the process's address space grows. Bytes.
std::array<double, 2> said_and_taken(propagator_options options, index_t points) {
  const nearfar::team alone(MPI_COMM_SELF);
  const grid cube{{points, points, points}, {10, 10, 10}, {}};
  options.threads = 1;
  const auto address_space = [] {
    double pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
  };
  const double before = address_space();
  const propagator waves(alone, cube, medium_of(fletcher(0.4, 0.3)), options);
  return {propagator::expected_bytes(alone, cube, options), address_space() - before};
}

// Of two sizes, so that pages of alignment cancel out.
TEST_F(same_waves, take_the_memory_that_they_say) {
  if (size() > 1) GTEST_SKIP() << "of one rank alone";
  for (const system_kind system : {system_kind::isotropic, system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const side_kind sides : {side_kind::sponge, side_kind::cpml}) {
      const propagator_options options{.system = system, .sides = sides, .absorbing_cells = 20};
      const auto small = said_and_taken(options, 64), large = said_and_taken(options, 128);
      EXPECT_NEAR((large[0] - small[0]) / (large[1] - small[1]), 1, 0.05)
          << static_cast<int>(system) << ' ' << static_cast<int>(sides);
    }
}

/// A checkpoint's fields and memories of layers.
TEST_F(same_waves, say_how_large_their_state_is) {
  if (size() > 1) GTEST_SKIP() << "of one rank alone";
  const nearfar::team team(comm());
  const grid cube{{36, 44, 40}, {10, 10, 10}, {}};
  for (const system_kind system : {system_kind::isotropic, system_kind::self_adjoint}) {
    const propagator_options options{.system = system, .sides = side_kind::cpml, .absorbing_cells = 8, .threads = 1};
    propagator waves(team, cube, medium_of(fletcher(0.4, 0.3)), options);
    double bytes = 0;
    for (const state_array& s : waves.state())
      bytes += sizeof(float) * static_cast<double>(s.extents[0] * s.extents[1] * s.extents[2]);
    EXPECT_EQ(propagator::expected_state_bytes(cube, options), bytes);
  }
}

TEST_F(same_waves, refuse_what_cannot_be_on_every_rank) {
  const nearfar::team team(comm());
  EXPECT_THROW(propagator(team, points, sharp_blocks(), {.order = 6}), nearfar::usage_error);
  EXPECT_THROW(propagator(team, points, sharp_blocks(), {.dt_s = 0.01}), nearfar::usage_error);
  EXPECT_THROW(propagator(team, points, sharp_blocks(), {.kernels = "sse9"}), nearfar::usage_error);
  try {
    propagator(team, points, sharp_blocks(), {.dt_s = 0.01});
  } catch (const nearfar::usage_error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("at most 1.09")) << e.what();
  }
}

}  // namespace
}  // namespace seismic::test
