// SPDX-License-Identifier: BSD-3-Clause
// Transforms for the instruction set that the library is built for, in vectors of 16 bytes.
#define NEARFAR_FOURIER_BYTES 16
#include "cosine_bundle.hpp"

namespace nearfar::fourier::plain {

constexpr const char* variant_name = "plain";
#include "variant.inc"

}  // namespace nearfar::fourier::plain
