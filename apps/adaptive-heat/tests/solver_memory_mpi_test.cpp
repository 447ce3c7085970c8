// SPDX-License-Identifier: BSD-3-Clause
// Memory per rank: what the program allocates at most, counted in operator new and in its vectors, falls with the
// number of ranks as the elements of a rank and the surface of its part do. What every rank kept of the whole mesh
// would be seen. Alone: it replaces operator new.
#include <malloc.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <mesh/closed_form.hpp>
#include <new>
#include <solver/simulation.hpp>

#include "mesh_tables.hpp"
#include "mpi_test.hpp"

namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 4, 6}, .node_sizes = {0}, .on_cluster = false}};

std::atomic<std::int64_t> bytes_now{0}, bytes_most{0};

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  const std::int64_t now = bytes_now += static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::int64_t most = bytes_most;
  while (now > most && !bytes_most.compare_exchange_weak(most, now)) {
  }
  return memory;
}
void discount(void* memory) noexcept {
  bytes_now -= static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(std::malloc(bytes)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto a = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(a, (bytes + a - 1) / a * a));
}
/// What std::inplace_merge asks for. The usual one comes here anyhow, that of a sanitizer does not.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return ::operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { discount(memory); }
void operator delete(void* memory, std::size_t) noexcept { discount(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { discount(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { discount(memory); }

namespace adaptive_heat {
namespace {

class SolverMemory : public nearfar::test::MpiTest {
 protected:
  /// The most that `run` has at a time, on the rank that has most.
  template <class Run>
  double most_of(MPI_Comm over, Run run) {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    const std::int64_t before = bytes_now;
    bytes_most = before;
    auto in_vectors = static_cast<double>(run(nearfar::team(over)));
    double most = in_vectors + static_cast<double>(bytes_most - before);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, over);
    return most;
  }
  /// The same for one rank alone, while the others wait.
  template <class Run>
  double most_alone(Run run) {
    double most = rank() == 0 ? most_of(MPI_COMM_SELF, run) : 0;
    MPI_Bcast(&most, 1, MPI_DOUBLE, 0, comm());
    return most;
  }
  struct surplus {
    double per_surface_element, always;
  };
  /// A share of what one rank alone takes, what comes with ghosts for each element at the surface of the rank's part
  /// (twice as many as on the six sides of a cube of its elements), and what does not depend on the mesh.
  double bound(double alone, double elements, const surplus& more) const {
    return 1.1 * alone / size() + more.per_surface_element * 12 * std::pow(elements / size(), 2.0 / 3) + more.always;
  }
};

/// Follows the ball over some adaptations; vectors of values are none.
std::int64_t adapt_mesh(const nearfar::team& t, mesh_source source) {
  const problem& p = problem_class("B");
  forest mesh(t, p.levels);
  mesh.start(test::ball_at(p, 0));
  for (std::size_t i = 1; i < 5; ++i) {
    source == mesh_source::forest ? mesh.adapt(test::ball_at(p, i)) : mesh.adapt_by_closed_form(test::ball_at(p, i));
    mesh.rebalance(0.05);
    mesh.sides();
  }
  return 0;
}

/// What a rank kept of all elements would be seen: meshes that each rank makes as a whole are above the bound.
TEST_F(SolverMemory, the_mesh_of_a_rank_is_its_share) {
  const auto by = [](mesh_source source) { return [=](const nearfar::team& t) { return adapt_mesh(t, source); }; };
  const double most = bound(most_alone(by(mesh_source::forest)), test::elements_b[0], {300, 1e5});
  EXPECT_LT(most_of(comm(), by(mesh_source::forest)), most);
  if (size() >= 4) {
    EXPECT_GT(most_of(comm(), by(mesh_source::closed_form)), most);
  }
}

TEST_F(SolverMemory, a_run_takes_the_share_of_a_rank) {
  problem p = problem_class("A");
  p.steps = 6;
  const auto run = [&](const nearfar::team& t) {
    simulation job(t, p, exchange_form::copies);
    job.run();
    return 6 * static_cast<std::int64_t>(sizeof(double)) * job.solver().vectors().size();
  };
  const double alone = most_alone(run);
  EXPECT_LT(most_of(comm(), run), bound(alone, test::elements_a[0], {1000, 1e6}));
}

}  // namespace
}  // namespace adaptive_heat
