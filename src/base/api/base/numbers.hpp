// SPDX-License-Identifier: BSD-3-Clause
// The library's integer for counts and bytes, its one checked narrowing, and a hash that is the same on every machine.
#pragma once

#include <base/text.hpp>
#include <cstdint>
#include <limits>
#include <nearfar/error.hpp>
#include <nearfar/index.hpp>
#include <span>
#include <string_view>

namespace nearfar {

/// The one way from 64-bit counts to the int of MPI calls.
inline int checked_int(index_t value, const char* what) {
  if (value < 0 || value > std::numeric_limits<int>::max())
    throw usage_error(text(what, " is ", value, "; MPI calls take 0 … ", std::numeric_limits<int>::max()));
  return static_cast<int>(value);
}

inline std::size_t as_size(index_t value) noexcept { return static_cast<std::size_t>(value); }
inline index_t as_index(std::size_t value) noexcept { return static_cast<index_t>(value); }

/// FNV-1a, 64 bit, with a finish that spreads every bit: for signatures that are written to files, compared across
/// ranks, and added up over ranks (plain FNV values of similar inputs differ by little, so that their sums collide).
class hash64 {
 public:
  hash64& add(std::string_view s) noexcept {
    for (const char c : s) mix(static_cast<unsigned char>(c));
    return add(as_index(s.size()));
  }
  hash64& add(index_t value) noexcept {
    for (int shift = 0; shift < 64; shift += 8)
      mix(static_cast<unsigned char>(static_cast<std::uint64_t>(value) >> shift));
    return *this;
  }
  std::uint64_t value() const noexcept {
    std::uint64_t v = state_;
    v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ULL;
    v = (v ^ (v >> 27)) * 0x94d049bb133111ebULL;
    return v ^ (v >> 31);
  }

 private:
  void mix(unsigned char byte) noexcept { state_ = (state_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace nearfar
