// SPDX-License-Identifier: BSD-3-Clause
// Several rank counts and node shapes in one launch: each shape is a part of the ranks that were launched.
//
// Starting a job costs more than most tests, so a test program is launched once, with the most ranks that it needs, and
// runs its tests on one part of the ranks after the other; ranks that are not part of a shape sleep until it is done.
// On one machine a shape is so many ranks cut into pretend nodes (NEARFAR_NODE_SIZE), on two emulated nodes so many
// ranks of each. Only tests that end ranks, limit memory or need MPI_COMM_WORLD itself need a launch of their own.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace nearfar::test {

/// The shapes that the tests of a source file ask for; these are all there are.
struct shapes {
  std::vector<int> ranks = {1, 2, 3, 4, 6};
  std::vector<int> node_sizes = {0, 1, 2};  ///< of pretend nodes: 0 for none (all ranks near), 1 makes all ranks far
  bool on_cluster = true;                   ///< once more on real nodes, with 1+1, 2+2 and 3+1 ranks
};

/// Declares, at namespace scope, what the tests of a source ask for:
/// `const shapes_of_file in_shapes{__FILE__, {.ranks = {2}}};`
struct shapes_of_file {
  shapes_of_file(const char* file, shapes asked);
};

/// What `file` has declared, else all shapes.
const shapes& shapes_of(const std::string& file);

/// One shape: a part of the launched ranks.
struct shape {
  std::string name;          ///< "np4", "np4.far", "np4.node2", "2+2"
  std::vector<int> members;  ///< ranks of the launch, ascending, 0 among them
  int node_size = 0;         ///< value of NEARFAR_NODE_SIZE, 0 if unset
  int launched_here = 1;     ///< ranks of this shape on the node of the calling rank
  bool is_asked_by(const shapes& asked) const;
};

/// A barrier in which ranks sleep: on few cores those that poll take the core from what they wait for. Collective.
void sleep_until_all_are_here(MPI_Comm comm);

/// The ranks that were launched; between MPI_Init and MPI_Finalize.
class launch {
 public:
  launch();  ///< Collective over MPI_COMM_WORLD.
  ~launch();
  launch(const launch&) = delete;
  launch& operator=(const launch&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Every shape that these ranks can take; NEARFAR_TEST_SHAPES ("np4.far,2+2") leaves only those named.
  std::vector<shape> all_shapes() const;

  /// Runs `body` on the members of `one`, with a communicator of theirs, while the others sleep (collective over all
  /// ranks). While it runs, the environment says what a launcher would have said to the members. -> on how many ranks
  /// it said false
  int in(const shape& one, const std::function<bool(MPI_Comm)>& body) const;

 private:
  friend class shape_in_progress;
  std::vector<shape> on_this_machine() const;
  std::vector<shape> on_two_nodes() const;

  MPI_Comm all_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::vector<int> node_of_;  ///< real node, per rank
};

}  // namespace nearfar::test
