// SPDX-License-Identifier: BSD-3-Clause
// The tables that a kind and length need, and the memory of its bundles.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "job.hpp"

namespace nearfar::fourier {

template <class Real>
class tables {
 public:
  tables(kind what, index_t length);

  /// Of the complex kinds; null for the others.
  const factorisation<Real>* complex() const noexcept { return is_complex_kind() ? factorisation_.get() : nullptr; }
  const real_factorisation<Real>* reals() const noexcept { return is_complex_kind() ? nullptr : &reals_; }
  index_t rows_needed() const noexcept { return rows_; }  ///< complex rows of each of the three rooms
  std::string describe() const;                           ///< "8 x 8", "chirp of 9 x 16"

 private:
  bool is_complex_kind() const noexcept { return is_complex_in(reals_.what) && is_complex_out(reals_.what); }
  void prepare_reals(index_t inner);
  void prepare_fourth_kind();

  std::shared_ptr<const factorisation<Real>> factorisation_;
  real_factorisation<Real> reals_;
  std::vector<Real> halving_, turning_;
  index_t rows_ = 1;
};

extern template class tables<float>;
extern template class tables<double>;

}  // namespace nearfar::fourier
