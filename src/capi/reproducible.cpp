// SPDX-License-Identifier: BSD-3-Clause
// The C interface to exact and reproducible sums.
#include <nearfar/reproducible.h>

#include <nearfar/reproducible.hpp>
#include <span>

#include "handles.hpp"

struct nearfar_exact_sum {
  nearfar::exact_sum value;
};

struct nearfar_exact_dot {
  nearfar::exact_dot value;
};

using namespace nearfar::capi;
using nearfar::text;

namespace {

// Calls step(float{}) or step(double{}).
template <class Step>
void with_type(nearfar_element_type type, const Step& step) {
  require(type == NEARFAR_ELEMENT_FLOAT32 || type == NEARFAR_ELEMENT_FLOAT64,
          text("exact sums are of NEARFAR_ELEMENT_FLOAT32 (", static_cast<int>(NEARFAR_ELEMENT_FLOAT32),
               ") or NEARFAR_ELEMENT_FLOAT64 (", static_cast<int>(NEARFAR_ELEMENT_FLOAT64), "), not of type ",
               static_cast<int>(type)));
  if (type == NEARFAR_ELEMENT_FLOAT32)
    step(float{});
  else
    step(double{});
}

template <class T, class Pointer>
std::span<T> array_of(Pointer* data, int64_t count, const char* name) {
  require(count >= 0, text("the number of elements is ", count, "; it must not be negative"));
  require(data != nullptr || count == 0, text("the array '", name, "' is NULL"));
  return {static_cast<T*>(data), static_cast<std::size_t>(count)};
}

template <class Handle>
Handle& accumulator(Handle* handle) {
  require(handle != nullptr, "the accumulator is NULL: it was not created, or is freed already");
  return *handle;
}

template <class Handle>
nearfar_status create(Handle** handle) {
  return guarded([&] {
    require_result(handle, "accumulator");
    *handle = new Handle{};
  });
}

template <class Handle>
nearfar_status destroy(Handle** handle) {
  if (handle == nullptr) return NEARFAR_OK;
  delete *handle;
  *handle = nullptr;
  return NEARFAR_OK;
}

template <class Handle>
nearfar_status merge(Handle* handle, const Handle* other) {
  return guarded([&] { accumulator(handle).value.merge(accumulator(other).value); });
}

template <class Handle>
nearfar_status value_in(const Handle* handle, nearfar_element_type type, void* value) {
  return guarded([&] {
    require_result(value, "value");
    const auto& total = accumulator(handle).value;
    if (type == NEARFAR_ELEMENT_FLOAT32)
      *static_cast<float*>(value) = total.value_as_float();
    else
      with_type(type, [&](auto) { *static_cast<double*>(value) = total.value(); });
  });
}

void over_ranks(const nearfar::team& members, std::span<const nearfar::exact_sum> locals, auto results) {
  nearfar::reproducible_sums(members, locals, results);
}
void over_ranks(const nearfar::team& members, std::span<const nearfar::exact_dot> locals, auto results) {
  nearfar::reproducible_dots(members, locals, results);
}

template <class Handle>
nearfar_status all_over_ranks(nearfar_team* team, int number, const Handle* const* locals, nearfar_element_type type,
                              void* results) {
  return guarded([&] {
    const auto handles = array_of<const Handle* const>(locals, number, "locals");
    std::vector<decltype(Handle::value)> values;
    for (const Handle* handle : handles) values.push_back(accumulator(handle).value);
    with_type(type, [&](auto sample) {
      over_ranks(value_of(team), values, array_of<decltype(sample)>(results, number, "results"));
    });
  });
}

}  // namespace

extern "C" {

nearfar_status nearfar_exact_sum_create(nearfar_exact_sum** sum) { return create(sum); }
nearfar_status nearfar_exact_sum_free(nearfar_exact_sum** sum) { return destroy(sum); }

nearfar_status nearfar_exact_sum_add(nearfar_exact_sum* sum, const void* values, int64_t count,
                                     nearfar_element_type type) {
  return guarded([&] {
    with_type(type, [&](auto sample) {
      accumulator(sum).value.add(array_of<const decltype(sample)>(values, count, "values"));
    });
  });
}

nearfar_status nearfar_exact_sum_merge(nearfar_exact_sum* sum, const nearfar_exact_sum* other) {
  return merge(sum, other);
}

nearfar_status nearfar_exact_sum_value(const nearfar_exact_sum* sum, nearfar_element_type type, void* value) {
  return value_in(sum, type, value);
}

nearfar_status nearfar_exact_dot_create(nearfar_exact_dot** dot) { return create(dot); }
nearfar_status nearfar_exact_dot_free(nearfar_exact_dot** dot) { return destroy(dot); }

nearfar_status nearfar_exact_dot_add(nearfar_exact_dot* dot, const void* a, const void* b, int64_t count,
                                     nearfar_element_type type) {
  return guarded([&] {
    with_type(type, [&](auto sample) {
      using number = const decltype(sample);
      accumulator(dot).value.add(array_of<number>(a, count, "a"), array_of<number>(b, count, "b"));
    });
  });
}

nearfar_status nearfar_exact_dot_merge(nearfar_exact_dot* dot, const nearfar_exact_dot* other) {
  return merge(dot, other);
}

nearfar_status nearfar_exact_dot_value(const nearfar_exact_dot* dot, nearfar_element_type type, void* value) {
  return value_in(dot, type, value);
}

nearfar_status nearfar_reproducible_sums(nearfar_team* team, int number, const nearfar_exact_sum* const* locals,
                                         nearfar_element_type type, void* sums) {
  return all_over_ranks(team, number, locals, type, sums);
}

nearfar_status nearfar_reproducible_dots(nearfar_team* team, int number, const nearfar_exact_dot* const* locals,
                                         nearfar_element_type type, void* dots) {
  return all_over_ranks(team, number, locals, type, dots);
}

nearfar_status nearfar_reproducible_sum(nearfar_team* team, const void* local, int64_t count, nearfar_element_type type,
                                        void* sum) {
  nearfar_exact_sum total{};
  const nearfar_exact_sum* const locals[] = {&total};
  const nearfar_status status = nearfar_exact_sum_add(&total, local, count, type);
  return status == NEARFAR_OK ? nearfar_reproducible_sums(team, 1, locals, type, sum) : status;
}

nearfar_status nearfar_reproducible_dot(nearfar_team* team, const void* a, const void* b, int64_t count,
                                        nearfar_element_type type, void* dot) {
  nearfar_exact_dot total{};
  const nearfar_exact_dot* const locals[] = {&total};
  const nearfar_status status = nearfar_exact_dot_add(&total, a, b, count, type);
  return status == NEARFAR_OK ? nearfar_reproducible_dots(team, 1, locals, type, dot) : status;
}

nearfar_status nearfar_reproducible_allreduce(nearfar_team* team, void* values, int64_t count,
                                              nearfar_element_type type) {
  return guarded([&] {
    with_type(type, [&](auto sample) {
      nearfar::reproducible_allreduce(value_of(team), array_of<decltype(sample)>(values, count, "values"));
    });
  });
}

nearfar_status nearfar_refuse(const char* complaint) {
  return guarded([&] { require(false, complaint ? complaint : "refused"); });
}

}  // extern "C"
