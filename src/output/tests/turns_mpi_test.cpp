// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints that take turns at a path: the newest whole one is what readers get and what no writer replaces.
#include <fstream>
#include <nearfar/output_reader.hpp>

#include "output_fixture.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2}, .node_sizes = {0}, .on_cluster = false}};

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class Turns : public OutputTest {
 protected:
  /// A checkpoint whose elements all have this number, in a stream that the function does not end.
  output_stream begun(double number, const std::string& kept = "") {
    output_options o{.policy = output_policy::thread};
    o.opening = output_opening::take_turns, o.expected_steps = 1, o.kept = kept;
    output_array a{.name = "p", .extents = {12}, .type = element_type::float64};
    const index_t n = size();
    a.own = {1, {12 * rank() / n}, {12 * (rank() + 1) / n}};
    output_stream out(team(comm()), path, {a}, o);
    out.begin_step(number);
    const std::vector<double> values(12, number);
    out.put("p", values.data());
    return out;
  }
  void write(double number, const std::string& kept = "") {
    output_stream out = begun(number, kept);
    out.end_step();
    out.close();
    MPI_Barrier(comm());
  }
  /// What a reader of that path gets; each rank wants all.
  double read(const std::string& from) {
    output_reader in(team(comm()), from, {.reads_ahead = false, .depth = 1});
    in.select({{"p", {1, {0}, {12}}}});
    const double time = in.begin_step(0);
    std::vector<double> values(12);
    in.get("p", values.data());
    in.end_step();
    EXPECT_EQ(values, std::vector<double>(12, time));
    return time;
  }
  std::string complaint_of(const std::string& from) {
    try {
      read(from);
      return "";
    } catch (const io_error& e) {
      return e.what();
    }
  }
  /// By the root: another byte at that place of a file, or nothing of it.
  void change(const std::string& file, std::streamoff at) {
    MPI_Barrier(comm());
    if (rank() == 0) {
      std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
      f.seekg(at);
      const char old = static_cast<char>(f.get());
      f.seekp(at).put(static_cast<char>(old ^ 4));
    }
    MPI_Barrier(comm());
  }
  void empty_file(const std::string& file) {
    MPI_Barrier(comm());
    if (rank() == 0) fs::resize_file(file, 0);
    MPI_Barrier(comm());
  }
};

TEST_F(Turns, read_is_the_newest_also_where_times_go_back) {
  for (const double number : {7.0, 8.0, 3.0, 2.0}) {
    write(number);
    EXPECT_EQ(read(path), number);
    EXPECT_EQ(output_steps_at(path).back().time, number);
    EXPECT_EQ(verify_output(path).back().state, output_soundness::sound);
  }
  EXPECT_EQ(read(path + "-a"), 3);
  EXPECT_EQ(read(path + "-b"), 2);
  EXPECT_EQ(output_reader(team(comm()), path).path(), path + "-b");
}

TEST_F(Turns, a_program_that_ends_before_its_checkpoint_is_whole_leaves_the_one_before) {
  write(1);
  {
    const output_stream torn = begun(2);  // whose step never ends
    EXPECT_EQ(read(path), 1);
  }
  MPI_Barrier(comm());
  EXPECT_EQ(read(path), 1);
  write(3);
  EXPECT_EQ(read(path), 3);
  EXPECT_EQ(read(path + "-a"), 1);
}

TEST_F(Turns, a_damaged_one_is_told_with_the_one_before) {
  write(1), write(2);
  change(path + "-b.p.raw", 17);
  EXPECT_THAT(complaint_of(path),
              AllOf(HasSubstr("is damaged"), HasSubstr("s-b"), HasSubstr("an older one, " + path + "-a")));
  EXPECT_EQ(read(path + "-a"), 1);
  change(path + "-b.p.raw", 17);
  EXPECT_EQ(read(path), 2);
  change(path + "-b.journal", 24);
  EXPECT_THAT(complaint_of(path), AllOf(HasSubstr("is damaged"), HasSubstr("s-b.journal")));
  change(path + "-b.journal", 24);
  empty_file(path + "-b.journal");  // as a killed program leaves it
  EXPECT_EQ(read(path), 1);
}

TEST_F(Turns, one_that_a_program_goes_on_from_is_kept) {
  write(1), write(2);
  write(3, path + "-a");
  EXPECT_EQ(read(path + "-a"), 1);
  EXPECT_EQ(read(path + "-b"), 3);
  EXPECT_EQ(read(path), 3);
}

TEST_F(Turns, without_any_stream_the_files_that_are_missing_are_named) {
  EXPECT_THAT(complaint_of(path), AllOf(HasSubstr("s.journal"), HasSubstr("s-a.journal"), HasSubstr("s-b.journal")));
}

}  // namespace
}  // namespace nearfar::test
