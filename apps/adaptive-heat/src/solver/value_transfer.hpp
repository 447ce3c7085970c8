// SPDX-License-Identifier: BSD-3-Clause
// What becomes of the values of elements while the mesh adapts and its parts move, until the elements of the new mesh
// take them.
#pragma once

#include <mesh/forest.hpp>
#include <solver/element_set.hpp>
#include <span>

namespace adaptive_heat {

/// Values of elements that stay as they are are not touched; only those of new ones, and of those that come from other
/// ranks, are held here.
class value_transfer {
 public:
  /// Begins with the values as they are. Memory is kept from one adaptation to the next.
  void start(const element_set& from);

  void migrate(const migration& how);  ///< collective
  /// To the leaves of an adapted forest, whose old leaves the values are of. Local.
  void interpolate(const adaptation& change, std::span<const octant> leaves);

  const element_sources& sources() const noexcept { return sources_; }

 private:
  std::size_t volume() const noexcept { return static_cast<std::size_t>(from_->counts().volume()); }
  void copy_values(std::int32_t source, double* to) const;
  std::size_t made() const noexcept { return sources_.made.size() / volume(); }  ///< elements
  double* make(std::size_t elements);
  void reserve_space(std::size_t more);
  void take(const origin& from);

  const element_set* from_ = nullptr;
  element_sources sources_;
  std::vector<double> taken_;  ///< of old leaves from taken_first_ on
  std::uint32_t taken_first_ = 0;
};

}  // namespace adaptive_heat
