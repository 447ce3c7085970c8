// SPDX-License-Identifier: BSD-3-Clause
// Both nodes of a pair compute the same places; the layouts of a node's blocks do not overlap.
#include "methods/channel_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace nearfar::exchange {
namespace {

constexpr int ranks_per_node = 3, nodes = 4;

struct traffic {
  int source, target;
  index_t bytes;
};

std::vector<far_flow> seen_by(int node, const std::vector<traffic>& all) {
  std::vector<far_flow> flows;
  for (const traffic& t : all) {
    const int from = t.source / ranks_per_node, to = t.target / ranks_per_node;
    if (from == to) continue;
    if (from == node) flows.push_back({to, 1, t.source, t.target, t.source % ranks_per_node, 0, t.bytes});
    if (to == node) flows.push_back({from, 0, t.source, t.target, t.target % ranks_per_node, 0, t.bytes});
  }
  return flows;
}

std::vector<traffic> random_traffic(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<traffic> all;
  for (int s = 0; s < ranks_per_node * nodes; ++s)
    for (int t = 0; t < ranks_per_node * nodes; ++t)
      if (random() % 3 == 0) all.push_back({s, t, 1 + static_cast<index_t>(random() % 1000)});
  return all;
}

TEST(channel_table, agrees_at_both_ends) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto all = random_traffic(seed);
    std::vector<std::vector<channel>> channels;
    for (int n = 0; n < nodes; ++n) {
      auto flows = seen_by(n, all);
      std::shuffle(flows.begin(), flows.end(), std::mt19937(seed));
      channels.push_back(make_channels(flows, ranks_per_node));
    }
    int checked = 0;
    for (int a = 0; a < nodes; ++a)
      for (const channel& l : channels[as_size(a)])
        for (const far_flow& f : l.flows) {
          if (f.is_outgoing == 0) continue;
          for (const channel& other : channels[as_size(l.remote_node)])
            if (other.remote_node == a) {
              EXPECT_EQ(other.find(false, f.source, f.target).place, f.place);
              EXPECT_EQ(other.receive_bytes, l.send_bytes);
              ++checked;
            }
        }
    EXPECT_GT(checked, 0);
  }
}

TEST(channel_table, with_parts_has_a_channel_for_each_sender) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto all = random_traffic(seed);
    std::vector<std::vector<channel>> channels;
    for (int n = 0; n < nodes; ++n) {
      auto flows = seen_by(n, all);
      for (far_flow& f : flows) f.part = f.source % ranks_per_node;
      std::shuffle(flows.begin(), flows.end(), std::mt19937(seed));
      channels.push_back(make_channels(flows, ranks_per_node, true));
    }
    int checked = 0;
    for (int a = 0; a < nodes; ++a)
      for (const channel& l : channels[as_size(a)]) {
        EXPECT_EQ(l.owner, l.part);
        for (const far_flow& f : l.flows) {
          EXPECT_EQ(f.source % ranks_per_node, l.part);
          if (f.is_outgoing == 0) continue;
          for (const channel& other : channels[as_size(l.remote_node)])
            if (other.remote_node == a && other.part == l.part) {
              EXPECT_EQ(other.find(false, f.source, f.target).place, f.place);
              EXPECT_EQ(other.receive_bytes, l.send_bytes);
              ++checked;
            }
        }
      }
    EXPECT_GT(checked, 0);
  }
}

TEST(channel_table, lays_out_what_does_not_overlap) {
  const auto channels = make_channels(seen_by(1, random_traffic(5)), ranks_per_node);
  for (int r = 0; r < ranks_per_node; ++r) {
    const channel_layout y = make_channel_layout(channels, r, ranks_per_node);
    std::vector<std::pair<index_t, index_t>> spans{{y.closed, ranks_per_node * 64}};
    for (std::size_t i = 0; i < channels.size(); ++i) {
      spans.push_back({y.sent[i], 64});
      spans.push_back({y.arrived[i], 64});
      EXPECT_EQ(channels[i].owner == r, y.packed[i] >= 0);
      if (channels[i].owner != r) continue;
      spans.push_back({y.packed[i], ranks_per_node * 64});
      spans.push_back({y.taken[i], ranks_per_node * 64});
      spans.push_back({y.send_slots[i], 2 * channels[i].send_bytes});
      spans.push_back({y.receive_slots[i], 2 * channels[i].receive_bytes});
    }
    std::sort(spans.begin(), spans.end());
    for (std::size_t i = 0; i + 1 < spans.size(); ++i) EXPECT_LE(spans[i].first + spans[i].second, spans[i + 1].first);
    EXPECT_EQ(spans.back().first + spans.back().second, y.bytes);
  }
}

TEST(channel_table, spreads_lanes_over_the_near_ranks) {
  const auto channels = make_channels(seen_by(0, random_traffic(2)), ranks_per_node);
  ASSERT_EQ(channels.size(), 3u);
  for (int r = 0; r < 3; ++r) EXPECT_EQ(channels[as_size(r)].owner, r);
}

}  // namespace
}  // namespace nearfar::exchange
