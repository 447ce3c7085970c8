// SPDX-License-Identifier: BSD-3-Clause
// Teams against a brute-force oracle that gathers every rank's node, and the errors of making one.
#include <base/internals.hpp>
#include <mpi_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <nearfar/error.hpp>
#include <set>
#include <string>
#include <topology/team_state.hpp>
#include <vector>

namespace nearfar {
namespace {

using ::testing::HasSubstr;

// Sets or unsets a variable while a test runs, whatever the launcher gave.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = std::make_unique<std::string>(old);
    assign(value);
  }
  ~variable() { assign(old_ ? old_->c_str() : nullptr); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  void assign(const char* value) { value ? ::setenv(name_, value, 1) : ::unsetenv(name_); }
  const char* name_;
  std::unique_ptr<std::string> old_;
};

class node_size_variable : variable {
 public:
  explicit node_size_variable(const char* value) : variable("NEARFAR_NODE_SIZE", value) {}
};

struct map_of_nodes {
  std::vector<int> node_of;                // per rank
  std::vector<std::vector<int>> ranks_of;  // per node
};

// Real nodes are named by their lowest rank; every rank is told of all others.
map_of_nodes brute_force(MPI_Comm comm, int node_size) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm real = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &real);
  int lowest = rank;
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, real);
  MPI_Comm_free(&real);
  std::vector<int> real_node(static_cast<std::size_t>(size));
  MPI_Allgather(&lowest, 1, MPI_INT, real_node.data(), 1, MPI_INT, comm);

  map_of_nodes map;
  std::map<int, int> ranks_seen;
  std::map<std::pair<int, int>, int> numbers;
  for (const int real_one : real_node) {
    const int part = node_size > 0 ? ranks_seen[real_one]++ / node_size : 0;
    const auto [at, is_new] = numbers.try_emplace({real_one, part}, static_cast<int>(numbers.size()));
    if (is_new) map.ranks_of.emplace_back();
    map.ranks_of[static_cast<std::size_t>(at->second)].push_back(static_cast<int>(map.node_of.size()));
    map.node_of.push_back(at->second);
  }
  return map;
}

bool is_numbered(const map_of_nodes& map, bool in_blocks) {
  const auto nodes = map.ranks_of.size();
  const auto per_node = map.ranks_of[0].size();
  for (std::size_t n = 0; n < nodes; ++n)
    for (std::size_t i = 0; i < map.ranks_of[n].size(); ++i)
      if (map.ranks_of[n].size() != per_node ||
          map.ranks_of[n][i] != static_cast<int>(in_blocks ? n * per_node + i : i * nodes + n))
        return false;
  return true;
}

void expect_match(const team& t, MPI_Comm comm, int node_size) {
  const map_of_nodes map = brute_force(comm, node_size);
  const auto& mine = map.ranks_of[static_cast<std::size_t>(map.node_of[static_cast<std::size_t>(t.rank())])];
  const team_state& s = state_of(t);
  EXPECT_EQ(t.node(), map.node_of[static_cast<std::size_t>(t.rank())]);
  EXPECT_EQ(t.nodes(), static_cast<int>(map.ranks_of.size()));
  EXPECT_EQ(s.near_ranks, mine);
  EXPECT_EQ(t.near_size(), static_cast<int>(mine.size()));
  EXPECT_EQ(mine[static_cast<std::size_t>(t.near_rank())], t.rank());
  for (int r = -1; r <= t.size(); ++r) EXPECT_EQ(t.is_near(r), std::count(mine.begin(), mine.end(), r) == 1) << r;
  const auto by_size = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  const auto [small, large] = std::minmax_element(map.ranks_of.begin(), map.ranks_of.end(), by_size);
  EXPECT_EQ(s.smallest_node, static_cast<int>(small->size()));
  EXPECT_EQ(s.largest_node, static_cast<int>(large->size()));
  EXPECT_EQ(s.is_block_mapped, is_numbered(map, true));
  EXPECT_EQ(s.is_cyclic_mapped, is_numbered(map, false));
  EXPECT_EQ(s.are_nodes_pretend, brute_force(comm, 0).ranks_of.size() < map.ranks_of.size());
}

class TeamTest : public test::MpiTest {
 protected:
  std::string message_of(MPI_Comm comm, team_options options) {
    try {
      team t(comm, options);
    } catch (const usage_error& e) {
      return e.what();
    }
    return "no error";
  }
};

TEST_F(TeamTest, matches_the_oracle_for_every_node_size) {
  const node_size_variable unset(nullptr);
  for (const int node_size : {0, 1, 2, 3, 100}) {
    SCOPED_TRACE(node_size);
    expect_match(team(comm(), {.node_size = node_size}), comm(), node_size);
  }
}

TEST_F(TeamTest, takes_the_node_size_from_the_environment_unless_told) {
  const char* given = std::getenv("NEARFAR_NODE_SIZE");
  expect_match(team(comm()), comm(), given ? std::atoi(given) : 0);
  const node_size_variable two("2");
  expect_match(team(comm()), comm(), 2);
  expect_match(team(comm(), {.node_size = 1}), comm(), 1);
}

TEST_F(TeamTest, follows_the_order_of_the_communicator) {
  const node_size_variable unset(nullptr);
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(comm(), 0, -rank(), &reversed);
  for (const int node_size : {0, 2}) expect_match(team(reversed, {.node_size = node_size}), reversed, node_size);
  MPI_Comm_free(&reversed);
}

TEST_F(TeamTest, is_made_of_a_part_of_the_ranks) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(comm(), rank() % 2, rank(), &part);
  expect_match(team(part, {.node_size = 2}), part, 2);
  MPI_Comm_free(&part);
  const team alone(MPI_COMM_SELF);
  EXPECT_EQ(alone.size(), 1);
  EXPECT_EQ(alone.nodes(), 1);
  EXPECT_TRUE(alone.is_root());
}

TEST_F(TeamTest, has_a_communicator_of_its_own_that_returns_errors) {
  const team t(comm());
  int relation = MPI_IDENT;
  MPI_Comm_compare(t.comm(), comm(), &relation);
  EXPECT_EQ(relation, MPI_CONGRUENT);
  for (const MPI_Comm c : {t.comm(), state_of(t).node_comm}) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(c, &handler);
    EXPECT_EQ(handler, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
  }
  EXPECT_THROW(check_mpi(MPI_Send(&relation, 1, MPI_INT, t.size(), 0, t.comm()), "MPI_Send"), transport_error);
}

TEST_F(TeamTest, refuses_node_sizes_that_cannot_be) {
  EXPECT_THAT(message_of(comm(), {.node_size = -2}), HasSubstr("-2"));
  const node_size_variable word("two");
  EXPECT_THAT(message_of(comm(), {}), HasSubstr("NEARFAR_NODE_SIZE=two"));
}

TEST_F(TeamTest, takes_the_size_of_caches_from_the_environment) {
  for (const std::int64_t bytes : {1, 1000000}) {
    const variable cache("NEARFAR_CACHE_BYTES", std::to_string(bytes).c_str());
    const team t(comm());
    EXPECT_GE(state_of(t).cache_share_bytes, std::max<std::int64_t>(bytes / t.near_size(), 1));
    EXPECT_LE(state_of(t).cache_share_bytes, bytes);
  }
  const team measured(comm());
  EXPECT_GT(state_of(measured).core_cache_bytes, 0);
  EXPECT_LE(state_of(measured).cache_share_bytes,
            std::max(12 * state_of(measured).core_cache_bytes, std::int64_t{16} << 20));
  const variable wrong("NEARFAR_CACHE_BYTES", rank() == size() - 1 ? "32M" : "1");
  EXPECT_THAT(message_of(comm(), {}), HasSubstr("NEARFAR_CACHE_BYTES=32M"));
}

TEST_F(TeamTest, refuses_on_every_rank_when_one_is_wrong) {
  if (size() == 1) GTEST_SKIP() << "needs 2 ranks";
  const bool is_last = rank() == size() - 1;
  const std::string at_last = text("rank ", size() - 1);
  EXPECT_THAT(message_of(comm(), {.node_size = is_last ? -1 : 1}), HasSubstr(at_last));
  const std::string message = message_of(comm(), {.node_size = is_last ? 2 : 3});
  EXPECT_THAT(message, HasSubstr("3 on rank 0"));
  EXPECT_THAT(message, HasSubstr("2 on " + at_last));
}

TEST_F(TeamTest, refuses_communicators_that_have_no_ranks_or_two_groups) {
  EXPECT_THAT(message_of(MPI_COMM_NULL, {}), HasSubstr("MPI_COMM_NULL"));
  if (size() == 1) return;
  MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
  const int is_upper = rank() > 0 ? 1 : 0;
  MPI_Comm_split(comm(), is_upper, rank(), &half);
  MPI_Intercomm_create(half, 0, comm(), is_upper ? 0 : 1, 7, &inter);
  EXPECT_THAT(message_of(inter, {}), HasSubstr("MPI_Intercomm_merge"));
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

TEST_F(TeamTest, counts_cores) {
  const team t(comm());
  const team_state& s = state_of(t);
  EXPECT_GE(s.cores, 1);
  EXPECT_GE(s.hardware_threads, s.cores);
  EXPECT_GE(s.ranks_here, s.near_size);
  EXPECT_TRUE(s.is_short_of_cores || s.ranks_here <= s.hardware_threads);
}

TEST_F(TeamTest, hands_out_tags_in_ranges_of_four_and_starts_again) {
  const team t(comm());
  team_state& s = state_of(t);
  EXPECT_GE(s.tag_limit, 32767);
  s.tag_limit = 1024 + 4 * 3 + 2;  // three ranges and a rest that is too small
  EXPECT_EQ(s.next_tags(), 1024);
  EXPECT_EQ(s.next_tags(), 1028);
  EXPECT_EQ(s.next_tags(), 1032);
  EXPECT_EQ(s.next_tags(), 1024);
}

TEST_F(TeamTest, keeps_one_attachment_of_a_type_until_the_last_copy_goes) {
  struct guest {
    explicit guest(int& count) : alive(&count) { ++*alive; }
    ~guest() { --*alive; }
    int* alive;
  };
  int alive = 0;
  {
    const team t(comm());
    const team copy = t;
    const auto make = [&] { return std::make_shared<guest>(alive); };
    guest& first = state_of(t).attachment<guest>(make);
    EXPECT_EQ(&state_of(copy).attachment<guest>(make), &first);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST_F(TeamTest, describes_itself) {
  const std::string report = team(comm(), {.node_size = 1}).describe();
  EXPECT_THAT(report, HasSubstr(text(size(), size() == 1 ? " rank on " : " ranks on ", size())));
  const bool is_cut = brute_force(comm(), 0).ranks_of.size() < static_cast<std::size_t>(size());
  EXPECT_EQ(report.find("pretend") != std::string::npos, is_cut) << report;
  EXPECT_THAT(report, HasSubstr("MPI: " + mpi_library()));
  EXPECT_THAT(report, HasSubstr("core"));
  EXPECT_EQ(mpi_library().find('\n'), std::string::npos);
}

// Most of them by few ranks: more ranks than cores take turns at every message.
TEST_F(TeamTest, many_can_be_made_one_after_another) {
  const int many = size() <= 2 ? 400 : 10;
  for (int i = 0; i < many; ++i) EXPECT_EQ(team(comm()).size(), size());
}

TEST_F(TeamTest, runtime_refuses_a_second_start) {
  int argc = 0;
  char** argv = nullptr;
  EXPECT_THROW(runtime(argc, argv), usage_error);
}

}  // namespace
}  // namespace nearfar
