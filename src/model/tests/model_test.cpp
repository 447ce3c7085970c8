// SPDX-License-Identifier: BSD-3-Clause
// The model by numbers that can be worked out by hand: messages, waits, barriers, exports, machine files, fits.
// One MPI: it is serial, of machines that are not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cstdio>
#include <fstream>
#include <halo/lowering.hpp>
#include <model/brams.hpp>
#include <model/export.hpp>
#include <model/simulation.hpp>
#include <model/workloads.hpp>
#include <nearfar/error.hpp>
#include <numeric>
#include <sstream>

namespace nearfar::model {
namespace {

using ::testing::HasSubstr;

/// Whole numbers everywhere, and nothing varies.
machine plain_machine() {
  machine m;
  m.far = {.latency_us = 10, .overhead_us = 1, .gap_us = 2, .rank_gb_s = 1, .node_gb_s = 1};
  m.near.notice_us = 3, m.near.message_us = 5, m.near.message_gb_s = 1, m.near.barrier_round_us = 4;
  m.near.copy_cached_gb_s = m.near.copy_memory_gb_s = 1, m.near.node_memory_gb_s = 4, m.near.run_ns = 0;
  return m;
}

operation compute(double us) { return {.what = action::compute, .us = us}; }
operation send(int to, index_t bytes, path by = path::far) { return {action::send, by, to, bytes, 0}; }
operation receive(int from, index_t bytes, path by = path::far) { return {action::receive, by, from, bytes, 0}; }

TEST(Simulation, a_message_takes_overheads_latency_and_its_bytes) {
  const program p{{2, 1}, {{0, {send(1, 5000)}}, {1, {receive(0, 5000)}}}};
  EXPECT_DOUBLE_EQ(simulated_us(p, plain_machine(), 0), 1 + 10 + 5 + 1);
}

TEST(Simulation, a_long_message_begins_with_a_handshake) {
  machine m = plain_machine();
  m.far.eager_bytes = 4999;
  const program p{{2, 1}, {{0, {send(1, 5000)}}, {1, {receive(0, 5000)}}}};
  EXPECT_DOUBLE_EQ(simulated_us(p, m, 0), 1 + 3 * 10 + 5 + 1);
}

TEST(Simulation, a_message_of_the_longest_eager_length_has_no_handshake) {
  machine m = plain_machine();
  m.far.eager_bytes = 5000;
  const program p{{2, 1}, {{0, {send(1, 5000)}}, {1, {receive(0, 5000)}}}};
  EXPECT_DOUBLE_EQ(simulated_us(p, m, 0), 1 + 10 + 5 + 1);
}

TEST(Simulation, messages_of_one_node_share_its_wire) {
  const program p{{3, 2}, {{0, {send(2, 5000)}}, {1, {send(2, 5000)}}, {2, {receive(0, 5000), receive(1, 5000)}}}};
  EXPECT_DOUBLE_EQ(simulated_us(p, plain_machine(), 0), 1 + (2 + 5) + 10 + 5 + 1);
}

TEST(Simulation, near_paths_and_barriers) {
  const machine m = plain_machine();
  EXPECT_DOUBLE_EQ(
      simulated_us(
          {{2, 2}, {{0, {compute(7), send(1, 5000, path::near_notice)}}, {1, {receive(0, 5000, path::near_notice)}}}},
          m, 0),
      7 + 3);
  EXPECT_DOUBLE_EQ(
      simulated_us({{2, 2}, {{0, {send(1, 5000, path::near_message)}}, {1, {receive(0, 5000, path::near_message)}}}}, m,
                   0),
      5 + 5);
  const operation meet = node_barrier(4);
  EXPECT_DOUBLE_EQ(
      simulated_us({{3, 3}, {{0, {compute(9), meet, meet}}, {1, {meet, compute(1), meet}}, {2, {meet, meet}}}}, m, 0),
      9 + 8 + 1 + 8);
}

// Two rounds of three ranks, three of five; what a rank outside of the sample sends does not wait for this one.
TEST(Simulation, barriers_have_as_many_rounds_as_double_to_all_ranks) {
  const operation meet = node_barrier(4);
  for (const auto& [ranks, rounds] : {std::pair{2, 1}, {3, 2}, {4, 2}, {5, 3}}) {
    program p{{ranks, ranks}, {}};
    for (int r = 0; r < ranks; ++r) p.ranks.push_back({r, {meet}});
    EXPECT_DOUBLE_EQ(simulated_us(p, plain_machine(), 0), 4 * rounds) << ranks;
  }
}

TEST(Simulation, messages_of_ranks_that_are_not_sampled_leave_at_the_begin) {
  const machine m = plain_machine();
  for (const double us : {0.0, 7.0, 100.0})
    EXPECT_DOUBLE_EQ(simulated_us({{2, 1}, {{0, {compute(us), receive(1, 5000)}}}}, m, 0),
                     std::max(us, 1.0 + 10 + 5) + 1);
}

TEST(Simulation, the_mean_is_of_the_ranks_that_are_looked_at) {
  EXPECT_DOUBLE_EQ(simulated_mean_us({{4, 1}, {{0, {compute(3)}}, {3, {compute(5)}}}}, plain_machine(), 0), 4);
}

TEST(Simulation, median_and_ends_of_values) {
  std::vector<double> values(101);
  std::iota(values.rbegin(), values.rend(), 0.0);
  const prediction p = quantiles(values);
  EXPECT_EQ(p.median_us, 50);
  EXPECT_EQ(p.low_us, 5);
  EXPECT_EQ(p.high_us, 95);
}

/// Mean and variance of what interruptions add to a millisecond, over many runs of fixed seeds.
std::pair<double, double> interrupted(const machine& m, const node_shape& shape) {
  constexpr int runs = 4000;
  double sum = 0, squares = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const double us = simulated_us({shape, {{0, {compute(1000)}}}}, m, seed) - 1000;
    sum += us, squares += us * us;
  }
  return {sum / runs, squares / runs - sum / runs * (sum / runs)};
}

// A Poisson process: of rate r over t, with lengths that are exponential of mean l, the sum has the mean r t l and the
// variance 2 r t l^2.
TEST(Simulation, interruptions_come_at_their_rate_and_have_exponential_lengths) {
  machine m = plain_machine();
  m.variation.message_sigma = m.variation.compute_sigma = m.variation.node_sigma = 0;
  m.variation.detour_hz = 2000, m.variation.detour_us = 10, m.variation.spare_share = 0.25;
  const auto [mean, variance] = interrupted(m, {2, 2});
  EXPECT_NEAR(mean, 20, 2);
  EXPECT_NEAR(variance, 400, 60);
  m.variation.cores = 2;  // of two ranks: none is spare
  EXPECT_NEAR(interrupted(m, {2, 2}).first, 20, 2);
  m.variation.cores = 3;
  EXPECT_NEAR(interrupted(m, {2, 2}).first, 5, 1);
}

TEST(Simulation, what_nobody_sends_is_refused) {
  EXPECT_THROW(simulated_us({{2, 1}, {{0, {}}, {1, {receive(0, 8)}}}}, plain_machine(), 0), usage_error);
}

TEST(Simulation, seeds_repeat_and_differ) {
  machine m = plain_machine();
  m.variation.detour_hz = 1000;
  const program p{{2, 1}, {{0, {compute(500), send(1, 8)}}, {1, {receive(0, 8)}}}};
  EXPECT_EQ(simulated_us(p, m, 5), simulated_us(p, m, 5));
  EXPECT_NE(simulated_us(p, m, 5), simulated_us(p, m, 6));
  const prediction t = predict(p, m);
  EXPECT_LE(t.low_us, t.median_us);
  EXPECT_LT(t.median_us, t.high_us);
}

TEST(Copies, share_the_memory_of_the_node) {
  machine m = plain_machine();
  m.near.cache_bytes = 100;
  EXPECT_DOUBLE_EQ(m.copy_us({.bytes = 100}, 16), 0.1);
  EXPECT_DOUBLE_EQ(m.copy_us({.bytes = 1000}, 2), 1);
  EXPECT_DOUBLE_EQ(m.copy_us({.bytes = 1000}, 16), 4);
  m.near.shared_cache_bytes = 1000, m.near.copy_shared_gb_s = 2;
  EXPECT_DOUBLE_EQ(m.copy_us({.bytes = 1000}, 16), 0.5);
  EXPECT_DOUBLE_EQ(m.copy_us({.bytes = 2000}, 16), 8);
}

TEST(Copies, cost_by_pieces_and_by_who_has_written_them) {
  machine m = plain_machine();
  m.near.tlb_bytes = 1e6, m.near.run_ns = 2, m.near.jump_ns = 10, m.near.jump_memory_ns = 100;
  m.near.peer_jump_ns = 50, m.near.peer_gb_s = 0.5;
  EXPECT_DOUBLE_EQ(m.copy_us({1000, 100, 12'800}, 2), 1 + 0.2);    // 128 bytes apart
  EXPECT_DOUBLE_EQ(m.copy_us({1000, 100, 6'400}, 2), 1 + 0.1);     // two in each pair of lines
  EXPECT_DOUBLE_EQ(m.copy_us({1000, 100, 100'000}, 2), 1 + 1);     // 1000 bytes apart
  EXPECT_DOUBLE_EQ(m.copy_us({1000, 100, 2'000'000}, 2), 1 + 10);  // on many pages
  EXPECT_DOUBLE_EQ(m.copy_us({1000, 100, 100'000, true}, 2), 2 + 5);
  m.near.jump_ns = m.near.jump_memory_ns = m.near.peer_jump_ns = m.near.peer_gb_s = 0;  // not known
  for (const double reach : {0.0, 12'800.0, 100'000.0, 2'000'000.0})
    EXPECT_DOUBLE_EQ(m.copy_us({1000, 100, reach, true}, 2), 1 + 0.2) << reach;
}

exchange_workload halo_of(const node_shape& shape, const std::string& method, int nodes) {
  const auto cut =
      std::make_shared<halo_lowering>(shape, halo_request{{64, 64}, {.periodic = {true, true}}, 1, stencil::star});
  return {shape, method, [cut](int rank) { return cut->flows_of(rank); }, nodes};
}

// 8 x 8 ranks, a row of 8 on each node: two near neighbours and two far ones, 8 cells of 8 bytes each.
TEST(Workload, counts_messages_and_copies) {
  const rank_traffic plain = halo_of({64, 8}, "near-mixed+isend", 64).traffic_of(9);
  EXPECT_EQ(plain.far_messages, 2);
  EXPECT_EQ(plain.far_bytes, 128);
  EXPECT_EQ(plain.near_flows, 2);
  EXPECT_EQ(plain.near_messages, 0);
  EXPECT_EQ(halo_of({64, 8}, "isend", 64).traffic_of(9).near_messages, 2);
  const exchange_workload lanes = halo_of({64, 8}, "near-mixed+lanes", 64);
  EXPECT_EQ(lanes.messages().size(), 16u);
  for (const exchange::message& m : lanes.messages()) EXPECT_EQ(m.bytes, 8 * 64);
}

TEST(Workload, samples_stand_for_all) {
  const machine m = plain_machine();
  const double all = simulated_us(halo_of({64, 8}, "near-mixed+isend", 64).once(m), m, 0);
  EXPECT_DOUBLE_EQ(simulated_us(halo_of({64, 8}, "near-mixed+isend", 3).once(m), m, 0), all);
  EXPECT_EQ(sampled_ranks({64, 8}, 3).size(), 24u);
  EXPECT_EQ(sampled_ranks({10, 4}, 2), (std::vector<int>{0, 1, 2, 3, 8, 9}));
}

TEST(Workload, memory_grows_with_neighbours_not_with_ranks) {
  EXPECT_EQ(halo_of({256, 8}, "near-mixed+isend", 3).busiest().far_messages,
            halo_of({1024, 8}, "near-mixed+isend", 3).busiest().far_messages);
}

TEST(Workload, staged_flows_have_two_buffers) {
  const rank_traffic in_place = halo_of({64, 8}, "near-direct+isend", 64).traffic_of(9),
                     staged = halo_of({64, 8}, "near-staged+isend", 64).traffic_of(9);
  EXPECT_EQ(in_place.near_bytes, 2 * 8 * 8);
  EXPECT_EQ(staged.plan_bytes - in_place.plan_bytes, 2 * in_place.near_bytes);
}

// Packed at one end and unpacked at the other: two copies of each message, and one of each near flow in place.
TEST(Workload, messages_are_copied_at_both_ends) {
  const machine m = plain_machine();
  const auto copied_us = [&](const std::string& method) {
    const program p = halo_of({64, 8}, method, 64).once(m);
    double us = 0;
    for (const operation& o : p.ranks[9].operations)
      if (o.what == action::compute) us += o.us;
    return us;
  };
  const double flow_us = m.copy_us({.bytes = 64}, 8);
  EXPECT_NEAR(copied_us("isend"), (2 + 2) * 2 * flow_us, 1e-9);
  EXPECT_NEAR(copied_us("near-direct+isend"), (2 * 2 + 2) * flow_us, 1e-9);
  EXPECT_NEAR(copied_us("near-staged+isend"), (2 * 2 + 2 * 2) * flow_us, 1e-9);
}

TEST(Workload, output_is_as_slow_as_the_slower_of_nodes_and_disks) {
  machine m = plain_machine();
  m.disk = {.node_gb_s = 1, .all_gb_s = 2, .open_us = 100};
  EXPECT_DOUBLE_EQ(output_times({4, 4}, 1000, m).write_us, 100 + 4);
  EXPECT_DOUBLE_EQ(output_times({16, 4}, 1000, m).write_us, 100 + 8);
}

TEST(Collective, leaders_double) {
  const collective::modelled_call call{collective::kind::allreduce, 8, 8};
  EXPECT_EQ(collective::default_method({32, 4}, call), "far-lines");
  EXPECT_EQ(collective::messages_of({32, 4}, 0, call, "far-lines").size(), 6u);  // to and from 3 nodes
  EXPECT_TRUE(collective::messages_of({32, 4}, 1, call, "far-lines").empty());
  EXPECT_GT(simulated_us(collective_program({32, 4}, call, "far-lines", plain_machine()), plain_machine(), 0), 3 * 12);
  for (const auto kind : {collective::kind::bcast, collective::kind::reduce, collective::kind::barrier})
    EXPECT_GT(simulated_us(
                  collective_program({20, 4}, {kind, 8, 8},
                                     kind == collective::kind::barrier ? "far-leaders" : "far-lines", plain_machine()),
                  plain_machine(), 0),
              0);
}

// With n ranks on one node each reads n vectors, or n slices of them and the sum: at 1 GB/s 1 us a kB. Before they read
// there is a barrier, of two rounds of a notice.
TEST(Collective, slices_share_the_work_of_a_node) {
  const collective::modelled_call call{collective::kind::allreduce, 4000, 8};
  const machine m = plain_machine();
  const auto us = [&](const char* method) { return simulated_us(collective_program({4, 4}, call, method, m), m, 0); };
  const double barrier_us = 2 * m.near.notice_us;
  EXPECT_DOUBLE_EQ(us("near-ring-8k"), 4 + barrier_us + 4 + barrier_us + 4);
  EXPECT_DOUBLE_EQ(us("near-lines"), barrier_us + 16);
}

// A piece is combined while the one before it is on its way: less than the sum of both parts, and no less than each.
TEST(Collective, pieces_overlap) {
  const collective::modelled_call call{collective::kind::allreduce, 4 << 20, 8};
  machine m = plain_machine();
  const auto us = [&](const char* method) { return simulated_us(collective_program({4, 2}, call, method, m), m, 0); };
  const double whole_us = us("far-leaders-4m"), cut_us = us("far-leaders-512k");
  EXPECT_LT(cut_us, 0.9 * whole_us);
  EXPECT_GT(cut_us, 1e-3 * (4 << 20) / m.far.node_gb_s);
  m.far.rank_gb_s = m.far.node_gb_s = 1e9;  // the copies alone: two of the node's vectors, the sum and the result
  EXPECT_GT(cut_us, us("far-leaders-512k"));
}

// Parts of a piece go to their leaders and sums come back, in two steps: the second piece travels meanwhile.
TEST(Collective, two_pieces_take_the_latencies_of_one) {
  const collective::modelled_call call{collective::kind::allreduce, 1 << 20, 8};
  machine m = plain_machine();
  m.far = {.latency_us = 1e6, .overhead_us = 0, .gap_us = 0, .rank_gb_s = 1e9, .node_gb_s = 1e9};
  const double us = simulated_us(collective_program({16, 2}, call, "far-leaders-512k", m), m, 0);
  EXPECT_GT(us, 2e6);
  EXPECT_LT(us, 2.1e6);
}

TEST(Export, goal) {
  const program p{{2, 1}, {{0, {compute(1.5), send(1, 8)}}, {1, {receive(0, 8), compute(2)}}}};
  std::ostringstream out;
  write_goal(p, out);
  EXPECT_EQ(out.str(),
            "num_ranks 2\n\nrank 0 {\nl1: calc 1500\nl2: send 8b to 1 tag 0\nl2 requires l1\n}\n\nrank 1 {\n"
            "l1: recv 8b from 0 tag 0\nl2: calc 2000\nl2 requires l1\n}\n");
  const program part{{4, 1}, {{0, {send(1, 8)}}}};
  EXPECT_THROW(write_goal(part, out), usage_error);
}

// What follows a send does not wait until that is over.
TEST(Export, goal_goes_on_behind_a_send) {
  std::ostringstream out;
  write_goal({{2, 1}, {{0, {send(1, 8), compute(2)}}, {1, {receive(0, 8)}}}}, out);
  EXPECT_THAT(out.str(), HasSubstr("l2: calc 2000\nl2 irequires l1\n"));
}

TEST(Export, goal_meets_at_the_first_rank_of_the_node) {
  const operation meet{.what = action::barrier};
  std::ostringstream out;
  write_goal({{3, 3}, {{0, {meet}}, {1, {meet}}, {2, {meet}}}}, out);
  EXPECT_EQ(out.str(),
            "num_ranks 3\n\nrank 0 {\nl1: recv 1b from 1 tag 3\nl2: recv 1b from 2 tag 3\nl2 requires l1\n"
            "l3: send 1b to 1 tag 3\nl3 requires l2\nl4: send 1b to 2 tag 3\nl4 irequires l3\n}\n\nrank 1 {\n"
            "l1: send 1b to 0 tag 3\nl2: recv 1b from 0 tag 3\nl2 irequires l1\n}\n\nrank 2 {\n"
            "l1: send 1b to 0 tag 3\nl2: recv 1b from 0 tag 3\nl2 irequires l1\n}\n");
}

TEST(Export, trace) {
  const program p{{2, 1}, {{0, {compute(1.5), send(1, 8)}}, {1, {receive(0, 8)}}}};
  std::ostringstream out;
  write_trace(p, plain_machine(), out);
  EXPECT_THAT(out.str(), HasSubstr("\"name\":\"compute and copy\",\"pid\":0,\"tid\":0,\"ts\":0.000,\"dur\":1.500}"));
  EXPECT_THAT(out.str(), HasSubstr("\"name\":\"receive\",\"pid\":1,\"tid\":1,\"ts\":0.000,\"dur\":13.508"));
}

/// What is said of a machine file with these words; empty: nothing.
std::string refused(const std::string& file, const std::string& words) {
  std::ofstream(file) << words;
  try {
    read_machine(file);
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

TEST(MachineFile, comes_back_as_it_was_written) {
  const std::string file = ::testing::TempDir() + "nearfar_model_test.toml";
  machine m = plain_machine();
  m.name = "by hand", m.variation.cores = 44;
  const std::string said = refused(file, to_toml(m));
  if (said.find("toml++") != std::string::npos) GTEST_SKIP() << said;
  EXPECT_EQ(to_toml(read_machine(file)), to_toml(m));
  EXPECT_THAT(refused(file, "[far]\nlatency = 3\n"), HasSubstr("table far has no 'latency'; it has latency_us"));
  EXPECT_THAT(refused(file, "[far]\nrank_gb_s = 0\n"), HasSubstr("far.rank_gb_s takes a number of 1e-09 to"));
  for (const char* value : {"nan", "-1", "inf", "'x'", "true"})
    EXPECT_THAT(refused(file, std::string("[far]\nlatency_us = ") + value), HasSubstr("far.latency_us takes a number"));
  EXPECT_THAT(refused(file, "[variation]\ncores = 2.5\n"), HasSubstr("takes a whole number of 0 to"));
  EXPECT_THAT(refused(file, "name = 3\n"), HasSubstr("name takes words"));
  EXPECT_EQ(refused(file, ""), "");
  EXPECT_THAT(refused(file, "[for]\n"), HasSubstr("there is no table 'for'"));
  EXPECT_THAT(refused(file, "[far\n"), HasSubstr("line 1"));
  std::remove(file.c_str());
  EXPECT_THROW(read_machine(file), io_error);
  EXPECT_THROW(read_machine("/dev/zero"), io_error);
}

TEST(Brams, a_fit_gives_its_rows_back) {
  machine m;
  m.variation.node_sigma = 0;
  const brams_fit fit = fit_brams(m, 1, 3);
  for (const std::size_t row : {1u, 3u}) {
    const brams_row& r = brams_rows()[row];
    EXPECT_NEAR(predict_brams(fit, r.ranks, r.per_node, 3).plain_s.median_us, r.plain_s, 0.02 * r.plain_s);
  }
  EXPECT_THROW(fit_brams(m, 3, 3), usage_error);
}

// Rows 1 and 3 are of 4 and 16 ranks on one node: with 16 cores only the former has spare ones.
TEST(Brams, waits_at_barriers_count_fully_where_all_cores_are_taken) {
  machine m;
  m.variation.cores = 16, m.variation.spare_share = 0.25;
  const auto extra_ms = [](const model::brams_row& r) { return 1e3 * (r.hybrid_s - r.plain_s) / 1440; };
  EXPECT_NEAR(fit_brams(m, 1, 3).barrier_ms, (extra_ms(brams_rows()[1]) / 0.25 + extra_ms(brams_rows()[3])) / 2, 1e-9);
}

// Three small steps of U, V and pressure, the last one's frame, U and V together, and all fields of the long step.
TEST(Brams, a_step_has_twelve_exchanges) { EXPECT_EQ(exchanges_of_a_brams_step(), 12); }

TEST(Brams, rank_correlation) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {10, 20, 30, 40}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
}

}  // namespace
}  // namespace nearfar::model
