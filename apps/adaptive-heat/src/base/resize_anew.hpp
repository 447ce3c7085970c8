// SPDX-License-Identifier: BSD-3-Clause
// Space in vectors whose sizes change a little again and again.
#pragma once

#include <cstddef>

namespace adaptive_heat {

/// `size` elements, whose values are not those of before. Where there is no room for them, the old memory is given back
/// first and an eighth more than needed is taken: what of it is never touched costs nothing, while growing would have
/// both at a time.
template <class Vector>
void resize_anew(Vector& vector, std::size_t size) {
  if (vector.capacity() < size) {
    Vector().swap(vector);
    vector.reserve(size + size / 8);
  }
  vector.resize(size);
}

}  // namespace adaptive_heat
