// SPDX-License-Identifier: BSD-3-Clause
// A flipped bit in the middle of a step is found in every format, whoever wrote it; append goes on before it where that
// is asked for.
// One MPI: what is in a file does not depend on it.

#include <algorithm>
#include <fstream>

#include "output_fixture.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2}, .node_sizes = {0}, .on_cluster = false}};

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::vector<index_t> extents{8, 6, 10};
constexpr index_t steps = 4, bad_step = 2;

std::string bytes_of_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Turns one bit over in the only file that has the element, in the element's last byte but one.
void flip(const fs::path& folder, index_t step, std::size_t which, index_t place) {
  const auto value = static_cast<double>(number_of(step, which, place));
  const std::string wanted(reinterpret_cast<const char*>(&value), sizeof value);
  int found = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::string bytes = bytes_of_file(entry.path());
    const auto at = bytes.find(wanted);
    if (at == std::string::npos) continue;
    ++found;
    bytes[at + 1] = static_cast<char>(bytes[at + 1] ^ 4);
    std::ofstream(entry.path(), std::ios::binary) << bytes;
  }
  EXPECT_EQ(found, 1) << "files with element " << place << " of step " << step;
}

class OutputVerify : public OutputTest {
 protected:
  static std::vector<output_array> arrays(const team& t, bool is_pencil) {
    const int half = is_pencil && t.size() % 2 == 0 ? 2 : 1;
    std::vector<output_array> list(2);
    list[0] = {.name = "p", .extents = extents, .type = element_type::float64};
    list[1] = {.name = "q", .extents = extents, .type = element_type::float64};
    for (output_array& a : list) a.own = cut(extents, {t.size() / half, half}, t.rank());
    return list;
  }
  /// @returns the steps that were there.
  index_t write(const team& t, const output_options& options, index_t until, bool is_pencil) {
    const auto list = arrays(t, is_pencil);
    output_stream out(t, path, list, options);
    const index_t before = out.steps();
    for (index_t s = before; s < until; ++s) {
      out.begin_step(static_cast<double>(s));
      for (std::size_t a = 0; a < list.size(); ++a) put_numbers<double>(out, list[a], a, s);
      out.end_step();
    }
    out.close();
    return before;
  }
  /// On the root: the one step that is not sound, with the reason; "" where all of `count` are.
  std::string faults(index_t count) const {
    const auto reports = verify_output(path);
    EXPECT_EQ(static_cast<index_t>(reports.size()), count);
    std::string words;
    for (const output_report& r : reports)
      if (r.state != output_soundness::sound)
        words +=
            std::to_string(r.step) + (r.state == output_soundness::damaged ? " damaged: " : " unknown: ") + r.reason;
    return words;
  }
  void try_format(const team& t, output_options options, bool is_pencil) {
    SCOPED_TRACE(options.format + (is_pencil ? ", pencils" : ", slabs"));
    if (!has_format(options.format)) return;
    empty();
    write(t, options, steps, is_pencil);
    MPI_Barrier(comm());
    if (rank() == 0) {
      EXPECT_EQ(faults(steps), "");
      flip(folder, bad_step, 1, 8 * 6 * 10 - 7);  // of whoever writes last
      EXPECT_THAT(faults(steps), ::testing::StartsWith("2 damaged: what writer "));
    }
    MPI_Barrier(comm());
    options.opening = output_opening::append;
    EXPECT_EQ(write(t, options, 0, is_pencil), steps) << "the journal alone says so";
    options.verify = true;
    EXPECT_EQ(write(t, options, steps, is_pencil), bad_step);
    MPI_Barrier(comm());
    if (rank() == 0) {
      EXPECT_EQ(faults(steps), "");
    }
    MPI_Barrier(comm());
  }
};

TEST_F(OutputVerify, flipped_bits_are_found_in_all_formats) {
  const team t(nearfar::test::everyone());
  for (const int writers : {1, 2}) {
    const bool is_pencil = writers > 1;
    output_options o{.policy = output_policy::thread, .writers_per_node = writers};
    o.durability = output_durability::none;
    for (const char* format : {"rsf", "zarr", "netcdf", "hdf5", "vtkhdf"})
      o.format = format, try_format(t, o, is_pencil);
    o.expected_steps = steps + 1;
    o.format = "netcdf", try_format(t, o, is_pencil);
  }
}

TEST_F(OutputVerify, who_goes_on_may_cut_arrays_otherwise) {
  const team t(nearfar::test::everyone());
  output_options o{.policy = output_policy::synchronous, .writers_per_node = 2};
  write(t, o, 2, true);
  o.opening = output_opening::append, o.writers_per_node = 1;
  EXPECT_EQ(write(t, o, steps, false), 2);
  MPI_Barrier(comm());
  if (rank() == 0) {
    EXPECT_EQ(faults(steps), "");
    flip(folder, 1, 0, 3);
    EXPECT_THAT(faults(steps), HasSubstr("1 damaged"));
    fs::rename(path + ".p.raw", path + ".gone");
    EXPECT_THAT(faults(steps), HasSubstr("3 damaged"));
    fs::remove(path + ".parts.json");
    EXPECT_THAT(faults(steps), HasSubstr("3 unknown"));
  }
}

TEST_F(OutputVerify, compressed_parts_and_streams_without_sums) {
  const team t(nearfar::test::everyone());
  output_options o{.format = "zarr", .compression = "zstd", .policy = output_policy::synchronous};
  bool is_there = true;
  try {
    write(t, o, steps, false);
  } catch (const usage_error&) {
    is_there = false;  // a build without zstd
  }
  MPI_Barrier(comm());
  if (rank() == 0 && is_there) {
    EXPECT_EQ(faults(steps), "");
    const fs::path chunk = folder / "s.zarr" / "q" / "c.2.0.0.0";
    std::string bytes = bytes_of_file(chunk);
    ASSERT_GT(bytes.size(), 20U);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    std::ofstream(chunk, std::ios::binary) << bytes;
    EXPECT_THAT(faults(steps), ::testing::StartsWith("2 damaged: what writer 0 wrote"));
  }
  empty();
  write(t, {.policy = output_policy::synchronous, .checksum = false}, 1, false);
  MPI_Barrier(comm());
  if (rank() == 0) {
    EXPECT_EQ(faults(1), "0 unknown: the stream was written without sums");
  }
  MPI_Barrier(comm());
}

}  // namespace
}  // namespace nearfar::test
