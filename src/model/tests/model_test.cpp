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

TEST(Brams, rank_correlation) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {10, 20, 30, 40}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
}

}  // namespace
}  // namespace nearfar::model
