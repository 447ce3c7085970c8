// SPDX-License-Identifier: BSD-3-Clause
// How scattered values are combined with what is there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nearfar/api.hpp>
#include <nearfar/gather_array.hpp>
#include <new>
#include <type_traits>
#include <utility>

namespace nearfar {

/// On numbers of 4 and 8 bytes (value_kind); `replace` on anything. Integers wrap. `minimum` and `maximum` ignore
/// contributions that are not a number.
enum class scatter_op : std::uint8_t { plus, minimum, maximum, multiply, replace };

/// A combination in the form in which plans call it: loops over many elements, so that nothing is called per element.
/// Internal, but for those who write a language interface.
struct combiner {
  std::size_t value_bytes = 0;  ///< bytes of one value
  /// to[0 … values) = the identity; null: none is needed (replace).
  void (*fill)(const void* context, void* to, index_t values) = nullptr;
  /// x[places[k]] = op(x[places[k]], from[k]), k = 0 … count-1 in this order, elements of `components` values.
  void (*scatter)(const void* context, void* x, const std::int32_t* places, const void* from, index_t count,
                  index_t components) = nullptr;
  /// The same on two arrays: places below `owned` are elements of x, the others of `ghosts`.
  void (*scatter_split)(const void* context, void* x, void* ghosts, index_t owned, const std::int32_t* places,
                        const void* from, index_t count, index_t components) = nullptr;
  const void* context = nullptr;         ///< of the operation; lives until the call (or its token) is finished
  std::shared_ptr<const void> memory{};  ///< keeps the context alive, where the caller does not
  value_kind kind = value_kind::bytes;   ///< of the values; bytes: it takes any of their size
  bool is_sign_free = false;             ///< gives the same bits for integers with a sign and without
  alignas(std::max_align_t) std::array<std::byte, 64> inside{};  ///< the context itself, where `context` is null

  const void* operand() const noexcept { return context != nullptr ? context : inside.data(); }  ///< for the functions
};

/// @throws usage_error  an operation other than replace on elements that are not numbers
NEARFAR_API combiner combiner_of(scatter_op how, value_kind kind, std::size_t value_bytes);

/// A program's own operation on values of type T: `combine(T, T) -> T`, with combine(identity, v) equal to v bit for
/// bit. It need not be commutative or associative: the order of application is defined (see gather_plan).
template <class T, class F>
struct custom_op {
  static_assert(std::is_trivially_copyable_v<T>);
  F combine;   ///< how two values become one: `combine(T, T) -> T`
  T identity;  ///< with combine(identity, v) equal to v bit for bit
};
template <class F, class T>
custom_op(F, T) -> custom_op<T, F>;

/// The loops of a program's operation, on the object that lies at `context`.
template <class T, class F>
combiner combiner_at(const custom_op<T, F>* context) {
  using op = custom_op<T, F>;
  struct loops {
    static void fill(const void* context, void* to, index_t values) {
      for (index_t i = 0; i < values; ++i) static_cast<T*>(to)[i] = static_cast<const op*>(context)->identity;
    }
    static void one(const op& o, T* to, const T* from, index_t components) {
      for (index_t c = 0; c < components; ++c) to[c] = o.combine(to[c], from[c]);
    }
    static void scatter(const void* context, void* x, const std::int32_t* places, const void* from, index_t count,
                        index_t components) {
      for (index_t k = 0; k < count; ++k)
        one(*static_cast<const op*>(context), static_cast<T*>(x) + places[k] * components,
            static_cast<const T*>(from) + k * components, components);
    }
    static void scatter_split(const void* context, void* x, void* ghosts, index_t owned, const std::int32_t* places,
                              const void* from, index_t count, index_t components) {
      for (index_t k = 0; k < count; ++k) {
        T* const to = places[k] < owned ? static_cast<T*>(x) + places[k] * components
                                        : static_cast<T*>(ghosts) + (places[k] - owned) * components;
        one(*static_cast<const op*>(context), to, static_cast<const T*>(from) + k * components, components);
      }
    }
  };
  combiner made{sizeof(T), loops::fill, loops::scatter, loops::scatter_split, context};
  made.kind = kind_of<T>();
  return made;
}

/// With a copy of the operation, on the heap where it is larger than 64 bytes or not trivially copyable.
template <class T, class F>
combiner combiner_of(const custom_op<T, F>& how) {
  using op = custom_op<T, F>;
  combiner made = combiner_at<T, F>(nullptr);
  if constexpr (std::is_trivially_copyable_v<op> && sizeof(op) <= sizeof made.inside &&
                alignof(op) <= alignof(std::max_align_t)) {
    ::new (static_cast<void*>(made.inside.data())) op(how);
  } else {
    const auto copy = std::make_shared<const op>(how);
    made.context = copy.get(), made.memory = copy;
  }
  return made;
}

}  // namespace nearfar
