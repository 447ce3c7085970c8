// SPDX-License-Identifier: BSD-3-Clause
// Names, and what the library has for them.
#include <array>
#include <mortar/point_distribution.hpp>
#include <nearfar/error.hpp>
#include <string>
#include <utility>

namespace adaptive_heat {
namespace {

constexpr std::array<std::pair<point_distribution, std::string_view>, 6> names{{
    {point_distribution::block, "block"},
    {point_distribution::cyclic, "cyclic"},
    {point_distribution::block_cyclic, "block-cyclic"},
    {point_distribution::two_block, "two-block"},
    {point_distribution::reversed_two_block, "reversed-two-block"},
    {point_distribution::owner_rule, "owner-rule"},
}};
constexpr std::int64_t dealt_points = 64;

}  // namespace

std::string_view name_of(point_distribution where) {
  for (const auto& [value, name] : names)
    if (value == where) return name;
  return "";
}

point_distribution point_distribution_named(std::string_view name) {
  std::string all;
  for (const auto& [value, known] : names) {
    if (known == name) return value;
    all.append(all.empty() ? "" : ", ").append(known);
  }
  throw nearfar::usage_error("there is no distribution '" + std::string(name) + "'; the distributions are " + all);
}

nearfar::distribution distribute(const nearfar::team& members, const global_numbers& numbers, std::int64_t own,
                                 point_distribution how) {
  using nearfar::distribution;
  switch (how) {
    case point_distribution::block:
      return distribution::block(members, numbers.all);
    case point_distribution::cyclic:
      return distribution::cyclic(members, numbers.all);
    case point_distribution::block_cyclic:
      return distribution::block_cyclic(members, numbers.all, dealt_points);
    case point_distribution::two_block:
      return distribution::two_block(members, numbers.all, numbers.vertices);
    case point_distribution::reversed_two_block:
      return distribution::reversed_two_block(members, numbers.all, numbers.vertices);
    case point_distribution::owner_rule:
      break;
  }
  return distribution::from_owned(members, std::span(numbers.points).first(static_cast<std::size_t>(own)));
}

}  // namespace adaptive_heat
