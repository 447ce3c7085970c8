// SPDX-License-Identifier: BSD-3-Clause
// Which bytes of a range are free: runs, of which the first that fits is taken, and which join again when freed.
#pragma once

#include <base/numbers.hpp>
#include <iterator>
#include <map>

namespace nearfar::near {

class free_runs {
 public:
  free_runs() = default;
  explicit free_runs(index_t bytes) { runs_[0] = bytes; }

  /// Where the first free run of so many bytes starts, now taken; -1 where none is long enough.
  index_t take(index_t bytes) {
    for (auto it = runs_.begin(); it != runs_.end(); ++it) {
      const auto [offset, length] = *it;
      if (length < bytes) continue;
      runs_.erase(it);
      if (length > bytes) runs_[offset + bytes] = length - bytes;
      return offset;
    }
    return -1;
  }

  void give_back(index_t offset, index_t bytes) {
    auto after = runs_.lower_bound(offset);
    if (after != runs_.end() && after->first == offset + bytes) {
      bytes += after->second;
      after = runs_.erase(after);
    }
    if (after != runs_.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == offset) {
        before->second += bytes;
        return;
      }
    }
    runs_[offset] = bytes;
  }

 private:
  std::map<index_t, index_t> runs_;  ///< offset -> bytes
};

}  // namespace nearfar::near
