// SPDX-License-Identifier: BSD-3-Clause
// Streams that ADIOS2 writes. With NEARFAR_ADIOS2 by that library, or by the stand-in for it in mock_adios2; without,
// it may be missing.
#include <base/env.hpp>
#include <fstream>

#include "formats_fixture.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 3}, .node_sizes = {0}, .on_cluster = false}};

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class OutputAdios2 : public FormatsTest {
 protected:
  void SetUp() override {
    FormatsTest::SetUp();
    const bool is_there = refusal([&] {
                            write(team(nearfar::test::everyone()), arrays(team(nearfar::test::everyone())), mine(), 0);
                          }).empty();
    ASSERT_TRUE(is_there || env::string_or("NEARFAR_ADIOS2", "").empty())
        << "the library that NEARFAR_ADIOS2 names cannot be used";
    if (!is_there) GTEST_SKIP() << "ADIOS2 is not installed";
  }
  output_options mine(output_policy policy = output_policy::thread) const {
    output_options o = options("adios2", policy);
    o.axes.push_back({"height", {2.0}, {{"units", "m"}}});
    return o;
  }
  std::vector<output_array> with_constant(const team& t) const {
    auto list = arrays(t);
    list.push_back({.name = "h", .extents = {9, 6, 7}, .own = cut({9, 6, 7}, {t.size(), 1}, t.rank()), .padding = 1});
    list[2].is_constant = true;
    list[2].dimensions = {"level", "north", "east"};
    return list;
  }
  void must_have(index_t steps) {
    read_back(is_mocked() ? "mock_bp" : "adios2", ".bp", steps, "", "5x40x100", " h:f4:9x6x7:constant height=2");
  }
  static bool is_mocked() { return env::string_or("NEARFAR_ADIOS2", "").find("mock_adios2") != std::string::npos; }
};

TEST_F(OutputAdios2, steps_are_read_back_whoever_writes) {
  const team t(nearfar::test::everyone());
  for (const auto policy : {output_policy::synchronous, output_policy::thread, output_policy::automatic}) {
    write(t, with_constant(t), mine(policy), 9);
    must_have(9);
  }
  for (const output_report& r : verify_output(path)) EXPECT_EQ(r.state, output_soundness::unknown);
}

TEST_F(OutputAdios2, goes_on_after_the_last_step_of_the_journal) {
  const team t(nearfar::test::everyone());
  output_options o = mine();
  write(t, with_constant(t), o, 4);
  MPI_Barrier(comm());
  if (rank() == 0) std::filesystem::resize_file(path + ".journal", 3 * 64);  // killed before the record of the last
  MPI_Barrier(comm());
  o.opening = output_opening::append;
  write(t, with_constant(t), o, 5);
  must_have(5);
  MPI_Barrier(comm());
  if (rank() == 0) std::filesystem::remove_all(path + ".bp");
  MPI_Barrier(comm());
  EXPECT_THAT(refusal([&] { write(t, with_constant(t), o, 7); }), HasSubstr("the journal has steps of it"));
}

TEST_F(OutputAdios2, a_writer_rank_writes) {
  const team all(nearfar::test::everyone());
  if (all.size() < 2) GTEST_SKIP() << "one rank";
  {
    output_writers writers(all);
    if (writers.is_writer()) {
      writers.serve();
    } else {
      output_options o = mine(output_policy::writer);
      o.writers = &writers;
      write(writers.computing(), with_constant(writers.computing()), o, 3);
    }
  }
  must_have(3);
}

// As many steps as there are frames are accepted while the library has not ended the first.
TEST_F(OutputAdios2, computing_goes_on_while_the_library_writes) {
  if (!is_mocked()) GTEST_SKIP() << "only the stand-in waits when it is told to";
  const team t(nearfar::test::everyone());
  const std::string release = (folder / "release").string();
  setenv("MOCK_ADIOS2_WAITS_FOR", release.c_str(), 1);
  {
    const auto list = with_constant(t);
    output_options o = mine();
    o.depth = 3;
    output_stream out(t, path, list, o);
    for (index_t s = 0; s < 3; ++s) put_step(out, list, s);
    EXPECT_EQ(out.written_steps(), 0);
    MPI_Barrier(comm());
    if (rank() == 0) std::ofstream(release) << "go on";
    out.close();
  }
  unsetenv("MOCK_ADIOS2_WAITS_FOR");
  must_have(3);
}

TEST_F(OutputAdios2, an_error_of_the_library_is_told_with_step_and_file) {
  if (!is_mocked()) GTEST_SKIP() << "only the stand-in fails when it is told to";
  const team t(nearfar::test::everyone());
  setenv("MOCK_ADIOS2_FAILS_AT", "3", 1);  // the stand-in ends the program if it is called again then
  EXPECT_THAT(refusal([&] { write(t, with_constant(t), mine(), 9); }),
              AllOf(HasSubstr("step 3 of " + path + ".bp"), HasSubstr("end_step"), HasSubstr("the 3 steps before")));
  unsetenv("MOCK_ADIOS2_FAILS_AT");
  EXPECT_EQ(output_steps_at(path).size(), 3U);
}

TEST_F(OutputAdios2, several_writers_are_refused) {
  const team t(nearfar::test::everyone());
  if (t.size() < 2) GTEST_SKIP() << "one rank";
  output_options o = mine();
  o.writers_per_node = 2;
  EXPECT_THAT(refusal([&] { write(t, with_constant(t), o, 1); }),
              AllOf(HasSubstr("2 writers"), HasSubstr("one process")));
}

// A format that is not there is refused in words, like one that does not exist.
TEST(OutputWithoutAdios2, says_what_is_missing) {
  if (!env::string_or("NEARFAR_ADIOS2", "").empty()) GTEST_SKIP() << "a library is named";
  const team t(nearfar::test::everyone());
  const output_array a{.name = "p", .extents = {4}, .own = t.is_root() ? box{1, {0}, {4}} : box{}};
  std::string words = "ADIOS2 is installed here";
  try {
    output_stream(t, "/nonexistent/nearfar", {a}, {.format = "adios2"});
  } catch (const error& e) {
    words = e.what();
  }
  EXPECT_THAT(words, AnyOf(HasSubstr("NEARFAR_ADIOS2"), HasSubstr("/nonexistent/nearfar")));
}

}  // namespace
}  // namespace nearfar::test
