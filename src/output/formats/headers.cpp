// SPDX-License-Identifier: BSD-3-Clause
// What headers of each kind hold.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "files.hpp"
#include "formats/file_plan.hpp"
#include "formats/rsf.hpp"
#include "formats/zarr.hpp"

namespace nearfar::output {

namespace {

using nlohmann::ordered_json;

/// An array that grows with the steps has no elements in `constants`.
void count_steps(ordered_json& array, index_t steps) {
  if (auto& shape = array["shape"]; !shape.empty() && shape[0] == 0) shape[0] = steps;
}

/// An array's description, or a group's with those of all its arrays.
ordered_json zarr_json(const std::string& constants, index_t steps) {
  auto json = ordered_json::parse(constants);
  if (json.contains("shape")) count_steps(json, steps);
  if (json.contains("consolidated_metadata"))
    for (auto& array : json["consolidated_metadata"]["metadata"]) count_steps(array, steps);
  return json;
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
  auto list = ordered_json::array();
  for (std::size_t s = 0; s < times.size(); ++s)
    list.push_back({{"name", std::filesystem::path(f.path(as_index(s))).filename().string()}, {"time", times[s]}});
  const ordered_json series{{"file-series-version", "1.0"}, {"files", list}};
  return series.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
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
        replace_file(h.path, zarr_json(h.constants, as_index(times.size())).dump(2) + "\n", is_synced);
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
  std::set<std::filesystem::path> folders;
  for (const header_file& h : headers)
    if (is_synced && folders.insert(std::filesystem::path(h.path).parent_path()).second) sync_folder_of(h.path);
}

bool is_same_header(const header_file& h) {
  if (h.kind == header_kind::fixed) return bytes_of_own_file(h.path, true) == h.constants;
  if (h.kind != header_kind::zarr) return true;
  const auto there = ordered_json::parse(bytes_of_own_file(h.path, true), nullptr, false);
  const ordered_json::json_pointer own{"/shape/0"}, of_times{"/consolidated_metadata/metadata/time/shape/0"};
  const auto& place = there.contains(own) ? own : of_times;
  if (!there.contains(place) || !there[place].is_number_integer()) throw io_error(h.path + " cannot be understood");
  return there == zarr_json(h.constants, there[place].get<index_t>());
}

void write_indexes([[maybe_unused]] const std::vector<header_file>& headers,
                   [[maybe_unused]] const std::vector<double>& times, [[maybe_unused]] bool is_synced) {
#ifdef NEARFAR_HAVE_HDF5
  for (const header_file& h : headers)
    if (h.kind == header_kind::index_of_grids) write_index_of_grids(h, times, is_synced);
#endif
}

}  // namespace nearfar::output
