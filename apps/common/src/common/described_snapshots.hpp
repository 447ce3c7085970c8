// SPDX-License-Identifier: BSD-3-Clause
// What snapshots say about themselves, alike in all programs: by CF's conventions, where the format has attributes.
#pragma once

#include <nearfar/output.hpp>
#include <string>
#include <string_view>

namespace apps {

/// Formats that keep attributes by name; headers and files for drawing programs have their own.
inline bool has_attributes(std::string_view format) {
  return format == "netcdf" || format == "hdf5" || format == "zarr";
}

/// Conventions, title and source of all, and units of the time.
/// @param steps  of the whole run: netcdf and hdf5 then are one file; 0: a file per step
inline void describe_all(nearfar::output_options& how, const std::string& title, const std::string& source,
                         const std::string& time_units, nearfar::index_t steps) {
  if (!has_attributes(how.format)) return;
  how.attributes = {{"Conventions", "CF-1.8"}, {"title", title}, {"source", source}};
  how.axes.push_back({.name = "time", .attributes = {{"units", time_units}, {"long_name", "time"}}});
  if (how.format == "netcdf" || how.format == "hdf5") how.expected_steps = steps;
}

inline void describe(nearfar::output_array& a, const std::string& format, const std::string& long_name,
                     const std::string& units) {
  if (has_attributes(format)) a.attributes.insert(a.attributes.end(), {{"long_name", long_name}, {"units", units}});
}

}  // namespace apps
