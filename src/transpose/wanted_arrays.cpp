// SPDX-License-Identifier: BSD-3-Clause
// Whether arrays have the shape of a side, and whether they overlap.
#include <transpose/wanted_arrays.hpp>

#include <base/axis_names.hpp>
#include <base/text.hpp>
#include <functional>

namespace nearfar {

namespace {

bool do_overlap(const std::byte* a, index_t a_bytes, const std::byte* b, index_t b_bytes) {
  return a != nullptr && b != nullptr && std::less<>()(a, b + b_bytes) && std::less<>()(b, a + a_bytes);
}

}  // namespace

void check_arrays(const std::string& title, const wanted_arrays& wanted, const transpose_arrays& arrays) {
  const index_t count = wanted.side->field_stride > 0 ? 1 : wanted.fields;
  if (as_index(arrays.count()) != count)
    throw usage_error(text(title, ": ", wanted.name, " has ", arrays.count(), " arrays; ", count, " are needed for ",
                           wanted.fields, " fields", count == 1 && wanted.fields > 1 ? " with a stride" : ""));
  if (as_index(arrays.element_bytes()) != wanted.element_bytes)
    throw usage_error(text(title, ": ", wanted.name, " has elements of ", arrays.element_bytes(), " bytes; they are ",
                           wanted.kind, *wanted.kind ? ", of " : "of ", wanted.element_bytes, " bytes"));
  for (std::size_t i = 0; i < arrays.count(); ++i)
    if (arrays[i] == nullptr && wanted.elements > 0)
      throw usage_error(text(title, ": array ", i, " of ", wanted.name, " is null; this rank owns ",
                             box_in_words(wanted.side->parts.own())));
  const index_t needed = wanted.length();
  for (std::size_t i = 0; i < arrays.count(); ++i)
    if (arrays.elements(i) >= 0 && arrays.elements(i) < needed)
      throw usage_error(text(title, ": array ", i, " of ", wanted.name, " has ", arrays.elements(i), " elements; ",
                             needed, " are needed for this rank's ", box_in_words(wanted.side->parts.own())));
}

bool check_overlaps(const std::string& title, const wanted_arrays& a, const transpose_arrays& a_arrays,
                    const wanted_arrays& b, const transpose_arrays& b_arrays) {
  bool is_in_place = false;
  for (std::size_t i = 0; i < as_size(a.fields); ++i)
    for (std::size_t k = 0; k < as_size(b.fields); ++k) {
      const std::byte *mine = field_of(*a.side, a_arrays, i), *other = field_of(*b.side, b_arrays, k);
      if (!do_overlap(mine, a.field_bytes(), other, b.field_bytes())) continue;
      if (i != k || mine != other)
        throw usage_error(text(title, ": field ", i, " of ", a.name, " (", a.field_bytes(), " bytes) and field ", k,
                               " of ", b.name, " (", b.field_bytes(), " bytes, ", other - mine,
                               " bytes behind it) overlap; they may start at one address, or not meet"));
      is_in_place = true;
    }
  return is_in_place;
}

void check_distinct(const std::string& title, const wanted_arrays& wanted, const transpose_arrays& arrays) {
  const auto field = [&](std::size_t i) { return field_of(*wanted.side, arrays, i); };
  for (std::size_t i = 0; i < as_size(wanted.fields); ++i)
    for (std::size_t k = i + 1; k < as_size(wanted.fields); ++k)
      if (do_overlap(field(i), wanted.field_bytes(), field(k), wanted.field_bytes()))
        throw usage_error(text(title, ": fields ", i, " and ", k, " of ", wanted.name, " overlap"));
}

}  // namespace nearfar
