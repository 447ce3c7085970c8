// SPDX-License-Identifier: BSD-3-Clause
// Planes by the vectors that every processor of the architecture has.
#include "plane.hpp"

namespace nearfar::exchange {
namespace {
constexpr index_t vector_bytes = 16;
}
}  // namespace nearfar::exchange

#include "loops.hpp"

namespace nearfar::exchange::plain {

plane_kernel find(index_t element_bytes) { return find_kernel(element_bytes); }
run_kernel find_past_caches() { return copy_runs_past_caches; }

}  // namespace nearfar::exchange::plain
