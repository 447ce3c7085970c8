// SPDX-License-Identifier: BSD-3-Clause
// Arrays of other libraries by DLPack, in memory of a GPU, too: NumPy takes those of the host alone.
#include <nanobind/ndarray.h>

#include "bind.hpp"

namespace nearfar_python {
namespace {

/// Address, extents, strides (bytes), kind ('i', 'u', 'f', 'c', 'b') and bytes of an element, and whether it is in
/// memory of a GPU.
using found = std::tuple<address, std::vector<std::int64_t>, std::vector<std::int64_t>, std::string, int, bool>;

char kind_of(std::uint8_t code) {
  switch (static_cast<nb::dlpack::dtype_code>(code)) {
    case nb::dlpack::dtype_code::Int:
      return 'i';
    case nb::dlpack::dtype_code::UInt:
      return 'u';
    case nb::dlpack::dtype_code::Float:
      return 'f';
    case nb::dlpack::dtype_code::Complex:
      return 'c';
    case nb::dlpack::dtype_code::Bool:
      return 'b';
    default:
      throw failure{NEARFAR_USAGE_ERROR, "the array's elements are of no type that NumPy has"};
  }
}

found from_dlpack(const nb::ndarray<nb::ro>& a) {
  std::vector<std::int64_t> extents, strides;
  const int bytes = static_cast<int>(a.itemsize());
  for (std::size_t d = 0; d < a.ndim(); ++d) {
    extents.push_back(static_cast<std::int64_t>(a.shape(d)));
    strides.push_back(a.stride(d) * bytes);
  }
  const int device = a.device_type();
  return {address_of(a.data()),
          extents,
          strides,
          std::string(1, kind_of(a.dtype().code)),
          bytes,
          device == nb::device::cuda::value || device == nb::device::cuda_managed::value};
}

}  // namespace

void define_arrays(nb::module_& m) { m.def("from_dlpack", from_dlpack); }

}  // namespace nearfar_python
