// SPDX-License-Identifier: BSD-3-Clause
// Copies a part out of a forest, which goes on changing.
#include <nearfar/collective.hpp>
#include <solver/mesh_part.hpp>

namespace adaptive_heat {

mesh_part part_of(forest& from) {
  mesh_part part{from.leaves(), shapes_of(from.sides()), from.parts().splitters(), 0};
  part.all_leaves = nearfar::allreduce(from.members(), static_cast<std::int64_t>(part.leaves.size()), nearfar::op::sum);
  return part;
}

}  // namespace adaptive_heat
