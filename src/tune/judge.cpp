// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <tune/judge.hpp>

namespace nearfar::tune {

double plain_seconds(const decision& race) {
  const auto is_plain = [](const timing& t) { return t.is_yardstick; };
  return std::find_if(race.tried.begin(), race.tried.end(), is_plain)->median_s;
}

namespace {

double multiple_of(const std::vector<decision>& races, std::size_t candidate) {
  double worst = 0, logarithms = 0;
  for (const decision& race : races) {
    const double plain_s = plain_seconds(race), seconds = race.tried[candidate].median_s;
    if (seconds > std::max(judged_equal * plain_s, plain_s + judged_equal_s))
      worst = std::max(worst, seconds / plain_s);
    logarithms += std::log(seconds / plain_s);
  }
  return worst > 0 ? worst : std::exp(logarithms / static_cast<double>(races.size()));
}

}  // namespace

std::vector<timing> judged_together(const std::vector<decision>& races) {
  std::vector<timing> judged = races.front().tried;
  const double plain_s = plain_seconds(races.front());
  for (std::size_t i = 0; i < judged.size(); ++i) judged[i].median_s = plain_s * multiple_of(races, i);
  return judged;
}

}  // namespace nearfar::tune
