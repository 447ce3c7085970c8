// SPDX-License-Identifier: BSD-3-Clause
// Numbers of axes and indices, both ways in one text, and the text for a reader.
#include <algorithm>
#include <base/axis_names.hpp>

namespace nearfar {
namespace {

// Control characters, which no name and no sentence has.
constexpr char begins = '\x01', changes = '\x02', ends = '\x03';

template <class List>
std::string joined(const List& words, std::string_view between) {
  std::string all;
  for (const auto& word : words) all += text(&word == &*words.begin() ? "" : between, word);
  return all;
}

template <class List>
List reversed(List list) {
  std::reverse(list.begin(), list.end());
  return list;
}

std::string in_brackets(const std::vector<std::int64_t>& numbers) { return text("(", joined(numbers, ", "), ")"); }

}  // namespace

std::string either(std::string_view from_zero, std::string_view from_one) {
  if (from_zero == from_one) return std::string(from_zero);
  return text(begins, nearfar::from_zero(from_zero), changes, in_names(axis_names::from_one_fastest_first, from_one),
              ends);
}

std::string in_names(axis_names names, std::string_view marked) {
  std::string all;
  while (true) {
    const auto begin = marked.find(begins), change = marked.find(changes, begin), end = marked.find(ends, change);
    if (begin == marked.npos || change == marked.npos || end == marked.npos) return all.append(marked);
    all.append(marked.substr(0, begin));
    all.append(names == axis_names::from_zero_slowest_first ? marked.substr(begin + 1, change - begin - 1)
                                                            : marked.substr(change + 1, end - change - 1));
    marked.remove_prefix(end + 1);
  }
}

error::error(status code, const std::string& message)
    : std::runtime_error(from_zero(message)), code_(code), state_(std::make_shared<const std::string>(message)) {}

std::string axis_number(std::int64_t axis, std::int64_t axes) { return either(text(axis), text(axes - axis)); }

std::string place_number(std::int64_t place) { return either(text(place), text(place + 1)); }

std::string axis_range(std::int64_t axes) { return either(text("0 to ", axes - 1), text("1 to ", axes)); }

std::string index_range(std::int64_t lower, std::int64_t upper) {
  return either(text("[", lower, ",", upper, ")"), text(lower + 1, ":", upper));
}

std::string index_in_words(const std::vector<std::int64_t>& index) {
  std::vector<std::int64_t> from_one = reversed(index);
  for (std::int64_t& n : from_one) ++n;
  return either(in_brackets(index), in_brackets(from_one));
}

std::string memory_order_in_words(const std::vector<int>& slowest_first) {
  const std::vector<std::int64_t> order(slowest_first.begin(), slowest_first.end());
  std::vector<std::int64_t> from_one = reversed(order);
  for (std::int64_t& axis : from_one) axis = static_cast<std::int64_t>(order.size()) - axis;
  return either("slow to fast " + in_brackets(order), "fast to slow " + in_brackets(from_one));
}

std::string box_in_words(const box& b) {
  std::vector<std::string> ranges;
  for (std::size_t d = 0; d < static_cast<std::size_t>(b.dimensions); ++d)
    ranges.push_back(index_range(b.lower[d], b.upper[d]));
  return axes_in_words(ranges, "x");
}

std::string axes_in_words(const std::vector<std::string>& per_axis, std::string_view between) {
  return either(joined(per_axis, between), joined(reversed(per_axis), between));
}

}  // namespace nearfar
