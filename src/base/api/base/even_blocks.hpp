// SPDX-License-Identifier: BSD-3-Clause
// Contiguous blocks as equal as possible.
#pragma once

#include <base/numbers.hpp>

namespace nearfar {

/// `elements` in `blocks` contiguous blocks; the first elements % blocks of them are one element longer than the
/// others.
struct even_blocks {
  index_t elements = 0;
  int blocks = 1;

  index_t longer() const noexcept { return elements % blocks; }
  index_t first(index_t block) const noexcept {
    return block * (elements / blocks) + (block < longer() ? block : longer());
  }
  index_t size(index_t block) const noexcept { return elements / blocks + (block < longer() ? 1 : 0); }
  /// The block that an element is in, 0 <= element < elements.
  int owner(index_t element) const noexcept {
    const index_t width = elements / blocks, in_longer = longer() * (width + 1);
    return static_cast<int>(element < in_longer ? element / (width + 1) : longer() + (element - in_longer) / width);
  }
};

}  // namespace nearfar
