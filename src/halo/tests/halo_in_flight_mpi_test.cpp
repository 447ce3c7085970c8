// SPDX-License-Identifier: BSD-3-Clause
// Halos between start() and finish(): destroyed there, and other things made there on one rank.
#include <fresh_heap.hpp>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>
#include <vector>

#include "methods_here.hpp"

namespace nearfar::test {
namespace {

constexpr index_t width = 30;

std::size_t sz(int i) { return static_cast<std::size_t>(i); }

class HaloInFlight : public MpiTest {
 protected:
  void put(field<double>& f, index_t n, double more) {
    for (index_t i = f.own().lower[0] - width; i < f.own().upper[0] + width; ++i) f(i) = -1;
    for (index_t i = f.own().lower[0]; i < f.own().upper[0]; ++i) f(i) = static_cast<double>(i % n) + more;
  }
  int wrong(const field<double>& f, index_t n, double more) {
    int count = 0;
    for (index_t i = f.own().lower[0] - width; i < f.own().upper[0] + width; ++i)
      count += f(i) != static_cast<double>((i + n) % n) + more;
    return count;
  }
};

TEST_F(HaloInFlight, a_destroyed_plan_leaves_nothing_behind) {
  const team members(comm());
  const index_t n = 64 * members.size();
  const grid g(members, {n}, {.periodic = {true}});
  field<double> f(g, {.ghosts = static_cast<int>(width)});
  for (const std::string& method : methods_here(members)) {
    for (int round = 0; round < 3; ++round) {
      put(f, n, round);
      try {
        halo_plan h(f, {.method = method, .budget_s = no_tuning});
        h.start();
        throw round;
      } catch (int) {
      }
      const fresh_heap heap(30);
      MPI_Barrier(comm());
      EXPECT_EQ(heap.overwritten(), 0) << method;
      put(f, n, round + 0.5);
      halo_plan h(f, {.method = method, .budget_s = no_tuning});
      h.run();
      EXPECT_EQ(wrong(f, n, round + 0.5), 0) << method;
    }
  }
}

TEST_F(HaloInFlight, a_plan_that_another_one_is_moved_onto_is_finished) {
  const team members(comm());
  const index_t n = 64 * members.size();
  const grid g(members, {n}, {.periodic = {true}});
  field<double> f(g, {.ghosts = static_cast<int>(width)}), other(g, {.ghosts = static_cast<int>(width)});
  put(f, n, 0), put(other, n, 3);
  halo_plan h(f, {.method = "isend", .budget_s = no_tuning});
  h.start();
  h = halo_plan(other, {.method = "isend", .budget_s = no_tuning});
  const fresh_heap heap(30);
  h.run();
  MPI_Barrier(comm());
  EXPECT_EQ(heap.overwritten(), 0);
  EXPECT_EQ(wrong(other, n, 3), 0);
}

// A rank that waits for one halo must move on all others that are in flight, wherever they stand in the list.
TEST_F(HaloInFlight, several_are_finished_in_another_order_on_every_rank) {
  constexpr int plans = 3;
  const team members(comm());
  const grid g(members, {32 * members.size(), 2048}, {.periodic = {true, true}, .process_grid = {members.size(), 1}});
  for (const std::string& method : methods_here(members)) {
    if (method == "node-barrier") continue;  // a replica, whose finish() waits for that of all ranks
    std::vector<field<double>> f;
    std::vector<halo_plan> h;
    for (int i = 0; i < plans; ++i) f.emplace_back(g, field_options{.ghosts = 2});
    for (int i = 0; i < plans; ++i) h.emplace_back(f[sz(i)], halo_options{.method = method, .budget_s = no_tuning});
    for (int round = 0; round < 5; ++round) {
      for (int i = 0; i < plans; ++i) f[sz(i)](g.own().lower[0], 7) = 100 * round + 10 * i + rank();
      for (int r = 0; r < size(); ++r) {  // one after the other: none finds everything there when it starts
        if (r == rank())
          for (halo_plan& each : h) each.start();
        MPI_Barrier(comm());
      }
      for (int k = 0; k < plans; ++k) h[sz((rank() + k) % plans)].finish();
      const int right = (rank() + 1) % size();
      for (int i = 0; i < plans; ++i) EXPECT_EQ(f[sz(i)](g.own().upper[0], 7), 100 * round + 10 * i + right) << method;
    }
  }
}

// Others wait in finish() for what this rank does only in waits of the library: making things is one.
TEST_F(HaloInFlight, other_things_are_made_meanwhile_on_one_rank) {
  const team members(comm());
  const index_t n = 64 * members.size();
  const grid g(members, {n}, {.periodic = {true}});
  field<double> f(g, {.ghosts = static_cast<int>(width)}), small(g, {.ghosts = 1});
  const auto make = [&](int what) {
    if (what == 0) halo_plan(small, {.budget_s = no_tuning});
    if (what == 1) field<double>{g};
    if (what == 2) grid(members, {n, 4});
  };
  for (const std::string& method : methods_here(members)) {
    if (method == "node-barrier") continue;  // a replica, whose finish() waits for that of all ranks
    for (int what = 0; what < 3; ++what) {
      put(f, n, what);
      halo_plan h(f, {.method = method, .budget_s = no_tuning});
      h.start();
      if (rank() == 0) make(what);
      h.finish();
      if (rank() != 0) make(what);
      EXPECT_EQ(wrong(f, n, what), 0) << method << ", " << what;
    }
  }
}

// Open MPI's datatypes take other bytes for elements of one byte that run backwards.
TEST_F(HaloInFlight, bytes_that_run_backwards_come_right_by_every_method) {
  const team members(comm());
  constexpr index_t rows = 3, beside = 2;
  const index_t n = 4 * members.size();
  const grid g(members, {rows, n}, {.periodic = {false, true}, .process_grid = {1, 0}});
  const index_t begin = g.own().lower[1] - beside, columns = g.own().extent(1) + 2 * beside;
  const auto value = [n](index_t i, index_t j) { return static_cast<unsigned char>(i * 50 + (j + n) % n * 11); };
  for (const std::string& method : methods_here(members)) {
    std::vector<unsigned char> memory(static_cast<std::size_t>(rows * columns) + 128, 0xEE);
    unsigned char* const first = memory.data() + 64 + columns - 1;
    const auto at = [&](index_t i, index_t j) -> unsigned char& { return first[i * columns - (j - begin)]; };
    array_layout l;
    l.data = first, l.element_bytes = 1, l.extents = {rows, columns}, l.strides_bytes = {columns, -1};
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = g.own().lower[1]; j < g.own().upper[1]; ++j) at(i, j) = value(i, j);
    halo_plan h({halo_part(g, l, ghosts{{0, 0}, {beside, beside}})}, {.method = method, .budget_s = no_tuning});
    h.run();
    int wrong = 0;
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = begin; j < begin + columns; ++j) wrong += at(i, j) != value(i, j);
    EXPECT_EQ(wrong, 0) << method;
    for (std::size_t b = 0; b < 64; ++b) {
      EXPECT_EQ(memory[b], 0xEE) << method;
      EXPECT_EQ(memory[memory.size() - 1 - b], 0xEE) << method;
    }
  }
}

}  // namespace
}  // namespace nearfar::test
