// SPDX-License-Identifier: BSD-3-Clause
// What collective calls are made of: kinds, operations, elements, and the arguments of a call as MPI has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nearfar/api.hpp>
#include <nearfar/index.hpp>
#include <nearfar/mpi.hpp>
#include <nearfar/reduce_op.hpp>
#include <span>
#include <type_traits>
#include <utility>

namespace nearfar {

/// The calls, by MPI's names.
enum class collective_kind : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  reduce_scatter,
  reduce_scatter_block,
  alltoall,
  alltoallv,
  alltoallw,
  scan,
  exscan
};
NEARFAR_API const char* name_of(collective_kind kind) noexcept;  ///< "allreduce" and its like

/// How a reduction combines: one of the above, or any MPI_Op (user-defined and non-commutative ones too).
class any_reduce_op {
 public:
  /// One of the library's names.
  /// @throws usage_error  replace, which is no reduction
  any_reduce_op(reduce_op predefined) : mpi_(to_mpi(predefined)) {}  // NOLINT: implicit by intent
  /// Any operation of MPI's; a user-defined one must live until the call, or the plan, is over.
  any_reduce_op(MPI_Op mpi) : mpi_(mpi) {}  // NOLINT: implicit by intent
  /// As MPI has it.
  MPI_Op mpi() const noexcept { return mpi_; }

 private:
  NEARFAR_API static MPI_Op to_mpi(reduce_op predefined);
  MPI_Op mpi_;
};

/// In place of the send buffer: the input is where the result goes, as with MPI_IN_PLACE.
struct in_place_t {};
/// The value to give for an array.
inline constexpr in_place_t in_place{};

/// What the calls take; see nearfar::calls.
namespace concepts {

/// std::complex, told by what it looks like: its header is a heavy one.
template <class T>
concept complex_number = requires(T z) {
  typename T::value_type;
  z.real(), z.imag();
}
&&std::is_floating_point_v<typename T::value_type> && sizeof(T) == 2 * sizeof(typename T::value_type);

/// What reductions take.
template <class T>
concept number = std::is_arithmetic_v<T> || complex_number<T>;

/// What can be moved. Anything but numbers goes as bytes.
template <class T>
concept element = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_const_v<T>;

/// What an array's elements are, const included.
template <class Range>
using pointee_of = std::remove_pointer_t<decltype(std::data(std::declval<Range&>()))>;
/// The type of an array's elements, without const.
template <class Range>
using element_of = std::remove_cv_t<pointee_of<Range>>;

/// Anything with std::data and std::size over elements: vector, array, span, C array.
template <class Range>
concept buffer = requires(Range& r) {
  std::data(r);
  std::size(r);
}
&&element<element_of<Range>>;
/// One whose elements may be written: a result never goes into what is const.
template <class Range>
concept writable_buffer = buffer<Range> && !std::is_const_v<pointee_of<Range>>;

/// An array of numbers, which may be const.
template <class Range>
concept number_buffer = buffer<Range> && number<element_of<Range>>;
/// An array of numbers that may be written.
template <class Range>
concept writable_numbers = writable_buffer<Range> && number<element_of<Range>>;

/// In_place instead of an array.
template <class T>
concept stands_in_place = std::is_same_v<std::remove_cvref_t<T>, in_place_t>;
/// What reductions send: an array of numbers, or in_place.
template <class Range>
concept send_numbers = number_buffer<Range> || stands_in_place<Range>;
/// What other calls send: an array, or in_place.
template <class Range>
concept send_buffer = buffer<Range> || stands_in_place<Range>;
/// What reductions and v forms receive into: an array of numbers that may be written, or in_place.
template <class Range>
concept receive_numbers = writable_numbers<Range> || stands_in_place<Range>;
/// What other calls receive into: an array that may be written, or in_place.
template <class Range>
concept receive_buffer = writable_buffer<Range> || stands_in_place<Range>;

}  // namespace concepts

/// The MPI type of a number.
template <concepts::number T>
MPI_Datatype datatype_of() noexcept {
  if constexpr (concepts::complex_number<T>) {
    using part = typename T::value_type;
    if constexpr (std::is_same_v<part, float>) return MPI_C_FLOAT_COMPLEX;
    if constexpr (std::is_same_v<part, double>) return MPI_C_DOUBLE_COMPLEX;
    return MPI_C_LONG_DOUBLE_COMPLEX;
  } else {
    if constexpr (std::is_same_v<T, bool>) return MPI_C_BOOL;
    if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
    if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
    if constexpr (std::is_same_v<T, long double>) return MPI_LONG_DOUBLE;
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return is_signed ? MPI_INT8_T : MPI_UINT8_T;
    if constexpr (sizeof(T) == 2) return is_signed ? MPI_INT16_T : MPI_UINT16_T;
    if constexpr (sizeof(T) == 4) return is_signed ? MPI_INT32_T : MPI_UINT32_T;
    return is_signed ? MPI_INT64_T : MPI_UINT64_T;
  }
}

/// Counts or displacements, one per rank, of int or of 64-bit integers; not copied.
class rank_counts {
 public:
  rank_counts() = default;
  /// Refers to the list, which must live until the call is over (a plan copies it).
  template <class Range>
    requires requires(const Range& r) { std::data(r), std::size(r); }
  rank_counts(const Range& r) : size_(static_cast<index_t>(std::size(r))) {  // NOLINT: implicit by intent
    using integer = concepts::element_of<const Range>;
    static_assert(std::is_integral_v<integer> && std::is_signed_v<integer> &&
                  (sizeof(integer) == sizeof(int) || sizeof(integer) == sizeof(index_t)));
    if constexpr (sizeof(integer) == sizeof(int))
      narrow_ = reinterpret_cast<const int*>(std::data(r));
    else
      wide_ = reinterpret_cast<const MPI_Count*>(std::data(r));
  }
  /// The list if its numbers are int, else null.
  const int* narrow() const noexcept { return narrow_; }
  /// The list if its numbers have 64 bits, else null.
  const MPI_Count* wide() const noexcept { return wide_; }
  /// Numbers in the list.
  index_t size() const noexcept { return size_; }

 private:
  const int* narrow_ = nullptr;
  const MPI_Count* wide_ = nullptr;
  index_t size_ = 0;
};

/// The send or the receive arguments.
struct call_side {
  /// Where the array begins, or MPI_IN_PLACE.
  void* data = nullptr;
  index_t count = 0;  ///< of one block, as MPI counts it; -1: an equal share of `capacity`
  /// Of its elements.
  MPI_Datatype type = MPI_DATATYPE_NULL;
  index_t capacity = -1;  ///< elements that the array has, to check sizes against; -1: not known
  index_t scale = 1;      ///< elements of `type` per element of the array, for elements that go as bytes
  /// Of the v forms and alltoallw: elements (alltoallw: displs in bytes) per rank.
  rank_counts counts{}, displs{};
  const MPI_Datatype* types = nullptr;  ///< one per rank, alltoallw only
};

/// Reductions have count and type in `receive`, bcast its buffer in `receive`, on every rank.
struct collective_call {
  /// Which call.
  collective_kind kind = collective_kind::barrier;
  /// The two sides; see above which of them a kind uses.
  call_side send{}, receive{};
  /// How reductions combine.
  MPI_Op op = MPI_OP_NULL;
  /// Where there is one.
  int root = 0;
};

}  // namespace nearfar
