// SPDX-License-Identifier: BSD-3-Clause
// One message for each ordered pair of nodes: who sends and receives it, and where near ranks find it.
#pragma once

#include <algorithm>
#include <collective/inter_node.hpp>
#include <vector>

#include "staging_area.hpp"

namespace nearfar::collective {

/// The near rank, of so many, that speaks to node `other`.
inline int near_speaker(int other, int near_size) { return other % near_size; }
/// That of `node`.
inline int speaker(const inter_node& between, int node, int other) {
  return near_speaker(other, between.near_size(node));
}

/// Every rank sends the messages to some of the other nodes and receives those from them into a staging area, which its
/// near ranks read. Empty messages are left out.
class pair_exchange {
 public:
  /// `bytes_to(node)`: of the message to a node; `bytes_from(node)`: of the message from it, alike on all near ranks.
  template <class To, class From>
  pair_exchange(workspace& work, To bytes_to, From bytes_from)
      : h_(*work.near),
        between_(*work.far),
        place_(as_size(between_.nodes()), 0),
        received_(h_, sum_up(bytes_from)),
        to_send_(as_size(between_.nodes()), nullptr) {
    index_t total = 0;
    for (int node = 0; node < between_.nodes(); ++node)
      if (is_mine(node)) total += bytes_to(node);
    std::byte* at = work.scratch_of(total);
    std::byte* in = nullptr;
    for (int node = 0; node < between_.nodes(); ++node) {
      if (!is_mine(node)) continue;
      to_send_[as_size(node)] = at;
      at += bytes_to(node);
      if (in == nullptr) in = received_.mine();
      if (const index_t bytes = bytes_from(node); bytes > 0)
        receives_.push_back(between_.receive(in + place_[as_size(node)], bytes, peer_on(node)));
    }
  }

  bool is_mine(int node) const {
    return node != between_.node() && speaker(between_, between_.node(), node) == h_.rank();
  }
  std::byte* to_send(int node) const { return to_send_[as_size(node)]; }
  void send(int node, index_t bytes) {
    if (bytes > 0) sends_.push_back(between_.send(to_send(node), bytes, peer_on(node)));
  }
  void finish() {
    finish_messages(h_, receives_);
    received_.publish();
  }
  /// The message that came from a node, whoever received it.
  const std::byte* message_from(int node) {
    const int r = speaker(between_, between_.node(), node);
    return (r == h_.rank() ? received_.mine() : received_.theirs(r)) + place_[as_size(node)];
  }
  void leave() {
    finish_messages(h_, sends_);
    received_.leave();
  }

 private:
  int peer_on(int node) const { return between_.rank_of(node, speaker(between_, node, between_.node())); }

  // Sets the places of messages in the staging areas of those who receive them; returns the length of the fullest.
  template <class From>
  index_t sum_up(From bytes_from) {
    std::vector<index_t> filled(as_size(h_.size()), 0);
    for (int node = 0; node < between_.nodes(); ++node) {
      if (node == between_.node()) continue;
      index_t& end = filled[as_size(speaker(between_, between_.node(), node))];
      place_[as_size(node)] = end;
      end += bytes_from(node);
    }
    return *std::max_element(filled.begin(), filled.end());
  }

  node_segment& h_;
  const inter_node& between_;
  std::vector<index_t> place_;
  staging_area received_;
  std::vector<std::byte*> to_send_;
  std::vector<MPI_Request> receives_, sends_;
};

}  // namespace nearfar::collective
