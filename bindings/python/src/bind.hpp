// SPDX-License-Identifier: BSD-3-Clause
// How functions of the C interface become functions of the module _core.
//
// Objects, and memory whose address the caller knows, are integers here; the package in Python gives them types, owners
// and checks.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <nearfar/nearfar.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearfar_python {

namespace nb = nanobind;
using address = std::uintptr_t;
using widths = std::optional<std::vector<std::array<int, 2>>>;  // {low, high} per dimension
using box = std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>;

/// A status that is not NEARFAR_OK, with its sentence: becomes one of the package's exceptions.
struct failure {
  nearfar_status status;
  std::string message;
};

inline void check(nearfar_status status) {
  if (status != NEARFAR_OK) throw failure{status, nearfar_last_error()};
}

template <class T>
T* object(address of) {
  return reinterpret_cast<T*>(of);  // NOLINT: an address that this module gave to Python
}
/// A handle of MPI, an address or an integer, from mpi4py's _handleof.
template <class T>
T mpi_handle(address of) {
  if constexpr (std::is_pointer_v<T>)
    return object<std::remove_pointer_t<T>>(of);
  else
    return static_cast<T>(of);
}
inline address address_of(const void* what) { return reinterpret_cast<address>(what); }

template <class T>
const T* data_or_null(const std::optional<std::vector<T>>& list) {
  return list ? list->data() : nullptr;
}
inline const int (*pairs_or_null(const widths& list))[2] {
  return list ? reinterpret_cast<const int(*)[2]>(list->data()) : nullptr;
}
inline nearfar_switch switch_of(bool is_on) { return is_on ? NEARFAR_SWITCH_ON : NEARFAR_SWITCH_OFF; }
inline const char* text_or_null(const std::optional<std::string>& text) { return text ? text->c_str() : nullptr; }

/// The options that all plans have, as Python passes them.
using plan_options =
    std::tuple<std::optional<std::string>, std::optional<std::string>, std::optional<std::string>, double, std::string>;

template <class Options>
Options with_plan_options(const plan_options& from) {
  Options to{};
  to.size = sizeof to;
  to.name = text_or_null(std::get<0>(from));
  to.method = text_or_null(std::get<1>(from));
  to.without = text_or_null(std::get<2>(from));
  to.budget_s = std::get<3>(from);
  to.type_name = std::get<4>(from).c_str();
  return to;
}

/// The type of NumPy's kind and bytes of a value, as in dtype.str without its byte order. Others travel as bytes.
MPI_Datatype type_of(const std::string& kind);
/// The operation of this name; a failure if there is none.
MPI_Op op_of(const std::string& name);

nearfar_box box_of(const box& from);
box box_from(const nearfar_box& from, int dimensions);

/// The type of an argument in Python, and back.
template <class T>
struct argument {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  using type = std::conditional_t<std::is_enum_v<T>, int, T>;
  static T of(type from) { return static_cast<T>(from); }
};
template <class T>
struct argument<T*> {
  using type = address;
  static T* of(address from) { return object<T>(from); }
};
template <>
struct argument<const char*> {
  using type = std::string;
  static const char* of(const std::string& from) { return from.c_str(); }
};

template <class... A>
void call(nearfar_status (*function)(A...), A... arguments) {
  nb::gil_scoped_release others_may_run;
  check(function(arguments...));
}

/// A function that returns a status, a number, an address or a text.
template <class R, class... A>
void define(nb::module_& m, const char* name, R (*function)(A...)) {
  m.def(name, [function](typename argument<A>::type... arguments) {
    if constexpr (std::is_same_v<R, nearfar_status>) {
      call(function, argument<A>::of(arguments)...);
    } else if constexpr (std::is_same_v<R, const char*>) {
      const char* text = function(argument<A>::of(arguments)...);
      if (text == nullptr) throw failure{NEARFAR_USAGE_ERROR, nearfar_last_error()};
      return std::string(text);
    } else if constexpr (std::is_pointer_v<R>) {
      return address_of(function(argument<A>::of(arguments)...));
    } else if constexpr (!std::is_void_v<R>) {
      return function(argument<A>::of(arguments)...);
    } else {
      function(argument<A>::of(arguments)...);
    }
  });
}

template <class Function, class Result, std::size_t... I>
void define_with_result(nb::module_& m, const char* name, Function function, std::tuple<Result>*, auto* arguments,
                        std::index_sequence<I...>) {
  using tuple = std::remove_pointer_t<decltype(arguments)>;
  m.def(name, [function](typename argument<std::tuple_element_t<I, tuple>>::type... from) {
    Result found{};
    {
      nb::gil_scoped_release others_may_run;
      check(function(argument<std::tuple_element_t<I, tuple>>::of(from)..., &found));
    }
    if constexpr (std::is_pointer_v<Result>)
      return address_of(found);
    else
      return found;
  });
}

/// A function that returns a status and stores its result where the last argument points to: that is what Python gets.
template <class... A>
void define_result(nb::module_& m, const char* name, nearfar_status (*function)(A...)) {
  using all = std::tuple<A...>;
  constexpr std::size_t last = sizeof...(A) - 1;
  using result = std::remove_pointer_t<std::tuple_element_t<last, all>>;
  define_with_result(m, name, function, static_cast<std::tuple<result>*>(nullptr), static_cast<all*>(nullptr),
                     std::make_index_sequence<last>());
}

/// A function that frees: what it says is of no use to who drops an object, and after MPI_Finalize it does nothing.
template <class T>
void define_free(nb::module_& m, const char* name, nearfar_status (*function)(T**)) {
  m.def(name, [function](address of) {
    nb::gil_scoped_release others_may_run;
    T* handle = object<T>(of);
    function(&handle);
  });
}

/// NULL for "not an array of this object" and the like of texts that may be missing.
void define_teams(nb::module_& m);
void define_halos(nb::module_& m);
void define_transposes(nb::module_& m);
void define_ffts(nb::module_& m);
void define_irregular(nb::module_& m);
void define_collectives(nb::module_& m);
void define_outputs(nb::module_& m);
void define_threads(nb::module_& m);
void define_reproducible(nb::module_& m);
void define_arrays(nb::module_& m);

}  // namespace nearfar_python
