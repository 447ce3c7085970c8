// SPDX-License-Identifier: BSD-3-Clause
// Blocks that change hands by MPI within a call of the node segment.
#pragma once

#include <collective/node_segment.hpp>
#include <vector>

namespace nearfar::collective {

/// On one node, where near ranks are team ranks. Blocks between two ranks arrive in the order in which they are sent.
class block_messages {
 public:
  explicit block_messages(node_segment& h) : h_(h) {}
  void send(int to, const std::byte* at, index_t bytes);
  void receive(int from, std::byte* at, index_t bytes);
  /// Waits for all of them.
  void finish();

 private:
  MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  node_segment& h_;
  std::vector<MPI_Request> requests_;
};

}  // namespace nearfar::collective
