// SPDX-License-Identifier: BSD-3-Clause
// Not for programs: the form in which plans of gathers and scatters call an operation.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <nearfar/api.hpp>
#include <nearfar/element_type.hpp>
#include <nearfar/reduce_op.hpp>
#include <new>

namespace nearfar::detail {

/// Loops over many elements, so that nothing is called per element.
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
  const void* context = nullptr;            ///< of the operation; lives until the call (or its token) is finished
  std::shared_ptr<const void> memory{};     ///< keeps the context alive, where the caller does not
  element_type type = element_type::bytes;  ///< of the values; bytes: it takes any of their size
  bool is_sign_free = false;                ///< gives the same bits for integers with a sign and without
  alignas(std::max_align_t) std::array<std::byte, 64> inside{};  ///< the context itself, where `context` is null

  const void* operand() const noexcept { return context != nullptr ? context : inside.data(); }  ///< for the functions
};

/// @throws usage_error  an operation that there is not for such elements
NEARFAR_API combiner combiner_of(reduce_op how, element_type type, std::size_t value_bytes);

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
  made.type = element_type_of<T>();
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

}  // namespace nearfar::detail
