// SPDX-License-Identifier: BSD-3-Clause
// What the opaque handles of the C interface hold, and how exceptions become statuses.
#pragma once

#include <nearfar/nearfar.h>

#include <algorithm>
#include <base/text.hpp>
#include <cstring>
#include <memory>
#include <nearfar/nearfar.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// A team owns all objects made from it. When it is freed first, their handles stay as empty shells (owner == nullptr),
// so that a later call on them is an error and not a crash; freeing a shell deletes it.

struct nearfar_team {
  nearfar::team value;
  std::vector<nearfar_grid*> grids{};
  std::vector<nearfar_field*> fields{};
  std::vector<nearfar_halo_plan*> halos{};
  std::vector<nearfar_collective_plan*> plans{};
  std::vector<nearfar_distribution*> distributions{};
  std::vector<nearfar_gather_plan*> gathers{};
  std::vector<nearfar_decomposition*> decompositions{};
  std::vector<nearfar_transpose_array*> transpose_arrays{};
  std::vector<nearfar_transpose_plan*> transposes{};
  std::vector<nearfar_fft_layout*> layouts{};
  std::vector<nearfar_fft_plan*> ffts{};
  std::vector<nearfar_output*> outputs{};
  std::vector<nearfar_output_reader*> output_readers{};
  std::vector<nearfar_output_crew*> crews{};
  const nearfar_output_crew* lender = nullptr;  ///< whose computing team it is, and who frees it
  std::vector<nearfar::shared_memory> memory{};
  std::string text{};
};

struct nearfar_grid {
  nearfar_team* owner = nullptr;
  std::optional<nearfar::grid> value{};
  std::string text{};
};

struct nearfar_field {
  nearfar_team* owner = nullptr;
  nearfar_grid* cells = nullptr;
  std::optional<nearfar::field_base> value{};
  int type = 0;  ///< a nearfar_type, or 0 for elements of which only the size is known
  nearfar::box with_ghosts{};
};

struct nearfar_halo_plan {
  nearfar_team* owner = nullptr;
  nearfar::halo_options options{};
  std::vector<nearfar::halo_part> parts{};
  std::string complaint{};  ///< the first thing that was wrong with what was added
  std::optional<nearfar::halo_plan> value{};
  std::string text{}, method{};
};

struct nearfar_collective_plan {
  nearfar_team* owner = nullptr;
  std::optional<nearfar::collective_plan> value{};
  std::string text{}, method{}, start_method{};
};

struct nearfar_distribution {
  nearfar_team* owner = nullptr;
  std::optional<nearfar::distribution> value{};
  std::string text{};
};

struct nearfar_decomposition {
  nearfar_team* owner = nullptr;
  std::optional<nearfar::decomposition> value{};
  std::string text{};
};

struct nearfar_transpose_array {
  nearfar_team* owner = nullptr;
  std::shared_ptr<void> value{};
  std::vector<void*> fields{};
  int64_t elements = 0;  ///< of each
};

struct nearfar_transpose_plan {
  nearfar_team* owner = nullptr;
  std::optional<nearfar::transpose_plan> value{};
  std::size_t element_bytes = 0, in_count = 1, out_count = 1;  ///< of the arrays that it was made with
  std::string text{}, method{};
};

struct nearfar_fft_layout {
  struct public_side {
    nearfar_decomposition* parts = nullptr;
    std::vector<int> order{};
    int padding[NEARFAR_MAX_DIMENSIONS][2]{};
    nearfar_transpose_side side{};
  };
  nearfar_team* owner = nullptr;
  std::optional<nearfar::fft_layout> value{};
  public_side physical{}, spectral{};
  std::string text{};
};

struct nearfar_fft_plan {
  using plans = std::variant<nearfar::fft_plan<float>, nearfar::fft_plan<double>>;
  nearfar_team* owner = nullptr;
  std::optional<plans> value{};
  std::size_t physical_bytes = 0, spectral_bytes = 0, physical_count = 1, spectral_count = 1;
  std::string text{}, method{};
};

struct nearfar_output {
  nearfar_team* owner = nullptr;
  std::optional<nearfar::output_stream> value{};
  std::string text{};
};

struct nearfar_output_reader {
  /// Addresses for C, of what the value has.
  struct public_array {
    std::vector<nearfar_output_attribute> attributes{};
    std::vector<const char*> dimension_names{};
    nearfar_output_array array{};
  };
  nearfar_team* owner = nullptr;
  std::optional<nearfar::output_reader> value{};
  std::vector<public_array> arrays{};
  std::string text{};
};

struct nearfar_output_crew {
  nearfar_team* owner = nullptr;
  std::optional<nearfar::output_crew> value{};
  std::unique_ptr<nearfar_team> computing{};  ///< made when it is asked for
};

struct nearfar_gather_plan {
  nearfar_team* owner = nullptr;
  std::optional<nearfar::gather_plan> value{};
  std::string text{}, method{};
};

namespace nearfar::capi {

nearfar_status remember(status code, const char* message) noexcept;
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

/// The object behind a handle. @throws usage_error if there is none (any more)
team& value_of(nearfar_team* handle);
const team& value_of(const nearfar_team* handle);
const grid& value_of(const nearfar_grid* handle);
const field_base& value_of(const nearfar_field* handle);
halo_plan& value_of(nearfar_halo_plan* handle);  ///< of a committed plan
collective_plan& value_of(nearfar_collective_plan* handle);
const distribution& value_of(const nearfar_distribution* handle);
gather_plan& value_of(nearfar_gather_plan* handle);
const decomposition& value_of(const nearfar_decomposition* handle);
transpose_plan& value_of(nearfar_transpose_plan* handle);
const fft_layout& value_of(const nearfar_fft_layout* handle);
nearfar_fft_plan::plans& value_of(nearfar_fft_plan* handle);
output_stream& value_of(nearfar_output* handle);
output_reader& value_of(nearfar_output_reader* handle);
output_crew& value_of(nearfar_output_crew* handle);

void check_option_size(const void* options, std::size_t size, std::size_t known);
std::vector<std::string> words_of(const char* list);  ///< those between commas

/// The caller's options, as far as that program knows them; defaults for the rest, and for NULL. @throws usage_error  a size that is not set,
/// or members that this version does not know
template <class Options>
Options read_options(const Options* from) {
  Options known{};
  if (from == nullptr) return known;
  check_option_size(from, from->size, sizeof known);
  std::memcpy(&known, from, std::min(from->size, sizeof known));
  return known;
}
/// What options of all plans begin with.
template <class C, class Cpp>
void read_plan_options(const C& from, Cpp& to) {
  if (from.name) to.name = from.name;
  if (from.method) to.method = from.method;
  if (from.without) to.without = words_of(from.without);
  to.budget_s = from.budget_s;
}

void require(bool ok, const std::string& message);         ///< @throws usage_error
void require_result(const void* where, const char* name);  ///< @throws usage_error if a result argument is NULL

/// {low, high} per dimension; no widths at all where `pairs` is NULL.
ghosts ghosts_of(const int (*pairs)[2], int dimensions);
std::size_t bytes_of(nearfar_type type);

void release(nearfar_grid* handle) noexcept;
void release(nearfar_field* handle) noexcept;
void release(nearfar_halo_plan* handle) noexcept;
void release(nearfar_collective_plan* handle) noexcept;
void release(nearfar_distribution* handle) noexcept;
void release(nearfar_gather_plan* handle) noexcept;
void release(nearfar_decomposition* handle) noexcept;
void release(nearfar_transpose_array* handle) noexcept;
void release(nearfar_transpose_plan* handle) noexcept;
void release(nearfar_fft_layout* handle) noexcept;
void release(nearfar_fft_plan* handle) noexcept;
void release(nearfar_output* handle) noexcept;
void release(nearfar_output_reader* handle) noexcept;
void release(nearfar_output_crew* handle) noexcept;

/// Takes `item` out of `list`, where it may be missing.
template <class T>
void forget(std::vector<T*>& list, const T* item) noexcept {
  std::erase(list, item);
}

}  // namespace nearfar::capi
