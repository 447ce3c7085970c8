// SPDX-License-Identifier: BSD-3-Clause
// Races with times made up, told over a notification table: methods follow the machine, all ranks take the same, and
// none waits.
#include <base/numbers.hpp>
#include <mpi_test.hpp>

#include "../near_tuner.hpp"

namespace nearfar::irregular {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3}, .node_sizes = {0}, .on_cluster = false}};

class NearTunerTest : public nearfar::test::MpiTest {
 protected:
  static constexpr near_tuner::movement_class gathers{movement_kind::gather, false, 8},
      scatters{movement_kind::scatter, false, 8}, packed{movement_kind::scatter, true, 8};

  // Microseconds in place, packed and streamed; as many calls as that.
  void play(near_tuner& l, const near_tuner::movement_class& what, const std::array<double, 3>& us, int calls) {
    for (int i = 0; i < calls; ++i) {
      const near_method w = l.next(what);
      if (l.is_timed()) l.note(w, 0, 1e-6 * us[static_cast<std::size_t>(w)]);
      if (i % 1000 == rank() * 7) MPI_Barrier(comm());  // in between: no rank gets far ahead for good
    }
    MPI_Barrier(comm());
  }
  void expect_alike(const near_tuner& l) {
    int mine[4] = {static_cast<int>(l.gathers()), static_cast<int>(l.scatters()), 0, 0};
    for (int i = 0; i < 2; ++i) mine[2 + i] = -mine[i];
    MPI_Allreduce(MPI_IN_PLACE, mine, 4, MPI_INT, MPI_MAX, comm());
    EXPECT_EQ(mine[0], -mine[2]);
    EXPECT_EQ(mine[1], -mine[3]);
  }
};

TEST_F(NearTunerTest, follow_the_machine_on_all_ranks) {
  const team t(comm());
  const notification_lease b = borrow_notification_table(t);
  near_tuner l(*b, near_method::packed, near_method::in_place);
  for (int year = 0; year < 2; ++year) {
    play(l, gathers, {4, 3, 5}, 20'000);
    EXPECT_EQ(l.gathers(), near_method::packed);
    expect_alike(l);
    play(l, gathers, {4, 3.9, 2.5}, 20'000);
    EXPECT_EQ(l.gathers(), near_method::streamed);
    expect_alike(l);
  }
  EXPECT_EQ(l.scatters(), near_method::in_place) << "there were none";
  EXPECT_TRUE(l.has_changed());
  EXPECT_FALSE(l.has_changed());
}

TEST_F(NearTunerTest, of_gathers_and_scatters_are_chosen_by_themselves) {
  const team t(comm());
  const notification_lease b = borrow_notification_table(t);
  near_tuner l(*b, near_method::packed, near_method::streamed);
  for (int i = 0; i < 4; ++i) {
    play(l, gathers, {4, 3, 2.5}, 1'000);
    play(l, scatters, {2, 3, 2.5}, 1'000);
  }
  EXPECT_EQ(l.gathers(), near_method::streamed);
  EXPECT_EQ(l.scatters(), near_method::in_place);
  EXPECT_EQ(near_name(l.gathers(), l.scatters()), "near-streamed/near-direct");
  expect_alike(l);
}

TEST_F(NearTunerTest, what_is_packed_anyway_is_never_read_in_place) {
  const team t(comm());
  const notification_lease b = borrow_notification_table(t);
  near_tuner l(*b, near_method::in_place, near_method::in_place);
  for (int i = 0; i < 3'000; ++i) {
    const near_method w = l.next(packed);
    EXPECT_NE(w, near_method::in_place);
    if (l.is_timed()) l.note(w, 1e-6, 1e-6);
  }
  EXPECT_EQ(near_name(l.gathers(), l.scatters()), "near-direct") << "which packs it, too";
}

/// One rank makes all its calls before another begins: nothing is decided, and nobody hangs. Then all go on.
TEST_F(NearTunerTest, nobody_waits_for_a_rank_that_is_behind) {
  const team t(comm());
  const notification_lease b = borrow_notification_table(t);
  near_tuner l(*b, near_method::packed, near_method::in_place);
  const auto make_calls = [&](int calls) {
    for (int i = 0; i < calls; ++i) {
      const near_method w = l.next(gathers);
      if (l.is_timed()) l.note(w, 0, w == near_method::streamed ? 1e-6 : 3e-6);
    }
  };
  for (int r = 0; r < size(); ++r) {
    MPI_Barrier(comm());
    if (r == rank()) make_calls(2'000);
    if (r == rank() && r + 1 < size()) {
      EXPECT_EQ(l.gathers(), near_method::packed);
    }
  }
  for (int i = 0; i < 10; ++i) make_calls(1'000), MPI_Barrier(comm());
  EXPECT_EQ(l.gathers(), near_method::streamed);
  expect_alike(l);
}

/// What was told about an earlier plan is not taken for this one's.
TEST_F(NearTunerTest, races_that_were_never_ended_leave_nothing_behind) {
  const team t(comm());
  for (int plan = 0; plan < 4; ++plan) {
    const notification_lease b = borrow_notification_table(t);
    near_tuner l(*b, near_method::packed, near_method::in_place);
    const std::array<double, 3> us = plan % 2 == 0 ? std::array{9.0, 3.0, 1.0} : std::array{9.0, 1.0, 3.0};
    for (int i = 0; i < 175 + plan; ++i) {  // in the first verdict's wait
      const near_method w = l.next(gathers);
      if (l.is_timed()) l.note(w, 0, 1e-6 * us[static_cast<std::size_t>(w)]);
    }
    if (plan < 2) continue;
    play(l, gathers, us, 500);
    EXPECT_EQ(l.gathers(), plan % 2 == 0 ? near_method::streamed : near_method::packed);
    expect_alike(l);
  }
}

TEST_F(NearTunerTest, more_classes_than_the_table_holds_are_not_raced) {
  const team t(comm());
  const notification_lease b = borrow_notification_table(t);
  near_tuner l(*b, near_method::packed, near_method::in_place);
  for (int i = 0; i < 500; ++i)
    for (index_t bytes = 1; bytes <= 20; ++bytes) {
      const near_method w = l.next({movement_kind::gather, false, bytes});
      if (bytes > as_index(notification_table::tallies)) {
        EXPECT_EQ(w, near_method::packed);
        EXPECT_FALSE(l.is_timed());
      }
      if (l.is_timed()) l.note(w, 1e-6, 1e-6);
    }
}

}  // namespace
}  // namespace nearfar::irregular
