// SPDX-License-Identifier: BSD-3-Clause
// What the receivers of a shot have recorded.
#pragma once

#include <cstdint>
#include <points/points.hpp>
#include <points/quantity.hpp>
#include <span>
#include <string>

namespace seismic {

struct shot_gather {
  std::int32_t field_record = 1;  ///< the shot's number
  position source_m{};
  std::span<const position> receivers_m{};
  std::int64_t samples = 0;            ///< of each trace
  double interval_s = 0, delay_s = 0;  ///< between samples; the time of the first one
  std::span<const float> values{};     ///< trace after trace
  std::string title{};                 ///< for text headers, 79 characters of ASCII at most
  quantity of = quantity::pressure;
};

/// @throws nearfar::usage_error  sizes that do not agree, an interval that is not positive
void check_gather(const shot_gather& gather, const std::string& path);

}  // namespace seismic
