// SPDX-License-Identifier: BSD-3-Clause
// The default algorithm for a kind and size before any race, and pins.
#pragma once

#include <array>
#include <collective/algorithm.hpp>
#include <string>
#include <vector>

namespace nearfar::collective {

/// The default for this kind in this setting: a look into a table of size ranges. Null: the MPI's own.
const algorithm* default_algorithm(kind what, const setting& s);

/// The default among the algorithms that combine in the order of ranks; never null for reductions but reduce_scatter.
const algorithm* default_in_order(kind what, const setting& s);

/// What NEARFAR_METHOD says of each kind; "mpi" is the MPI's own. What does not serve a call is passed over.
/// `is_forced` tells whether a name applied.
/// @throws usage_error for names that nobody has
class pins {
 public:
  pins();
  const algorithm* find(kind what, const setting& s, bool& is_forced) const;
  bool is_empty() const noexcept;

 private:
  std::array<std::vector<std::string>, kinds> wanted_;
};

}  // namespace nearfar::collective
