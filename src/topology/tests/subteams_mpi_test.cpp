// SPDX-License-Identifier: BSD-3-Clause
// Subteams of split and duplicated communicators against what the whole team's ranks tell of their nodes, and messages
// by the whole team's communicator.
#include <base/internals.hpp>
#include <mpi_test.hpp>

#include <algorithm>
#include <map>
#include <topology/subteams.hpp>
#include <topology/team_state.hpp>
#include <vector>

namespace nearfar {
namespace {

constexpr int first_tag = 2000;

class SubteamsTest : public test::MpiTest {
 protected:
  struct part {
    explicit part(MPI_Comm of, int colour, int key) { MPI_Comm_split(of, colour, key, &comm); }
    ~part() { MPI_Comm_free(&comm); }
    part(const part&) = delete;
    part& operator=(const part&) = delete;
    MPI_Comm comm = MPI_COMM_NULL;
  };

  static team made(const subteams& all, MPI_Comm comm) { return all.of(comm, all.ranks_of(comm), first_tag); }

  // By rank of the communicator: the node in the whole team.
  static std::vector<int> nodes_in_whole(const subteams& all, MPI_Comm comm) {
    int size = 0;
    const int mine = all.whole().node();
    MPI_Comm_size(comm, &size);
    std::vector<int> nodes(static_cast<std::size_t>(size));
    MPI_Allgather(&mine, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm);
    return nodes;
  }

  static void check_nodes(const subteams& all, MPI_Comm comm) {
    const team t = made(all, comm);
    const team_state& s = state_of(t);
    const std::vector<int> nodes = nodes_in_whole(all, comm);
    std::map<int, int> numbers, sizes;
    std::vector<int> near;
    for (std::size_t r = 0; r < nodes.size(); ++r) {
      numbers.try_emplace(nodes[r], static_cast<int>(numbers.size()));
      ++sizes[nodes[r]];
      if (nodes[r] == all.whole().node()) near.push_back(static_cast<int>(r));
    }
    const auto by_size = [](const auto& a, const auto& b) { return a.second < b.second; };
    EXPECT_EQ(t.size(), static_cast<int>(nodes.size()));
    EXPECT_EQ(t.nodes(), static_cast<int>(numbers.size()));
    EXPECT_EQ(t.node(), numbers[all.whole().node()]);
    EXPECT_EQ(s.near_ranks, near);
    EXPECT_EQ(near[static_cast<std::size_t>(t.near_rank())], t.rank());
    EXPECT_EQ(s.smallest_node, std::min_element(sizes.begin(), sizes.end(), by_size)->second);
    EXPECT_EQ(s.largest_node, std::max_element(sizes.begin(), sizes.end(), by_size)->second);
  }

  // Each rank hears from the one before it which process that is.
  static void check_messages(const subteams& all, MPI_Comm comm) {
    const team t = made(all, comm);
    const team_state& s = state_of(t);
    const int next = (t.rank() + 1) % t.size(), before = (t.rank() + t.size() - 1) % t.size();
    const int mine = all.whole().rank();
    int heard = -1;
    MPI_Sendrecv(&mine, 1, MPI_INT, s.in_messages(next), s.own_tag, &heard, 1, MPI_INT, s.in_messages(before),
                 s.own_tag, s.messages, MPI_STATUS_IGNORE);
    EXPECT_EQ(heard, s.ranks_in_whole[static_cast<std::size_t>(before)]);
  }
};

TEST_F(SubteamsTest, know_their_nodes) {
  for (const int node_size : {0, 1, 2, 3}) {
    const subteams all(team(comm(), {.node_size = node_size}));
    const part same(comm(), 0, rank()), reversed(comm(), 0, -rank()), by_twos(comm(), rank() % 2, 0),
        upper(comm(), rank() > 0, -rank());
    for (const part* p : {&same, &reversed, &by_twos, &upper}) check_nodes(all, p->comm);
  }
}

TEST_F(SubteamsTest, send_messages_to_the_ranks_that_are_meant) {
  const subteams all{team(comm())};
  const part reversed(comm(), 0, -rank()), by_twos(comm(), rank() % 2, -rank());
  for (const part* p : {&reversed, &by_twos}) check_messages(all, p->comm);
}

TEST_F(SubteamsTest, take_their_tags_from_what_they_were_given) {
  const subteams all{team(comm())};
  const team t = made(all, comm());
  team_state& s = state_of(t);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(s.next_tags(), first_tag);
  EXPECT_GE(s.own_tag, first_tag + team_state::tags_per_plan);
  EXPECT_LE(s.own_tag + team_state::own_tags, first_tag + subteams::tags_per_team);
}

TEST_F(SubteamsTest, are_not_made_of_processes_outside) {
  const part lower(comm(), rank() > 0, 0);
  const subteams some{team(lower.comm)};
  EXPECT_EQ(some.ranks_of(comm()).empty(), size() > 1);
  EXPECT_EQ(static_cast<int>(some.ranks_of(lower.comm).size()), some.whole().size());
}

}  // namespace
}  // namespace nearfar
