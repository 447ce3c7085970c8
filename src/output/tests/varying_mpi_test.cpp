// SPDX-License-Identifier: BSD-3-Clause
// Arrays that have other extents in each step: the same bytes whoever writes, read back by a reader that is not ours.
// One MPI: what is in a file does not depend on it.
#include <base/numbers.hpp>
#include <fstream>
#include <optional>
#include <sstream>

#include "output_fixture.hpp"
#include "python_reader.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__,
                                              {.ranks = {1, 2, 3}, .node_sizes = {0, 2}, .on_cluster = false}};

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr index_t most_cells = 3000;

/// Lines from point to point, two points each: none on some ranks, and on no rank in some steps as many as in the step
/// before.
index_t cells_of(index_t step, int rank) { return (step + rank) % 3 == 0 ? 0 : 100 * (step + 2) + rank; }

class OutputVarying : public OutputTest {
 protected:
  void SetUp() override {
    OutputTest::SetUp();
    if (!has_format("vtkhdf")) GTEST_SKIP() << "this build has no HDF5";
  }

  static output_array varying(const std::string& name, output_part part, element_type type, index_t most,
                              index_t components = 0) {
    output_array a{.name = name, .extents = {0}, .own = {1, {0}, {most}}, .type = type, .is_varying = true};
    a.part = part;
    if (components > 0) a.extents.push_back(components), a.own.dimensions = 2, a.own.upper[1] = components;
    return a;
  }
  static std::vector<output_array> grid(const team& t) {
    std::vector<output_array> list;
    list.push_back(varying("points", output_part::points, element_type::float64, 2 * most_cells, 3));
    list.push_back(varying("connectivity", output_part::connectivity, element_type::int64, 2 * most_cells));
    list.push_back(varying("offsets", output_part::offsets, element_type::int64, most_cells + 1));
    list.push_back(varying("types", output_part::types, element_type::int8, most_cells));
    list.push_back(varying("p", output_part::point_data, element_type::float32, 2 * most_cells));
    list.push_back(varying("c", output_part::cell_data, element_type::int64, most_cells));
    list.push_back({.name = "number", .extents = {2}, .type = element_type::int64, .part = output_part::field_data});
    if (t.is_root()) list.back().own = {1, {0}, {2}};
    return list;
  }
  /// Local. Values are numbers of points and cells in the file, and thousands of the step.
  static void put_grid(output_stream& out, const team& t, index_t step) {
    index_t before = 0;
    for (int r = 0; r < t.rank(); ++r) before += cells_of(step, r);
    const index_t cells = cells_of(step, t.rank());
    out.begin_step(0.5 * static_cast<double>(step),
                   {2 * cells, 2 * cells, cells > 0 ? cells + 1 : 0, cells, 2 * cells, cells});
    std::vector<double> points;
    std::vector<float> p;
    std::vector<std::int64_t> connectivity, c;
    const std::vector<std::int8_t> types(as_size(cells), 3);  // VTK_LINE
    for (index_t i = 0; i < 2 * cells; ++i) {
      const auto number = static_cast<double>(2 * before + i);
      points.insert(points.end(), {number, static_cast<double>(step), 0});
      p.push_back(static_cast<float>(number + 1e5 * static_cast<double>(step)));
      connectivity.push_back(i);
    }
    for (index_t i = 0; i < cells; ++i) c.push_back(before + i + 100'000 * step);
    const std::int64_t number[] = {step, 7};
    out.put("points", points.data()), out.put("types", types.data()), out.put("p", p.data());
    out.put("connectivity", connectivity.data()), out.put("c", c.data()), out.put("number", number);
    auto* offsets = static_cast<std::int64_t*>(out.slot("offsets").data);
    EXPECT_EQ(offsets == nullptr, cells == 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(offsets) % array_alignment_in_frames, 0U);
    for (index_t i = 0; cells > 0 && i <= cells; ++i) offsets[i] = 2 * i;
    out.end_step();
  }
  void write_grids(const team& t, output_options o, index_t steps) const {
    o.format = "vtkhdf";
    output_stream out(t, path, grid(t), o);
    for (index_t s = out.steps(); s < steps; ++s) put_grid(out, t, s);
    out.close();
  }
  /// By the root; others wait.
  void read_back(const std::string& what, index_t steps, int ranks) {
    std::ostringstream command;
    command << NEARFAR_READ_VARYING << " " << what << " " << path << " " << steps << " " << ranks;
    read_in_python(comm(), command.str(), "not read back: h5py is not installed");
  }
  std::string contents(index_t step) const {
    std::ifstream in(path + ".00000" + std::to_string(step) + ".vtkhdf", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(OutputVarying, all_policies_write_the_same_grids) {
  const team t(nearfar::test::everyone());
  write_grids(t, {.policy = output_policy::synchronous}, 5);
  read_back("vtkhdf", 5, t.size());
  std::vector<std::string> first;
  for (index_t s = 0; rank() == 0 && s < 5; ++s) first.push_back(contents(s));
  const auto expect_same = [&] {
    MPI_Barrier(comm());
    for (index_t s = 0; rank() == 0 && s < 5; ++s) EXPECT_TRUE(contents(s) == first[as_size(s)]) << "step " << s;
    MPI_Barrier(comm());
  };
  MPI_Barrier(comm());
  write_grids(t, {.policy = output_policy::thread, .depth = 3}, 5);
  expect_same();
  write_grids(t, {.policy = output_policy::thread, .writers_per_node = 2, .direct = false}, 5);
  expect_same();
  write_grids(t, {.policy = output_policy::automatic}, 5);
  expect_same();
}

TEST_F(OutputVarying, writer_ranks_near_and_far) {
  const team all(nearfar::test::everyone());
  for (const auto placement : {output_placement::near, output_placement::far}) {
    if (placement == output_placement::far && all.size() < 2) continue;
    int computing = 0;
    {
      output_writers writers(all, output_writers_options{.placement = placement});
      if (writers.is_writer()) {
        writers.serve();
      } else {
        computing = writers.computing().size();
        write_grids(writers.computing(), {.policy = output_policy::writer, .writers = &writers}, 4);
      }
    }
    MPI_Bcast(&computing, 1, MPI_INT, 0, comm());
    read_back("vtkhdf", 4, computing);
  }
}

TEST_F(OutputVarying, goes_on_with_more_capacity_and_from_an_earlier_time) {
  const team t(nearfar::test::everyone());
  write_grids(t, {.policy = output_policy::thread}, 4);
  auto larger = grid(t);
  for (output_array& a : larger)
    if (a.is_varying) a.own.upper[0] *= 2;
  {
    output_stream out(t, path, larger, {.format = "vtkhdf", .opening = output_opening::append, .append_before = 1.0});
    EXPECT_EQ(out.steps(), 2);
    for (index_t s = 2; s < 6; ++s) put_grid(out, t, s);
    out.flush();
    EXPECT_EQ(out.written_steps(), 6);
  }
  read_back("vtkhdf", 6, t.size());
}

TEST_F(OutputVarying, hdf5_has_the_extents_of_each_step) {
  const team t(nearfar::test::everyone());
  const std::vector<output_array> list{varying("v", output_part::point_data, element_type::float32, 5000, 4)};
  output_stream out(t, path, list, {.format = "hdf5"});
  for (index_t s = 0; s < 3; ++s) {
    index_t before = 0;
    for (int r = 0; r < t.rank(); ++r) before += cells_of(s, r);
    const index_t rows = cells_of(s, t.rank());
    std::vector<float> v;
    for (index_t i = 0; i < 4 * rows; ++i) v.push_back(static_cast<float>(4 * before + i + 100'000 * s));
    out.begin_step(0.5 * static_cast<double>(s), {rows});
    out.put("v", v.empty() ? nullptr : v.data());
    out.end_step();
  }
  out.close();
  read_back("hdf5", 3, t.size());
}

TEST_F(OutputVarying, what_cannot_be_is_named_on_all_ranks) {
  const team t(nearfar::test::everyone());
  const auto making = [&](std::vector<output_array> list, output_options o) {
    return refusal([&] { output_stream(t, path, list, o); });
  };
  EXPECT_THAT(making(grid(t), {.format = "rsf"}), AllOf(HasSubstr("points"), HasSubstr("hdf5 and vtkhdf have it")));
  EXPECT_THAT(making(grid(t), {.format = "vtkhdf", .expected_steps = 3}), HasSubstr("expected_steps is 3"));
  auto list = grid(t);
  list.pop_back(), list.erase(list.begin() + 3);
  EXPECT_THAT(making(list, {.format = "vtkhdf"}), HasSubstr("0 with the part 'Types'"));
  list = grid(t);
  for (output_array& a : list) a.own = {};
  EXPECT_THAT(making(list, {.format = "vtkhdf"}), HasSubstr("no rank may have rows"));
  output_stream out(t, path, grid(t), {.format = "vtkhdf"});
  const auto beginning = [&](const std::vector<index_t>& rows) { return refusal([&] { out.begin_step(0, rows); }); };
  const int last = t.size() - 1;
  const auto only_last = [&](std::vector<index_t> rows) {
    return t.rank() == last ? std::move(rows) : std::vector<index_t>(6, 0);
  };
  EXPECT_THAT(beginning({1, 2}), HasSubstr("the rows of 2 arrays; those that vary are 6"));
  EXPECT_THAT(beginning(only_last({6001, 2, 2, 1, 2, 1})), AllOf(HasSubstr("6001 rows"), HasSubstr("0 to 6000")));
  EXPECT_THAT(beginning(only_last({2, 2, 5, 1, 2, 1})),
              AllOf(HasSubstr("rank " + std::to_string(last) + " has 1 cells and 5 offsets"), HasSubstr("2 are")));
  EXPECT_THAT(beginning(only_last({2, 2, 2, 1, 3, 1})), HasSubstr("3 rows of array p; its grid has 2 points"));
  for (index_t s = 0; s < 2; ++s) put_grid(out, t, s);
  out.close();
  read_back("vtkhdf", 2, t.size());
}

}  // namespace
}  // namespace nearfar::test
