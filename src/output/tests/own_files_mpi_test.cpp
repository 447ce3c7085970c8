// SPDX-License-Identifier: BSD-3-Clause
// Streams remove and overwrite nothing that is not their own, and give up no step that the journal has unless they are
// asked to: files of others, files that were moved away or cut, other layouts and words, journals that were changed.
#include <fstream>
#include <map>
#include <nearfar/output_reader.hpp>

#include "output_fixture.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2}, .node_sizes = {0}, .on_cluster = false}};

using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr index_t steps = 4;

class OutputOwnFiles : public OutputTest {
 protected:
  static std::vector<output_array> arrays(const team& t) { return numbered_arrays(t, {t.size(), 1}); }
  /// Of vtkhdf all arrays have one image.
  static std::vector<output_array> arrays_for(const team& t, const std::string& format) {
    auto list = arrays(t);
    if (format == "vtkhdf") list[1].extents = list[0].extents, list[1].own = list[0].own;
    return list;
  }
  static output_options options(const std::string& format) {
    return {.format = format, .policy = output_policy::synchronous};
  }
  /// @returns what is against it; "": nothing.
  std::string write(const team& t, const output_options& o, index_t until) {
    return write(t, arrays_for(t, o.format), o, until);
  }
  std::string write(const team& t, const std::vector<output_array>& list, const output_options& o, index_t until) {
    return refusal([&] {
      output_stream out(t, path, list, o);
      for (index_t s = out.steps(); s < until; ++s) {
        out.begin_step(static_cast<double>(s));
        put_numbers<float>(out, list[0], 0, s);
        put_numbers<double>(out, list[1], 1, s);
        out.end_step();
      }
      out.close();
    });
  }
  static std::string all_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  using contents = std::map<std::string, std::string>;
  contents all_files() {
    MPI_Barrier(comm());
    contents all;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) all[entry.path().string()] = all_of(entry.path());
    MPI_Barrier(comm());
    return all;
  }
  template <class Do>
  void on_root(Do what) {
    MPI_Barrier(comm());
    if (rank() == 0) what();
    MPI_Barrier(comm());
  }
  void put_file(const fs::path& file, const std::string& words) {
    on_root([&] {
      fs::create_directories(file.parent_path());
      std::ofstream(file, std::ios::binary) << words;
    });
  }
  /// Refused with these words, and all files are as before.
  template <class Try>
  void must_refuse(Try what, const std::string& words) {
    const contents before = all_files();
    EXPECT_THAT(what(), HasSubstr(words));
    EXPECT_TRUE(all_files() == before) << "files have been changed";
  }
  output_options appending(output_options o) const {
    o.opening = output_opening::append;
    return o;
  }
};

TEST_F(OutputOwnFiles, a_step_that_was_moved_away_or_cut_is_not_given_up) {
  const team t(nearfar::test::everyone());
  const std::map<std::string, std::vector<std::string>> files{
      {"rsf", {".p.raw", ".q.raw"}},
      {"zarr", {".zarr/p/c.0.0.0.0", ".zarr/q/c.2.0.0.0", ".zarr/q/c.3.0.0.0"}},
      {"netcdf", {".000000.nc", ".000002.nc", ".000003.nc"}},
      {"hdf5", {".000001.h5"}},
      {"vtkhdf", {".000001.vtkhdf"}}};
  for (const auto& [format, names] : files) {
    if (!has_format(format)) continue;
    empty();
    EXPECT_EQ(write(t, options(format), steps), "");
    for (const std::string& name : names) {
      SCOPED_TRACE(format + name);
      const auto append = [&, f = format] { return write(t, appending(options(f)), steps + 1); };
      const std::string file = path + name, away = path + "_away";
      on_root([&] { fs::rename(file, away); });
      must_refuse(append, file + " is missing");
      on_root([&] { fs::copy_file(away, file), fs::resize_file(file, 10); });
      must_refuse(append, file + " is too short: it has 10 bytes");
      on_root([&] {
        for (const auto& r : verify_output(path)) {
          const bool is_there = r.state == output_soundness::sound;
          EXPECT_TRUE(is_there || r.reason.find(file) != std::string::npos) << r.reason;
          EXPECT_TRUE(!is_there || format != "rsf");
        }
      });
      on_root([&] { fs::remove(file), fs::rename(away, file); });
    }
    EXPECT_EQ(write(t, appending(options(format)), steps + 1), "");
    EXPECT_EQ(output_steps_at(path).size(), static_cast<std::size_t>(steps + 1));
  }
}

TEST_F(OutputOwnFiles, files_of_others_are_left_alone) {
  const team t(nearfar::test::everyone());
  const std::map<std::string, std::vector<std::string>> files{
      {"rsf", {".velocity.raw", ".velocity.rsf", ".p.raw"}},
      {"zarr", {".zarr/velocity/zarr.json", ".zarr/p/c.99.0.0.0", ".zarr/notes.txt"}},
      {"netcdf", {".nc", ".000000.nc", ".000099.nc"}},
      {"hdf5", {".000005.h5"}},
      {"vtkhdf", {".000099.vtkhdf", ".vtkhdf.series"}}};
  for (const auto& [format, names] : files)
    for (const std::string& name : names) {
      if (!has_format(format)) continue;
      SCOPED_TRACE(format + name);
      empty();
      const auto create = [&, f = format] { return write(t, options(f), steps); };
      put_file(path + name, "mine");
      must_refuse(create, path + name + " is in the way");
      EXPECT_FALSE(fs::exists(path + ".journal"));
      on_root([&] { fs::remove(path + name); });
      EXPECT_EQ(create(), "");
      if (fs::exists(path + name)) continue;  // its own by now
      put_file(path + name, "mine");
      must_refuse(create, path + name + " is in the way");
    }
  empty();
  for (const char* file : {".journal", ".parts.json"}) {
    put_file(path + file, "Dear diary, of what was written here nothing may be lost, and so on for a while.\n");
    if (file == std::string(".parts.json")) put_file(path + ".journal", "");
    const std::string name = path + file;
    for (const auto opening : {output_opening::create, output_opening::append}) {
      output_options o = options("rsf");
      o.opening = opening;
      must_refuse([&] { return write(t, o, 1); }, name);
    }
    on_root([&] { fs::remove(name); });
  }
}

TEST_F(OutputOwnFiles, another_format_takes_the_place_of_its_own_files_only) {
  const team t(nearfar::test::everyone());
  EXPECT_EQ(write(t, options("rsf"), steps), "");
  put_file(path + ".velocity.raw", "mine");
  EXPECT_EQ(write(t, options("zarr"), steps), "");
  EXPECT_TRUE(fs::exists(path + ".velocity.raw"));
  EXPECT_FALSE(fs::exists(path + ".p.raw"));
}

TEST_F(OutputOwnFiles, append_keeps_layout_and_words) {
  const team t(nearfar::test::everyone());
  if (has_format("netcdf")) {
    output_options o = options("netcdf");
    for (const index_t expected : {6, 0}) {
      empty();
      o.expected_steps = expected;
      EXPECT_EQ(write(t, o, 3), "");
      for (const index_t other : {6 - expected, index_t{8}}) {
        output_options changed = appending(o);
        changed.expected_steps = other;
        must_refuse([&] { return write(t, changed, 5); }, "expected_steps");
      }
      EXPECT_EQ(write(t, appending(o), 5), "");
    }
  }
  for (const std::string format : {"rsf", "zarr", "netcdf", "hdf5", "vtkhdf"}) {
    if (!has_format(format)) continue;
    SCOPED_TRACE(format);
    empty();
    auto list = arrays_for(t, format);
    list[0].attributes = {{"units", "Pa"}};
    output_options o = options(format);
    if (format != "rsf") o.attributes = {{"title", "numbers"}};
    EXPECT_EQ(write(t, list, o, 3), "");
    auto others = list;
    others[0].attributes = {{"units", "K"}};
    must_refuse([&] { return write(t, others, appending(o), 5); }, format == "zarr"  ? "other attributes"
                                                                   : format == "rsf" ? "units = 'Pa'"
                                                                                     : "");
    if (format == "zarr" || format == "netcdf") {
      output_options other_axes = appending(o);
      other_axes.attributes = {{"title", "others"}};
      must_refuse([&] { return write(t, list, other_axes, 5); }, "other attributes");
    }
    EXPECT_EQ(write(t, list, appending(o), 5), "");
  }
}

TEST_F(OutputOwnFiles, a_journal_that_was_changed_is_refused) {
  const team t(nearfar::test::everyone());
  const std::string journal = path + ".journal";
  for (const std::uintmax_t at : {24, 64 + 20, 3 * 64 + 41}) {
    SCOPED_TRACE(at);
    empty();
    EXPECT_EQ(write(t, options("rsf"), steps), "");
    on_root([&] {
      std::fstream file(journal, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(at));
      const int byte = file.get();
      file.seekp(static_cast<std::streamoff>(at));
      file.put(static_cast<char>(byte ^ 1));
    });
    const std::string words = journal + " is damaged: the record at byte " + std::to_string(at / 64 * 64);
    must_refuse([&] { return write(t, appending(options("rsf")), steps); }, words);
    must_refuse([&] { return refusal([&] { output_steps_at(path); }); }, words);
    must_refuse([&] { return refusal([&] { verify_output(path); }); }, words);
    must_refuse([&] { return refusal([&] { output_reader(t, path); }); }, words);
    output_options o = appending(options("rsf"));
    o.verify = true;
    EXPECT_EQ(write(t, o, steps), "");
    EXPECT_EQ(output_steps_at(path).size(), static_cast<std::size_t>(steps));
  }
}

TEST_F(OutputOwnFiles, a_journal_that_misses_a_record_in_the_middle_is_refused) {
  const team t(nearfar::test::everyone());
  EXPECT_EQ(write(t, options("rsf"), steps), "");
  on_root([&] {
    std::fstream file(path + ".journal", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(64);
    file.write(std::string(64, '\0').data(), 64);
  });
  must_refuse([&] { return refusal([&] { output_steps_at(path); }); },
              "the record at byte 128, of step 2, is there, but one before it is not");
}

TEST_F(OutputOwnFiles, a_journal_of_two_streams_is_refused) {
  const team t(nearfar::test::everyone());
  const std::string journal = path + ".journal";
  std::string records;
  EXPECT_EQ(write(t, options("rsf"), steps), "");
  on_root([&] { records = all_of(journal); });
  empty();
  auto others = arrays(t);
  others[1].name = "other";
  EXPECT_EQ(write(t, others, options("rsf"), steps), "");
  on_root([&] {
    const std::string spliced = all_of(journal).substr(0, 128) + records.substr(128);
    std::ofstream(journal, std::ios::binary) << spliced;
  });
  must_refuse([&] { return refusal([&] { output_steps_at(path); }); },
              "the record at byte 128, of step 2, belongs to another step or stream");
}

TEST_F(OutputOwnFiles, a_stream_that_is_being_written_is_left_alone) {
  const team t(nearfar::test::everyone());
  output_stream out(t, path, arrays(t), options("rsf"));
  for (const output_options& o : {options("rsf"), appending(options("rsf"))})
    must_refuse([&] { return write(t, o, steps); }, path + ".journal is being written by another program or stream");
  out.close();
  EXPECT_EQ(write(t, options("rsf"), steps), "");
}

TEST_F(OutputOwnFiles, a_file_that_is_cut_is_named_without_sums_too) {
  const team t(nearfar::test::everyone());
  output_options o = options("rsf");
  o.checksum = false;
  EXPECT_EQ(write(t, o, steps), "");
  on_root([&] {
    fs::resize_file(path + ".q.raw", 2 * 5 * 40 * 100 * 8);
    const auto reports = verify_output(path);
    ASSERT_EQ(reports.size(), static_cast<std::size_t>(steps));
    EXPECT_EQ(reports[1].state, output_soundness::unknown);
    EXPECT_EQ(reports[2].state, output_soundness::damaged);
    EXPECT_THAT(reports[3].reason, AllOf(HasSubstr(path + ".q.raw"), HasSubstr("too short")));
  });
}

}  // namespace
}  // namespace nearfar::test
