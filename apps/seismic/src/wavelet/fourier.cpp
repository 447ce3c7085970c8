// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numbers>
#include <utility>
#include <wavelet/fourier.hpp>

namespace seismic {
namespace {

void put_in_reversed_order(std::span<std::complex<double>> a) {
  for (std::size_t i = 1, j = 0; i < a.size(); ++i) {
    std::size_t bit = a.size() >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(a[i], a[j]);
  }
}

}  // namespace

std::size_t power_of_two(std::size_t least) {
  std::size_t power = 2;
  while (power < least) power *= 2;
  return power;
}

fourier_transform::fourier_transform(std::size_t length) : roots_(length / 2) {
  for (std::size_t k = 0; k < roots_.size(); ++k)
    roots_[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length));
}

// Radix 2.
void fourier_transform::operator()(std::span<std::complex<double>> a) const {
  put_in_reversed_order(a);
  for (std::size_t half = 1; half < a.size(); half *= 2) {
    const std::size_t stride = roots_.size() / half;
    for (std::size_t first = 0; first < a.size(); first += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        const std::complex<double> w = roots_[k * stride], b = a[first + half + k];
        const std::complex<double> turned(w.real() * b.real() - w.imag() * b.imag(),
                                          w.real() * b.imag() + w.imag() * b.real());
        a[first + half + k] = a[first + k] - turned;
        a[first + k] += turned;
      }
  }
}

}  // namespace seismic
