// SPDX-License-Identifier: BSD-3-Clause
// P.vtkhdf: all steps of a series of grids as one file with times, which holds no data. Its data sets are virtual:
// those of the steps' files, one behind the other (https://docs.vtk.org, "VTKHDF format specification", temporal data).
#ifdef NEARFAR_HAVE_HDF5
#include <base/text.hpp>
#include <filesystem>

#include "files.hpp"
#include "formats/hdf5_formats.hpp"
#include "formats/hdf5_maker.hpp"

namespace nearfar::output {

namespace {

const std::string point_data = "VTKHDF/PointData/", cell_data = "VTKHDF/CellData/", field_data = "VTKHDF/FieldData/";
const std::vector<std::string> numbers{"VTKHDF/NumberOfPoints", "VTKHDF/NumberOfCells",
                                       "VTKHDF/NumberOfConnectivityIds"};

/// The files of the steps: names, and the rows of each data set in each of them.
struct mapped_files {
  std::vector<std::string> files, names;
  std::vector<std::vector<index_t>> rows;  // [data set][file]
  std::vector<hdf5_source> kinds;          // [data set]

  const std::vector<index_t>& rows_of(const std::string& name) const {
    for (std::size_t n = 0; n < names.size(); ++n)
      if (names[n] == name) return rows[n];
    throw usage_error(text("a series of grids has no ", name));
  }
};

std::vector<std::string> lines_of(const std::string& words) {
  std::vector<std::string> lines;
  text_reader in(words);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

mapped_files look_at(const header_file& h, index_t steps) {
  auto lines = lines_of(h.constants);
  const stream_file f{.before = lines[0], .after = lines[1], .digits = 6, .is_per_step = true};
  mapped_files m;
  m.names = numbers;
  m.names.insert(m.names.end(), lines.begin() + 2, lines.end());
  m.rows.resize(m.names.size());
  for (index_t s = 0; s < steps; ++s) {
    const hdf5_look in(f.path(s));
    m.files.push_back(std::filesystem::path(f.path(s)).filename().string());
    for (std::size_t n = 0; n < m.names.size(); ++n) {
      hdf5_source kind = in.find(m.names[n]);
      m.rows[n].push_back(kind.extents.at(0));
      if (s == 0) m.kinds.push_back(std::move(kind));
    }
  }
  return m;
}

std::vector<index_t> sums_before(const std::vector<index_t>& counts) {
  std::vector<index_t> sums;
  index_t sum = 0;
  for (const index_t c : counts) sums.push_back(sum), sum += c;
  return sums;
}

void add_steps(hdf5_maker& file, const mapped_files& m, const std::vector<double>& times) {
  const std::string steps = "VTKHDF/Steps";
  const auto count = as_index(times.size());
  file.add_values(steps + "/Values", times);
  file.note_count(steps, "NSteps", count);
  const auto& parts = m.rows_of("VTKHDF/NumberOfPoints");
  file.add_values(steps + "/NumberOfParts", parts);
  file.add_values(steps + "/PartOffsets", sums_before(parts));
  file.add_values(steps + "/PointOffsets", sums_before(m.rows_of("VTKHDF/Points")));
  // One topology, and so a second extent of 1.
  file.add_values(steps + "/CellOffsets", sums_before(m.rows_of("VTKHDF/Types")), {count, 1});
  file.add_values(steps + "/ConnectivityIdOffsets", sums_before(m.rows_of("VTKHDF/Connectivity")), {count, 1});
  for (std::size_t n = 0; n < m.names.size(); ++n) {
    const std::string& name = m.names[n];
    const std::string own = name.substr(name.find('/', 7) + 1);
    if (name.starts_with(point_data)) file.add_values(steps + "/PointDataOffsets/" + own, sums_before(m.rows[n]));
    if (name.starts_with(cell_data)) file.add_values(steps + "/CellDataOffsets/" + own, sums_before(m.rows[n]));
    if (!name.starts_with(field_data)) continue;
    file.add_values(steps + "/FieldDataOffsets/" + own, sums_before(m.rows[n]));
    std::vector<index_t> sizes;  // components and tuples
    for (const index_t r : m.rows[n]) sizes.insert(sizes.end(), {1, r});
    file.add_values(steps + "/FieldDataSizes/" + own, sizes, {count, 2});
  }
}

}  // namespace

void write_index_of_grids(const header_file& h, const std::vector<double>& times, bool is_synced) {
  if (times.empty()) return static_cast<void>(std::filesystem::remove(h.path));
  const mapped_files m = look_at(h, as_index(times.size()));
  hdf5_maker file(h.path);
  file.add_group("VTKHDF");
  file.note("VTKHDF", "Version", std::vector<std::int64_t>{2, 0});
  file.note("VTKHDF", "Type", std::string("UnstructuredGrid"));
  for (std::size_t n = 0; n < m.names.size(); ++n) file.add_mapped(m.names[n], m.kinds[n], m.files, m.rows[n]);
  add_steps(file, m, times);
  std::string bytes;
  for (const fixed_piece& p : file.finish().pieces)
    bytes.append(reinterpret_cast<const char*>(p.bytes.data()), p.bytes.size());
  replace_file(h.path, bytes, is_synced);
  if (is_synced) sync_folder_of(h.path);
}

}  // namespace nearfar::output
#endif
