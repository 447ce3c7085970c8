// SPDX-License-Identifier: BSD-3-Clause
// A rank's claim of its call (kind, root, size): all ranks must claim the same, or one has made a mistake.
#pragma once

#include <base/text.hpp>
#include <collective/call.hpp>
#include <cstdint>
#include <string>

namespace nearfar::collective {

/// Kind, root and size of a call as far as every rank knows them. One that is left to the MPI claims nothing.
struct call_claim {
  bool is_ours = false;
  kind what = kind::barrier;
  int root = 0;            ///< 0 in kinds without one
  index_t bytes = 0;       ///< job::bytes; in gatherv what this rank sends
  std::uint64_t list = 0;  ///< digest of the lengths, where every rank knows them all

  constexpr std::uint64_t packed() const noexcept {
    if (!is_ours) return 0;
    return (1 + static_cast<std::uint64_t>(what)) | static_cast<std::uint64_t>(root) << root_bit | list << list_bit;
  }
  constexpr std::uint64_t signature() const noexcept {
    return packed() * 0xff51afd7ed558ccdULL +
           (what == kind::gatherv ? 0 : static_cast<std::uint64_t>(bytes) * 0xc4ceb9fe1a85ec53ULL);
  }
  static constexpr bool has_own_bytes(std::uint64_t packed) noexcept {
    return packed != 0 && static_cast<kind>((packed & 0xff) - 1) == kind::gatherv;
  }
  static std::string words(std::uint64_t packed, index_t bytes) {
    if (packed == 0) return "a call that is left to the MPI";
    const auto what = static_cast<kind>((packed & 0xff) - 1);
    const auto root = packed >> root_bit & 0xffffffff;
    return text(name_of(what), bytes > 0 ? text(" of ", bytes, " B") : std::string(),
                is_rooted(what) ? text(" with root ", root) : std::string());
  }

 private:
  static constexpr int root_bit = 8, list_bit = 40;
};

}  // namespace nearfar::collective
