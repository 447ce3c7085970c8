// SPDX-License-Identifier: BSD-3-Clause
// Where elements are between the steps of a chain: in the caller's output if possible, else in one of two work arrays.
// A move never has the same memory on both sides; transforms that change no length may work in place.
#pragma once

#include "route.hpp"

namespace nearfar::fft {

enum class place { input, output, first_work, second_work };

/// One direction's steps with the place of the elements before the first, between each two, and after the last.
struct chain {
  std::vector<step> steps;
  std::vector<place> places;  ///< one more than steps
};

/// Gives the sides between the steps their final form, and each a place. In place, output is the memory of the input.
/// Collective.
chain placed(std::vector<step> steps, bool is_in_place, index_t real_bytes);

/// Bytes of each work array on this rank.
std::array<index_t, 2> work_bytes(const chain& c, index_t fields, index_t real_bytes);

/// Bytes of an element.
inline index_t element_bytes(const resting& r, index_t real_bytes) {
  return r.is_complex ? 2 * real_bytes : real_bytes;
}

}  // namespace nearfar::fft
