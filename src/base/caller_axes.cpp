// SPDX-License-Identifier: BSD-3-Clause
// Numbers of axes and indices in the calling language.
#include <base/caller_axes.hpp>
#include <base/text.hpp>

namespace nearfar {
namespace {

thread_local axis_names names_now = axis_names::from_zero_slowest_first;

bool are_from_one() { return names_now == axis_names::from_one_fastest_first; }

std::string in_brackets(const std::vector<std::int64_t>& numbers) {
  std::string all;
  for (const std::int64_t n : numbers) all += text(all.empty() ? "(" : ", ", n);
  return all + ")";
}

}  // namespace

axis_names caller_axes() noexcept { return names_now; }
void set_caller_axes(axis_names names) noexcept { names_now = names; }

std::int64_t axis_number(std::int64_t axis, std::int64_t axes) noexcept { return are_from_one() ? axes - axis : axis; }

std::int64_t place_number(std::int64_t place) noexcept { return are_from_one() ? place + 1 : place; }

std::string axis_range(std::int64_t axes) { return are_from_one() ? text("1 to ", axes) : text("0 to ", axes - 1); }

std::string index_range(std::int64_t lower, std::int64_t upper) {
  return are_from_one() ? text(lower + 1, ":", upper) : text("[", lower, ",", upper, ")");
}

std::string index_in_words(const std::vector<std::int64_t>& index) {
  std::vector<std::int64_t> numbers = in_callers_order(index);
  for (std::int64_t& n : numbers) n += are_from_one() ? 1 : 0;
  return in_brackets(numbers);
}

std::string memory_order_in_words(const std::vector<int>& slowest_first) {
  std::vector<std::int64_t> numbers;
  for (const int axis : in_callers_order(slowest_first))
    numbers.push_back(are_from_one() ? static_cast<std::int64_t>(slowest_first.size()) - axis : axis);
  return text(are_from_one() ? "fast to slow " : "slow to fast ", in_brackets(numbers));
}

}  // namespace nearfar
