// SPDX-License-Identifier: BSD-3-Clause
// Arrays of transpositions and transforms, seen without their type: where each begins and how long it is.
#pragma once

#include <cstddef>
#include <nearfar/index.hpp>
#include <span>
#include <type_traits>
#include <utility>

namespace nearfar {

template <class T>
class transpose_array;

namespace concepts {
/// One array of elements: a vector, span, std::array or C array of a type that is moved as bytes.
template <class Range>
concept elements_of_a_field = requires(const Range& r) {
  std::data(r);
  std::size(r);
}
&&std::is_trivially_copyable_v<std::remove_pointer_t<decltype(std::data(std::declval<const Range&>()))>> &&
    !requires(const Range& r) {
  std::data(r)->data();
};
/// A list with such an array per field.
template <class Range>
concept elements_of_fields = requires(const Range& r) {
  requires elements_of_a_field<std::remove_cvref_t<decltype(*std::data(r))>>;
};
}  // namespace concepts

/// The arrays of all fields on one side, with their lengths: one array, or a list of one per field. Refers to the
/// caller's arrays, and to the list. Longer arrays than are needed will do; shorter ones are refused when a plan is
/// made with them or started on them.
class transpose_arrays {
 public:
  /// One array: of the only field, or of all fields where the side has a field_stride.
  template <concepts::elements_of_a_field Range>
  transpose_arrays(const Range& one)  // NOLINT: implicit by intent
      : list_(std::data(one)),
        elements_(static_cast<index_t>(std::size(one))),
        element_bytes_(sizeof(*std::data(one))) {}
  /// One array per field.
  template <concepts::elements_of_fields List>
  transpose_arrays(const List& each)  // NOLINT: implicit by intent
      : list_(std::data(each)), count_(std::size(each)), element_bytes_(sizeof(*std::data(*std::data(each)))) {
    at_ = [](const transpose_arrays& a, std::size_t i) {
      const auto& one = static_cast<decltype(std::data(each))>(a.list_)[i];
      return place{std::data(one), static_cast<index_t>(std::size(one))};
    };
  }
  /// The arrays of a transpose_array.
  template <class T>
  transpose_arrays(const transpose_array<T>& each);  // NOLINT: implicit by intent

  /// For other languages and GPU memory: the address of one array of so many elements.
  transpose_arrays(const void* one, index_t elements, std::size_t element_bytes) noexcept
      : list_(one), elements_(elements), element_bytes_(element_bytes) {}
  /// The addresses of `count` arrays and the lengths of all; null lengths: each has as many as are needed, as the
  /// caller has seen to.
  transpose_arrays(const void* const* each, const index_t* lengths, std::size_t count,
                   std::size_t element_bytes) noexcept
      : list_(each), lengths_(lengths), count_(count), element_bytes_(element_bytes) {
    at_ = [](const transpose_arrays& a, std::size_t i) {
      return place{static_cast<const void* const*>(a.list_)[i], a.lengths_ != nullptr ? a.lengths_[i] : -1};
    };
  }

  /// How many arrays there are.
  std::size_t count() const noexcept { return count_; }
  /// Bytes of one element.
  std::size_t element_bytes() const noexcept { return element_bytes_; }
  /// Where array i begins.
  void* operator[](std::size_t i) const { return const_cast<void*>(at(i).data); }
  index_t elements(std::size_t i) const { return at(i).elements; }  ///< of array i; -1: as many as are needed

 private:
  struct place {
    const void* data;
    index_t elements;
  };
  place at(std::size_t i) const { return at_ != nullptr ? at_(*this, i) : place{list_, elements_}; }

  const void* list_ = nullptr;
  const index_t* lengths_ = nullptr;
  place (*at_)(const transpose_arrays&, std::size_t) = nullptr;
  index_t elements_ = -1;
  std::size_t count_ = 1, element_bytes_ = 0;
};

/// Those that are written to: arrays of constants are none.
class writable_transpose_arrays : public transpose_arrays {
 public:
  /// One array whose elements may be written.
  template <concepts::elements_of_a_field Range>
    requires(!std::is_const_v<std::remove_reference_t<decltype(*std::data(std::declval<Range&>()))>>)
  writable_transpose_arrays(Range&& one) : transpose_arrays(one) {}  // NOLINT: implicit by intent
  /// One array per field, whose elements may be written.
  template <concepts::elements_of_fields List>
    requires(!std::is_const_v<std::remove_reference_t<decltype(*std::data(*std::data(std::declval<List&>())))>>)
  writable_transpose_arrays(List&& each) : transpose_arrays(each) {}  // NOLINT: implicit by intent
  /// The arrays of a transpose_array, which may be written.
  template <class T>
  writable_transpose_arrays(const transpose_array<T>& each);  // NOLINT: implicit by intent
  /// For those who know that what these are may be written.
  explicit writable_transpose_arrays(const transpose_arrays& known) noexcept : transpose_arrays(known) {}
  /// The address of one array of so many elements.
  writable_transpose_arrays(void* one, index_t elements, std::size_t element_bytes) noexcept
      : transpose_arrays(one, elements, element_bytes) {}
  /// The addresses of `count` arrays and the lengths of all, as in transpose_arrays.
  writable_transpose_arrays(void* const* each, const index_t* lengths, std::size_t count,
                            std::size_t element_bytes) noexcept
      : transpose_arrays(each, lengths, count, element_bytes) {}
};

}  // namespace nearfar
