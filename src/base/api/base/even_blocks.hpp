// SPDX-License-Identifier: BSD-3-Clause
// Contiguous blocks as equal as possible.
#pragma once

#include <base/numbers.hpp>

namespace nearfar {

/// `elements` in `blocks` contiguous blocks; the first elements % blocks of them are one element longer than the others.
struct even_blocks {
  index elements = 0;
  int blocks = 1;

  index longer() const noexcept { return elements % blocks; }
  index first(index block) const noexcept {
    return block * (elements / blocks) + (block < longer() ? block : longer());
  }
  index size(index block) const noexcept { return elements / blocks + (block < longer() ? 1 : 0); }
  /// The block that an element is in, 0 <= element < elements.
  int owner(index element) const noexcept {
    const index width = elements / blocks, in_longer = longer() * (width + 1);
    return static_cast<int>(element < in_longer ? element / (width + 1) : longer() + (element - in_longer) / width);
  }
};

}  // namespace nearfar
