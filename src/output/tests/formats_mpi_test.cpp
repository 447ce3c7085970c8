// SPDX-License-Identifier: BSD-3-Clause
// Every format is read back by a reader that is not ours, and compared element by element.
// One MPI: what is in a file does not depend on it; how data gets to the writers is the subject of other tests.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mpi_test.hpp>
#include <nearfar/error.hpp>

#include "formats/attributes.hpp"
#include "formats_fixture.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 3}, .node_sizes = {0, 2}, .on_cluster = false}};

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class OutputFormats : public FormatsTest {};

bool is_built_in(const std::string& format) {
  const auto list = output_formats();
  return std::any_of(list.begin(), list.end(), [&](const auto& f) { return f.first == format; });
}

TEST_F(OutputFormats, zarr) {
  const team t(nearfar::test::everyone());
  for (const auto policy : {output_policy::synchronous, output_policy::thread}) {
    write(t, arrays(t), options("zarr", policy), policy == output_policy::thread ? 3 : 5);
    read_back("json,zarr", ".zarr", policy == output_policy::thread ? 3 : 5);
  }
}

TEST_F(OutputFormats, zarr_goes_on_where_it_was_torn) {
  const team t(nearfar::test::everyone());
  output_options o = options("zarr", output_policy::thread);
  write(t, arrays(t), o, 4);
  if (rank() == 0) {
    std::filesystem::resize_file(path + ".zarr/q/c.3.0.0.0", 1000);  // not whole
    std::filesystem::rename(path + ".zarr/p/c.1.0.0.0",
                            path + ".zarr/p/c.1.0.0.0.part");  // whole, killed before it had its name
    std::ofstream(path + ".zarr/p/c.9.0.0.0.part") << "torn";
  }
  MPI_Barrier(comm());
  o.opening = output_opening::append;
  EXPECT_THAT(refusal([&] { output_stream(t, path, arrays(t), o); }), HasSubstr("q/c.3.0.0.0 is too short"));
  o.verify = true;
  {
    output_stream out(t, path, arrays(t), o);
    EXPECT_EQ(out.steps(), 3);
    out.close();
  }
  read_back("json", ".zarr", 3);
  EXPECT_FALSE(std::filesystem::exists(path + ".zarr/p/c.9.0.0.0.part"));
  write(t, arrays(t), o, 5);
  read_back("json", ".zarr", 5);
}

// With a known number of steps one file, whose metadata never change: what is there at any time is a valid file.
TEST_F(OutputFormats, netcdf_and_hdf5_in_one_file) {
  if (!is_built_in("netcdf")) GTEST_SKIP() << "this build has no HDF5";
  const team t(nearfar::test::everyone());
  output_options o = options("netcdf", output_policy::thread);
  o.expected_steps = 4;
  write(t, arrays(t), o, 4);
  read_back("netCDF4", ".nc", 4);
  o.opening = output_opening::append;
  EXPECT_THAT(refusal([&] { write(t, arrays(t), o, 5); }), HasSubstr("room for 4 steps"));
  o.attributes[1].second = "other numbers";
  EXPECT_THAT(refusal([&] { write(t, arrays(t), o, 5); }), HasSubstr("other attributes, axes or expected_steps"));
  read_back("h5py", ".nc", 4);
}

TEST_F(OutputFormats, netcdf_goes_on_where_it_was_torn) {
  if (!is_built_in("netcdf")) GTEST_SKIP() << "this build has no HDF5";
  const team t(nearfar::test::everyone());
  for (const index_t expected : {0, 4}) {
    output_options o = options("netcdf", output_policy::synchronous);
    o.expected_steps = expected;
    write(t, arrays(t), o, 3);
    const auto journal = static_cast<std::uintmax_t>(rank() == 0 ? std::filesystem::file_size(path + ".journal") : 0);
    if (rank() == 0) std::filesystem::resize_file(path + ".journal", journal - 10);
    MPI_Barrier(comm());
    o.opening = output_opening::append;
    {
      output_stream out(t, path, arrays(t), o);
      EXPECT_EQ(out.steps(), 2);
      out.close();
    }
    EXPECT_TRUE(expected > 0 || !std::filesystem::exists(path + ".000002.nc"));
    write(t, arrays(t), o, 4);
    read_back("netCDF4", ".nc", 4);
  }
  if (rank() == 0) std::filesystem::remove(path + ".nc");
  MPI_Barrier(comm());
  output_options o = options("netcdf", output_policy::thread);
  o.expected_steps = 4, o.opening = output_opening::append;
  EXPECT_THAT(refusal([&] { write(t, arrays(t), o, 4); }), HasSubstr(path + ".nc is missing"));
}

// The writers' parts are slabs of five, five and three planes: those of equal boxes but for the last.
TEST_F(OutputFormats, compressed_parts_of_writers) {
  const team t(nearfar::test::everyone());
  for (const bool is_lossy : {true, false}) {
    auto list = arrays(t);
    for (output_array& a : list) {
      const index_t n = a.extents[0], planes = (n + t.size() - 1) / t.size();
      a.own.lower[0] = std::min(n, planes * t.rank()), a.own.upper[0] = std::min(n, planes * (t.rank() + 1));
    }
    list[0].compression = is_lossy ? "zfp:1e-4" : "blosc";
    output_options o = options("zarr", output_policy::thread);
    o.compression = is_lossy ? "zstd:3" : "blosc:zstd", o.writers_per_node = is_lossy ? 1 : 4;
    if (const std::string words = refusal([&] { write(t, list, o, 3); }); !words.empty()) {
      EXPECT_THAT(words, HasSubstr("is not in this build"));
      continue;
    }
    // Of numbers up to 17 million a ten thousandth.
    read_back("json,zarr", ".zarr", 3, is_lossy ? ":1700" : ":0");
    if (rank() == 0) {
      EXPECT_LT(std::filesystem::file_size(path + ".zarr/q/c.1.0.0.0"), 5U * 40 * 100 * 8 / 2);
    }
  }
}

// Heights and the like: no dimension of time, written once, and still there when another run goes on.
TEST_F(OutputFormats, constant_arrays_and_scalars) {
  const team t(nearfar::test::everyone());
  auto list = arrays(t);
  list.push_back({.name = "h", .extents = {9, 6, 7}, .own = cut({9, 6, 7}, {t.size(), 1}, t.rank()), .padding = 1});
  list[2].attributes = {{"parallels", "38, 42"}, {"_FillValue", "9.96921e+36"}};
  list[2].dimensions = {"level", "north", "east"};
  list[2].is_constant = true;
  for (const std::string format : {"rsf", "zarr", "netcdf", "hdf5"}) {
    if (!is_built_in(format)) continue;
    for (const auto policy : {output_policy::synchronous, output_policy::thread}) {
      output_options o = options(format, policy);
      o.axes.push_back({"height", {2.0}, {{"units", "m"}}});
      if (format == "netcdf") {
        EXPECT_THAT(refusal([&] { write(t, list, o, 3); }),
                    AllOf(HasSubstr("array h"), HasSubstr("files of all steps")));
      }
      if (format == "netcdf" || format == "hdf5") o.expected_steps = 5;
      write(t, list, o, 3);
      o.opening = output_opening::append;
      write(t, list, o, 5);
      const std::map<std::string, std::string> readers{
          {"zarr", "json,zarr .zarr"}, {"netcdf", "netCDF4 .nc"}, {"hdf5", "h5py .h5"}};
      if (const auto found = readers.find(format); found != readers.end()) {
        const auto blank = found->second.find(' ');
        read_back(found->second.substr(0, blank), found->second.substr(blank + 1), 5, "", "5x40x100",
                  " h:f4:9x6x7:constant height=2");
        continue;
      }
      std::vector<float> there(9 * 6 * 7);
      std::ifstream(path + ".h.raw", std::ios::binary)
          .read(reinterpret_cast<char*>(there.data()), static_cast<std::streamsize>(there.size() * sizeof(float)));
      for (std::size_t i = 0; i < there.size(); ++i)
        ASSERT_EQ(there[i], static_cast<float>(number_of(0, 2, static_cast<index_t>(i))));
      EXPECT_EQ(std::filesystem::file_size(path + ".h.raw"), there.size() * sizeof(float));
    }
  }
  list[2].compression = "zstd";
  EXPECT_THAT(refusal([&] { write(t, list, options("zarr", output_policy::thread), 1); }),
              AnyOf(HasSubstr("none is possible"), HasSubstr("not in this build")));
}

TEST_F(OutputFormats, images_for_paraview) {
  if (!is_built_in("vtkhdf")) GTEST_SKIP() << "this build has no HDF5";
  const team t(nearfar::test::everyone());
  auto list = arrays(t);
  const output_options o = options("vtkhdf", output_policy::thread);
  EXPECT_THAT(refusal([&] { output_stream(t, path, list, o); }), HasSubstr("different extents"));
  list[1].extents = list[0].extents, list[1].own = list[0].own;
  write(t, list, o, 3);
  read_back("vtkhdf", ".vtkhdf", 3, "", "13x17x29");
  // Cells are one less than points.
  list[1].part = output_part::cell_data;
  EXPECT_THAT(refusal([&] { output_stream(t, path, list, o); }), HasSubstr("different extents"));
  list[1].extents = {12, 16, 28}, list[1].own = cut(list[1].extents, {t.size(), 1}, t.rank());
  output_options without_axis = o;
  without_axis.axes.pop_back();
  list[0].dimensions = {"zp", "yp", "xp"};
  write(t, list, without_axis, 2);
  read_back("vtkhdf", ".vtkhdf", 2, "", "12x16x28");
}

TEST_F(OutputFormats, refusals_are_the_same_on_every_rank) {
  const team t(nearfar::test::everyone());
  const auto with = [&](const std::string& format, auto change) {
    auto list = arrays(t);
    output_options o = options(format, output_policy::synchronous);
    change(list, o);
    return refusal([&] { output_stream(t, path, list, o); });
  };
  using arrays_list = std::vector<output_array>;
  EXPECT_THAT(with("zar", [](auto&, auto&) {}),
              AllOf(HasSubstr("'zar'"), HasSubstr("did you mean 'zarr'"), HasSubstr("rsf")));
  EXPECT_THAT(with("zarr", [](arrays_list&, output_options& o) { o.axes[1].values.pop_back(); }),
              HasSubstr("12 values"));
  EXPECT_THAT(with("zarr", [](arrays_list&, output_options& o) { o.axes[1].name = "zz"; }),
              HasSubstr("did you mean 'z'"));
  EXPECT_THAT(with("zarr",
                   [](arrays_list& l, output_options&) {
                     l[0].dimensions = {"a", "b"};
                   }),
              HasSubstr("2 names"));
  EXPECT_THAT(with("zarr",
                   [](arrays_list& l, output_options&) {
                     l[0].dimensions = {"a", "b", "a"};
                   }),
              HasSubstr("'a'"));
  EXPECT_THAT(with("zarr", [](arrays_list& l, output_options&) { l[0].name = "time"; }), HasSubstr("name of an axis"));
  const auto compress = [](const char* how) { return [=](arrays_list&, output_options& o) { o.compression = how; }; };
  EXPECT_THAT(with("zarr", compress("zip")), AllOf(HasSubstr("'zip'"), HasSubstr("there are:")));
  EXPECT_THAT(with("zarr", compress("zfp")), AnyOf(HasSubstr("zfp:1e-3"), HasSubstr("not in this build")));
  EXPECT_THAT(with("rsf", compress("zstd")), AnyOf(HasSubstr("'zarr' has it"), HasSubstr("not in this build")));
  const auto make_complex = [](arrays_list& l, output_options&) { l[0].type = element_type::complex64; };
  EXPECT_THAT(is_built_in("netcdf") ? with("netcdf", make_complex) : "format hdf5 has one",
              HasSubstr("format hdf5 has one"));
}

// The root looks at the files by a reader's own words; kinds and digits of numbers are what programs gave.
TEST_F(OutputFormats, attributes_keep_their_kind_and_all_digits) {
  using output::value_of;
  const auto words_of = [](const std::string& given) {
    const auto v = value_of({"n", given}, false);
    std::ostringstream out;
    for (const auto n : v.integers) out << n << "i ";
    for (const auto x : v.reals) out << x << "r ";
    return v.is_words() ? "words" : out.str();
  };
  for (const char* words :
       {"7e12345", "0012345", "0x10", "123456789012345678901234", "1,", "", "5 apples", "-", "nan", "07"})
    EXPECT_EQ(words_of(words), "words") << words;
  EXPECT_EQ(words_of("123456789012345678"), "123456789012345678i ");
  EXPECT_EQ(words_of("-9223372036854775808"), "-9223372036854775808i ");
  EXPECT_EQ(words_of("38, 42"), "38i 42i ");
  EXPECT_EQ(words_of("38, 42.5"), "38r 42.5r ");
  EXPECT_EQ(words_of("-0"), "-0r ");
  EXPECT_EQ(words_of("1e3"), "1000r ");
  EXPECT_TRUE(value_of({"units", "1"}, false).is_words());
}

TEST_F(OutputFormats, what_no_file_can_hold_is_refused) {
  const team t(nearfar::test::everyone());
  const auto with = [&](const std::string& key, const std::string& value, element_type type = element_type::float32) {
    auto list = arrays(t);
    list[0].attributes = {{key, value}}, list[0].type = type;
    return refusal([&] { output_stream(t, path, list, options("zarr", output_policy::synchronous)); });
  };
  EXPECT_THAT(with("comment", "caf\xe9"), AllOf(HasSubstr("comment of array p"), HasSubstr("no UTF-8 at byte 3")));
  EXPECT_THAT(with("b\xff", "x"), HasSubstr("no UTF-8"));
  EXPECT_THAT(with("comment", std::string("a\0b", 3)), HasSubstr("a zero at byte 1"));
  EXPECT_THAT(with("", "x"), HasSubstr("one letter is the least"));
  EXPECT_THAT(with("comment", std::string(70000, 'x')), HasSubstr("60000"));
  EXPECT_THAT(with("_FillValue", "none"), HasSubstr("one number is possible"));
  EXPECT_THAT(with("_FillValue", "40000", element_type::int16), HasSubstr("'40000'"));
  EXPECT_THAT(with("_FillValue", "nan", element_type::int64), HasSubstr("'nan'"));
  EXPECT_EQ(with("comment", "K\xc3\xb6ln"), "");
  EXPECT_EQ(with("_FillValue", "nan"), "");
  for (const char* format : {"rsf", "zarr", "netcdf", "vtkhdf"}) {
    if (!is_built_in(format)) continue;
    const index_t much = index_t{1} << 40;
    const output_array huge{.name = "p", .extents = {much, much}, .own = {2, {0, 0}, {t.rank() == 0 ? much : 0, much}}};
    EXPECT_THAT(refusal([&] { output_stream(t, path, {huge}, {.format = format}); }),
                HasSubstr("array p has more bytes"));
    output_options o{.format = format};
    o.expected_steps = index_t{1} << 60;
    EXPECT_THAT(refusal([&] { output_stream(t, path, arrays(t), o); }), HasSubstr("more bytes"));
  }
}

TEST_F(OutputFormats, slots_of_constant_arrays_count_for_nothing_behind_the_first_step) {
  const team t(nearfar::test::everyone());
  auto list = arrays(t);
  list[1].is_constant = true;
  output_stream out(t, path, list, options("zarr", output_policy::synchronous));
  for (index_t s = 0; s < 3; ++s) {
    out.begin_step(0);
    put_numbers<float>(out, list[0], 0, s);
    fill_numbers<double>(out, list[1], 1, s);
    EXPECT_EQ(out.slot("q").data == nullptr, list[1].own.is_empty());
    out.end_step();
  }
  out.close();
  MPI_Barrier(comm());
  std::ifstream chunk(path + ".zarr/q/c.0.0.0", std::ios::binary);
  double first = 0;
  chunk.read(reinterpret_cast<char*>(&first), sizeof first);
  EXPECT_EQ(first, static_cast<double>(number_of(0, 1, 0)));
}

TEST_F(OutputFormats, are_listed) {
  std::string names;
  for (const auto& [name, words] : output_formats()) {
    names += name + " ";
    EXPECT_FALSE(words.empty());
    EXPECT_LE(name.size(), 8U) << "the journal has room for 8 letters";
  }
  EXPECT_THAT(names, AllOf(HasSubstr("rsf"), HasSubstr("zarr")));
}

}  // namespace
}  // namespace nearfar::test
