// SPDX-License-Identifier: BSD-3-Clause
// Where arrays begin in frames and files: in memory at multiples of 64 bytes, whatever the format, the types and the
// extents; in files of streams that version 0.1 began where it would have them.
#include <algorithm>
#include <base/numbers.hpp>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <nearfar/output_reader.hpp>

#include "output_fixture.hpp"
#include "python_reader.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 3}, .node_sizes = {0}, .on_cluster = false}};

using ::testing::HasSubstr;

/// Calls with(T()) for the type of an array.
template <class With>
void with_type(element_type type, With with) {
  if (type == element_type::int8) return with(std::int8_t());
  if (type == element_type::int16) return with(std::int16_t());
  if (type == element_type::int64) return with(std::int64_t());
  if (type == element_type::float32) return with(float());
  with(double());
}

class OutputFrames : public OutputTest {
 protected:
  static std::vector<output_array> arrays(const team& t, const std::vector<index_t>& extents,
                                          std::vector<element_type> types) {
    std::vector<output_array> list;
    for (const element_type type : types) {
      const auto name = std::string(1, static_cast<char>('a' + list.size()));
      list.push_back({.name = name, .extents = extents, .own = cut(extents, {t.size(), 1}, t.rank()), .type = type});
    }
    return list;
  }
  /// How many of this rank's slots do not begin where they should. Where each rank has a frame of its own that is a
  /// multiple of 64 bytes, else of the element's.
  static int fill_step(output_stream& out, const std::vector<output_array>& list, index_t step, bool is_alone) {
    int wrong = 0;
    out.begin_step(0.25 * static_cast<double>(step));
    for (std::size_t a = 0; a < list.size(); ++a) {
      const auto at = reinterpret_cast<std::uintptr_t>(out.slot(list[a].name).data);
      wrong += at % (is_alone ? array_alignment_in_frames : as_size(bytes_of(list[a].type))) == 0 ? 0 : 1;
      // Numbers of elements wrap around in small types.
      with_type(list[a].type, [&](auto zero) { fill_numbers<decltype(zero)>(out, list[a], a, step); });
    }
    out.end_step();
    return wrong;
  }
  void expect_steps(const team& t, const std::vector<output_array>& list, index_t steps) const {
    output_reader in(t, path);
    EXPECT_EQ(as_index(in.steps().size()), steps);
    std::vector<output_selection> all;
    for (const output_array& a : list) all.push_back({.name = a.name, .wanted = a.own});
    in.select(all);
    for (index_t s = 0; s < as_index(in.steps().size()); ++s) {
      in.begin_step(s);
      for (std::size_t a = 0; a < list.size(); ++a)
        with_type(list[a].type, [&](auto zero) { expect_array<decltype(zero)>(in, list[a], a, s); });
      in.end_step();
    }
  }
  template <class T>
  static void expect_array(output_reader& in, const output_array& a, std::size_t which, index_t step) {
    const output_slot slot = in.slot(a.name);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slot.data) % array_alignment_in_frames, 0U);
    const auto* values = static_cast<const T*>(slot.data);
    index_t wrong = 0;
    for_each_of(a.extents, a.own, [&](index_t place, index_t, index_t, index_t) {
      wrong += *values++ == static_cast<T>(number_of(step, which, place)) ? 0 : 1;
    });
    EXPECT_EQ(wrong, 0) << a.name << " of step " << step;
  }
  static std::vector<std::string> readable_formats() {
    std::vector<std::string> names;
    for (const auto& [name, words] : output_formats())
      if (name != "adios2") names.push_back(name);
    return names;
  }
};

constexpr auto i1 = element_type::int8, i2 = element_type::int16, i8 = element_type::int64, f4 = element_type::float32,
               f8 = element_type::float64;

/// Also pieces that are written past the page cache, at places in files that are no multiples of anything.
TEST_F(OutputFrames, begin_arrays_at_multiples_of_64_bytes_and_read_back_the_same) {
  const team t(nearfar::test::everyone());
  const std::vector<std::vector<element_type>> orders{{i1, f4, f8, i2, i8}, {f8, i1, i8, i1, f4}};
  for (const std::string& format : readable_formats())
    for (const index_t expected : {0, 3})
      for (const auto& types : orders)
        for (const int writers : {1, t.size()}) {
          const bool has_one_file = format == "netcdf" || format == "hdf5";
          if (expected > 0 && !has_one_file) continue;
          SCOPED_TRACE(format + " for " + std::to_string(expected) + " steps, writers " + std::to_string(writers));
          const auto list = arrays(t, {11, 23, 67}, types);
          output_options o{.format = format,
                           .policy = writers == 1 ? output_policy::thread : output_policy::synchronous};
          o.expected_steps = expected, o.writers_per_node = writers, o.durability = output_durability::none;
          {
            output_stream out(t, path, list, o);
            int wrong = 0;
            for (index_t s = 0; s < 3; ++s) wrong += fill_step(out, list, s, writers == t.size() || t.is_root());
            EXPECT_EQ(wrong, 0);
            out.close();
          }
          expect_steps(t, list, 3);
          empty();
        }
}

TEST_F(OutputFrames, of_constant_arrays_are_aligned_in_all_steps) {
  const team t(nearfar::test::everyone());
  auto list = arrays(t, {3, 5, 7}, {i1, f4});
  list[1].is_constant = true;
  output_stream out(t, path, list,
                    {.format = "rsf", .policy = output_policy::synchronous, .writers_per_node = t.size()});
  int wrong = 0;
  for (index_t s = 0; s < 3; ++s) wrong += fill_step(out, list, s, true);
  EXPECT_EQ(wrong, 0);
  out.close();
}

/// Made by version 0.1 (a47992b1) on one rank: int8, float32 and float64 of 3 x 5 x 7, two steps.
TEST_F(OutputFrames, streams_of_version_0_1_are_read_and_go_on_as_they_began) {
  const team t(nearfar::test::everyone());
  if (rank() == 0) {
    const std::string command = "tar -xzf " NEARFAR_STREAMS_OF_0_1 " -C " + folder.string();
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
  sleep_until_all_are_here(comm());
  const auto list = arrays(t, {3, 5, 7}, {i1, f4, f8});
  auto named = list;
  named[1].name = "p", named[2].name = "q";
  for (const std::string& format : readable_formats())
    for (const char* kind : {"", "-all"}) {
      path = (folder / (format + kind)).string();
      if (!std::filesystem::exists(path + ".journal")) continue;
      SCOPED_TRACE(format + kind);
      expect_steps(t, named, 2);
      output_options o{.format = format, .policy = output_policy::synchronous, .opening = output_opening::append};
      o.expected_steps = *kind == '\0' ? 0 : 4, o.writers_per_node = t.size();
      int wrong = 0;
      EXPECT_EQ(refusal([&] {
                  output_stream out(t, path, named, o);
                  EXPECT_EQ(out.steps(), 2);
                  for (index_t s = 2; s < 4; ++s) wrong += fill_step(out, named, s, true);
                  out.close();
                }),
                "");
      EXPECT_EQ(wrong, 0);
      expect_steps(t, named, 4);
      for (const output_report& r : verify_output(path)) EXPECT_EQ(r.state, output_soundness::sound) << r.reason;
      MPI_Barrier(comm());
    }
}

TEST_F(OutputFrames, streams_of_an_unknown_layout_are_refused) {
  const team t(nearfar::test::everyone());
  const auto list = arrays(t, {3, 5, 7}, {f4});
  output_options o{.format = "rsf", .policy = output_policy::synchronous};
  {
    output_stream out(t, path, list, o);
    fill_step(out, list, 0, false);
    out.close();
  }
  if (rank() == 0) {
    const std::string file = path + ".parts.json";
    std::ifstream in(file);
    std::string words{std::istreambuf_iterator<char>(in), {}};
    const auto at = words.find("\"layout\":1");
    EXPECT_NE(at, std::string::npos);
    std::ofstream(file) << words.replace(at, 10, "\"layout\":7");
  }
  MPI_Barrier(comm());
  o.opening = output_opening::append;
  EXPECT_THAT(refusal([&] { output_stream(t, path, list, o); }), HasSubstr("s has the layout 7"));
  expect_steps(t, list, 1);
}

/// What CDO and xarray look for, too: a constant array that has its dimension's name is that dimension's values.
TEST_F(OutputFrames, arrays_may_have_names_of_dimensions) {
  const team t(nearfar::test::everyone());
  for (const char* format : {"netcdf", "hdf5"}) {
    if (!has_format(format)) continue;
    std::vector<output_array> list(4);
    list[0] = {.name = "p", .extents = {3, 5, 7}, .own = {}, .type = f8, .dimensions = {"z", "lat", "x"}};
    list[1] = {.name = "lat", .extents = {5}, .own = {}, .dimensions = {"lat"}, .is_constant = true};
    list[2] = {.name = "x", .extents = {7}, .own = {}, .dimensions = {"x"}};
    list[3] = {.name = "y", .extents = {5, 7}, .own = {}, .dimensions = {"lat", "x"}};
    for (output_array& a : list)
      if (t.is_root()) {
        a.own.dimensions = static_cast<int>(a.extents.size());
        std::copy(a.extents.begin(), a.extents.end(), a.own.upper.begin());
      }
    std::vector<float> values(5 * 7);
    std::vector<double> p(3 * 5 * 7);
    output_options o{.format = format, .policy = output_policy::synchronous, .expected_steps = 2};
    const auto number = [](auto& to, index_t step, std::size_t which) {
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = static_cast<std::decay_t<decltype(to[0])>>(number_of(step, which, as_index(i)));
    };
    EXPECT_EQ(refusal([&] {
                output_stream out(t, path, list, o);
                for (index_t s = 0; s < 2; ++s) {
                  out.begin_step(0.25 * static_cast<double>(s));
                  for (std::size_t a = 1; a < 4; ++a) number(values, s, a), out.put(list[a].name, values.data());
                  number(p, s, 0), out.put("p", p.data());
                  out.end_step();
                }
                out.close();
              }),
              "");
    read_in_python(comm(),
                   NEARFAR_READ_BACK " names,own " + path + (format == std::string("netcdf") ? ".nc" : ".h5") +
                       " 2 p:f8:3x5x7 lat:f4:5:constant x:f4:7 y:f4:5x7",
                   "not read back: netCDF4 is not installed");
    // Two that would be the same variable.
    o.axes = {{"lat", {0, 1, 2, 3, 4}, {}}};
    EXPECT_THAT(refusal([&] { output_stream(t, path, list, o); }), HasSubstr("give one of both"));
    o.axes = {{"height", {2}, {}}};
    list[3].name = "height";
    EXPECT_THAT(refusal([&] { output_stream(t, path, list, o); }), HasSubstr("name of an axis"));
    empty();
  }
}

/// VTK's readers take no dimension of one point, but one where there is no other.
TEST_F(OutputFrames, of_images_with_extents_of_1) {
  if (!has_format("vtkhdf")) GTEST_SKIP() << "this build has no HDF5";
  const team t(nearfar::test::everyone());
  for (const std::vector<index_t>& extents : {std::vector<index_t>{1, 1, 1}, {3, 1, 2}, {1, 4, 1}, {1, 1, 5}}) {
    for (const output_part part : {output_part::point_data, output_part::cell_data}) {
      auto list = arrays(t, extents, {f4});
      list[0].part = part;
      output_stream out(t, path, list, {.format = "vtkhdf", .policy = output_policy::synchronous});
      fill_step(out, list, 0, false);
      out.close();
      expect_steps(t, list, 1);
      if (part == output_part::cell_data || extents[1] > 1 || extents[2] > 2) continue;  // these are like others
      const std::string words = text(extents[0], "x", extents[1], "x", extents[2]);
      read_in_python(comm(), NEARFAR_READ_BACK " vtkhdf " + path + ".vtkhdf 1 a:f4:" + words,
                     "not read back: h5py is not installed");
    }
  }
}

TEST_F(OutputFrames, of_no_step_are_none_to_readers) {
  const team t(nearfar::test::everyone());
  for (const std::string& format : readable_formats()) {
    SCOPED_TRACE(format);
    const auto list = arrays(t, {3, 5, 7}, {f4, f8});
    output_stream(t, path, list, {.format = format, .policy = output_policy::synchronous}).close();
    expect_steps(t, list, 0);
    EXPECT_TRUE(output_steps_at(path).empty());
    EXPECT_TRUE(verify_output(path).empty());
    empty();
  }
}

}  // namespace
}  // namespace nearfar::test
