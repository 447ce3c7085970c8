// SPDX-License-Identifier: BSD-3-Clause
// Reads numbers from text, and refuses values that no file could hold.
#include "formats/attributes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nearfar/error.hpp>
#include <optional>
#include <set>
#include <string_view>

namespace nearfar::output {

namespace {

constexpr std::size_t most_characters = 60'000;  // an object of HDF5 has room for 64 kB of attributes

std::string_view without_blanks(std::string_view s) noexcept {
  const auto first = s.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view() : s.substr(first, s.find_last_not_of(' ') - first + 1);
}

template <class Number>
std::optional<Number> number_in(std::string_view s) {
  Number n{};
  const auto [end, problem] = std::from_chars(s.data(), s.data() + s.size(), n);
  return problem == std::errc() && end == s.data() + s.size() ? std::optional(n) : std::nullopt;
}

/// A zero in front belongs to a name or a key, not to a number.
bool has_leading_zero(std::string_view s) noexcept {
  if (s.starts_with('-')) s.remove_prefix(1);
  return s.size() > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9';
}

bool is_digits(std::string_view s) noexcept {
  if (s.starts_with('-')) s.remove_prefix(1);
  return !s.empty() && s.find_first_not_of("0123456789") == std::string_view::npos;
}

/// False: it is no number.
bool add_number(std::string_view s, bool of_elements, attribute_value& to) {
  if (s.empty() || has_leading_zero(s)) return false;
  // -0 is a number that only floating point has.
  if (const auto n = number_in<std::int64_t>(s); n && s != "-0") {
    to.integers.push_back(*n);
    return true;
  }
  const auto x = number_in<double>(s);
  if (!x || (is_digits(s) && s != "-0") || (!of_elements && !std::isfinite(*x))) return false;
  to.reals.push_back(*x);
  return true;
}

/// Bytes of the letter that begins there; 0: that is no UTF-8.
std::size_t character_at(const std::string& s, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) { return at + i < s.size() ? static_cast<unsigned char>(s[at + i]) : 0U; };
  const unsigned first = byte(0);
  const std::size_t bytes = first < 0x80                    ? 1
                            : first >= 0xc2 && first < 0xe0 ? 2
                            : first >= 0xe0 && first < 0xf0 ? 3
                            : first >= 0xf0 && first < 0xf5 ? 4
                                                            : 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  // Longer than need be, half of a pair of UTF-16, beyond the last letter.
  const bool is_wrong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) ||
                        (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90);
  return is_wrong ? 0 : bytes;
}

void require_characters(const std::string& what, const std::string& s) {
  for (std::size_t at = 0, n = 0; at < s.size(); at += n) {
    n = character_at(s, at);
    if (n == 0 || s[at] == '\0')
      throw usage_error(
          text(what, " has ", n == 0 ? "no UTF-8" : "a zero", " at byte ", at, "; files have UTF-8 without zeros"));
  }
}

template <class Number>
bool has(double value) {
  return std::isfinite(value) && value == std::trunc(value) &&
         value >= static_cast<double>(std::numeric_limits<Number>::min()) &&
         value <= static_cast<double>(std::numeric_limits<Number>::max());
}

bool has_value(element_type type, const attribute_value& v, std::size_t i) {
  const double value = v.real(i);
  switch (type) {
    case element_type::int8:
      return has<std::int8_t>(value);
    case element_type::int16:
      return has<std::int16_t>(value);
    case element_type::int32:
      return has<std::int32_t>(value);
    case element_type::int64:
      return !v.integers.empty() || (has<std::int64_t>(value) && value < 0x1p63);
    case element_type::float32:
    case element_type::complex64:
      return !std::isfinite(value) || std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
    default:
      return true;
  }
}

void require_elements(const std::string& whose, const attribute& a, element_type type) {
  const attribute_value v = value_of(a, true);
  const bool is_fill = a.first == "_FillValue";
  if (v.is_words() && !is_fill) return;
  if (v.is_words() || (is_fill && v.size() != 1))
    throw usage_error(text("the attribute _FillValue of ", whose, " is '", a.second, "'; one number is possible"));
  for (std::size_t i = 0; i < v.size(); ++i)
    if (!has_value(type, v, i))
      throw usage_error(text("the attribute ", a.first, " of ", whose, " is '", a.second,
                             "', which is no number of the type of its elements"));
}

}  // namespace

attribute_value value_of(const attribute& a, bool of_elements) {
  for (const char* of_words : {"units", "title", "long_name", "institution", "source", "history", "comment"})
    if (a.first == of_words) return {};
  attribute_value v;
  for (std::string_view rest = a.second;;) {
    const auto comma = rest.find(',');
    if (!add_number(without_blanks(rest.substr(0, comma)), of_elements, v)) return {};
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (v.integers.empty() || v.reals.empty()) return v;
  // Of both kinds: all are floating point, in their order.
  attribute_value mixed;
  for (std::string_view rest = a.second;;) {
    const auto comma = rest.find(',');
    mixed.reals.push_back(*number_in<double>(without_blanks(rest.substr(0, comma))));
    if (comma == std::string_view::npos) return mixed;
    rest.remove_prefix(comma + 1);
  }
}

bool is_of_elements(const std::string& key) noexcept {
  return key == "_FillValue" || key == "missing_value" || key == "valid_min" || key == "valid_max" ||
         key == "valid_range";
}

void require_name(const std::string& what, const std::string& name) {
  require_characters(what, name);
  if (name.empty() || name.find('/') != std::string::npos)
    throw usage_error(text(what, " is '", name, "'; one letter is the least, and '/' is not possible"));
}

void require_attributes(const std::string& whose, const std::vector<attribute>& list, const element_type* type) {
  std::set<std::string> keys;
  std::size_t characters = 0;
  for (const attribute& a : list) {
    require_name(text("the name of an attribute of ", whose), a.first);
    require_characters(text("the attribute ", a.first, " of ", whose), a.second);
    if (!keys.insert(a.first).second) throw usage_error(text(whose, " has the attribute ", a.first, " twice"));
    if (characters += a.first.size() + a.second.size(); characters > most_characters)
      throw usage_error(
          text("the attributes of ", whose, " have more than ", most_characters, " letters at ", a.first));
    if (type != nullptr && is_of_elements(a.first)) require_elements(whose, a, *type);
  }
}

}  // namespace nearfar::output
