// SPDX-License-Identifier: BSD-3-Clause
// The distributed mesh against the closed form, leaf by leaf, whatever the partition; and what it says about where
// leaves come from.
#include "mesh_checks.hpp"

namespace adaptive_heat {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.node_sizes = {0}, .on_cluster = false}};

using namespace test;

class MeshForestTest : public nearfar::test::MpiTest {
 protected:
  /// Every origin is geometrically right, all old leaves are used, what belongs to them arrives, and the counts add up.
  void expect_true_origins(const forest& mesh, const adaptation& a, const codes& old_here, std::size_t old_total) {
    const migration& before = a.before;
    NEARFAR_ASSERT_ALL(before.old_leaves() == old_here.size() && before.new_leaves() == a.old_leaves.size());
    codes arrived(before.new_leaves());
    before.move(old_here.data(), arrived.data(), 1);
    EXPECT_EQ(arrived, codes_of(a.old_leaves));
    NEARFAR_ASSERT_ALL(a.origins.size() == mesh.leaves().size());
    std::uint32_t used = 0;
    for (std::size_t i = 0; i < a.origins.size(); ++i)
      used = expect_true(mesh.leaves()[i], a.origins[i], a.old_leaves, used);
    EXPECT_EQ(used, a.old_leaves.size());
    EXPECT_EQ(a.total, static_cast<std::int64_t>(old_total) + 7 * a.refined - 7 * a.merged / 8);
  }

  static std::uint32_t expect_true(const octant& leaf, const origin& from, const std::vector<octant>& old,
                                   std::uint32_t used) {
    EXPECT_EQ(from.first, used);
    if (from.first + from.count > old.size()) {
      ADD_FAILURE() << "origin beyond the old leaves";
      return used;
    }
    const octant& first = old[from.first];
    const octant& last = old[from.first + from.count - 1];
    if (from.kind != origin_kind::merged) {
      EXPECT_EQ(from.count, 1U);
      EXPECT_EQ(from.kind == origin_kind::same, first == leaf);
      EXPECT_TRUE(first.contains(leaf));
      return leaf.end_key() == first.end_key() ? used + 1 : used;
    }
    EXPECT_GE(from.count, 8U);
    EXPECT_EQ(first.key(), leaf.key());
    EXPECT_EQ(last.end_key(), leaf.end_key());
    EXPECT_GT(first.level, leaf.level);
    return used + from.count;
  }

  void adapt_and_check(forest& mesh, const ball& b, bool by_closed_form = false) {
    const codes old = codes_of(mesh.leaves());
    const std::size_t old_total = gathered(comm(), old).size();
    const adaptation& a = by_closed_form ? mesh.adapt_by_closed_form(b) : mesh.adapt(b);
    expect_closed_form(comm(), mesh, b);
    expect_true_origins(mesh, a, old, old_total);
  }
};

TEST_F(MeshForestTest, meshes_of_the_classes_are_those_of_npb) {
  const nearfar::team t(comm());
  const auto run = [&](const char* name, const std::vector<int>& elements, std::size_t adaptations) {
    const problem& p = problem_class(name);
    forest mesh(t, p.levels);
    mesh.start(ball_at(p, 0));
    expect_closed_form(comm(), mesh, ball_at(p, 0));
    for (std::size_t i = 1; i < adaptations; ++i) {
      const adaptation& a = mesh.adapt(ball_at(p, i));
      EXPECT_EQ(a.total, elements[i]) << name << " " << i;
      if (size() == 1) {
        EXPECT_EQ(a.rounds, 2);
      }
      expect_closed_form(comm(), mesh, ball_at(p, i));
      mesh.rebalance(0.05);
      EXPECT_LE(static_cast<double>(mesh.leaves().size()), 1.05 * static_cast<double>(a.total) / size() + 1);
      mesh.ghosts();
    }
  };
  run("S", elements_s, 10);
  run("W", elements_w, 20);
  run("A", elements_a, 12);
  run("B", elements_b, 2);
}

TEST_F(MeshForestTest, any_ball_any_level_any_partition) {
  const nearfar::team t(comm());
  std::mt19937 bits(11);
  for (int i = 0; i < 12; ++i) {
    forest mesh(t, 1 + i % 6);
    mesh.start(random_ball(bits, 0.1));
    for (int k = 0; k < 5; ++k) {
      mesh.move_to(random_splitters(bits, all_leaves(comm(), mesh), size()));
      if (bits() % 2 == 0) mesh.ghosts();
      adapt_and_check(mesh, random_ball(bits, 0.1), k == 3);
    }
  }
}

TEST_F(MeshForestTest, a_splitter_may_be_anywhere_in_an_octet) {
  const nearfar::team t(comm());
  const problem& p = problem_class("S");
  forest mesh(t, p.levels);
  mesh.start(ball_at(p, 0));
  const std::size_t step = size() > 4 ? 5 : 2;
  for (std::size_t k = 0; k < 140; k += step) {
    const std::vector<octant> all = all_leaves(comm(), mesh);
    std::vector<std::uint64_t> splitters(static_cast<std::size_t>(size()) + 1, key_end);
    splitters[0] = 0;
    for (std::size_t r = 1; r < splitters.size() - 1; ++r)
      if (k + r < all.size()) splitters[r] = all[k + r].key();  // all ranks between have one leaf each
    mesh.move_to(splitters);
    adapt_and_check(mesh, ball_at(p, k % 9));
  }
}

TEST_F(MeshForestTest, the_mesh_may_shrink_to_the_root_and_grow_again) {
  const nearfar::team t(comm());
  const ball outside{{3, 3, 3}, 0.1};
  for (const int levels : {1, 3, 6}) {
    forest mesh(t, levels);
    const problem& p = problem_class("S");
    mesh.start(ball_at(p, 0));
    for (int k = 0; k < 2; ++k) {
      adapt_and_check(mesh, outside);
      EXPECT_EQ(all_leaves(comm(), mesh).size(), 1U);
      EXPECT_TRUE(mesh.ghosts().leaves.empty());
      adapt_and_check(mesh, ball_at(p, 3));
      mesh.equalize();
    }
  }
}

TEST_F(MeshForestTest, the_finest_level_of_all_can_be_had) {
  const nearfar::team t(comm());
  forest mesh(t, max_level);
  mesh.start(ball{{0.3, 0.2, 0.7}, 3e-6});
  expect_closed_form(comm(), mesh, {{0.3, 0.2, 0.7}, 3e-6});
  adapt_and_check(mesh, {{0.3, 0.2, 0.70001}, 3e-6});
  adapt_and_check(mesh, {{1, 1, 1}, 1e-7});
}

TEST_F(MeshForestTest, what_belongs_to_leaves_moves_with_them) {
  const nearfar::team t(comm());
  std::mt19937 bits(5);
  forest mesh(t, 4);
  mesh.start(random_ball(bits, 0.2));
  const std::vector<octant> all = all_leaves(comm(), mesh);
  constexpr std::size_t values = 125;
  for (int k = 0; k < 10; ++k) {
    std::vector<double> old;
    for (const octant& o : mesh.leaves())
      for (std::size_t v = 0; v < values; ++v)
        old.push_back(static_cast<double>(o.code() % 1000003) + 0.001 * static_cast<double>(v));
    const migration moves = k % 3 == 0 ? mesh.equalize() : mesh.move_to(random_splitters(bits, all, size()));
    EXPECT_TRUE(all_leaves(comm(), mesh) == all);
    NEARFAR_ASSERT_ALL(moves.old_leaves() * values == old.size() && moves.new_leaves() == mesh.leaves().size());
    std::vector<double> now(moves.new_leaves() * values, -1);
    moves.move(old.data(), now.data(), values);
    std::size_t i = 0;
    for (const octant& o : mesh.leaves())
      for (std::size_t v = 0; v < values; ++v, ++i)
        EXPECT_EQ(now[i], static_cast<double>(o.code() % 1000003) + 0.001 * static_cast<double>(v));
  }
}

TEST_F(MeshForestTest, shares_are_equal_when_they_are_rebalanced) {
  const nearfar::team t(comm());
  const problem& p = problem_class("W");
  forest mesh(t, p.levels);
  mesh.start(ball_at(p, 0));
  const auto total = static_cast<std::size_t>(elements_w[0]);
  const auto expect_equal = [&] {
    const auto r = static_cast<std::size_t>(rank()), ranks = static_cast<std::size_t>(size());
    EXPECT_EQ(mesh.leaves().size(), total * (r + 1) / ranks - total * r / ranks);
  };
  expect_equal();
  EXPECT_TRUE(mesh.rebalance(0).is_local());
  const std::vector<octant> all = all_leaves(comm(), mesh);
  std::vector<std::uint64_t> splitters = mesh.parts().splitters();
  if (size() > 1) splitters[1] = all[total / static_cast<std::size_t>(size()) + 3].key();  // three more on rank 0
  mesh.move_to(splitters);
  EXPECT_TRUE(mesh.rebalance(0.1).is_local());
  EXPECT_EQ(mesh.parts().splitters(), splitters);
  mesh.rebalance(0.001);
  expect_equal();
}

TEST_F(MeshForestTest, bad_requests_fail_on_every_rank_and_change_nothing) {
  const nearfar::team t(comm());
  EXPECT_THROW(forest(t, 0), nearfar::usage_error);
  EXPECT_THROW(forest(t, max_level + 1), nearfar::usage_error);
  const problem& p = problem_class("S");
  forest mesh(t, p.levels);
  mesh.start(ball_at(p, 0));
  EXPECT_THROW(mesh.adapt(ball{{0.5, 0.5, 0.5}, 0}), nearfar::usage_error);
  ball here = ball_at(p, 4);
  if (rank() == size() - 1) here.radius = -1;  // on one rank only
  EXPECT_THROW(mesh.adapt(here), nearfar::usage_error);
  EXPECT_THROW(mesh.rebalance(-0.5), nearfar::usage_error);
  std::vector<std::uint64_t> splitters = mesh.parts().splitters();
  splitters.back() = 7;
  EXPECT_THROW(mesh.move_to(splitters), nearfar::usage_error);
  EXPECT_THROW(mesh.move_to({}), nearfar::usage_error);
  splitters.back() = key_end;
  if (size() > 1) {
    splitters[1] = 5;  // inside of the first leaf
    EXPECT_THROW(mesh.move_to(splitters), nearfar::usage_error);
  }
  expect_closed_form(comm(), mesh, ball_at(p, 0));
  EXPECT_EQ(mesh.adapt(ball_at(p, 4)).total, elements_s[4]);
  expect_closed_form(comm(), mesh, ball_at(p, 4));
}

}  // namespace
}  // namespace adaptive_heat
