// SPDX-License-Identifier: BSD-3-Clause
// Segments show near ranks what the others wrote, and their memory comes back when all readers have let go and not
// before: also where readers are killed, fork, or cannot be made.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <base/internals.hpp>

#include <array>
#include <mpi_test.hpp>
#include <near/shared_segment.hpp>
#include <near/signal.hpp>
#include <nearfar/error.hpp>
#include <optional>
#include <topology/team_state.hpp>
#include <utility>

namespace nearfar::near {
namespace {

/// Blocks of this length have chunks of their own: one that is given back is one chunk fewer.
constexpr index_t bytes = 1 << 20;

/// Blocks that have been given back since the last look.
class look_out {
 public:
  explicit look_out(arena& a) : arena_(a), anchor_(a.allocate(page_bytes)) { given_back(); }
  std::uint64_t given_back() {
    arena_.allocate(page_bytes);  // asks those who rest; it lies in the anchor's chunk
    return arena::generation() - std::exchange(before_, arena::generation());
  }

 private:
  arena& arena_;
  block anchor_;
  std::uint64_t before_ = 0;
};

/// How far a reader comes before it is killed.
enum class stage { none, attached, open, let_go };

/// A child process that is near rank 1 to a block of its parent's, who is near rank 0.
class reader {
 public:
  reader(arena& a, const shared_segment::address& of_parent, stage up_to) {
    std::array<int, 2> pipe_{};
    EXPECT_EQ(pipe(pipe_.data()), 0);
    child_ = fork();
    if (child_ == 0) {
      live(a, of_parent, up_to);
      const char there = 1;
      if (write(pipe_[1], &there, 1) != 1) _exit(1);
      for (;;) pause();
    }
    close(pipe_[1]);
    char there = 0;
    EXPECT_EQ(::read(pipe_[0], &there, 1), 1) << "the reader has died by itself";
    close(pipe_[0]);
  }
  ~reader() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

 private:
  static void live(arena& a, const shared_segment::address& of_parent, stage up_to) {
    static shared_segment s;  // not destroyed when this returns
    s.allocate(a, 1, 2, 0, {});
    if (up_to >= stage::attached) s.attach(0, of_parent);
    if (up_to >= stage::open) s.open(), *s.of(0) = std::byte{9};
    if (up_to >= stage::let_go) s.close();
  }
  pid_t child_ = -1;
};

class shared_segments : public nearfar::test::MpiTest {};

TEST_F(shared_segments, show_near_ranks_what_the_others_wrote) {
  const team t(comm());
  const team_state& s = state_of(t);
  NEARFAR_ASSERT_ALL(arena::of(t).is_shared());
  segment_layout l;
  const auto marks = l.add<std::byte>(3);
  const auto signals = l.add<signal>(2);
  const auto slots = l.add<int>(100, page_bytes);
  EXPECT_EQ(marks.at, 0);
  EXPECT_EQ(signals.at, cache_line_bytes);
  EXPECT_EQ(slots.at, page_bytes);
  EXPECT_EQ(l.bytes(), page_bytes + 400);
  for (int round = 0; round < 3; ++round) {
    shared_segment all;
    all.make(t, [&] { return s.near_rank == 1 ? 0 : l.bytes() + s.near_rank; });  // one rank shows nothing
    EXPECT_EQ(all.own() == nullptr, s.near_rank == 1);
    if (all.own() != nullptr) {
      for (int i = 0; i < 100; ++i) EXPECT_EQ(all.at(s.near_rank, slots)[i], 0) << "a block begins as zeros";
      all.at(s.near_rank, slots)[99] = s.rank + round;
      all.at(s.near_rank, signals)[1].set(7);
    }
    MPI_Barrier(s.node_comm);
    for (int r = 0; r < s.near_size; ++r) {
      EXPECT_EQ(all.bytes_of(r), r == 1 ? 0 : l.bytes() + r);
      if (r == 1) continue;
      EXPECT_TRUE(all.at(r, signals)[1].has_reached(7));
      EXPECT_EQ(all.at(r, slots)[99], s.near_ranks[as_size(r)] + round);
    }
  }
}

TEST_F(shared_segments, rest_until_the_last_near_rank_has_let_go) {
  const team t(comm());
  const team_state& s = state_of(t);
  arena& a = arena::of(t);
  NEARFAR_ASSERT_ALL(a.is_shared());
  shared_segment all;
  all.make(t, [] { return bytes; });
  all.rest_too(a.allocate(bytes));
  look_out looks(a);
  if (s.near_rank > 0) all.close();
  MPI_Barrier(s.node_comm);
  EXPECT_EQ(looks.given_back(), 0U) << "near rank 0 has not let go";
  MPI_Barrier(s.node_comm);
  all.close();
  MPI_Barrier(s.node_comm);
  EXPECT_EQ(looks.given_back(), 2U);
}

TEST_F(shared_segments, outlive_readers_that_are_killed) {
  const team t(comm());
  arena& a = arena::of(t);
  NEARFAR_ASSERT_ALL(a.is_shared());
  if (rank() > 0) return;  // what rests stays reserved until the program ends
  look_out looks(a);
  for (const stage up_to : {stage::none, stage::attached, stage::open, stage::let_go}) {
    std::optional<shared_segment> own(std::in_place);
    own->allocate(a, 0, 2, bytes, {1});
    own->open();
    { const reader killed(a, own->own_address(), up_to); }
    EXPECT_EQ(*own->own(), up_to >= stage::open ? std::byte{9} : std::byte{0});
    own.reset();
    EXPECT_EQ(looks.given_back(), up_to == stage::let_go ? 1U : 0U) << static_cast<int>(up_to);
  }
}

TEST_F(shared_segments, are_not_let_go_by_the_child_of_a_reader) {
  const team t(comm());
  arena& a = arena::of(t);
  NEARFAR_ASSERT_ALL(a.is_shared());
  shared_segment own, reads;  // two near ranks in one process
  own.allocate(a, 0, 2, bytes, {1});
  reads.allocate(a, 1, 2, 0, {});
  reads.attach(0, own.own_address());
  own.open(), reads.open();
  look_out looks(a);
  const pid_t child = fork();
  if (child == 0) {
    reads.close();
    own.close();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  static bool is_quiet = false;
  is_quiet = false;
  own.rest_until([] { return is_quiet; });
  own.close();
  EXPECT_EQ(looks.given_back(), 0U);
  reads.close();
  EXPECT_EQ(looks.given_back(), 0U) << "another reader has not";
  is_quiet = true;
  EXPECT_EQ(looks.given_back(), 1U);
}

/// The process may open no more files while it lives.
class no_more_files {
 public:
  no_more_files() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = dup(0);
    ::close(next);
    const rlimit low{static_cast<rlim_t>(next), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &low);
  }
  ~no_more_files() { setrlimit(RLIMIT_NOFILE, &before_); }
  no_more_files(const no_more_files&) = delete;
  no_more_files& operator=(const no_more_files&) = delete;

 private:
  rlimit before_{};
};

TEST_F(shared_segments, are_made_on_all_ranks_or_on_none) {
  const team t(comm());
  const team_state& s = state_of(t);
  arena& a = arena::of(t);
  NEARFAR_ASSERT_ALL(a.is_shared());
  const auto is_refused = [&](const std::function<index_t()>& own_bytes) {
    try {
      shared_segment all;
      all.make(t, own_bytes);
    } catch (const resource_error&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(is_refused([] { return bytes; }));
  EXPECT_TRUE(is_refused([&] { return s.rank == s.size - 1 ? index_t{1} << 50 : bytes; })) << "memory is full there";
  int near_ranks_of_0 = s.near_size;
  MPI_Bcast(&near_ranks_of_0, 1, MPI_INT, 0, comm());
  {
    std::optional<no_more_files> limit;
    EXPECT_EQ(is_refused([&] {
                if (s.rank == 0) limit.emplace();
                return bytes;
              }),
              near_ranks_of_0 > 1)
        << "rank 0 cannot open what it is to map";
  }
  EXPECT_FALSE(is_refused([] { return bytes; }));
}

}  // namespace
}  // namespace nearfar::near
