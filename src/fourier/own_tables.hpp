// SPDX-License-Identifier: BSD-3-Clause
// The tables that a kind and length need, and how much room its bundles take.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "job.hpp"

namespace nearfar::fourier {

template <class Real>
class tables {
 public:
  tables(kind what, index length);

  const recipe<Real>* complex() const noexcept { return reals_.what == kind::forward ? recipe_.get() : nullptr; }
  const real_recipe<Real>* reals() const noexcept { return reals_.what == kind::forward ? nullptr : &reals_; }
  index rows_needed() const noexcept { return rows_; }  ///< complex rows of each of the three rooms
  std::string describe() const;                         ///< "8 x 8", "chirp of 9 x 16"

 private:
  std::shared_ptr<const recipe<Real>> recipe_;
  real_recipe<Real> reals_;
  std::vector<Real> halving_, turning_;
  index rows_ = 1;
};

extern template class tables<float>;
extern template class tables<double>;

}  // namespace nearfar::fourier
