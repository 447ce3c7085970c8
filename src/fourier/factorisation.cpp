// SPDX-License-Identifier: BSD-3-Clause
// Makes factorisations: factors of passes, chirps, and the store that shares them.
#include "factorisation.hpp"

#include <complex>
#include <map>
#include <mutex>

#include "roots.hpp"

namespace nearfar::fourier {
namespace {

using exact = std::complex<long double>;

template <class Real>
struct owned_factorisation : factorisation<Real> {
  std::vector<pass<Real>> list;
  std::vector<std::vector<Real>> numbers;
  std::shared_ptr<const factorisation<Real>> held;

  Real* storage_for(index_t count) { return numbers.emplace_back(as_size(count)).data(); }
};

template <class Real>
const Real* make_factors(owned_factorisation<Real>& r, int radix, index_t groups) {
  Real* to = r.storage_for(groups * (radix - 1) * 2);
  for (index_t p = 0; p < groups; ++p)
    for (index_t j = 1; j < radix; ++j) put_root(to + 2 * (p * (radix - 1) + j - 1), j * p, groups * radix);
  return to;
}

template <class Real>
const Real* make_roots(owned_factorisation<Real>& r, int radix) {
  Real* to = r.storage_for(2 * radix);
  for (index_t k = 0; k < radix; ++k) put_root(to + 2 * k, k, radix);
  return to;
}

template <class Real>
void make_passes(owned_factorisation<Real>& r, const std::vector<int>& radices) {
  index_t left = r.length, span = 1;
  for (const int radix : radices) {
    left /= radix;
    r.list.push_back({radix, left, span, left > 1 ? make_factors(r, radix, left) : nullptr,
                      has_codelet(radix) ? nullptr : make_roots(r, radix)});
    span *= radix;
  }
  r.passes = static_cast<int>(r.list.size());
  r.pass_list = r.list.data();
}

std::vector<exact> exact_roots(index_t n) {
  std::vector<exact> roots;
  roots.reserve(as_size(n));
  for (index_t k = 0; k < n; ++k) {
    const root w = root_of_unity(k, n);
    roots.emplace_back(w.re, w.im);
  }
  return roots;
}

// The transform itself in extended precision, for the tables; recursive, by the smallest factor. `roots` are those of n
// * stride, made once: a sine and a cosine per product would take minutes for a length of a million.
void slow_transform(const exact* from, index_t stride, exact* to, index_t n, const std::vector<exact>& roots) {
  if (n == 1) {
    *to = *from;
    return;
  }
  index_t radix = 2;
  while (n % radix != 0) ++radix;
  const index_t m = n / radix;
  for (index_t j = 0; j < radix; ++j) slow_transform(from + j * stride, stride * radix, to + j * m, m, roots);
  std::vector<exact> column(as_size(radix));
  for (index_t k = 0; k < m; ++k) {
    for (index_t q = 0; q < radix; ++q) {
      column[as_size(q)] = 0;
      for (index_t j = 0; j < radix; ++j) {
        const exact w = roots[as_size((j * (k + q * m)) % n * stride)], x = to[j * m + k];
        column[as_size(q)] +=
            exact(w.real() * x.real() - w.imag() * x.imag(), w.real() * x.imag() + w.imag() * x.real());
      }
    }
    for (index_t q = 0; q < radix; ++q) to[k + q * m] = column[as_size(q)];
  }
}

index_t smooth_length_from(index_t least) {
  for (index_t n = least;; ++n) {
    index_t left = n;
    for (const index_t p : {2, 3, 5})
      while (left % p == 0) left /= p;
    if (left == 1) return n;
  }
}

template <class Real>
void make_chirp(owned_factorisation<Real>& r) {
  const index_t n = r.length, m = smooth_length_from(2 * n - 1);
  Real* chirp = r.storage_for(2 * n);
  std::vector<exact> conjugate(as_size(m)), transformed(as_size(m));
  index_t square = 0;  // k * k modulo 2 n
  for (index_t k = 0; k < n; ++k) {
    const root w = root_of_unity(square, 2 * n);
    put_root(chirp + 2 * k, square, 2 * n);
    conjugate[as_size(k)] = conjugate[as_size((m - k) % m)] = exact(w.re, -w.im);
    square = (square + 2 * k + 1) % (2 * n);
  }
  slow_transform(conjugate.data(), 1, transformed.data(), m, exact_roots(m));
  Real* mirror = r.storage_for(2 * m);
  for (index_t k = 0; k < m; ++k) {
    const exact w = transformed[as_size(k)] / static_cast<long double>(m);
    mirror[2 * k] = static_cast<Real>(w.real());
    mirror[2 * k + 1] = static_cast<Real>(w.imag());
  }
  r.padded = m;
  r.chirp = chirp;
  r.mirror = mirror;
  r.held = factorisation_for<Real>(m);
  r.inner = r.held.get();
}

template <class Real>
std::shared_ptr<const factorisation<Real>> make_factorisation(index_t length) {
  auto r = std::make_shared<owned_factorisation<Real>>();
  r->length = length;
  const std::vector<int> radices = choose_radices(length);
  if (radices.empty() && length > 1)
    make_chirp(*r);
  else
    make_passes(*r, radices);
  return r;
}

}  // namespace

template <class Real>
std::shared_ptr<const factorisation<Real>> factorisation_for(index_t length) {
  static std::recursive_mutex guard;  // a chirp's factorisation asks for another one
  static std::map<index_t, std::weak_ptr<const factorisation<Real>>> known;
  const std::scoped_lock lock(guard);
  if (auto there = known[length].lock()) return there;
  auto made = make_factorisation<Real>(length);
  known[length] = made;
  return made;
}

template std::shared_ptr<const factorisation<float>> factorisation_for<float>(index_t);
template std::shared_ptr<const factorisation<double>> factorisation_for<double>(index_t);

}  // namespace nearfar::fourier
