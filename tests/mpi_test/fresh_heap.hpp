// SPDX-License-Identifier: BSD-3-Clause
// The program's memory after an exception has left a block: what a plan left behind would be written there.
#pragma once

#include <cstddef>
#include <vector>

namespace nearfar::test {

class fresh_heap {
 public:
  /// Pieces of `words` words, which should be as long as what was freed; further ones are longer by up to `spread`.
  explicit fresh_heap(std::size_t words, std::size_t pieces = 2000, std::size_t spread = 1) {
    for (std::size_t i = 0; i < pieces; ++i) all_.emplace_back(words + i % spread, 7L);
  }
  int overwritten() const {
    int count = 0;
    for (const auto& piece : all_)
      for (const long word : piece) count += word != 7;
    return count;
  }

 private:
  std::vector<std::vector<long>> all_;
};

}  // namespace nearfar::test
