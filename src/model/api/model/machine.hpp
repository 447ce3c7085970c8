// SPDX-License-Identifier: BSD-3-Clause
// What a machine costs: a handful of numbers that are measured (nearfar bench --fit) or taken from what was published.
#pragma once

#include <cstdint>
#include <string>

namespace nearfar::model {

/// What a rank copies.
struct copied {
  double bytes = 0;
  double pieces = 0;        ///< contiguous ones, where there are many
  double reach = 0;         ///< bytes from the first piece to the last, of all arrays; 0: not known
  bool is_of_peer = false;  ///< a near rank has written them
};

/// Times in microseconds, speeds in GB/s (1e9 bytes), sizes in bytes.
struct machine {
  std::string name = "unnamed", source;

  struct {
    double latency_us = 1.5;   ///< from the end of the sender's part to the beginning of the receiver's
    double overhead_us = 0.4;  ///< of a rank's time per message, at either end
    double gap_us = 0.05;      ///< between two messages that leave one node
    double rank_gb_s = 8;      ///< of one message
    double node_gb_s = 8;      ///< of all messages that leave a node
    double eager_bytes = 1e9;  ///< longer messages are announced and answered first: twice the latency more
  } far;

  struct {
    double notice_us = 0.2;         ///< until a near rank sees a store
    double message_us = 0.6;        ///< latency of a message of the MPI between near ranks
    double message_gb_s = 4;        ///< its speed
    double run_ns = 2;              ///< per contiguous piece that is packed or unpacked, two cache lines from the last
    double jump_ns = 0;             ///< per piece that is farther away, in caches; 0: as run_ns
    double jump_memory_ns = 0;      ///< the same where pieces are spread over more than tlb_bytes; 0: as jump_ns
    double peer_jump_ns = 0;        ///< per such piece that another core has written; 0: as jump_ns
    double copy_cached_gb_s = 12;   ///< where source and destination are in caches
    double peer_gb_s = 0;           ///< where another core has written the source, in its caches; 0: the same
    double copy_shared_gb_s = 0;    ///< where they are in a rank's part of the cache that cores share; 0: not known
    double copy_memory_gb_s = 6;    ///< where they are in memory
    double node_memory_gb_s = 60;   ///< copied by all ranks of a node at once, out of caches
    double cache_bytes = 1 << 20;   ///< of a rank
    double shared_cache_bytes = 0;  ///< a rank's part of the cache that cores share
    double tlb_bytes = 8 << 20;     ///< of pages whose addresses a core has at hand
    double barrier_round_us = 0.5;  ///< of the MPI's barrier of a node, which takes log2(ranks) rounds
  } near;

  struct {
    double message_sigma = 0.2;   ///< of the logarithm of a message's latency
    double compute_sigma = 0.02;  ///< the same of a rank's computing and copying, each time anew
    double node_sigma = 0.01;     ///< the same of a node's, for a whole run
    double detour_hz = 0;         ///< interruptions of a rank where all cores of the node are taken
    double detour_us = 100;       ///< their mean length (exponential)
    double spare_share = 0.1;     ///< of them where cores are spare
    int cores = 0;                ///< of a node; 0: as many as ranks
  } variation;

  struct {
    double node_gb_s = 1;   ///< written by one node
    double all_gb_s = 10;   ///< by all nodes together
    double open_us = 1000;  ///< of one step, whatever its size
  } disk;

  /// Beyond caches the speed is the least of the copy's own and the rank's share of the node's memory.
  double copy_us(const copied& what, int near_ranks) const noexcept;

 private:
  double gb_s(const copied& what, int near_ranks) const noexcept;
  double piece_ns(const copied& what) const noexcept;
};

/// Reads a machine file (TOML: tables far, near, variation, disk with the names above, and name and source).
/// @throws io_error  the file cannot be read; usage_error  not TOML, an unknown name, or a number that cannot be
machine read_machine(const std::string& file);

/// The same as a machine file.
std::string to_toml(const machine& m);

}  // namespace nearfar::model
