// SPDX-License-Identifier: BSD-3-Clause
// Sizes of gathers.
#include <cmath>
#include <files/gather.hpp>
#include <nearfar/error.hpp>

namespace seismic {

void check_gather(const shot_gather& g, const std::string& path) {
  const auto traces = static_cast<std::int64_t>(g.receivers_m.size());
  if (g.samples < 1 || traces < 1)
    throw nearfar::usage_error(path + ": a gather of " + std::to_string(traces) + " traces of " +
                               std::to_string(g.samples) + " samples; there must be at least one of each");
  if (static_cast<std::int64_t>(g.values.size()) != g.samples * traces)
    throw nearfar::usage_error(path + ": " + std::to_string(g.values.size()) + " values for " + std::to_string(traces) +
                               " traces of " + std::to_string(g.samples) + " samples");
  if (!(g.interval_s > 0) || !std::isfinite(g.interval_s))
    throw nearfar::usage_error(path + ": an interval of " + std::to_string(g.interval_s) + " s; it must be above 0");
}

}  // namespace seismic
