// SPDX-License-Identifier: BSD-3-Clause
// What the opaque handles of the C interface hold, and how exceptions become statuses.
#pragma once

#include <nearfar/nearfar.h>

#include <algorithm>
#include <base/axis_names.hpp>
#include <base/text.hpp>
#include <cstring>
#include <fft/description.hpp>
#include <halo/description.hpp>
#include <memory>
#include <nearfar/nearfar.hpp>
#include <optional>
#include <span>
#include <string>
#include <topology/agree.hpp>
#include <transpose/side.hpp>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace nearfar::capi {

/// What the handles of objects made from a team begin with. The team owns the objects. When it is freed first, their
/// handles stay as empty shells (no owner, no value), so that a later call on them is an error and not a crash; freeing
/// a shell deletes it.
template <class Value>
struct handle {
  nearfar_team* owner = nullptr;
  std::optional<Value> value{};
  std::string text{}, method{};
};

}  // namespace nearfar::capi

struct nearfar_grid : nearfar::capi::handle<nearfar::grid> {};

struct nearfar_field : nearfar::capi::handle<nearfar::field_base> {
  nearfar_grid* cells = nullptr;
  int type = 0;  ///< a nearfar_element_type, or 0 for elements of which only the size is known
  nearfar::box with_ghosts{};
};

struct nearfar_halo_plan : nearfar::capi::handle<nearfar::halo_plan> {
  nearfar::halo_options options{};
  std::vector<nearfar::halo_part> parts{};
  std::string type_name{};  ///< of the elements of the parts that say it
  std::size_t parts_named = 0;
  std::string complaint{};  ///< the first thing that was wrong with what was added
};

struct nearfar_collective_plan : nearfar::capi::handle<nearfar::collective_plan> {
  std::string start_method{};
};

struct nearfar_distribution : nearfar::capi::handle<nearfar::distribution> {};
struct nearfar_irregular_plan : nearfar::capi::handle<nearfar::irregular_plan> {};
struct nearfar_decomposition : nearfar::capi::handle<nearfar::decomposition> {};

struct nearfar_transpose_array : nearfar::capi::handle<std::shared_ptr<void>> {
  std::vector<void*> fields{};
  int64_t elements = 0;  ///< of each
};

struct nearfar_transpose_plan : nearfar::capi::handle<nearfar::transpose_plan> {
  std::size_t element_bytes = 0, in_count = 1, out_count = 1;  ///< of the arrays that it was made with
};

struct nearfar_fft_layout : nearfar::capi::handle<nearfar::fft_layout> {
  struct public_side {
    nearfar_decomposition* parts = nullptr;
    std::vector<int> order{};
    int padding[NEARFAR_MAX_DIMENSIONS][2]{};
    nearfar_transpose_side side{};
  };
  public_side physical{}, spectral{};
};

struct nearfar_fft_plan : nearfar::capi::handle<std::variant<nearfar::fft_plan<float>, nearfar::fft_plan<double>>> {
  std::size_t physical_bytes = 0, spectral_bytes = 0, physical_count = 1, spectral_count = 1;
  nearfar_fft_layout* layout = nullptr;  ///< its own, made when it is asked for
};

struct nearfar_output : nearfar::capi::handle<nearfar::output_stream> {};

struct nearfar_output_reader : nearfar::capi::handle<nearfar::output_reader> {
  /// Addresses for C, of what the value has.
  struct public_array {
    std::vector<nearfar_output_attribute> attributes{};
    std::vector<const char*> dimension_names{};
    nearfar_output_array array{};
  };
  std::vector<public_array> arrays{};
};

struct nearfar_output_writers : nearfar::capi::handle<nearfar::output_writers> {
  std::unique_ptr<nearfar_team> computing{};  ///< made when it is asked for
};

struct nearfar_team {
  /// In the order in which they are freed: plans first, and in one order on all ranks, since freeing one may be
  /// collective.
  using objects =
      std::tuple<std::vector<nearfar_output*>, std::vector<nearfar_output_reader*>,
                 std::vector<nearfar_output_writers*>, std::vector<nearfar_collective_plan*>,
                 std::vector<nearfar_irregular_plan*>, std::vector<nearfar_fft_plan*>, std::vector<nearfar_fft_layout*>,
                 std::vector<nearfar_transpose_plan*>, std::vector<nearfar_transpose_array*>,
                 std::vector<nearfar_decomposition*>, std::vector<nearfar_distribution*>,
                 std::vector<nearfar_halo_plan*>, std::vector<nearfar_field*>, std::vector<nearfar_grid*>>;

  nearfar::team value;
  objects made{};
  const nearfar_output_writers* lender = nullptr;  ///< whose computing team it is, and who frees it
  std::vector<nearfar::shared_memory> memory{};
  std::string text{};

  template <class Handle>
  std::vector<Handle*>& all() {
    return std::get<std::vector<Handle*>>(made);
  }
  template <class Handle>
  const std::vector<Handle*>& all() const {
    return std::get<std::vector<Handle*>>(made);
  }
};

namespace nearfar::capi {

nearfar_status remember(status code, std::string_view message) noexcept;  ///< which may have marks
nearfar_status remember_current_exception() noexcept;

/// Runs `step`; no exception leaves it.
template <class Step>
nearfar_status guarded(const Step& step) noexcept {
  try {
    step();
    return NEARFAR_OK;
  } catch (...) {
    return remember_current_exception();
  }
}

/// As guarded(), for functions that return something else than a status: `otherwise` after an error.
template <class Result, class Step>
Result guarded_value(Result otherwise, const Step& step) noexcept {
  Result result = otherwise;
  guarded([&] { result = step(); });
  return result;
}

/// What messages call the object of a handle.
template <class Handle>
inline constexpr const char* noun = nullptr;
template <>
inline constexpr const char* noun<nearfar_grid> = "the grid";
template <>
inline constexpr const char* noun<nearfar_field> = "the field";
template <>
inline constexpr const char* noun<nearfar_halo_plan> = "the halo plan";
template <>
inline constexpr const char* noun<nearfar_collective_plan> = "the plan";
template <>
inline constexpr const char* noun<nearfar_distribution> = "the distribution";
template <>
inline constexpr const char* noun<nearfar_irregular_plan> = "the irregular plan";
template <>
inline constexpr const char* noun<nearfar_decomposition> = "the decomposition";
template <>
inline constexpr const char* noun<nearfar_transpose_array> = "the array";
template <>
inline constexpr const char* noun<nearfar_transpose_plan> = "the transpose plan";
template <>
inline constexpr const char* noun<nearfar_fft_layout> = "the layout";
template <>
inline constexpr const char* noun<nearfar_fft_plan> = "the transform's plan";
template <>
inline constexpr const char* noun<nearfar_output> = "the stream";
template <>
inline constexpr const char* noun<nearfar_output_reader> = "the reader";
template <>
inline constexpr const char* noun<nearfar_output_writers> = "the writers object";

/// Why a handle without value has none. @throws usage_error
[[noreturn]] void refuse_handle(const char* noun, bool is_null, const char* freed_with);
[[noreturn]] void refuse_uncommitted(const nearfar_halo_plan& plan);

/// The object behind a handle. @throws usage_error if there is none (any more)
template <class Handle>
auto& value_of(Handle* handle) {
  if (handle != nullptr && handle->value) return *handle->value;
  using bare = std::remove_const_t<Handle>;
  if constexpr (std::is_same_v<bare, nearfar_halo_plan>)
    if (handle != nullptr && handle->owner != nullptr) refuse_uncommitted(*handle);
  refuse_handle(noun<bare>, handle == nullptr, std::is_same_v<bare, nearfar_field> ? "grid or team" : "team");
}
team& value_of(nearfar_team* handle);
const team& value_of(const nearfar_team* handle);

/// The plan behind a handle, of whichever precision, as the argument of `step`.
template <class Handle, class Step>
auto with_plan(Handle* handle, const Step& step) {
  if constexpr (std::is_same_v<std::remove_const_t<Handle>, nearfar_fft_plan>)
    return std::visit(step, value_of(handle));
  else
    return step(value_of(handle));
}

/// What describe() says, with marks where axes are named.
template <class Object>
std::string with_axes_marked(const Object& object) {
  if constexpr (requires { description_of(object); })
    return description_of(object);
  else
    return object.describe();
}

/// Text for readers in C, a NUL, and the text for those in Fortran, where nearfar_from_one() finds it.
std::string for_both(std::string_view marked);

/// Text that a handle keeps for C: valid until the next such call.
template <class Handle, class Base, class Make>
const char* kept_text(Handle* handle, std::string Base::*text, const Make& make) noexcept {
  return guarded_value<const char*>(nullptr, [&] {
    std::string made = for_both(with_plan(handle, make));
    return (handle->*text = std::move(made)).c_str();
  });
}

/// Gives a new object to its team and to the caller.
template <class Handle>
void give(nearfar_team* team, std::unique_ptr<Handle> fresh, Handle** to) {
  fresh->owner = team;
  team->all<Handle>().push_back(fresh.get());
  *to = fresh.release();
}

void check_option_size(const void* options, std::size_t size, std::size_t known);
std::vector<std::string> words_of(const char* list);  ///< those between commas

/// The caller's options, as far as that program knows them; defaults for the rest, and for NULL. @throws usage_error  a
/// size that is not set, or members that this version does not know
template <class Options>
Options read_options(const Options* from) {
  Options known{};
  if (from == nullptr) return known;
  check_option_size(from, from->size, sizeof known);
  std::memcpy(&known, from, std::min(from->size, sizeof known));
  return known;
}
bool is_on(nearfar_switch given, bool by_default);  ///< @throws usage_error  it is none of the three
/// What options of all plans begin with.
template <class C, class Cpp>
void read_plan_options(const C& from, Cpp& to) {
  if (from.name) to.name = from.name;
  if (from.method) to.method = from.method;
  if (from.without) to.without = words_of(from.without);
  to.budget_s = from.budget_s;
  if (from.type_name) to.type_name = from.type_name;
}

void require(bool ok, const std::string& message);         ///< @throws usage_error
void require_result(const void* where, const char* name);  ///< @throws usage_error if a result argument is NULL

/// {low, high} per dimension; no widths at all where `pairs` is NULL.
ghosts ghosts_of(const int (*pairs)[2], int dimensions);
element_type type_of(nearfar_element_type type);
std::size_t bytes_of(nearfar_element_type type);

/// A call that makes something: no exception leaves it, and after an error the result is NULL.
template <class Result, class Step>
nearfar_status making(Result** result, const Step& step) noexcept {
  if (result != nullptr) *result = nullptr;
  return guarded(step);
}

/// Makes an object over the ranks of a team. `read` looks at this rank's arguments and throws what is wrong with them,
/// which all ranks agree on, so that no rank waits for one that has left; then `make` gives the new handle its value.
/// `maxima`, as `read` leaves them, become the largest of all ranks'. Collective over the team. @throws  on every rank,
/// what `read` or `make` threw on any
template <class Handle, class Read, class Make>
void make_over(nearfar_team* team, Handle** result, const char* result_name, const Read& read, const Make& make,
               std::span<std::int64_t> maxima = {}) {
  std::unique_ptr<Handle> fresh;
  agree(
      value_of(team),
      [&] {
        require_result(result, result_name);
        read();
        fresh = std::make_unique<Handle>();
      },
      maxima);
  make(*fresh);
  give(team, std::move(fresh), result);
}

void drop_shell(const void* handle);             ///< of a handle whose team is gone
void end_loan(nearfar_output_writers* writers);  ///< of its computing team
void empty_fields_of(nearfar_grid* grid);        ///< which go with it

/// Deletes a handle; a living team forgets it.
template <class Handle>
void release(Handle* handle) noexcept {
  if constexpr (std::is_same_v<Handle, nearfar_output_writers>) end_loan(handle);
  if constexpr (std::is_same_v<Handle, nearfar_fft_layout>)
    release(handle->physical.parts), release(handle->spectral.parts);
  if constexpr (std::is_same_v<Handle, nearfar_fft_plan>)
    if (handle->layout != nullptr) release(handle->layout);
  if constexpr (std::is_same_v<Handle, nearfar_grid>)
    if (handle->owner != nullptr) empty_fields_of(handle);
  if (handle->owner != nullptr)
    std::erase(handle->owner->template all<Handle>(), handle);
  else
    drop_shell(handle);
  delete handle;
}

template <class Handle>
nearfar_status free_handle(Handle** handle) noexcept {
  if (handle == nullptr || *handle == nullptr) return NEARFAR_OK;
  release(*handle);
  *handle = nullptr;
  return NEARFAR_OK;
}

}  // namespace nearfar::capi
