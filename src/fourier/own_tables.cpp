// SPDX-License-Identifier: BSD-3-Clause
// Makes the tables of a kind and length.
#include "own_tables.hpp"

#include <algorithm>
#include <base/text.hpp>

#include "roots.hpp"

namespace nearfar::fourier {
namespace {

template <class Real>
std::string radices_of(const factorisation<Real>& r) {
  if (r.padded > 0) return "chirp of " + radices_of(*r.inner);
  std::string all = r.passes == 0 ? "1" : "";
  for (int i = 0; i < r.passes; ++i) all += text(i > 0 ? " x " : "", r.pass_list[i].radix);
  return all;
}

/// Appends roots first, first + step, … of n.
template <class Real>
void put_roots(std::vector<Real>& to, index_t count, index_t first, index_t step, index_t n) {
  const std::size_t old = to.size();
  to.resize(old + as_size(2 * count));
  for (index_t k = 0; k < count; ++k) put_root(to.data() + old + 2 * k, first + k * step, n);
}

}  // namespace

template <class Real>
tables<Real>::tables(kind what, index_t length) {
  reals_.what = what;
  reals_.length = length;
  if (what == kind::dct4 || what == kind::dst4)
    prepare_fourth_kind();
  else if (is_complex_in(what) && is_complex_out(what))
    factorisation_ = factorisation_for<Real>(length);
  else
    prepare_reals(what == kind::dct1 ? 2 * (length - 1) : what == kind::dst1 ? 2 * (length + 1) : length);
  reals_.complex = factorisation_.get();
  rows_ = std::max({factorisation_->length, factorisation_->padded, (length + 1) / 2, reals_.inner / 2}) + 1;
}

template <class Real>
void tables<Real>::prepare_reals(index_t inner) {
  reals_.inner = inner;
  reals_.is_halved = inner % 2 == 0;
  factorisation_ = factorisation_for<Real>(reals_.is_halved ? inner / 2 : inner);
  if (reals_.is_halved) put_roots(halving_, inner / 4 + 1, 0, 1, inner);
  const index_t n = reals_.length;
  if (is_real_to_real(reals_.what)) put_roots(turning_, n / 2 + 1, 0, 1, 4 * n);
  reals_.halving = halving_.data();
  reals_.turning = turning_.data();
}

/// Even: exp(-i pi (8m + 1) / 8n) before and after. Odd: exp(-i pi k / 2n) before, exp(-i pi (2k + 1) / 4n) after.
template <class Real>
void tables<Real>::prepare_fourth_kind() {
  const index_t n = reals_.length;
  reals_.is_halved = n % 2 == 0;
  factorisation_ = factorisation_for<Real>(reals_.is_halved ? n / 2 : 2 * n);
  if (reals_.is_halved) {
    put_roots(turning_, n / 2, 1, 8, 16 * n);
  } else {
    put_roots(turning_, n, 0, 1, 4 * n);
    put_roots(turning_, n, 1, 2, 8 * n);
  }
  reals_.turning = turning_.data();
}

template <class Real>
std::string tables<Real>::describe() const {
  return radices_of(*factorisation_);
}

template class tables<float>;
template class tables<double>;

}  // namespace nearfar::fourier
