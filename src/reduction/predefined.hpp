// SPDX-License-Identifier: BSD-3-Clause
// The predefined operations and types of MPI, found by handle.
#pragma once

#include <atomic>
#include <nearfar/mpi.hpp>

#include "kernel.hpp"

namespace nearfar::reduction {

/// Groups of types, as the MPI standard names them where it says which operations they allow (MPI 3.1, section 5.9.2
/// and 5.9.4).
enum class group : unsigned char { c_integer, fortran_integer, multi_language, floating, logical, complex, byte, pair };

/// What is known of one operation on one type.
struct pairing {
  enum class state : unsigned char { unknown, invalid, by_mpi, by_kernel };
  std::atomic<state> verdict{state::unknown};
  std::atomic<const kernel*> loops{nullptr};  ///< set before the verdict
};

struct predefined_type {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  group member_of = group::byte;
  element kind = element::none;  ///< of the kernels
  int parts = 1;                 ///< elements of the kernel in one of the type
  index_t extent = 0;
  bool is_dense = true;  ///< not so for pairs with padding
  pairing pairings[operations];
};

struct predefined_op {
  MPI_Op handle = MPI_OP_NULL;
  operation what = operation::sum;
};

/// Null where the handle is not one of the predefined that reductions know.
predefined_type* find_type(MPI_Datatype handle);
const predefined_op* find_op(MPI_Op handle);

/// True for handles that MPI defines but reductions do not take: MPI_REPLACE, MPI_NO_OP and the null handle.
bool is_for_windows_only(MPI_Op handle);

/// Whether the standard defines the operation on the type.
bool is_defined(operation op, group member_of);

/// Finds out who shall do the work, by running the kernel against MPI_Reduce_local where there is a kernel, and keeps
/// the answer.
pairing::state decide(predefined_type& type, const predefined_op& op);

}  // namespace nearfar::reduction
