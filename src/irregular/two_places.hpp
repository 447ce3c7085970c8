// SPDX-License-Identifier: BSD-3-Clause
// Two neighbouring entries of an index list by one load, since loads limit the loops over references.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace nearfar::irregular {

/// Places are not negative.
class two_places {
 public:
  explicit two_places(const std::int32_t* at) { std::memcpy(&both_, at, sizeof both_); }
  std::uint64_t first() const { return is_low_first ? low() : both_ >> 32; }
  std::uint64_t second() const { return is_low_first ? both_ >> 32 : low(); }

 private:
  static constexpr bool is_low_first = std::endian::native == std::endian::little;
  std::uint64_t low() const { return both_ & 0xffffffffU; }
  std::uint64_t both_;
};

}  // namespace nearfar::irregular
