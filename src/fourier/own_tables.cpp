// SPDX-License-Identifier: BSD-3-Clause
// Makes the tables of a kind and length.
#include "own_tables.hpp"

#include <algorithm>
#include <base/text.hpp>

#include "roots.hpp"

namespace nearfar::fourier {
namespace {

template <class Real>
std::string radices_of(const recipe<Real>& r) {
  if (r.padded > 0) return "chirp of " + radices_of(*r.inner);
  std::string all = r.passes == 0 ? "1" : "";
  for (int i = 0; i < r.passes; ++i) all += text(i > 0 ? " x " : "", r.pass_list[i].radix);
  return all;
}

}  // namespace

template <class Real>
tables<Real>::tables(kind what, index length) {
  if (what == kind::forward || what == kind::backward) {
    recipe_ = recipe_for<Real>(length);
    rows_ = std::max(length, recipe_->padded);
  }
}

template <class Real>
std::string tables<Real>::describe() const {
  return radices_of(*recipe_);
}

template class tables<float>;
template class tables<double>;

}  // namespace nearfar::fourier
