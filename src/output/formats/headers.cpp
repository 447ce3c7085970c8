// SPDX-License-Identifier: BSD-3-Clause
// What headers of each kind hold.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "formats/file_plan.hpp"
#include "formats/rsf.hpp"
#include "formats/zarr.hpp"

namespace nearfar::output {

namespace {

/// A JSON text whose "shape" gets its first extent.
std::string zarr_text(const std::string& constants, index_t steps) {
  auto json = nlohmann::ordered_json::parse(constants);
  json["shape"][0] = steps;
  return json.dump(2) + "\n";
}

/// All chunks of the times are whole: what is behind the last step is not a number.
void write_zarr_times(const header_file& h, const std::vector<double>& times, bool is_synced) {
  for (std::size_t chunk = 0; chunk * zarr_times_per_chunk < times.size(); ++chunk) {
    std::vector<double> values(zarr_times_per_chunk, std::numeric_limits<double>::quiet_NaN());
    const std::size_t first = chunk * zarr_times_per_chunk;
    std::copy_n(times.begin() + as_index(first), std::min(zarr_times_per_chunk, times.size() - first), values.begin());
    std::string bytes(values.size() * sizeof(double), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    replace_file(text(h.path, chunk), bytes, is_synced);
  }
}

/// `constants`: the path of the step's files up to their number, a line feed, and what follows it.
std::string series_text(const std::string& constants, const std::vector<double>& times) {
  const auto cut = constants.find('\n');
  const stream_file f{
      .before = constants.substr(0, cut), .after = constants.substr(cut + 1), .digits = 6, .is_per_step = true};
  auto list = nlohmann::ordered_json::array();
  for (std::size_t s = 0; s < times.size(); ++s)
    list.push_back({{"name", std::filesystem::path(f.path(as_index(s))).filename().string()}, {"time", times[s]}});
  return nlohmann::ordered_json{{"file-series-version", "1.0"}, {"files", list}}.dump(
             1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace

void write_headers(const std::vector<header_file>& headers, const std::vector<double>& times, bool with_fixed,
                   bool is_synced) {
  for (const header_file& h : headers) switch (h.kind) {
      case header_kind::fixed:
        if (with_fixed) replace_file(h.path, h.constants, is_synced);
        break;
      case header_kind::rsf:
        replace_file(h.path, rsf_header(h.constants, h.axis, times), is_synced);
        break;
      case header_kind::zarr:
        replace_file(h.path, zarr_text(h.constants, as_index(times.size())), is_synced);
        break;
      case header_kind::zarr_times:
        write_zarr_times(h, times, is_synced);
        break;
      case header_kind::series_of_files:
        replace_file(h.path, series_text(h.constants, times), is_synced);
        break;
      case header_kind::index_of_grids:
        break;
    }
}

bool is_same_header(const header_file& h) {
  if (h.kind == header_kind::fixed) return bytes_of_own_file(h.path, true) == h.constants;
  if (h.kind != header_kind::zarr) return true;
  auto there = nlohmann::ordered_json::parse(bytes_of_own_file(h.path, true), nullptr, false);
  if (!there.is_object() || !there.contains("shape") || !there["shape"].is_array() || there["shape"].empty())
    throw io_error(h.path + " cannot be understood");
  there["shape"][0] = 0;
  return there == nlohmann::ordered_json::parse(zarr_text(h.constants, 0));
}

void write_indexes([[maybe_unused]] const std::vector<header_file>& headers,
                   [[maybe_unused]] const std::vector<double>& times, [[maybe_unused]] bool is_synced) {
#ifdef NEARFAR_HAVE_HDF5
  for (const header_file& h : headers)
    if (h.kind == header_kind::index_of_grids) write_index_of_grids(h, times, is_synced);
#endif
}

}  // namespace nearfar::output
