// SPDX-License-Identifier: BSD-3-Clause
// The caller's arrays: checks, and lists of them that outlive the call.
#pragma once

#include <complex>
#include <transpose/wanted_arrays.hpp>

#include "chain.hpp"

namespace nearfar::fft {

/// One side of a plan as its arrays are checked against it.
struct array_side {
  array_side(const char* side_name, const resting& r, index number_of_fields, index bytes_of_a_real)
      : name(side_name),
        lies(r),
        fields(number_of_fields),
        real_bytes(bytes_of_a_real),
        elements(shape_of(r.side).elements) {}
  const char* name;  ///< "physical", "spectral"
  resting lies;
  index fields, real_bytes;
  index elements;  ///< of a field on this rank, padding included: asked for at every start

  wanted_arrays wanted() const {
    const char* kind = lies.is_complex ? "complex" : "real";
    return {name, &lies.side, fields, elements, element_bytes(lies, real_bytes), kind};
  }
};

/// Number, size of elements, presence. @throws usage_error
void check_arrays(const std::string& title, const array_side& side, const transpose_arrays& arrays);

/// True if the arrays of each field start at one address on both sides. @throws usage_error  for any other overlap
bool check_overlaps(const std::string& title, const array_side& a, const transpose_arrays& a_arrays,
                    const array_side& b, const transpose_arrays& b_arrays);

/// A copy of a list of pointers.
template <class Real>
class kept_arrays {
 public:
  void keep(const transpose_arrays& arrays) {
    is_complex_ = arrays.element_bytes() != sizeof(Real);
    reals_.resize(is_complex_ ? 0 : arrays.count());
    complexes_.resize(is_complex_ ? arrays.count() : 0);
    for (std::size_t i = 0; i < arrays.count(); ++i)
      if (is_complex_)
        complexes_[i] = static_cast<std::complex<Real>*>(arrays[i]);
      else
        reals_[i] = static_cast<Real*>(arrays[i]);
  }
  operator transpose_arrays() const {  // NOLINT: implicit by intent
    return is_complex_ ? transpose_arrays(complexes_) : transpose_arrays(reals_);
  }

 private:
  bool is_complex_ = false;
  std::vector<Real*> reals_;
  std::vector<std::complex<Real>*> complexes_;
};

/// What the own parts and paddings of all fields hold now; put back at the end of its life.
class saved_arrays {
 public:
  saved_arrays(const array_side& side, const transpose_arrays& arrays);
  ~saved_arrays();
  saved_arrays(const saved_arrays&) = delete;
  saved_arrays& operator=(const saved_arrays&) = delete;

 private:
  std::vector<void*> fields_;
  std::vector<std::vector<char>> bytes_;
};

/// Numbers to race with in arrays that hold nothing but zeros on this rank, which they hold again at the end of its life.
class numbers_for_zeros {
 public:
  numbers_for_zeros(const array_side& side, const transpose_arrays& arrays);
  ~numbers_for_zeros();
  numbers_for_zeros(const numbers_for_zeros&) = delete;
  numbers_for_zeros& operator=(const numbers_for_zeros&) = delete;

 private:
  std::vector<std::byte*> fields_;  ///< none if one of them holds something
  index bytes_;                     ///< of each
};

}  // namespace nearfar::fft
