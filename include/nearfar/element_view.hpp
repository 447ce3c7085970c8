// SPDX-License-Identifier: BSD-3-Clause
// The elements of an array by global indices, for loops: pointer, strides and origin lie in the object itself.
#pragma once

#include <array>
#include <cstddef>
#include <nearfar/box.hpp>
#include <nearfar/error.hpp>
#include <nearfar/index.hpp>
#include <string>
#include <type_traits>

namespace nearfar {

/// What a view knows of strides when it is compiled; the names are those of C++23's std::mdspan.
struct layout_right {};   ///< the last dimension is contiguous
struct layout_stride {};  ///< nothing

/// Where the elements of this rank's part lie in memory. Owns nothing, costs nothing to copy: a loop takes it by value,
/// so that compilers keep its strides in registers. An access calls no function of the library, and is as fast as a
/// pointer with the same strides; of a layout_right, loops over the last dimension vectorise.
template <class T, class Layout = layout_right>
class element_view {
  static_assert(std::is_same_v<Layout, layout_right> || std::is_same_v<Layout, layout_stride>);

 public:
  element_view() = default;
  /// `data`: the first element held, null where none is. `strides`: in elements, per dimension of `held`.
  /// @throws usage_error  of a layout_right: the last dimension is not contiguous. Local.
  element_view(T* data, const box& held, const std::array<index_t, max_dimensions>& strides)
      : data_(data), strides_(strides) {
    if (held.dimensions == 0) return;
    const auto last = static_cast<std::size_t>(held.dimensions) - 1;
    if (std::is_same_v<Layout, layout_right> && data != nullptr && strides[last] != 1)
      throw usage_error("a view with the last dimension contiguous of an array whose last dimension has a stride of " +
                        std::to_string(strides[last]) + " elements; element_view<T, layout_stride> takes any");
    first_ = held.lower[last];
    for (std::size_t d = 0; d < last; ++d) origin_ += held.lower[d] * strides[d];
  }
  /// The same elements, only to be read.
  template <class U>
    requires(std::is_same_v<T, const U>)
  element_view(const element_view<U, Layout>& same)
  noexcept  // NOLINT: implicit by intent
      : data_(same.data_), strides_(same.strides_), origin_(same.origin_), first_(same.first_) {}

  /// The element at these global indices, one per dimension, ghosts and padding included.
  template <class... Index>
  T& operator()(Index... i) const noexcept {
    static_assert(sizeof...(Index) >= 1 && sizeof...(Index) <= max_dimensions, "one index per dimension, 1 to 4");
    constexpr std::size_t last = sizeof...(Index) - 1;
    const std::array<index_t, sizeof...(Index)> at{static_cast<index_t>(i)...};
    index_t row = -origin_;
    for (std::size_t d = 0; d < last; ++d) row += at[d] * strides_[d];
    // The row's first element before the element in it: one address a row for compilers, which then see a plain loop.
    return (data_ + row)[(at[last] - first_) * (std::is_same_v<Layout, layout_right> ? 1 : strides_[last])];
  }

 private:
  template <class, class>
  friend class element_view;
  T* data_ = nullptr;
  std::array<index_t, max_dimensions> strides_{};
  index_t origin_ = 0;  ///< elements from the one at index 0 of all dimensions but the last to the first row
  index_t first_ = 0;   ///< index of the first element in a row
};

}  // namespace nearfar
