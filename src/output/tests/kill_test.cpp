// SPDX-License-Identifier: BSD-3-Clause
// Twenty times a writer's process or that of who fills the ring is killed, a few looks after the ring has shown so many
// steps or blocks: every step that the journal had is there, and no other is taken for one. NEARFAR_KILLS gives another
// number of kills.
// One MPI: it is serial, and knows files only.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <formats/format.hpp>
#include <journal.hpp>
#include <random>
#include <step_writer.hpp>
#include <store.hpp>

#include "numbered.hpp"

namespace nearfar::output {
namespace {

const std::vector<index_t> extents{8, 16, 37};
constexpr int depth = 3;

/// What a step passes on its way to the disk.
enum class milestone { filled, block_written, released, in_journal };
constexpr int milestones = 4;

class killed : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("nearfar_kill." + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::string stem = (folder / "s").string();
    plan.journal = journal_path(stem);
    const output_array a{.name = "p", .extents = extents};
    data = stem + ".p.raw";
    plan.codecs.resize(1);
    plan.files = format_of("rsf").lay_out({stem, {a}, {}, plan.codecs, {}});
    const array_shape shape{extents, 4};
    plan.layout = make_layout({shape}, {{whole_of(shape)}});
    plan.signature = 5, plan.is_synced = false;
    memory_bytes = as_size(ring::bytes(1, depth, plan.layout.frame_bytes));
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  ring new_ring() {
    void* at = mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return {static_cast<std::byte*>(at), 1, depth, plan.layout.frame_bytes};
  }
  /// Fills one step after the other until it is killed, or the writer is.
  void fill(const ring& r, const std::atomic<bool>& is_over) {
    for (std::uint64_t step = 0; !is_over; ++step) {
      r.head().for_members.wait(
          0.01, [&] { return is_over || r.head().written.load() + depth > step; }, [] {});
      if (is_over) return;
      const brick& b = plan.layout.bricks[0];
      const index_t frame = plan.first_step + static_cast<index_t>(step);
      auto* to = reinterpret_cast<float*>(r.frame(step) + b.base + plan.shift(plan.layout_of(frame, r.frame(step)), b));
      for (index_t c = 0; c < 8 * 16 * 37; ++c) to[c] = static_cast<float>(test::number_of(frame, 0, c));
      r.time_of(step) = static_cast<double>(frame);
      r.member_state(0).filled = step + 1;
      r.head().for_taker.ring();
    }
  }
  /// Never -1, which kill() would take for every process there is.
  static pid_t new_process() {
    const pid_t child = fork();
    if (child < 0) std::abort();
    return child;
  }
  static void reap(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
  }
  /// How far the steps have come, by one of the ring's counters.
  static std::uint64_t count_of(const ring& r, milestone what) {
    const ring_head& h = r.head();
    switch (what) {
      case milestone::filled:
        return r.member_state(0).filled;
      case milestone::block_written:
        return h.progress;
      case milestone::released:
        return h.released;
      default:
        return h.written;
    }
  }
  void check() {
    const auto whole = whole_steps(plan);
    EXPECT_GE(whole.steps(), seen);
    EXPECT_EQ(test::fault_in<float>(data, extents, 0, whole.steps(), false), "");
    for (index_t s = 0; s < whole.steps(); ++s) EXPECT_EQ(whole.times[as_size(s)], static_cast<double>(s));
    steps_of_all += whole.steps() - plan.first_step;
  }

  std::filesystem::path folder;
  std::string data;
  writer_plan plan;
  std::size_t memory_bytes = 0;
  index_t seen = 0, steps_of_all = 0;
};

TEST_F(killed, at_any_point_nothing_is_lost_and_nothing_torn_is_accepted) {
  const char* asked = std::getenv("NEARFAR_KILLS");
  const int kills = asked != nullptr ? std::atoi(asked) : 20;
  const auto seed = static_cast<unsigned>(getpid());
  std::mt19937 random(seed);
  index_t steps_at_least = 0;
  for (int k = 0; k < kills; ++k) {
    const bool is_new = k % 4 == 0, is_writer_killed = k % 2 == 0;
    const auto what = static_cast<milestone>(k / 2 % milestones);
    const std::uint64_t many = 1 + random() % 12, more_looks = random() % (1 << random() % 13);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", kill " + std::to_string(k));
    {
      const store made((folder / "s").string(), plan, {},
                       {.opening = is_new ? output_opening::create : output_opening::append});
    }
    const ring r = new_ring();
    r.head().who = taker::process;
    std::atomic<bool> is_over = false;
    const pid_t filler = is_writer_killed ? 0 : new_process();
    if (!is_writer_killed && filler == 0) fill(r, is_over), _exit(0);
    r.member_state(0).process = is_writer_killed ? getpid() : filler;
    const pid_t writer = new_process();
    if (writer == 0) step_writer(plan, r).serve(taker::process), _exit(0);
    std::thread here;
    if (is_writer_killed) here = std::thread([&] { fill(r, is_over); });
    for (int looks = 1; count_of(r, what) < many; ++looks)
      if (looks % 64 == 0) sched_yield();
    for (std::uint64_t n = 0; n < more_looks;) n += count_of(r, what) > 0 ? 1 : 0;
    kill(is_writer_killed ? writer : filler, SIGKILL);
    if (!is_writer_killed) reap(filler);
    is_over = true;
    reap(writer);  // a writer that lives takes what is whole, sees that nobody is there any more, and ends
    if (here.joinable()) here.join();
    seen = plan.first_step + static_cast<index_t>(is_writer_killed ? r.head().written : r.member_state(0).filled);
    check();
    if (what == milestone::in_journal || (what == milestone::filled && !is_writer_killed))
      steps_at_least += as_index(many);
    munmap(&r.head(), memory_bytes);
  }
  EXPECT_GE(steps_of_all, steps_at_least);
}

}  // namespace
}  // namespace nearfar::output
