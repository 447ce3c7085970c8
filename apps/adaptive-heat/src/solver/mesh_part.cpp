// SPDX-License-Identifier: BSD-3-Clause
// Copies a part out of a forest, which goes on changing.
#include <solver/mesh_part.hpp>

namespace adaptive_heat {

mesh_part part_of(forest& from) {
  const std::span<const int> partners = from.partners();
  return {from.leaves(),
          shapes_of(from.sides()),
          from.parts().splitters(),
          from.all_leaves(),
          {partners.begin(), partners.end()}};
}

}  // namespace adaptive_heat
