// SPDX-License-Identifier: BSD-3-Clause
// An operation that does not commute, for tests.
#pragma once

#include <cstdint>
#include <nearfar/mpi.hpp>

namespace nearfar::collective::test {

/// x -> a x + b modulo 2^32; as wide as an MPI_INT64_T.
struct affine {
  std::uint32_t a, b;
};

/// The composition of two such maps: associative, but it does not commute.
inline void compose(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* f = static_cast<const affine*>(in);
  auto* g = static_cast<affine*>(inout);
  for (int i = 0; i < *count; ++i) g[i] = {f[i].a * g[i].a, f[i].b * g[i].a + g[i].b};
}

}  // namespace nearfar::collective::test
