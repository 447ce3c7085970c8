// SPDX-License-Identifier: BSD-3-Clause
// Streams of numbered elements: each policy, cut and way of filling gives the same files; torn ones open at their last
// whole step.

#include <fstream>
#include <optional>

#include "output_fixture.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.node_sizes = {0, 2}, .on_cluster = false}};

using ::testing::HasSubstr;

class OutputStream : public OutputTest {
 protected:
  static std::vector<output_array> arrays(const team& t, bool is_pencil) {
    const int p = t.size(), half = p % 2 == 0 ? 2 : 1;
    return numbered_arrays(t, is_pencil ? std::array{p / half, half} : std::array{p, 1});
  }
  void write(const team& t, output_options options, index_t steps, bool is_pencil = false) {
    const auto list = arrays(t, is_pencil);
    output_stream out(t, path, list, options);
    for (index_t s = out.steps(); s < steps; ++s) {
      EXPECT_EQ(out.begin_step(0.25 * static_cast<double>(s)), s);
      put_numbers<float>(out, list[0], 0, s);
      s % 2 == 0 ? fill_numbers<double>(out, list[1], 1, s) : put_numbers<double>(out, list[1], 1, s);
      out.end_step();
      EXPECT_LE(s + 1 - out.written_steps(),
                options.writers != nullptr ? 2 * options.depth : options.depth + 1);  // here and there
    }
    out.close();
    EXPECT_THAT(out.describe(), HasSubstr("steps accepted"));
  }
  void check(index_t steps) {
    MPI_Barrier(comm());
    if (rank() == 0) {
      EXPECT_EQ(fault_in<float>(path + ".p.raw", {13, 17, 29}, 0, steps), "");
      EXPECT_EQ(fault_in<double>(path + ".q.raw", {5, 40, 100}, 1, steps), "");
      const auto found = output_steps_at(path);
      EXPECT_EQ(static_cast<index_t>(found.size()), steps);
      EXPECT_EQ(found.empty() ? -1 : found.back().time, 0.25 * static_cast<double>(steps - 1));
      std::ifstream header(path + ".q.rsf");
      EXPECT_THAT(std::string(std::istreambuf_iterator<char>(header), {}), HasSubstr("n4=" + std::to_string(steps)));
    }
    MPI_Barrier(comm());
  }
};

TEST_F(OutputStream, all_policies_write_the_same) {
  const team t(nearfar::test::everyone());
  for (const auto policy : {output_policy::synchronous, output_policy::thread, output_policy::automatic})
    for (const bool is_pencil : {false, true}) {
      write(t, {.policy = policy, .depth = 2}, policy == output_policy::automatic ? 20 : 4, is_pencil);
      check(policy == output_policy::automatic ? 20 : 4);
    }
  write(t, {.policy = output_policy::thread, .depth = 1, .writers_per_node = 2, .direct = false}, 3, true);
  check(3);
  write(t, {.durability = output_durability::none, .expected_steps = 9, .checksum = false}, 3);
  check(3);
}

// The stream is closed and opened again for each number; who reads it sees one stream.
TEST_F(OutputStream, automatic_tries_numbers_of_writers) {
  const team t(nearfar::test::everyone());
  const auto list = arrays(t, false);
  int most = t.near_size();
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm());
  for (const int pinned : {0, 1}) {
    empty();
    output_stream out(t, path, list, {.depth = 2, .writers_per_node = pinned, .expected_steps = 60});
    for (index_t s = 0; s < 60; ++s) {
      EXPECT_EQ(out.begin_step(0.25 * static_cast<double>(s)), s);
      put_numbers<float>(out, list[0], 0, s), put_numbers<double>(out, list[1], 1, s);
      out.end_step();
    }
    out.flush();
    EXPECT_EQ(out.written_steps(), 60);
    const std::string words = out.describe();
    EXPECT_THAT(words, HasSubstr("60 steps accepted, 60 written"));
    EXPECT_THAT(words, HasSubstr("the least of synchronous"));
    EXPECT_EQ(words.find("1 writer per node") != std::string::npos, pinned == 0 && most > 1) << words;
    EXPECT_EQ(words.find("2 writers per node") != std::string::npos, pinned == 0 && most > 1) << words;
    out.close();
    check(60);
    const auto reports = rank() == 0 ? verify_output(path) : std::vector<output_report>();
    for (const output_report& r : reports) EXPECT_EQ(r.state, output_soundness::sound) << r.reason;
    MPI_Barrier(comm());
  }
}

TEST_F(OutputStream, writer_ranks_write_the_same) {
  const team all(nearfar::test::everyone());
  for (const auto policy : {output_policy::writer, output_policy::automatic}) {
    std::optional<output_writers> writers(all);
    const index_t steps = policy == output_policy::writer ? 5 : 60;
    if (writers->is_writer())
      writers->serve();
    else
      for (const bool is_pencil : {false, true})
        write(writers->computing(), {.policy = policy, .writers = &*writers}, steps, is_pencil);
    writers.reset();
    check(steps);
  }
}

// A trial of policies opens the stream again and again: each time behind what it has written itself.
TEST_F(OutputStream, tuning_that_goes_on_before_a_step_forgets_none_of_its_own) {
  const team t(nearfar::test::everyone());
  write(t, {.policy = output_policy::synchronous}, 10);
  const auto list = arrays(t, false);
  output_options o{.policy = output_policy::automatic, .depth = 2};
  o.opening = output_opening::append;
  o.append_before = 0.25 * 5;
  output_stream out(t, path, list, o);
  EXPECT_EQ(out.steps(), 5);
  for (index_t s = 5; s < 40; ++s) {
    EXPECT_EQ(out.begin_step(0.25 * static_cast<double>(s)), s);
    put_numbers<float>(out, list[0], 0, s);
    put_numbers<double>(out, list[1], 1, s);
    out.end_step();
  }
  out.close();
  check(40);
}

// Ranks that wait take cores from those that send: more than a few show nothing further.
TEST_F(OutputStream, far_writers_write_the_same) {
  const team all(nearfar::test::everyone());
  if (all.size() < 2 || all.size() > 4) return;
  for (const int how_many : {1, 2}) {
    if (how_many >= all.size()) continue;
    std::optional<output_writers> writers;
    writers.emplace(all, output_writers_options{.placement = output_placement::far, .far_writers = how_many});
    EXPECT_EQ(writers->count(), how_many);
    const bool is_tuning = all.size() == 2;
    const index_t steps = is_tuning ? 20 : 4;
    if (writers->is_writer())
      writers->serve();
    else
      write(writers->computing(),
            {.policy = is_tuning ? output_policy::automatic : output_policy::writer,
             .writers_per_node = how_many,
             .writers = &*writers},
            steps, how_many == 2);
    writers.reset();
    check(steps);
  }
}

TEST_F(OutputStream, far_writers_and_streams_that_nobody_closes) {
  const team all(nearfar::test::everyone());
  if (all.size() < 2 || all.size() > 4) return;
  {
    output_writers writers(all, {.placement = output_placement::far});
    if (writers.is_writer()) {
      writers.serve();
    } else {
      const auto list = arrays(writers.computing(), false);
      output_stream out(writers.computing(), path, list,
                        {.policy = output_policy::writer, .linger_s = long_s, .writers = &writers});
      for (index_t s = 0; s < 3; ++s) {
        out.begin_step(0.25 * static_cast<double>(s));
        put_numbers<float>(out, list[0], 0, s), put_numbers<double>(out, list[1], 1, s);
        out.end_step();
      }
    }
  }
  MPI_Barrier(nearfar::test::everyone());
  EXPECT_EQ(rank() == 0 ? output_steps_at(path).size() : 3U, 3U);
  write(all, {.opening = output_opening::append}, 4);
  check(4);
}

TEST_F(OutputStream, goes_on_where_it_was_torn) {
  const team t(nearfar::test::everyone());
  write(t, {.policy = output_policy::thread}, 5);
  const index_t frame = 13 * 17 * 29 * 4;
  if (rank() == 0) std::filesystem::resize_file(path + ".p.raw", static_cast<std::uintmax_t>(frame * 3 + 1000));
  MPI_Barrier(comm());
  // What the journal has is given up only where that is asked for.
  EXPECT_THAT(
      refusal([&] { output_stream(t, path, arrays(t, false), {.opening = output_opening::append}); }),
      ::testing::AllOf(HasSubstr("has 5 steps"), HasSubstr("step 3 of it"), HasSubstr(path + ".p.raw is too short")));
  EXPECT_EQ(fault_in<double>(path + ".q.raw", {5, 40, 100}, 1, 5), "");
  {
    output_stream out(t, path, arrays(t, false), {.opening = output_opening::append, .verify = true});
    EXPECT_EQ(out.steps(), 3);
    out.close();
  }
  check(3);
  write(t, {.policy = output_policy::synchronous, .opening = output_opening::append}, 6, true);
  check(6);
  const auto journal = static_cast<std::uintmax_t>(rank() == 0 ? std::filesystem::file_size(path + ".journal") : 0);
  if (rank() == 0) std::filesystem::resize_file(path + ".journal", journal - 10);
  MPI_Barrier(comm());
  write(t, {.policy = output_policy::thread, .writers_per_node = 2, .opening = output_opening::append}, 7);
  check(7);
  auto others = arrays(t, false);
  others[0].name = "r";
  EXPECT_THAT(refusal([&] { output_stream(t, path, others, {.opening = output_opening::append}); }),
              HasSubstr("other names, extents or types"));
  write(t, {.opening = output_opening::create}, 1);
  check(1);
}

TEST_F(OutputStream, slow_disk_holds_the_caller_back) {
  const team t(nearfar::test::everyone());
  // A frame takes 23 ms: begin_step() has to wait, which write() sees from how far the writer is behind.
  for (const int depth : {1, 2})
    write(t, {.policy = output_policy::thread, .depth = depth, .throttle_bytes_per_s = 8e6}, 4);
  check(4);
}

TEST_F(OutputStream, without_close_all_that_is_whole_is_written) {
  const team t(nearfar::test::everyone());
  const auto list = arrays(t, false);
  for (const auto policy : {output_policy::synchronous, output_policy::thread}) {
    {
      output_stream out(t, path, list, {.policy = policy, .linger_s = long_s});
      for (index_t s = 0; s < 3; ++s) {
        out.begin_step(0.25 * static_cast<double>(s));
        put_numbers<float>(out, list[0], 0, s), put_numbers<double>(out, list[1], 1, s);
        if (s < 2) out.end_step();
      }
    }
    MPI_Barrier(comm());
    EXPECT_EQ(rank() == 0 ? output_steps_at(path).size() : 2U, 2U);
    MPI_Barrier(comm());
    write(t, {.opening = output_opening::append}, 3);
    check(3);
  }
}

TEST_F(OutputStream, flush_makes_all_durable_and_the_header_true) {
  const team t(nearfar::test::everyone());
  const auto list = arrays(t, true);
  output_stream out(t, path, list, {.policy = output_policy::thread, .throttle_bytes_per_s = 2e7});
  for (index_t s = 0; s < 3; ++s) {
    out.begin_step(0.25 * static_cast<double>(s));
    put_numbers<float>(out, list[0], 0, s), fill_numbers<double>(out, list[1], 1, s);
    out.end_step();
  }
  out.flush();
  EXPECT_EQ(out.written_steps(), 3);
  check(3);
  EXPECT_THAT(rank() == 0 ? refusal([&] {
                output_stream(team(MPI_COMM_SELF), path, {{.name = "x", .extents = {1}, .own = {1, {0}, {1}}}});
              })
                          : "another program",
              HasSubstr("another program"));
  out.close();
}

TEST_F(OutputStream, refusals_are_the_same_on_every_rank) {
  const team t(nearfar::test::everyone());
  const auto with = [&](auto change) {
    auto list = arrays(t, false);
    output_options options;
    change(list, options);
    return refusal([&] { output_stream(t, path, list, options); });
  };
  using arrays_list = std::vector<output_array>;
  EXPECT_THAT(with([](arrays_list& l, auto&) { l[1].name = "p"; }), HasSubstr("two arrays"));
  EXPECT_THAT(with([](arrays_list& l, auto&) { l[1].name = "a b"; }), HasSubstr("'a b'"));
  EXPECT_THAT(with([](arrays_list& l, auto&) { l[1].extents[0] = 0; }), HasSubstr("extent 0"));
  EXPECT_THAT(with([&](arrays_list& l, auto&) {
                if (rank() == 0) l[0].own = {};
              }),
              HasSubstr("6409"));
  EXPECT_THAT(with([&](arrays_list& l, auto&) {
                if (rank() == 0) l[0].own.upper[2] += 1;
              }),
              HasSubstr("not inside"));
  EXPECT_THAT(with([](auto&, output_options& o) { o.depth = 0; }), HasSubstr("depth is 0"));
  EXPECT_THAT(with([](auto&, output_options& o) { o.most_bytes = 100; }), HasSubstr("most_bytes"));
  EXPECT_THAT(with([](auto&, output_options& o) { o.policy = output_policy::writer; }), HasSubstr("writers"));
  const auto writers_of = [&](output_writers_options o) { return refusal([&] { output_writers(t, o); }); };
  EXPECT_THAT(writers_of({.ranks_to_spare = 1}), HasSubstr("2 is the least"));
  EXPECT_THAT(writers_of({.placement = output_placement::far, .far_writers = t.size()}), HasSubstr("are possible"));
  path = "/nowhere/at/all";
  EXPECT_THAT(with([](auto&, auto&) {}), HasSubstr("/nowhere/at/all.journal"));
}

TEST_F(OutputStream, calls_out_of_order) {
  const team t(nearfar::test::everyone());
  const auto list = arrays(t, false);
  output_stream out(t, path, list, {.policy = output_policy::thread});
  EXPECT_THAT(refusal([&] { out.end_step(); }), HasSubstr("outside"));
  out.begin_step(0);
  EXPECT_THAT(refusal([&] { out.begin_step(0); }), HasSubstr("within a step"));
  EXPECT_THAT(refusal([&] { out.put("z", nullptr); }), HasSubstr("p, q"));
  EXPECT_THAT(refusal([&] { out.close(); }), HasSubstr("within a step"));
  put_numbers<float>(out, list[0], 0, 0);
  EXPECT_THAT(list[1].own.is_empty() ? "array q" : refusal([&] { out.end_step(); }), HasSubstr("array q"));
  put_numbers<double>(out, list[1], 1, 0);
  out.end_step();
  out.close();
  out.close();
  EXPECT_THAT(refusal([&] { out.begin_step(1); }), HasSubstr("closed"));
}

}  // namespace
}  // namespace nearfar::test
