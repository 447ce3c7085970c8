// SPDX-License-Identifier: BSD-3-Clause
// Touching is mutual: a rank that finds out to whom its leaves matter knows from whom ghosts come.
#include <base/mpi_check.hpp>
#include <mesh/ghost_layer.hpp>
#include <mesh/receive_codes.hpp>
#include <mesh/touching.hpp>

namespace adaptive_heat {

namespace {
constexpr int ghost_tag = 2;
}

void ghost_builder::build(const partition& parts, const codes& leaves, ghost_layer& layer) {
  ghosts_.clear();
  find_mirrors(parts, leaves, layer);
  exchange(leaves, layer);
  layer.leaves.clear(), layer.owners.clear();
  for (const std::uint64_t ghost : ghosts_) layer.leaves.push_back(octant::from_code(ghost));
  for (std::size_t i = 0; i < layer.partners.size(); ++i)
    layer.owners.insert(layer.owners.end(), layer.begins[i + 1] - layer.begins[i], layer.partners[i]);
}

/// Pairs of rank and leaf, sorted: those of one partner come together, its leaves ascend.
void ghost_builder::find_mirrors(const partition& parts, const codes& leaves, ghost_layer& layer) {
  pairs_.clear();
  touching_ranks touching(parts, rank_);
  for (std::size_t i = 0; i < leaves.size() && parts.ranks() > 1; ++i) {
    around_.clear();
    touching.find(octant::from_code(leaves[i]), around_);
    for (const int r : around_) pairs_.push_back(static_cast<std::uint64_t>(r) << 32 | i);
  }
  sort_unique(pairs_);
  layer.partners.clear(), layer.mirrors.clear(), layer.mirror_begins.clear();
  for (const std::uint64_t pair : pairs_) {
    const int partner = static_cast<int>(pair >> 32);
    if (layer.partners.empty() || layer.partners.back() != partner) {
      layer.partners.push_back(partner);
      layer.mirror_begins.push_back(layer.mirrors.size());
    }
    layer.mirrors.push_back(static_cast<std::uint32_t>(pair));
  }
  layer.mirror_begins.push_back(layer.mirrors.size());
}

void ghost_builder::exchange(const codes& leaves, ghost_layer& layer) {
  outgoing_.clear();
  for (const std::uint32_t i : layer.mirrors) outgoing_.push_back(leaves[i]);
  sends_.assign(layer.partners.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < layer.partners.size(); ++i)
    check_mpi(MPI_Isend(outgoing_.data() + layer.mirror_begins[i],
                        static_cast<int>(layer.mirror_begins[i + 1] - layer.mirror_begins[i]), MPI_UINT64_T,
                        layer.partners[i], ghost_tag, comm_, &sends_[i]),
              "MPI_Isend");
  layer.begins.clear();
  for (const int partner : layer.partners) {
    layer.begins.push_back(ghosts_.size());
    receive_codes(comm_, partner, ghost_tag, ghosts_);
  }
  layer.begins.push_back(ghosts_.size());
  wait_for(sends_);
}

}  // namespace adaptive_heat
