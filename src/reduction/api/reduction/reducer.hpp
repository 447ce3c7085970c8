// SPDX-License-Identifier: BSD-3-Clause
// How the elements of one type are combined by one operation, with the bits that the MPI's own local operation gives.
#pragma once

#include <base/numbers.hpp>
#include <cstdint>
#include <nearfar/mpi.hpp>

namespace nearfar::reduction {

struct kernel;  // internal: kernel.hpp

/// What executions of an operation by the MPI (MPI_Reduce_local) have taken on this rank.
struct executions {
  double seconds = 0;
  std::int64_t number = 0, elements = 0;
};

/// One operation on one type. Cheap to copy; looked up once per call (a few nanoseconds for predefined handles).
///
/// Predefined operations on predefined types run in kernels of our own where these give the bits that MPI_Reduce_local
/// gives. That is checked, not assumed: at the first use of a pair both are run on numbers that tell (infinities,
/// signed zeros, overflow), in vectors long enough for the MPI's own vector code, and in short ones. So pairs whose
/// results differ stay with the MPI: Open MPI 4.1 saturates 8- and 16-bit sums and compares 64-bit unsigned numbers as
/// signed ones in its vector code, MPICH 4.0 compares all unsigned numbers so. Two things are not held against a
/// kernel: one NaN instead of another, and, where one operand of a minimum or maximum is NaN or both are zeros, which
/// of the two comes out; in the MPIs that depends on the place in the vector. All other pairs (user-defined operations,
/// products of complex numbers, long double) go to MPI_Reduce_local.
///
/// Local, from any thread, between MPI_Init and MPI_Finalize; a lock is taken at the first use of a pair only.
class reducer {
 public:
  /// Never fails: handles that do not go together give a reducer that is not valid. Predefined types must not be null
  /// handles; user-defined handles must be alive, and derived types committed.
  static reducer of(MPI_Op op, MPI_Datatype type);

  /// From one element to the next: the extent of the type.
  index_t element_bytes() const noexcept { return extent_; }
  /// Elements lie without gaps, so that `count * element_bytes()` bytes may be copied as they are.
  bool is_dense() const noexcept { return is_dense_; }
  bool is_commutative() const noexcept { return is_commutative_; }
  bool has_kernel() const noexcept { return kernel_ != nullptr; }
  /// False where the MPI standard does not define the operation on the type: let the MPI say so. combine() must not be
  /// called.
  bool is_valid() const noexcept { return is_valid_; }

  /// What this reducer and its copies have the MPI execute from now on comes to `cost`, which must outlive that; null:
  /// nowhere. Kernels of our own are not measured.
  void measure_into(executions* cost) noexcept { cost_ = cost; }

  /// out = left op right, element by element; `left` holds the part of the lower ranks. `out` may be `left` or `right`
  /// exactly, else it overlaps neither. Gaps of derived types are not written.
  /// @throws transport_error  if MPI_Reduce_local fails
  void combine(std::byte* out, const std::byte* left, const std::byte* right, index_t count) const;

  /// out = in[0] op in[1] op … op in[n-1], n >= 1, strictly from left to right for each element, so that the bits
  /// depend on the order of `in` alone. Goes in blocks that fit the first-level cache: each input is read once, `out`
  /// written once. `out` may be one of the inputs exactly, else it overlaps none.
  void combine_all(std::byte* out, const std::byte* const* in, int n, index_t count) const {
    combine_all(out, nullptr, in, n, count);
  }

  /// The same, stored to two places while it is in the cache; `second` may be null and must not overlap anything else.
  void combine_all(std::byte* out, std::byte* second, const std::byte* const* in, int n, index_t count) const;

 private:
  static reducer look_up(MPI_Op op, MPI_Datatype type);
  void measure_type();
  void combine_by_mpi(std::byte* out, const std::byte* left, const std::byte* right, index_t count) const;
  void combine_all_by_mpi(std::byte* out, std::byte* second, const std::byte* const* in, int n, index_t count) const;
  void reduce_local(const std::byte* left, std::byte* right, index_t count) const;
  void copy(std::byte* out, const std::byte* in, index_t count) const;

  const kernel* kernel_ = nullptr;
  executions* cost_ = nullptr;
  MPI_Op op_ = MPI_OP_NULL;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  index_t extent_ = 0;
  int parts_ = 1;  ///< elements of the kernel per element of the type: 2 for complex numbers
  bool is_dense_ = false;
  bool is_commutative_ = false;
  bool is_valid_ = false;
  bool is_predefined_ = false;  ///< both handles are, so that they mean the same for ever
};

}  // namespace nearfar::reduction
