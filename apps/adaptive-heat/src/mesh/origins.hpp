// SPDX-License-Identifier: BSD-3-Clause
// From which old leaves each new leaf of a mesh was made.
#pragma once

#include <mesh/node_list.hpp>
#include <vector>

namespace adaptive_heat {

enum class origin_kind : std::uint8_t {
  same,     ///< the old leaf as it was
  refined,  ///< a descendant of the old leaf, by one level or several
  merged    ///< an ancestor of the old leaves, which fill it: 8, or more where several levels were merged
};

/// Where a new leaf comes from: old leaves [first, first + count).
struct origin {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  origin_kind kind = origin_kind::same;
  bool operator==(const origin&) const = default;
};

/// How many octants were split into eight and how many octets became one.
struct change_counts {
  std::int64_t splits = 0, merges = 0;
};

/// Traces the `leaves` back to `old`. Both are in Morton order and fill the same piece of the curve. Local, one pass.
change_counts trace_origins(const codes& old, const codes& leaves, std::vector<origin>& origins);

}  // namespace adaptive_heat
