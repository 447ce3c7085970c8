// SPDX-License-Identifier: BSD-3-Clause
// Near ranks see each other's memory; retired blocks wait for their peers; a long wait ends with words.
#include <unistd.h>

#include <base/internals.hpp>
#include <closed_process.hpp>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <mpi_test.hpp>
#include <near/arena.hpp>
#include <near/patience.hpp>
#include <near/signal.hpp>
#include <nearfar/error.hpp>
#include <optional>
#include <topology/team_state.hpp>

namespace nearfar::near {
namespace {

class arenas : public nearfar::test::MpiTest {
 protected:
  static std::vector<handle> all_handles(const team_state& s, const handle& mine) {
    std::vector<handle> all(as_size(s.near_size));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, s.node_comm);
    return all;
  }
};

TEST_F(arenas, are_seen_by_all_near_ranks) {
  const team t(comm());
  const team_state& s = state_of(t);
  arena& a = arena::of(t);
  NEARFAR_ASSERT_ALL(a.is_shared());
  const block b = a.allocate(3 * 4096 + 17);
  std::memcpy(b.data() + 5000, &s.rank, sizeof s.rank);
  const auto handles = all_handles(s, a.find(b.data() + 5000, sizeof(int)));
  MPI_Barrier(s.node_comm);
  for (int r = 0; r < s.near_size; ++r) {
    if (r == s.near_rank) continue;
    const mapping m = a.attach(handles[as_size(r)]);
    int seen = -1;
    std::memcpy(&seen, m.at(handles[as_size(r)]), sizeof seen);
    EXPECT_EQ(seen, s.near_ranks[as_size(r)]);
  }
  MPI_Barrier(s.node_comm);
}

// The last rank has no descriptor left: none maps more, and what is mapped stays.
TEST_F(arenas, are_closed_where_a_rank_can_map_no_more) {
  const team t(comm());
  arena& a = arena::of(t);
  NEARFAR_ASSERT_ALL(a.is_shared());
  a.look_again(t);
  EXPECT_TRUE(a.is_shared());
  std::optional<nearfar::test::no_descriptors> lack;
  if (t.rank() == t.size() - 1) lack.emplace();
  a.look_again(t);
  lack.reset();
  EXPECT_EQ(a.is_shared(), t.nodes() == t.size());
  a.look_again(t);
  EXPECT_EQ(a.is_shared(), t.nodes() == t.size()) << "once closed, closed for all plans that follow";
  const block b = a.allocate(page_bytes);
  EXPECT_TRUE(a.find(b.data(), page_bytes).is_valid());
}

// A descriptor, or a process's number, may have become something else since the handle was sent.
TEST_F(arenas, attach_refuses_what_is_not_the_chunk_of_the_handle) {
  const team t(comm());
  const team_state& s = state_of(t);
  arena& a = arena::of(t);
  const block b = a.allocate(4096);
  const auto handles = all_handles(s, a.find(b.data(), 4096));
  const handle right = handles[as_size((s.near_rank + 1) % s.near_size)];
  const auto is_refused = [&](auto change) {
    handle other = right;
    change(other);
    try {
      a.attach(other);
    } catch (const resource_error&) {
      return true;
    }
    return false;
  };
  MPI_Barrier(s.node_comm);
  EXPECT_TRUE(is_refused([](handle& h) { ++h.inode; }));
  EXPECT_TRUE(is_refused([](handle& h) { h.chunk_pages = 1U << 31; }));
  EXPECT_TRUE(is_refused([](handle& h) { h.file = 1 << 20; }));
  EXPECT_FALSE(is_refused([](handle&) {}));
  MPI_Barrier(s.node_comm);
}

int open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<int>(std::distance(begin(all), end(all)));
}

TEST_F(arenas, hold_few_descriptors_for_many_arrays) {
  constexpr int count = 300;
  const team t(comm());
  const team_state& s = state_of(t);
  arena& a = arena::of(t);
  NEARFAR_ASSERT_ALL(a.is_shared());
  const int before = open_descriptors();
  std::vector<block> own;
  std::vector<handle> mine;
  for (int i = 0; i < count; ++i) {
    own.push_back(arena::allocate_spare(1 << 20));  // its pages come when they are touched
    std::memcpy(own.back().data(), &i, sizeof i);
    mine.push_back(a.find(own.back().data(), 1 << 20));
  }
  const int right = (s.near_rank + 1) % s.near_size, left = (s.near_rank + s.near_size - 1) % s.near_size;
  std::vector<handle> theirs(count);
  MPI_Sendrecv(mine.data(), count * static_cast<int>(sizeof(handle)), MPI_BYTE, left, 0, theirs.data(),
               count * static_cast<int>(sizeof(handle)), MPI_BYTE, right, 0, s.node_comm, MPI_STATUS_IGNORE);
  std::vector<mapping> mapped;
  for (int i = 0; i < count; ++i) {
    mapped.push_back(a.attach(theirs[as_size(i)]));
    int seen = -1;
    std::memcpy(&seen, mapped.back().at(theirs[as_size(i)]), sizeof seen);
    EXPECT_EQ(seen, i);
  }
  EXPECT_LE(open_descriptors(), before + 2);
  MPI_Barrier(s.node_comm);
}

TEST_F(arenas, know_their_own_memory_only) {
  const team t(comm());
  arena& a = arena::of(t);
  const block b = a.allocate(100);
  std::vector<std::byte> other(100);
  EXPECT_TRUE(a.find(b.data(), 100).is_valid());
  EXPECT_FALSE(a.find(other.data(), 100).is_valid());
  EXPECT_FALSE(a.find(b.data(), index_t{1} << 40).is_valid());
}

TEST_F(arenas, find_memory_that_no_team_asked_for) {
  const block spare = arena::allocate_spare(100000);
  EXPECT_TRUE(static_cast<bool>(spare));
  const team t(comm());
  EXPECT_TRUE(arena::of(t).find(spare.data(), 100000).is_valid());
  EXPECT_FALSE(static_cast<bool>(arena::allocate_spare(index_t{1} << 50)));
}

TEST_F(arenas, reuse_a_retired_block_only_when_it_is_quiet) {
  const team t(comm());
  arena& a = arena::of(t);
  std::vector<block> b{a.allocate(4096)};
  const std::byte* where = b.front().data();
  bool is_quiet = false;
  a.retire(std::move(b), [&] { return is_quiet; });
  for (int i = 0; i < 10; ++i) EXPECT_NE(a.allocate(4096).data(), where);
  is_quiet = true;
  a.allocate(4096);
  EXPECT_EQ(a.allocate(4096).data(), where);
}

TEST_F(arenas, hold_signals_between_near_ranks) {
  const team t(comm());
  const team_state& s = state_of(t);
  arena& a = arena::of(t);
  const block b = a.allocate(2 * index_t{sizeof(signal)});
  const auto handles = all_handles(s, a.find(b.data(), 1));
  const int right = (s.near_rank + 1) % s.near_size;
  const mapping m = a.attach(handles[as_size(right)]);
  auto* of_right = reinterpret_cast<signal*>(m.at(handles[as_size(right)]));
  const auto* own = reinterpret_cast<const signal*>(b.data());
  const wait_policy policy = wait_policy::of(s);
  const std::string name = "ring";
  const std::function<std::string()> whom = [] { return std::string("the left rank"); };
  for (std::uint64_t epoch = 1; epoch <= 200; ++epoch) {
    of_right->set(epoch);
    patience p(policy, name, whom);
    while (!own->has_reached(epoch)) p.idle();
  }
  MPI_Barrier(s.node_comm);
}

TEST_F(arenas, give_up_a_wait_with_words) {
  const team t(comm());
  wait_policy policy = wait_policy::of(state_of(t));
  policy.spins = 0;
  policy.warning_s = 1e9;
  policy.limit_s = 0.05;
  const std::string name = "halo 'u'";
  const std::function<std::string()> whom = [] { return std::string("near rank 3 to send"); };
  patience p(policy, name, whom);
  try {
    for (;;) p.idle();
  } catch (const transport_error& e) {
    const std::string words = e.what();
    EXPECT_NE(words.find("halo 'u'"), std::string::npos) << words;
    EXPECT_NE(words.find("near rank 3 to send"), std::string::npos) << words;
    EXPECT_NE(words.find("rank " + std::to_string(rank())), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace nearfar::near
