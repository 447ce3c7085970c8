// SPDX-License-Identifier: BSD-3-Clause
// Transforms of whole grids by their definitions, axis by axis, in extended precision; modes are dropped and added by
// number.
#pragma once

#include <nearfar/fft.hpp>

#include <grids.hpp>

namespace nearfar::test {

inline index_t modes_of(const fft_shape& s, std::size_t d) {
  return s.modes.empty() || s.modes[d] == 0 ? s.extents[d] : s.modes[d];
}
inline fft_kind kind_of(const fft_shape& s, std::size_t d) { return s.kinds.empty() ? fft_kind::c2c : s.kinds[d]; }
inline bool is_fourier(fft_kind k) { return k == fft_kind::c2c || k == fft_kind::r2c; }

inline fourier::kind serial_kind(fft_kind k, bool is_backward) {
  using fourier::kind;
  switch (k) {
    case fft_kind::c2c:
      return is_backward ? kind::backward : kind::forward;
    case fft_kind::r2c:
      return is_backward ? kind::complex_to_real : kind::real_to_complex;
    case fft_kind::dct1:
      return kind::dct1;
    case fft_kind::dct2:
      return is_backward ? kind::dct3 : kind::dct2;
    case fft_kind::dct3:
      return is_backward ? kind::dct2 : kind::dct3;
    case fft_kind::dct4:
      return kind::dct4;
    case fft_kind::dst1:
      return kind::dst1;
    case fft_kind::dst2:
      return is_backward ? kind::dst3 : kind::dst2;
    case fft_kind::dst3:
      return is_backward ? kind::dst2 : kind::dst3;
    default:
      return kind::dst4;
  }
}

/// The entry that mode k has in a spectrum of n modes; of a half spectrum only k >= 0 has one.
inline index_t entry_of(index_t k, index_t n) { return k >= 0 ? k : k + n; }

/// Modes of the long spectrum to those of the short one.
inline numbers dropped(const numbers& all, fft_kind kind, index_t n, index_t m, fft_nyquist nyquist) {
  if (m == n) return all;
  if (!is_fourier(kind)) return {all.begin(), all.begin() + m};
  const bool is_half = kind == fft_kind::r2c;
  numbers kept(as_size(is_half ? m / 2 + 1 : m));
  for (index_t k = is_half ? 0 : -((m - 1) / 2); k <= (m - 1) / 2; ++k)
    kept[as_size(entry_of(k, m))] = all[as_size(entry_of(k, n))];
  if (m % 2 != 0) return kept;
  const exact opposite = is_half ? std::conj(all[as_size(m / 2)]) : all[as_size(n - m / 2)];
  kept[as_size(m / 2)] = nyquist == fft_nyquist::shared ? all[as_size(m / 2)] + opposite : exact(0);
  return kept;
}

/// The other way: zeros for modes that do not exist.
inline numbers added(const numbers& kept, fft_kind kind, index_t n, index_t m, fft_nyquist nyquist) {
  if (m == n) return kept;
  const bool is_half = kind == fft_kind::r2c;
  numbers all(as_size(is_half ? n / 2 + 1 : n));
  if (!is_fourier(kind)) {
    std::copy(kept.begin(), kept.end(), all.begin());
    return all;
  }
  for (index_t k = is_half ? 0 : -((m - 1) / 2); k <= (m - 1) / 2; ++k)
    all[as_size(entry_of(k, n))] = kept[as_size(entry_of(k, m))];
  if (m % 2 != 0 || nyquist == fft_nyquist::zero) return all;
  const exact middle = kept[as_size(m / 2)] / 2.0L;
  all[as_size(m / 2)] = is_half ? exact(middle.real()) : middle;
  if (!is_half) all[as_size(n - m / 2)] = middle;
  return all;
}

/// By the definition of the kind; cosines and sines act on real and imaginary parts.
inline numbers transformed(const fourier::test::definition& by, fft_kind kind, const numbers& line) {
  if (is_fourier(kind)) return by(line);
  numbers imaginary;
  for (const exact& x : line) imaginary.emplace_back(x.imag());
  numbers out = by(line);
  const numbers other = by(imaginary);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {out[i].real(), other[i].real()};
  return out;
}

inline whole_grid true_axis(const whole_grid& g, const fft_shape& s, std::size_t d, fft_nyquist nyquist, bool back) {
  const fft_kind kind = kind_of(s, d);
  if (kind == fft_kind::none) return g;
  const index_t n = s.extents[d], m = modes_of(s, d);
  const fourier::test::definition by(serial_kind(kind, back), n);
  return along(g, d, [&](const numbers& line) {
    if (back) return transformed(by, kind, added(line, kind, n, m, nyquist));
    return dropped(transformed(by, kind, line), kind, n, m, nyquist);
  });
}

/// Forward: the real axis first; backward: last.
inline whole_grid true_transform(whole_grid g, const fft_shape& s, fft_nyquist nyquist, bool is_backward) {
  for (const bool is_first : {true, false})
    for (std::size_t d = 0; d < s.extents.size(); ++d)
      if ((kind_of(s, d) == fft_kind::r2c) == (is_first != is_backward)) g = true_axis(g, s, d, nyquist, is_backward);
  return g;
}

}  // namespace nearfar::test
