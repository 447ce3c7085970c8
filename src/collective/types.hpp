// SPDX-License-Identifier: BSD-3-Clause
// The layout of a datatype, to move its bytes, and packing if it has gaps.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <nearfar/mpi.hpp>

namespace nearfar::collective {

/// One element: `size` bytes of data, the next element `extent` bytes behind it.
struct type_shape {
  index_t size = 0, extent = 0;
  bool is_dense = false;    ///< the data lie in memory in their order, without gaps, from the start of the element on
  bool is_lasting = false;  ///< of a predefined type: the handle never means another one
};

/// False for what MPI would refuse: the null handle, and types that were not committed. A few nanoseconds for
/// predefined types, some tens for others, on which their shapes hang as attributes. Local.
bool find_shape(MPI_Datatype type, type_shape& found);

/// Whether a buffer that must hold data is there. False: the MPI refuses it in its own words, as MPICH does. Open MPI
/// does not look, so that the rank that has it would be alone in the MPI's call: there it is refused here. Local.
/// @throws usage_error
bool has_memory(const void* buffer);

/// Elements of one type at an address, and the same data without gaps.
struct packing {
  void* loose;
  index_t count;
  MPI_Datatype type;
  type_shape shape;
  std::byte* packed;
};

/// MPI_Pack gives the bytes as they are on one kind of machine; they count as signature whatever the type map. Local.
/// @throws transport_error  if MPI refuses
void pack(const packing& p);
void unpack(const packing& p);

/// MPI_Pack counts bytes in an int: larger elements go by messages to oneself. A test makes it small.
inline index_t largest_packed_element = index_t{1} << 30;

}  // namespace nearfar::collective
