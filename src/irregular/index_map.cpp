// SPDX-License-Identifier: BSD-3-Clause
// Counts the ghosts of an index map.
#include <nearfar/index_map.hpp>
#include <utility>

namespace nearfar {

index_map::index_map(index_t owned, std::vector<ghost_range> ranges) : owned_(owned), ranges_(std::move(ranges)) {
  for (const ghost_range& r : ranges_) ghosts_ += r.count;
}

}  // namespace nearfar
