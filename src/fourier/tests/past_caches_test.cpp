// SPDX-License-Identifier: BSD-3-Clause
// Results stored past the caches have the bits and the places of those stored through them, however lines of memory are
// met.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <complex>
#include <cstring>
#include <fourier/pieces.hpp>
#include <random>
#include <vector>

namespace nearfar::fourier::test {
namespace {

struct layout {
  index_t lines, stride, line_stride;  ///< of the output, in elements
  index_t first_line;
  index_t offset;  ///< of the output, from the start of a line of memory
  index_t planes = 1, plane_stride = 0;
};

/// 64-byte lines of memory.
struct alignas(64) memory_line {
  std::byte bytes[64];
};

template <class Real>
std::vector<memory_line> run(kind what, index_t n, const layout& l, bool past_caches) {
  const line_shape shape{what, n};
  const index_t in_reals = is_complex_in(what) ? 2 : 1, out_reals = is_complex_out(what) ? 2 : 1;
  std::vector<Real> in(as_size(shape.in_length() * l.lines * l.planes * in_reals));
  std::mt19937 random(7);
  for (Real& x : in) x = static_cast<Real>(random() % 1000) / 1000;
  const index_t elements = l.offset + (shape.out_length() - 1) * l.stride + (l.lines - 1) * l.line_stride +
                           (l.planes - 1) * l.plane_stride + 1;
  std::vector<memory_line> out(as_size(elements * out_reals * index_t{sizeof(Real)} / 64 + 1));
  std::memset(out.data(), 0x55, out.size() * sizeof(memory_line));
  const source_piece source{0, shape.in_length(), in.data(), l.lines * l.planes, {1, l.lines}};
  auto* const start = reinterpret_cast<Real*>(out.data()) + l.offset * out_reals;
  const target_piece target{0, shape.out_length(), start, l.stride, {l.line_stride, l.plane_stride}};
  bundle_engine<Real> engine(what, n);
  engine.run({{l.first_line, 0}, {l.lines, l.planes}}, {&source, 1}, {&target, 1}, past_caches);
  return out;
}

template <class Real>
void compare(const layout& l) {
  for (const kind what : {kind::forward, kind::backward, kind::real_to_complex, kind::complex_to_real, kind::dct2})
    for (const index_t n : {1, 8, 30, 64}) {
      const auto wanted = run<Real>(what, n, l, false), got = run<Real>(what, n, l, true);
      EXPECT_EQ(0, std::memcmp(wanted.data(), got.data(), got.size() * sizeof(memory_line)))
          << name_of(what) << " of " << n << ", offset " << l.offset << ", stride " << l.stride << ", planes "
          << l.planes << " by " << l.plane_stride;
    }
}

class PastCaches : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { setenv("NEARFAR_FOURIER_SIMD", GetParam(), 1); }
  void TearDown() override { unsetenv("NEARFAR_FOURIER_SIMD"); }
};

TEST_P(PastCaches, GivesTheSameMemory) {
  for (const layout& l : {layout{37, 48, 1, 0, 0},
                          {37, 48, 1, 0, 1},
                          {37, 41, 1, 0, 0},
                          {40, 64, 1, 3, 0},
                          {19, 1, 96, 0, 0},
                          {19, 1, 96, 0, 1},
                          {19, 1, 77, 0, 0},
                          {32, 16 * 40, 16, 0, 0},
                          {16, 64, 1, 0, 0, 3, 16},
                          {16, 64, 1, 0, 0, 3, 16 * 64 * 70 + 1},
                          {32, 1, 96, 0, 0, 3, 96 * 32 + 1}}) {
    compare<double>(l);
    compare<float>(l);
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, PastCaches, testing::Values("avx512", "avx2", "plain"));

}  // namespace
}  // namespace nearfar::fourier::test
