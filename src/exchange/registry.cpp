// SPDX-License-Identifier: BSD-3-Clause
// The list of all methods: names, descriptions, and when they are available.
#include <algorithm>
#include <base/text.hpp>
#include <nearfar/error.hpp>

#include "methods/isend.hpp"
#include "methods/lanes.hpp"
#include "methods/leaders.hpp"
#include "methods/near.hpp"
#include "methods/neighbor.hpp"
#include "methods/rma.hpp"
#include "transport.hpp"

namespace nearfar::exchange {

namespace {

bool always(const context&) { return true; }

method_entry entry(const char* name, const char* words, bool near, bool far, bool (*available)(const context&),
                   std::unique_ptr<transport> (*make)(context&, peers, const std::string&), bool is_candidate = true,
                   bool (*worthwhile)(const context&) = nullptr) {
  const bool is_local = make == make_isend || make == make_persistent || make == make_parts;
  return {{name, words, near, far, is_candidate}, available, make, worthwhile, is_local};
}

}  // namespace

const std::vector<method_entry>& registry() {
  static const std::vector<method_entry> all{
      entry("isend", "packed MPI_Isend/MPI_Irecv, buffers made with the plan: the plain method and the yardstick", true,
            true, always, make_isend),
      entry("persistent", "the same with persistent requests", true, true, always, make_persistent),
      entry("parts", "packed messages cut into parts of 16 kB, below the MPI's threshold for rendezvous", false, true,
            always, make_parts, true, are_parts_different),
      entry("neighbor", "MPI_Ineighbor_alltoallw with datatypes; for comparison", true, true, always, make_neighbor,
            false),
      entry("rma", "one-sided puts into the peer's window, each followed by an empty message; for comparison", false,
            true, is_putting_possible, make_rma, false),
      entry("lanes",
            "one message per pair of nodes, packed straight into the shared buffer of the near rank that sends it",
            false, true, are_lanes_possible, make_lanes_transport),
      entry(
          "own-lanes",
          "one message per rank and other node, to the rank of the same place there, whose near ranks unpack from its "
          "buffer; for short messages",
          false, true, are_lanes_possible, make_lanes_transport, true, are_own_lanes_worthwhile),
      entry("own-lanes-in-parts", "the same, cut into messages below the MPI's threshold for rendezvous", false, true,
            are_lanes_possible, make_lanes_transport, true, are_own_lanes_cut),
      entry("leaders",
            "packed into a segment of the node, carried by one rank of it, unpacked: the published method, for short "
            "messages",
            true, true, are_leaders_possible, make_leaders_transport, true, are_leaders_worthwhile),
      entry("near-line", "data and epoch in shared cache lines up to 16 kB, packed shared buffers beyond", true, false,
            is_near_memory_shared, make_near),
      entry("near-staged", "packed into one of two shared buffers of the sender, unpacked from there", true, false,
            is_near_memory_shared, make_near),
      entry("near-streamed", "the same, packed past the caches from 8 kB on: for cores that share no cache", true,
            false, is_near_memory_shared, make_near),
      entry("near-piped",
            "half a megabyte and more in chunks through a ring of shared buffers, packed while the receiver unpacks",
            true, false, is_near_memory_shared, make_near),
      entry("near-direct",
            "read in place from the peer's near memory, however short the runs; lines up to 512 B; for comparison",
            true, false, is_near_memory_shared, make_near, false),
      entry("near-direct-streamed",
            "the same, stored past the caches: for what fits the last-level cache, where that is slow; for comparison",
            true, false, is_near_memory_shared, make_near, false),
      entry("near-mixed", "in place where runs are 512 B or longer, else packed shared buffers; lines up to 4.6 kB",
            true, false, is_near_memory_shared, make_near),
      entry("near-cma", "read in place from the peer's ordinary memory (process_vm_readv) where runs are few", true,
            false, is_process_reading_possible, make_near),
      entry("node-barrier", "in place between two barriers of the node: the published method, for comparison", true,
            false, is_near_memory_shared, make_near, false),
  };
  return all;
}

const method_entry& entry_named(const std::string& name) {
  const auto& all = registry();
  const auto found = std::find_if(all.begin(), all.end(), [&](const method_entry& e) { return e.about.name == name; });
  if (found != all.end()) return *found;
  std::string names;
  for (const auto& e : all) names += (names.empty() ? "" : ", ") + e.about.name;
  throw usage_error(text("there is no method '", name, "'; methods are ", names, ", or NEAR+FAR made of two of them"));
}

bool is_through_near_ranks(const std::string& name) { return entry_named(name).make == make_lanes_transport; }

bool is_one_segment_for_all(const std::string& name) { return entry_named(name).make == make_leaders_transport; }

const std::vector<method_info>& methods() {
  static const std::vector<method_info> list = [] {
    std::vector<method_info> l;
    for (const auto& e : registry()) l.push_back(e.about);
    return l;
  }();
  return list;
}

std::vector<method_info> methods_of(const std::string&) { return methods(); }

std::vector<std::string> methods_here(const team& members) {
  context c(members);
  c.arena = &near::arena::of(members);
  std::vector<std::string> names;
  for (const auto& e : registry())
    if (e.is_available(c)) names.push_back(e.about.name);
  return names;
}

}  // namespace nearfar::exchange
