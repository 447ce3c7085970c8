// SPDX-License-Identifier: BSD-3-Clause
// More elements than an int can count, as one element of a derived type.
#pragma once

#include <base/numbers.hpp>
#include <nearfar/mpi.hpp>
#include <utility>

namespace nearfar::collective {

// `count` elements, `offset` bytes after the address that the call gets, as one element. Freed with the object, which
// MPI allows while a call that uses it is under way.
class large_type {
 public:
  large_type(index_t count, MPI_Datatype type, index_t offset = 0) {
    constexpr index_t piece = index_t{1} << 30;
    MPI_Aint low = 0, extent = 0;
    MPI_Type_get_extent(type, &low, &extent);
    MPI_Datatype pieces = MPI_DATATYPE_NULL, rest = MPI_DATATYPE_NULL;
    MPI_Type_vector(static_cast<int>(count / piece), static_cast<int>(piece), static_cast<int>(piece), type, &pieces);
    MPI_Type_contiguous(static_cast<int>(count % piece), type, &rest);
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {static_cast<MPI_Aint>(offset),
                               static_cast<MPI_Aint>(offset + count / piece * piece * extent)};
    const MPI_Datatype types[] = {pieces, rest};
    MPI_Datatype both = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths, places, types, &both);
    MPI_Type_create_resized(both, 0, static_cast<MPI_Aint>(count * extent), &type_);
    MPI_Type_commit(&type_);
    for (MPI_Datatype* t : {&pieces, &rest, &both}) MPI_Type_free(t);
  }
  large_type(large_type&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  large_type& operator=(large_type&&) = delete;
  ~large_type() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace nearfar::collective
