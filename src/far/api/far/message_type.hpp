// SPDX-License-Identifier: BSD-3-Clause
// Byte messages of any length in the int counts of MPI calls.
#pragma once

#include <base/numbers.hpp>
#include <nearfar/mpi.hpp>

namespace nearfar::far {

/// (count, type) for `bytes` contiguous bytes; beyond 2^31-1 a derived type that is freed with the object. Movable.
class message_type {
 public:
  explicit message_type(index_t bytes);
  /// For a message that nobody has room for, and that is received only because its sender waits for that: all pieces of
  /// `piece` bytes arrive in the first one's place.
  message_type(index_t bytes, int piece);
  ~message_type();
  message_type(message_type&& other) noexcept;
  message_type& operator=(message_type&&) = delete;
  int count() const noexcept { return count_; }
  MPI_Datatype type() const noexcept { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace nearfar::far
