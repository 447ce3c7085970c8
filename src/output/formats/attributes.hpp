// SPDX-License-Identifier: BSD-3-Clause
// Attributes, which programs give as text, as files have them: numbers keep their kind and all their digits, or stay
// text.
#pragma once

#include <cstdint>
#include <nearfar/output.hpp>
#include <string>
#include <utility>
#include <vector>

namespace nearfar::output {

using attribute = std::pair<std::string, std::string>;

/// One of the three is not empty; words may be.
struct attribute_value {
  std::vector<std::int64_t> integers{};
  std::vector<double> reals{};
  bool is_words() const noexcept { return integers.empty() && reals.empty(); }
  double real(std::size_t i) const { return integers.empty() ? reals[i] : static_cast<double>(integers[i]); }
  std::size_t size() const noexcept { return integers.size() + reals.size(); }
};

/// Words that are a number, or numbers with commas between them, are numbers: whole ones that 64 bits hold, or those of
/// a floating-point number that is finite. All others stay words: 0012345, 0x10 and 7e12345 do, and so do units, titles
/// and the like ("1"). With `of_elements` nan and inf are numbers.
attribute_value value_of(const attribute& a, bool of_elements = false);

/// Whether an attribute of an array has values of the type of its elements, as CF has it: _FillValue, missing_value,
/// valid_min and the like.
bool is_of_elements(const std::string& key) noexcept;

/// @throws usage_error  a key twice, without letters or with '/', a zero or what is no UTF-8 in keys or words, words
/// that are too long for HDF5, or values of elements that the type has not. `whose` for messages; `type` of an array's
/// elements, else null
void require_attributes(const std::string& whose, const std::vector<attribute>& list, const element_type* type);

/// The same of a name in files, such as that of a dimension. @throws usage_error
void require_name(const std::string& what, const std::string& name);

}  // namespace nearfar::output
