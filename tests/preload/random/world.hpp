// SPDX-License-Identifier: BSD-3-Clause
// What a random program has at hand: communicators that all ranks know of, operations in flight, random numbers, the
// digest.
//
// All ranks make the same draws in the same order, whether they are members of a communicator or not, so that no rank
// has to be told anything. What may differ between ranks (layouts, contents, being late) comes from draws of its own.
#pragma once

#include <mpi.h>

#include <list>
#include <memory>
#include <vector>

#include "draw.hpp"
#include "layouts.hpp"

namespace random_program {

/// A communicator; where the rank is no member, `handle` is MPI_COMM_NULL.
struct communicator {
  MPI_Comm handle = MPI_COMM_NULL;
  std::vector<int> members;  ///< ranks of MPI_COMM_WORLD, in no order; of both groups of an intercommunicator
  std::vector<int> others;   ///< the second group, which is not empty where it is an intercommunicator
  bool is_mine = true;       ///< to be freed; not MPI_COMM_WORLD and MPI_COMM_SELF
  int waits = 0;             ///< operations in flight

  bool is_inter() const { return !others.empty(); }
  int size() const { return static_cast<int>(members.size() - others.size()); }
};

/// An operation that was started: its request, its memory, and what is looked at when it has ended.
struct operation {
  MPI_Request request = MPI_REQUEST_NULL;
  communicator* on = nullptr;
  bool is_persistent = false;
  int starts_left = 0;
  std::vector<std::shared_ptr<memory>> memories;
  std::vector<std::shared_ptr<layout>> layouts;
  std::shared_ptr<std::vector<int>> numbers;
  std::function<void()> look;  ///< adds to the digest what was received
};

struct world {
  explicit world(std::uint64_t seed, int ranks, int rank);

  draw shared;
  std::uint64_t seed;
  int ranks, rank, step = 0;
  bool makes_mistakes = true;  ///< some calls are wrong, and the MPI is to say so
  digest seen;
  std::list<communicator> comms;
  std::list<operation> in_flight;

  /// Random numbers of this rank alone, in this step.
  draw own() const {
    return draw(mixed(seed * 1000003 + static_cast<std::uint64_t>(step)) + static_cast<unsigned>(rank));
  }
  communicator& any_comm();
  communicator& any_intra();
};

// The kinds of steps.
void call_collective(world& w);
void call_on_intercommunicator(world& w);
void call_wrongly(world& w);
void make_communicator(world& w);
void free_communicator(world& w);
void use_attributes(world& w);
void exchange_messages(world& w);
void use_window(world& w);
void call_neighbors(world& w);
void come_late(world& w);
/// Ends one operation in flight, or starts it again.
void wait_for_one(world& w);
/// Ends all operations in flight on `only`, or all of them.
void wait_for_all(world& w, const communicator* only = nullptr);
void free_everything(world& w);

}  // namespace random_program
