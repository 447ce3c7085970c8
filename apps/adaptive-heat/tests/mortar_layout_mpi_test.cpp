// SPDX-License-Identifier: BSD-3-Clause
// Numbering of mortar points, Q and its transpose, and the assembled matrix, on meshes cut in any way.
#include <cstdlib>
#include <map>
#include <mesh/closed_form.hpp>
#include <mortar/element_points.hpp>
#include <mortar/traces.hpp>
#include <optional>
#include <random>
#include <solver/heat_solver.hpp>

#include "cut_mesh.hpp"
#include "mesh_tables.hpp"
#include "mpi_test.hpp"

namespace adaptive_heat {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__,
                                              {.ranks = {1, 2, 3, 4}, .node_sizes = {0, 2}, .on_cluster = false}};

using where = mortar_exchange::where;

/// A value that belongs to a mortar point, whoever has it: from its place in space, that is, from the smallest key
/// around it.
double value_of(std::uint64_t seed) {
  seed = (seed ^ seed >> 31) * 0x9e3779b97f4a7c15U;
  seed = (seed ^ seed >> 29) * 0xbf58476d1ce4e5b9U;
  return static_cast<double>(seed >> 11) * 0x1p-52 - 1;
}

class Mortars : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);  // many plans, each used a few times
    MpiTest::SetUp();
    team_.emplace(comm());
  }
  void TearDown() override {
    team_.reset();
    MpiTest::TearDown();
  }
  const nearfar::team& team() const { return *team_; }
  solver_options options(const problem& p, exchange_form form, int order = usual_order) const {
    return {.order = order, .scheme = {.dt = p.time_step()}, .sources = {{{.radius = p.radius}}}, .form = form};
  }
  /// Own points get values by their number, ghosts their owners'.
  void fill(heat_solver& s, mortar_exchange& exchange, double* v, std::uint64_t seed) {
    s.vectors().clear(v);
    for (index_t i = 0; i < s.layout().own(); ++i)
      v[i] = value_of(seed + static_cast<std::uint64_t>(i * size() + rank()));
    exchange.spread(v);
  }
  double sum(double local) const {
    double all = 0;
    MPI_Allreduce(&local, &all, 1, MPI_DOUBLE, MPI_SUM, comm());
    return all;
  }

 private:
  std::optional<nearfar::team> team_;
};

template <class Act>
void for_boundary(const mortar_layout& layout, Act&& act) {
  for (std::size_t n = 0; n < layout.places.size(); ++n)
    for (int e = 0; e < entities; ++e)
      for (int p = 0; p < layout.counts.of_entity(e); ++p)
        act(n, static_cast<std::size_t>(layout.counts.offset(e) + p),
            layout.places[n][static_cast<std::size_t>(e)] + p);
}

/// Cuts that leave ranks without elements, and parts of any size.
std::vector<std::size_t> cuts_at_random(std::size_t leaves, int ranks, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::size_t> cuts{0};
  for (int r = 1; r < ranks; ++r) cuts.push_back(random() % 3 == 0 ? cuts.back() : random() % (leaves + 1));
  cuts.push_back(leaves);
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

TEST_F(Mortars, counts_are_those_of_npb) {
  const std::vector<std::array<std::int64_t, 2>> expected{{270, 6990}, {256, 6631}, {420, 11559}, {351, 9291},
                                                          {235, 6013}, {362, 9761}, {362, 9761},  {235, 6013},
                                                          {352, 9295}, {420, 11559}};
  const problem& p = problem_class("S");
  heat_solver solver(team(), options(p, exchange_form::copies));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    solver.set_mesh(test::cut_mesh(team(), closed_form_leaves(test::ball_at(p, i), p.levels)));
    EXPECT_EQ(solver.mortar_counts(), expected[i]) << "after adaptation " << i;
  }
  const problem& a = problem_class("A");
  heat_solver larger(team(), options(a, exchange_form::owner));
  for (const auto& [i, points] : {std::pair<std::size_t, std::int64_t>{0, 85456}, {1, 72308}, {39, 87335}}) {
    larger.set_mesh(test::cut_mesh(team(), closed_form_leaves(test::ball_at(a, i), a.levels)));
    EXPECT_EQ(larger.mortar_counts()[1], points) << "after adaptation " << i;
  }
}

/// Where a rank has each entity that its elements refer to, by the entity's place in space.
std::map<std::uint64_t, std::int32_t> places_by_key(const mesh_part& part, const mortar_layout& layout) {
  std::map<std::uint64_t, std::int32_t> places;
  const auto add = [&](const octant& leaf, std::array<int, 3> quarters, int dimension, std::int32_t place) {
    places[lasting_key(point_in(leaf, quarters), dimension)] = place;
  };
  for (std::size_t n = 0; n < part.leaves.size(); ++n)
    for (int e = 0; e < entities; ++e) {
      const std::int32_t place = layout.places[n][static_cast<std::size_t>(e)];
      std::array<int, 3> at = entity_quarters[static_cast<std::size_t>(e)];
      if (!is_split(part.shapes[n], e)) {
        add(part.leaves[n], at, dimension_of(e), place);
        continue;
      }
      // Points 0, 1, 4, 5 and 8 of nine along a line are the first ones of what lies at its quarters.
      constexpr std::array<std::size_t, 5> first{0, 1, 4, 5, 8};
      const bool is_face = e >= first_face;
      const auto a = static_cast<std::size_t>(is_face ? first_axis_of_face(e - first_face)
                                                      : edge_places[static_cast<std::size_t>(e - first_edge)].axis);
      for (std::size_t i = 0; i < 5; ++i) {
        at[a] = static_cast<int>(i);
        const int along = i % 2 == 0 ? 0 : 1;
        if (!is_face) {
          add(part.leaves[n], at, along, layout.edge_traces.at_place(place).points[first[i]]);
          continue;
        }
        for (std::size_t j = 0; j < 5; ++j) {
          at[static_cast<std::size_t>(second_axis_of_face(e - first_face))] = static_cast<int>(j);
          add(part.leaves[n], at, along + (j % 2 == 0 ? 0 : 1),
              layout.face_traces.at_place(place).points[9 * first[j] + first[i]]);
        }
      }
    }
  return places;
}

template <class T>
std::vector<std::vector<T>> from_all(MPI_Comm comm, const std::vector<T>& mine) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  std::vector<std::vector<T>> all(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    auto size = static_cast<std::int64_t>(mine.size());
    MPI_Bcast(&size, 1, MPI_INT64_T, r, comm);
    auto& list = all[static_cast<std::size_t>(r)];
    list = mine;
    list.resize(static_cast<std::size_t>(size));
    MPI_Bcast(list.data(), static_cast<int>(size * static_cast<std::int64_t>(sizeof(T))), MPI_BYTE, r, comm);
  }
  return all;
}

/// Everybody tells everybody which entities it has, and where.
TEST_F(Mortars, sharers_are_those_who_have_the_entity) {
  struct having {
    std::uint64_t key;
    std::int64_t place, own_private;
  };
  const problem& p = problem_class("S");
  const auto all = closed_form_leaves(test::ball_at(p, 2), p.levels);
  layout_maker maker(team());
  mortar_layout layout;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const mesh_part part = test::cut_mesh(team(), all, cuts_at_random(all.size(), size(), seed));
    maker.make({part.leaves, part.shapes, part.first_key, part.partners}, layout);
    std::vector<having> mine;
    for (const auto& [key, place] : places_by_key(part, layout)) mine.push_back({key, place, layout.own_private});
    std::map<std::uint64_t, std::vector<std::pair<int, std::int64_t>>> copies;  // rank, number of the copy
    std::int64_t before = 0;
    int rank_of_list = 0;
    for (const auto& list : from_all(comm(), mine)) {
      for (const having& h : list) copies[h.key].emplace_back(rank_of_list, before + h.place - h.own_private);
      before += layout.copy_sizes[static_cast<std::size_t>(rank_of_list++)];
    }
    std::size_t shared = 0;
    std::map<std::int64_t, std::size_t> number_at;  // of entities, by their first points
    std::int64_t next = 0;
    for (std::size_t n = 0; n < layout.entity_dimensions.size(); ++n) {
      number_at[next] = n;
      next += layout.points_of_entity(n);
    }
    for (const having& h : mine) {
      std::vector<std::int64_t> others;
      for (const auto& [r, copy] : copies[h.key])
        if (r != rank()) others.push_back(copy);
      const std::size_t number = number_at.at(h.place);
      EXPECT_EQ(others.empty(), number < layout.private_entities);
      if (others.empty() || number < layout.private_entities) continue;
      ++shared;
      const auto found = layout.sharers.of(number - layout.private_entities);
      EXPECT_TRUE(std::equal(found.begin(), found.end(), others.begin(), others.end())) << "entity " << number;
    }
    EXPECT_EQ(shared, layout.sharers.entities());
  }
}

/// Every form with the usual order, and other orders with one of them.
constexpr std::pair<exchange_form, int> forms_and_orders[] = {{exchange_form::copies, 4}, {exchange_form::assembly, 4},
                                                              {exchange_form::owner, 4},  {exchange_form::copies, 2},
                                                              {exchange_form::owner, 3},  {exchange_form::copies, 7}};

/// <Q m, u> = <m, Q^T u>, and Q of ones is one, for both forms and many cuts.
TEST_F(Mortars, transpose_is_exact_and_constants_stay) {
  const problem& p = problem_class("S");
  const auto all = closed_form_leaves(test::ball_at(p, 2), p.levels);
  for (const auto& [form, order] : forms_and_orders) {
    heat_solver s(team(), options(p, form, order));
    for (unsigned seed = 0; seed < 4; ++seed) {
      s.set_mesh(test::cut_mesh(team(), all, cuts_at_random(all.size(), size(), seed)));
      mortar_exchange exchange(team(), exchange_form::owner);
      exchange.renew(s.layout(), s.mesh().shapes);
      double *const m = s.vectors().direction, *const t = s.vectors().product;
      fill(s, exchange, m, 99);
      project_traces(s.layout(), m);
      double forth = 0, back = 0;
      s.vectors().clear(t);
      for_boundary(s.layout(), [&](std::size_t n, std::size_t point, std::int32_t place) {
        const double u = value_of(s.mesh().leaves[n].code() * 98 + point);
        forth += m[place] * u;
        t[place] += u;
      });
      exchange.start_sum(t);
      exchange.finish_sum(t);
      for (index_t i = 0; i < s.layout().own(); ++i) back += m[i] * t[i];
      EXPECT_NEAR(sum(forth), sum(back), 1e-9);

      std::fill_n(m, s.layout().total(), 1.0);
      project_traces(s.layout(), m);
      double farthest = 0;
      for_boundary(s.layout(), [&](std::size_t, std::size_t, std::int32_t place) {
        farthest = std::max(farthest, std::abs(m[place] - 1));
      });
      EXPECT_LT(farthest, 1e-14);
    }
  }
}

/// A mortar function that is a polynomial of the order, or of the fourth, is that polynomial on every element.
TEST_F(Mortars, polynomials_are_reproduced_across_split_faces) {
  const problem& p = problem_class("S");
  const auto all = closed_form_leaves(test::ball_at(p, 5), p.levels);
  for (const int order : {2, 3, 4, 6, 8}) {
    heat_solver s(team(), options(p, exchange_form::copies, order));
    s.set_mesh(test::cut_mesh(team(), all));
    const auto f = [order](double x, double y, double z) {
      return std::pow(x, order) - std::pow(y, order - 1) * z + z * x * y - 3 * y * std::pow(z, order - 1);
    };
    double* const m = s.vectors().direction;
    const auto position = [&](std::size_t n, std::size_t point) {
      const octant& o = s.mesh().leaves[n];
      const int at = points_of(order).boundary[point];
      const operators& op = ops(order);
      const auto along = [&](std::uint32_t anchor, int axis) {
        return (anchor + o.side() * (op.zeta[static_cast<std::size_t>(op.counts.coordinate(at, axis))] + 1) / 2) /
               cube_side;
      };
      return f(along(o.x, 0), along(o.y, 1), along(o.z, 2));
    };
    std::vector<std::uint8_t> is_set(static_cast<std::size_t>(s.layout().size));
    for_boundary(s.layout(), [&](std::size_t n, std::size_t point, std::int32_t place) {
      if (place < s.layout().total()) m[place] = position(n, point), is_set[static_cast<std::size_t>(place)] = 1;
    });
    // Ghosts that no element here has as its own point are known to their owners.
    mortar_exchange exchange(team(), exchange_form::owner);
    exchange.renew(s.layout(), s.mesh().shapes);
    exchange.spread(m);
    project_traces(s.layout(), m);
    double farthest = 0;
    int traces = 0;
    for_boundary(s.layout(), [&](std::size_t n, std::size_t point, std::int32_t place) {
      // Mortars that this rank owns but only another rank's element has as its own point are not known here.
      if (place < s.layout().total() && is_set[static_cast<std::size_t>(place)] == 0) return;
      traces += place >= s.layout().traces_begin ? 1 : 0;
      if (size() == 1) farthest = std::max(farthest, std::abs(m[place] - position(n, point)));
    });
    EXPECT_LT(farthest, 1e-13) << "order " << order;
    EXPECT_GT(sum(traces), 0);
  }
}

/// x A y = y A x for the whole system, and the diagonal is what the preconditioner inverts.
TEST_F(Mortars, matrix_is_symmetric_and_has_the_diagonal_that_is_inverted) {
  const problem& p = problem_class("S");
  const auto all = closed_form_leaves(test::ball_at(p, 1), p.levels);
  for (const auto& [form, order] : forms_and_orders) {
    heat_solver s(team(), options(p, form, order));
    const auto interior_points = static_cast<std::size_t>(s.elements().counts().interior());
    s.set_mesh(test::cut_mesh(team(), all, cuts_at_random(all.size(), size(), 5)));
    mortar_exchange exchange(team(), exchange_form::owner);
    exchange.renew(s.layout(), s.mesh().shapes);
    const auto& f = s.elements().fields();
    const auto own = static_cast<std::size_t>(s.layout().own());
    const auto inner = static_cast<std::size_t>(s.elements().interior_size());
    // iterate() makes its z as M r; so r is what M has to be applied to.
    const auto set = [&](std::uint64_t seed) {
      fill(s, exchange, s.vectors().residual, seed);
      for (std::size_t n = 0; n < s.mesh().leaves.size(); ++n)
        for (std::size_t k = 0; k < interior_points; ++k) {
          const std::size_t slot = s.elements().slot_of(n);
          f.r[(slot / simd_lanes * interior_points + k) * simd_lanes + slot % simd_lanes] =
              value_of(seed * s.mesh().leaves[n].code() + k);
        }
    };
    struct result {
      cg_sums sums;
      std::vector<double> r, z, q;  // own mortars, then interiors
    };
    const auto run = [&](std::uint64_t seed) {
      set(seed);
      result out;
      out.r.assign(s.vectors().residual, s.vectors().residual + own);
      out.sums = s.iterate({});
      out.z.assign(s.vectors().preconditioned, s.vectors().preconditioned + own);
      out.q.assign(s.vectors().product, s.vectors().product + own);
      for (std::size_t i = 0; i < inner; ++i) {
        const std::size_t point = i / simd_lanes % interior_points, block = i / simd_lanes / interior_points;
        out.r.push_back(f.r[i]), out.q.push_back(f.lodged(lodger::q, block, point, i % simd_lanes));
        out.z.push_back(f.r[i] * f.inverse_diagonal_at(block, point, i % simd_lanes));
      }
      return out;
    };
    const auto dot = [&](const std::vector<double>& a, const std::vector<double>& b) {
      double local = 0;
      for (std::size_t i = 0; i < a.size(); ++i) local += a[i] * b[i];
      return sum(local);
    };
    const result x = run(3), y = run(4);
    EXPECT_NEAR(dot(x.z, y.q) / dot(y.z, x.q), 1, 1e-12);
    EXPECT_NEAR(x.sums.square / dot(x.r, x.z), 1, 1e-12);
    EXPECT_NEAR(x.sums.curvature / dot(x.z, x.q), 1, 1e-12);
    EXPECT_EQ(run(3).sums.curvature, x.sums.curvature);

    // Unit vectors: r_i = A_ii makes z_i = 1, and <z, A z> is the diagonal.
    for (int k = 0; k < 32; ++k) {
      std::fill_n(f.r, inner, 0.0);
      s.vectors().clear(s.vectors().residual);
      const auto owner = k % size();
      const auto at = own == 0 ? 0 : static_cast<std::size_t>(k) * 7919 % own;
      const bool has_point = rank() == owner && own > 0 && s.vectors().inverse_diagonal[at] != 0;
      const double diagonal = has_point ? 1 / s.vectors().inverse_diagonal[at] : 0;
      if (has_point) s.vectors().residual[at] = diagonal;
      exchange.spread(s.vectors().residual);
      EXPECT_NEAR(s.iterate({}).curvature, sum(diagonal), 1e-12 * sum(diagonal))
          << "point " << at << " of rank " << owner;
    }
  }
}

}  // namespace
}  // namespace adaptive_heat
