// SPDX-License-Identifier: BSD-3-Clause
// The inspector's interface to all distributions: bulk look-ups, and whether own elements are one range of indices.
#pragma once

#include <base/numbers.hpp>
#include <limits>
#include <nearfar/distribution.hpp>
#include <optional>

namespace nearfar {

struct distribution_state {
  distribution_state(const team& t, index_t n) : members(t), elements(n) {}
  distribution_state(const distribution_state&) = delete;
  distribution_state& operator=(const distribution_state&) = delete;
  virtual ~distribution_state() = default;

  /// Indices in range. Collective where is_collective().
  virtual void locate(std::span<const index_t> indices, std::span<int> owners, std::span<index_t> offsets) const = 0;
  /// Offsets of `rank`, in range; of this rank only where is_collective().
  virtual void globals(int rank, std::span<const index_t> offsets, std::span<index_t> indices) const = 0;
  virtual bool is_collective() const noexcept { return false; }
  /// The first own index where offset = index - first on every rank and owners ascend with the index.
  virtual std::optional<index_t> first_of_range() const noexcept { return std::nullopt; }
  /// Elements of a rank, where what locate() says has not been compared with that; more than any rank can have
  /// elsewhere.
  virtual index_t limit_of(int) const noexcept { return std::numeric_limits<index_t>::max(); }
  virtual std::string name() const = 0;

  team members;
  index_t elements = 0, owned = 0;
};

}  // namespace nearfar
