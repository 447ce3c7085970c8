// SPDX-License-Identifier: BSD-3-Clause
// The caller's arrays: checks, and lists of them that outlive the call.
#pragma once

#include <transpose/wanted_arrays.hpp>

#include "chain.hpp"

namespace nearfar::fft {

/// One side of a plan as its arrays are checked against it.
struct array_side {
  array_side(const char* side_name, const resting& r, index_t number_of_fields, index_t bytes_of_a_real)
      : name(side_name),
        lies(r),
        fields(number_of_fields),
        real_bytes(bytes_of_a_real),
        elements(shape_of(r.side).elements) {}
  const char* name;  ///< "physical", "spectral"
  resting lies;
  index_t fields, real_bytes;
  index_t elements;  ///< of a field on this rank, padding included: asked for at every start

  wanted_arrays wanted() const {
    const char* kind = lies.is_complex ? "complex" : "real";
    return {name, &lies.side, fields, elements, element_bytes(lies, real_bytes), kind};
  }
};

/// Number, size of elements, presence, lengths. @throws usage_error
void check_arrays(const std::string& title, const array_side& side, const transpose_arrays& arrays);

/// True if the arrays of each field start at one address on both sides. @throws usage_error  for any other overlap
bool check_overlaps(const std::string& title, const array_side& a, const transpose_arrays& a_arrays,
                    const array_side& b, const transpose_arrays& b_arrays);

/// A copy of a list of arrays, which outlives the caller's.
class kept_arrays {
 public:
  void keep(const transpose_arrays& arrays) {
    places_.resize(arrays.count()), lengths_.resize(arrays.count());
    for (std::size_t i = 0; i < arrays.count(); ++i) places_[i] = arrays[i], lengths_[i] = arrays.elements(i);
    element_bytes_ = arrays.element_bytes();
  }
  operator transpose_arrays() const {  // NOLINT: implicit by intent
    return {places_.data(), lengths_.data(), places_.size(), element_bytes_};
  }

 private:
  std::vector<void*> places_;
  std::vector<index_t> lengths_;
  std::size_t element_bytes_ = 0;
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

/// Numbers to race with in arrays that hold nothing but zeros on this rank, which they hold again at the end of its
/// life.
class numbers_for_zeros {
 public:
  numbers_for_zeros(const array_side& side, const transpose_arrays& arrays);
  ~numbers_for_zeros();
  numbers_for_zeros(const numbers_for_zeros&) = delete;
  numbers_for_zeros& operator=(const numbers_for_zeros&) = delete;

 private:
  std::vector<std::byte*> fields_;  ///< none if one of them holds something
  index_t bytes_;                   ///< of each
};

}  // namespace nearfar::fft
