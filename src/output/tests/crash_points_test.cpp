// SPDX-License-Identifier: BSD-3-Clause
// A process that writes a stream is killed before each of its system calls on files, and in the middle of each write:
// whatever there is then is whole steps, a stream that is opened again goes on behind them, and nothing else is left
// behind.
// One MPI: it is serial, and knows files only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <formats/format.hpp>
#include <fstream>
#include <part_sums.hpp>
#include <set>
#include <step_writer.hpp>
#include <store.hpp>

#include "calls_on_files.hpp"
#include "numbered.hpp"

namespace nearfar::output {
namespace {

const std::vector<index_t> extents{4, 8, 24};
constexpr index_t cells = 4 * 8 * 24, most_steps = 3;
constexpr int depth = 2;

struct kind {
  std::string format;
  int writers = 1;
};

std::ostream& operator<<(std::ostream& to, const kind& k) { return to << k.format << " by " << k.writers; }

class CrashPoints : public ::testing::TestWithParam<kind> {
 protected:
  void SetUp() override {
    format = GetParam().format, is_one_file = format == "netcdf";
    if (find_format(format) == nullptr) GTEST_SKIP() << "this build has no " << format;
    // In memory where that is possible: thousands of small files are made.
    const std::filesystem::path memory = "/dev/shm";
    folder = (std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path()) /
             ("nearfar_crash." + std::to_string(getpid()));
    path = (folder / "s").string();
    void* at = mmap(nullptr, sizeof(report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    told = new (at) report;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void empty() const { std::filesystem::remove_all(folder), std::filesystem::create_directories(folder); }

  output_options options(output_opening opening) const {
    return {.format = format, .opening = opening, .expected_steps = is_one_file ? most_steps : 0};
  }
  writer_plan plan_for(const output_options& o) const {
    writer_plan plan;
    plan.journal = journal_path(path);
    plan.codecs.resize(1);
    const std::vector<output_array> arrays{array};
    plan.files = format_of(o.format).lay_out({path, arrays, o, plan.codecs, {{}}});
    plan.layout = make_layout({shape}, {{whole_of(shape)}});
    plan.writers = GetParam().writers;
    plan.signature = signature_of(o.format, arrays), plan.format = label_of(o.format);
    return plan;
  }
  /// A writer has a slab of the first axis.
  std::vector<brick> part_of(int writer) const {
    box own = whole_of(shape);
    own.lower[0] = extents[0] * writer / GetParam().writers,
    own.upper[0] = extents[0] * (writer + 1) / GetParam().writers;
    return make_layout({shape}, {{own}}).bricks;
  }

  struct writers {
    std::vector<std::vector<brick>> parts;
    std::vector<ring> rings;
    std::list<step_writer> step_writers;
  };
  /// Each with its slab and a ring of its own; the list of files is written.
  writers writers_of(const writer_plan& plan) const {
    writers all;
    for (int w = 0; w < plan.writers; ++w) {
      all.parts.push_back(part_of(w));
      writer_plan own = plan;
      own.writer = w, own.layout = make_layout({shape}, {{all.parts.back()[0].where}});
      all.rings.push_back(new_ring(own.layout.frame_bytes));
      all.step_writers.emplace_back(own, all.rings.back());
    }
    note_parts(path, plan, {array}, all.parts);
    return all;
  }

  /// In a process of its own: what streams do, but without MPI; each step by all writers one after the other.
  void write(output_opening opening, index_t steps) const {
    const output_options o = options(opening);
    writer_plan plan = plan_for(o);
    store files(path, plan, {array}, o);
    auto [parts, rings, step_writers] = writers_of(plan);
    try {
      for (index_t s = plan.first_step; s < steps; ++s) {
        auto r = rings.begin();
        told->is_in_step = true;
        for (step_writer& a : step_writers) take(a, *r, plan, parts[as_size(r - rings.begin())][0], s), ++r;
        told->is_in_step = false;
        files.note_step(static_cast<double>(s));
        told->steps = s + 1;
        if (s == 0) files.settle(plan);
      }
    } catch (const io_error& e) {
      note(e);
    }
    step_writers.clear();
    files.finish(plan);
  }
  void note(const std::exception& e) const {
    if (told->words[0] == 0) std::strncpy(told->words.data(), e.what(), told->words.size() - 1);
  }
  ring new_ring(index_t frame_bytes) const {
    const std::size_t bytes = as_size(ring::bytes(1, depth, frame_bytes));
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return {static_cast<std::byte*>(at), 1, depth, frame_bytes};
  }
  void take(step_writer& a, const ring& r, const writer_plan& plan, const brick& part, index_t frame) const {
    const auto step = static_cast<std::uint64_t>(frame - plan.first_step);
    brick b = part;
    b.base = make_layout({shape}, {{part.where}}).bricks[0].base;
    auto* to = reinterpret_cast<float*>(r.frame(step) + b.base + plan.shift(plan.layout_of(frame, nullptr), b));
    const index_t first = part.where.lower[0] * extents[1] * extents[2];
    for (index_t c = 0; c < part.where.cells(); ++c) to[c] = static_cast<float>(test::number_of(frame, 0, first + c));
    r.time_of(step) = static_cast<double>(frame);
    r.member_state(0).filled = step + 1;
    a.take_next();
    if (r.has_failed()) throw io_error(r.head().message);
  }
  /// False: it was killed, before so many calls were over, or (with `capacity`) the disk was full.
  bool run(output_opening opening, index_t steps, int calls, int capacity = -1) const {
    const pid_t child = fork();
    if (child < 0) std::abort();
    if (child == 0) {
      calls_left = calls, calls_that_succeed = capacity;
      try {
        write(opening, steps);
      } catch (const std::exception& e) {
        note(e);
      }
      if (capacity < 0 && told->words[0] != 0) std::fprintf(stderr, "%s\n", told->words.data());
      _exit(told->words[0] != 0 ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0 || capacity >= 0);
    return !WIFSIGNALED(status) && WEXITSTATUS(status) == 0;
  }

  /// Whether the step's data, and nothing else, is in the file.
  bool has_data(const writer_plan& plan, index_t step) const {
    const stream_file& f = plan.files.files[0];
    const array_place& p = plan.files.places[0];
    const auto name = std::filesystem::exists(f.path(step)) ? f.path(step) : f.part(step);
    const int file = open(name.c_str(), O_RDONLY);
    std::vector<float> data(static_cast<std::size_t>(cells));
    const ssize_t n = pread(file, data.data(), data.size() * sizeof(float), p.offset + step * p.stride);
    close(file);
    for (index_t c = 0; c < cells; ++c)
      if (data[as_size(c)] != static_cast<float>(test::number_of(step, 0, c))) return false;
    return n == static_cast<ssize_t>(data.size() * sizeof(float));
  }
  /// What the file says, to those who know no journal: not a number, of no such step; absent: it has no times.
  std::optional<double> time_in(const writer_plan& plan, index_t step) const {
    const stream_file& f = plan.files.files[0];
    if (f.time_at < 0 || f.is_per_step) return {};
    double time = 0;
    index_t steps = 0;
    const step_count& count = f.counts.back();
    std::uint64_t mark = 0;  // what HDF5 begins with: without it nobody takes it for such a file
    const int file = open(f.path(0).c_str(), O_RDONLY);
    const bool is_readable = pread(file, &mark, sizeof mark, 0) == sizeof mark && mark != 0;
    const bool is_there = pread(file, &steps, sizeof steps, count.count_at) == sizeof steps && step < steps &&
                          pread(file, &time, sizeof time, f.time_at + step * as_index(sizeof time)) == sizeof time;
    close(file);
    return is_readable && is_there ? time : std::nan("");
  }
  void check(const writer_plan& plan, index_t least) const {
    journal_contents whole;
    if (std::filesystem::exists(plan.journal)) whole = whole_steps(plan);
    EXPECT_GE(whole.steps(), least);
    const auto reports = compare_steps(path, whole);
    for (index_t s = 0; s < whole.steps(); ++s) {
      EXPECT_TRUE(has_data(plan, s)) << "step " << s;
      EXPECT_EQ(reports[as_size(s)].state, output_soundness::sound) << reports[as_size(s)].reason;
      EXPECT_EQ(time_in(plan, s).value_or(static_cast<double>(s)), static_cast<double>(s));
    }
    for (index_t s = whole.steps(); s < most_steps && std::filesystem::exists(plan.journal); ++s)
      if (const auto time = time_in(plan, s); time && !std::isnan(*time)) {
        EXPECT_TRUE(has_data(plan, s)) << "step " << s << " has a time";
      }
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      names.insert(std::filesystem::relative(entry.path(), folder).string());
    return names;
  }

  const output_array array{.name = "p", .extents = extents};
  const array_shape shape{extents, 4};
  std::filesystem::path folder;
  std::string path, format;
  bool is_one_file = false;
  struct report {
    std::atomic<index_t> steps = 0;  ///< that it knows to be written
    std::atomic<bool> is_in_step = false;
    std::array<char, 1000> words{};  ///< of the first error
  };
  report* told = nullptr;  ///< what the child says; it and this process share it
};

TEST_P(CrashPoints, of_a_new_stream) {
  empty();
  const writer_plan plan = plan_for(options(output_opening::create));
  EXPECT_TRUE(run(output_opening::create, most_steps, -1));
  check(plan, most_steps);
  const auto undisturbed = files();
  int calls = 1;
  for (bool is_whole = false; !is_whole && !HasFailure(); ++calls) {
    SCOPED_TRACE("killed at call " + std::to_string(calls));
    empty();
    told->steps = 0;
    is_whole = run(output_opening::create, most_steps, calls);
    check(plan, told->steps.load());
    EXPECT_TRUE(run(output_opening::append, most_steps, -1));
    check(plan, most_steps);
    EXPECT_EQ(files(), undisturbed);
  }
  EXPECT_GT(calls, 20);
}

/// What is there before may be torn itself.
TEST_P(CrashPoints, of_a_stream_that_is_opened_again) {
  empty();
  const writer_plan plan = plan_for(options(output_opening::create));
  run(output_opening::create, most_steps, -1);
  const auto undisturbed = files();
  int calls = 1, before = 0;
  for (bool is_whole = false; !is_whole && !HasFailure(); calls += 2) {  // the rest is as in a new stream
    SCOPED_TRACE("killed at call " + std::to_string(calls));
    empty();
    told->steps = 0;
    run(output_opening::create, 2, 25 + before++ % 20);
    const index_t first = told->steps.load();
    is_whole = run(output_opening::append, most_steps, calls);
    check(plan, std::max(first, told->steps.load()));
    EXPECT_TRUE(run(output_opening::append, most_steps, -1));
    check(plan, most_steps);
    EXPECT_EQ(files(), undisturbed);
  }
  EXPECT_GT(calls, 20);
}

/// Calls that a signal interrupts, and a file system without locks, change nothing.
TEST_P(CrashPoints, of_no_consequence) {
  empty();
  const writer_plan plan = plan_for(options(output_opening::create));
  EXPECT_TRUE(run(output_opening::create, most_steps, -1));
  const auto undisturbed = files();
  empty();
  is_interrupted = true;
  EXPECT_TRUE(run(output_opening::create, 2, -1));
  EXPECT_TRUE(run(output_opening::append, most_steps, -1));
  is_interrupted = false;
  check(plan, most_steps);
  EXPECT_EQ(files(), undisturbed);
}

/// Writes may put down less than they were asked to: the rest follows.
TEST_P(CrashPoints, of_no_consequence_where_writes_are_short) {
  empty();
  const writer_plan plan = plan_for(options(output_opening::create));
  is_short = true;
  EXPECT_TRUE(run(output_opening::create, most_steps, -1));
  is_short = false;
  check(plan, most_steps);
}

/// What a step's record promises must outlast a power cut, and what is called durable the journal, too.
TEST_P(CrashPoints, data_are_safe_before_their_record_and_the_record_before_it_is_called_durable) {
  empty();
  const output_options o = options(output_opening::create);
  writer_plan plan = plan_for(o);
  power().begin(path);
  store files(path, plan, {array}, o);
  EXPECT_EQ(power().unsafe_names(), "");
  auto [parts, rings, step_writers] = writers_of(plan);
  EXPECT_EQ(power().unsafe_names(), "");
  for (index_t s = 0; s < most_steps; ++s) {
    std::size_t w = 0;
    for (step_writer& a : step_writers) {
      take(a, rings[w], plan, parts[w][0], s);
      EXPECT_EQ(rings[w].head().durable.load(), static_cast<std::uint64_t>(s) + 1);
      EXPECT_EQ(power().unsafe(), "") << "step " << s << ", writer " << w;
      ++w;
    }
    files.note_step(static_cast<double>(s));
  }
  EXPECT_EQ(power().early_records(), 0);
  power().end();
}

/// Who wants no durability does not wait for the disk.
TEST_P(CrashPoints, nothing_is_synchronised_without_durability) {
  empty();
  output_options o = options(output_opening::create);
  o.durability = output_durability::none;
  writer_plan plan = plan_for(o);
  plan.is_synced = false;
  power().begin(path);
  store files(path, plan, {array}, o);
  auto [parts, rings, step_writers] = writers_of(plan);
  for (std::size_t w = 0; step_writer & a : step_writers) take(a, rings[w], plan, parts[w][0], 0), ++w;
  files.note_step(0);
  step_writers.clear();
  files.finish(plan);
  EXPECT_EQ(power().syncs(), 0);
  EXPECT_NE(power().unsafe(), "");
  power().end();
}

/// A record of another step in the place of a writer's, as old contents of a disk might have it, is none of this step.
TEST_P(CrashPoints, a_record_of_another_step_does_not_complete_a_step) {
  if (GetParam().writers < 2) GTEST_SKIP() << "one writer";
  empty();
  const output_options o = options(output_opening::create);
  writer_plan plan = plan_for(o);
  const store files(path, plan, {array}, o);
  const std::vector<brick> part = part_of(0);
  writer_plan own = plan;
  own.writer = 0, own.layout = make_layout({shape}, {{part[0].where}});
  const ring r = new_ring(own.layout.frame_bytes);
  step_writer first(own, r);
  journal_record other{.writer = 1, .writers = static_cast<std::uint32_t>(plan.writers), .step = 7};
  other.signature = plan.signature, other.format = plan.format;
  other.seal();
  const int journal = open(plan.journal.c_str(), O_WRONLY);
  EXPECT_EQ(pwrite(journal, &other, sizeof other, plan.journal_from + index_t{sizeof other}), index_t{sizeof other});
  close(journal);
  take(first, r, plan, part[0], 0);
  const auto time = time_in(plan, 0);
  EXPECT_TRUE(!time || std::isnan(*time)) << *time;
  EXPECT_FALSE(std::filesystem::exists(plan.files.files[0].path(0)) && plan.files.files[0].is_per_step);
}

/// Every call that asks for room fails from one on, with an error each time that names a file.
TEST_P(CrashPoints, of_a_disk_that_is_full) {
  empty();
  const writer_plan plan = plan_for(options(output_opening::create));
  run(output_opening::create, most_steps, -1);
  const auto undisturbed = files();
  int capacity = 0;
  for (bool is_enough = false; !is_enough && !HasFailure(); capacity += 2) {
    SCOPED_TRACE("room for " + std::to_string(capacity) + " calls");
    empty();
    new (told) report;
    error_of_disk = capacity % 3 == 0 ? ENOSPC : capacity % 3 == 1 ? EIO : EFBIG;
    is_enough = run(output_opening::create, most_steps, -1, capacity);
    const std::string words = told->words.data();
    SCOPED_TRACE(words);
    check(plan, told->steps);
    if (!is_enough) {
      EXPECT_THAT(words,
                  ::testing::AllOf(::testing::HasSubstr(std::strerror(error_of_disk)), ::testing::HasSubstr(path)));
    }
    if (told->is_in_step) {
      EXPECT_THAT(words, ::testing::StartsWith(text("step ", told->steps.load())));
      EXPECT_THAT(words, ::testing::EndsWith(text("the ", told->steps.load(), " steps before it are whole")));
    }
    told->words[0] = 0;
    EXPECT_TRUE(run(output_opening::append, most_steps, -1));
    check(plan, most_steps);
    EXPECT_EQ(files(), undisturbed);
  }
  EXPECT_GT(capacity, 10);
}

/// What was there was one of another format, or of this one with a file for all steps where there is now one for each.
TEST_P(CrashPoints, of_a_stream_that_takes_the_place_of_another) {
  empty();
  run(output_opening::create, most_steps, -1);
  auto undisturbed = files();
  const std::vector<std::string> strangers{"s.txt",   "s.x.p.rsf", "s.x.nc",    "s.x.zarr",
                                           "t.p.rsf", "s.nc.old",  "s.p.raw.gz"};
  undisturbed.insert(strangers.begin(), strangers.end());
  int calls = 1;
  for (const char* before : {"rsf", "zarr", "netcdf", "hdf5", "vtkhdf"}) {
    SCOPED_TRACE(before);
    const bool has_both = format == "netcdf" || format == "hdf5";
    if (find_format(before) == nullptr || (before == format && !has_both)) continue;
    empty();
    for (const std::string& s : strangers) std::ofstream(folder / s) << s;
    const bool is_other = before != format, is_now_one_file = is_one_file;
    is_one_file = is_other ? before == std::string("netcdf") : !is_one_file;
    format = before;
    run(output_opening::create, most_steps, -1);
    format = GetParam().format, is_one_file = is_now_one_file;
    const bool was_whole = run(output_opening::create, most_steps, calls);
    ::testing::internal::CaptureStderr();
    EXPECT_TRUE(run(output_opening::create, most_steps, -1));
    const std::string words = ::testing::internal::GetCapturedStderr();
    if (calls == 1 && is_other) {  // killed before it did anything
      EXPECT_THAT(words,
                  ::testing::HasSubstr(text("s was a stream of format ", before, " and becomes one of ", format)));
    }
    if (was_whole || !is_other) {
      EXPECT_EQ(words, "");
    }
    EXPECT_EQ(files(), undisturbed);
    check(plan_for(options(output_opening::append)), most_steps);
    calls += 4;
  }
}

INSTANTIATE_TEST_SUITE_P(output, CrashPoints,
                         ::testing::Values(kind{"rsf"}, kind{"zarr"}, kind{"netcdf"}, kind{"hdf5"}, kind{"vtkhdf"},
                                           kind{"netcdf", 2}, kind{"hdf5", 2}),
                         [](const auto& info) { return info.param.format + std::to_string(info.param.writers); });

}  // namespace
}  // namespace nearfar::output
