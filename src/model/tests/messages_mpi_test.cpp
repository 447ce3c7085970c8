// SPDX-License-Identifier: BSD-3-Clause
// What plans of modelled machines say that they send is what running plans hand to MPI, message by message: counted at
// MPI's own door on every rank.
// Alone: it replaces MPI_Isend and MPI_Issend.
#include <collective/engine.hpp>
#include <collective/lowering.hpp>
#include <complex>
#include <cstdlib>
#include <fft/lowering.hpp>
#include <halo/lowering.hpp>
#include <irregular/lowering.hpp>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>
#include <numeric>
#include <random>
#include <transpose/lowering.hpp>

namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 3, 6}, .node_sizes = {1, 2, 3}}};

std::vector<nearfar::exchange::message>* sent = nullptr;  // null: not counting

void count(int bytes_each, int number, int to, MPI_Comm comm) {
  if (sent == nullptr) return;
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  sent->push_back({rank, to, nearfar::index_t{number} * bytes_each});
}

int size_of(MPI_Datatype type) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  return bytes;
}

}  // namespace

extern "C" int MPI_Isend(const void* data, int number, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  count(size_of(type), number, to, comm);
  return PMPI_Isend(data, number, type, to, tag, comm, request);
}
extern "C" int MPI_Issend(const void* data, int number, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                          MPI_Request* request) {
  count(size_of(type), number, to, comm);
  return PMPI_Issend(data, number, type, to, tag, comm, request);
}

namespace nearfar::exchange {

void PrintTo(const message& m, std::ostream* out) {  // NOLINT: GoogleTest's name
  *out << m.source << " to " << m.target << ": " << m.bytes << " B";
}

}  // namespace nearfar::exchange

namespace nearfar::test {
namespace {

using exchange::flow_size;
using exchange::message;
using exchange::rank_flows;

class MessagesTest : public MpiTest {
 protected:
  /// What this rank hands to MPI in one run, sorted.
  template <class Run>
  std::vector<message> counted(Run run) {
    std::vector<message> all;
    sent = &all;
    run();
    sent = nullptr;
    std::sort(all.begin(), all.end());
    return all;
  }

  /// Nodes of as many ranks as the first one has. Collective.
  static node_shape shape_of_team(const team& t) {
    int per_node = t.near_size();
    MPI_Bcast(&per_node, 1, MPI_INT, 0, t.comm());
    return {t.size(), per_node};
  }

  /// This rank's messages by the model, sorted.
  std::vector<message> modelled(const team& t, const std::string& method, const exchange::flows_by_rank& flows) {
    const node_shape shape = shape_of_team(t);
    std::vector<message> own;
    for (const message& m : exchange::messages_of(shape, shape.node_of(rank()), method, flows))
      if (m.source == rank()) own.push_back(m);
    std::sort(own.begin(), own.end());
    return own;
  }

  template <class Plan>
  void expect_same(const team& t, const std::string& method, Plan& plan, const exchange::flows_by_rank& flows) {
    plan.run();  // connections are made in the first run
    EXPECT_EQ(counted([&] { plan.run(); }), modelled(t, method, flows)) << method << " on rank " << rank();
  }

  static std::vector<std::string> methods_for(const team& t) {
    if (t.nodes() == 1) return {"isend", "near-mixed"};
    std::vector<std::string> names{"isend", "near-mixed+isend", "near-mixed+parts"};
    const bool has_lanes = t.nodes() < t.size();  // of ranks alone on their nodes there are none
    if (has_lanes) names.insert(names.end(), {"near-staged+lanes", "near-line+own-lanes", "isend+own-lanes-in-parts"});
    return names;
  }
};

TEST_F(MessagesTest, of_halo_plans) {
  const team t(comm());
  for (const bool is_box : {true, false})
    for (const placement ranks : {placement::rank_order, placement::node_tiles}) {
      const grid_options cut{.periodic = {true, false}, .placement = ranks};
      const std::vector<index_t> extents{24, 330};
      const ghosts widths{{2, 1}, {1, 3}};
      const stencil shape = is_box ? stencil::box : stencil::star;
      halo_lowering model(shape_of_team(t), {extents, cut, widths, shape, sizeof(double), 2});
      const auto flows = [&](int r) { return model.flows_of(r); };
      const grid cells(t, extents, cut);
      const field<double> a(cells, {.ghosts = widths}), b(cells, {.ghosts = widths});
      EXPECT_EQ(model.own(rank()), cells.own());
      for (const std::string& method : methods_for(t)) {
        halo_plan plan({a, b}, {.method = method, .stencil = shape});
        expect_same(t, method, plan, flows);
      }
    }
}

TEST_F(MessagesTest, of_transpositions) {
  const team t(comm());
  const std::vector<index_t> extents{13, 40, 30};
  const auto sides = [&](const team& members) {
    return std::pair{transpose_side{decomposition::pencil(members, extents, 2)},
                     transpose_side{decomposition::pencil(members, extents, 1), {0, 2, 1}}};
  };
  const node_shape nodes = shape_of_team(t);
  const auto flows = [&](int r) {
    const auto [from, to] = sides(modelled_team(nodes, r));
    return transpose_flows(from, to, 1, sizeof(double));
  };
  const auto [from, to] = sides(t);
  std::vector<double> in(as_size(shape_of(from).elements)), out(as_size(shape_of(to).elements));
  for (const std::string& method : methods_for(t)) {
    transpose_plan plan(from, to, in, out, {.method = method});
    expect_same(t, method, plan, flows);
  }
}

TEST_F(MessagesTest, of_transforms) {
  const team t(comm());
  const fft_shape shape = fft_shape::complex({12, 12, 10});
  const auto layout_of = [&](const team& members) { return fft_layout(members, shape); };
  const fft_layout layout = layout_of(t);
  std::vector<std::complex<double>> in(as_size(shape_of(layout.physical()).elements)),
      out(as_size(shape_of(layout.spectral()).elements));
  fft_plan<double> plan(layout, in, out, {.method = "isend", .fusion = fft_fusion::never});
  std::vector<message> expected;
  const node_shape nodes = shape_of_team(t);
  const auto moves = fft_flows(layout_of(modelled_team(nodes, rank())), sizeof(double)).size();
  for (std::size_t move = 0; move < moves; ++move)
    for (const message& m : modelled(
             t, "isend", [&](int r) { return fft_flows(layout_of(modelled_team(nodes, r)), sizeof(double)).at(move); }))
      expected.push_back(m);
  std::sort(expected.begin(), expected.end());
  plan.run(fft_direction::forward);
  EXPECT_EQ(counted([&] { plan.run(fft_direction::forward); }), expected);
}

TEST_F(MessagesTest, of_gathers) {
  const team t(comm());
  constexpr index_t elements = 1000;
  const auto references_of = [](int r) {
    std::mt19937 random(static_cast<unsigned>(r) + 7);
    std::vector<index_t> all(300);
    for (index_t& g : all) g = static_cast<index_t>(random() % elements);
    return all;
  };
  irregular_plan plan(distribution::block(t, elements), references_of(rank()), {.method = "near-direct+isend"});
  irregular_vector<double> x(plan);
  plan.gather_ghosts(x);
  std::vector<message> expected;
  const node_shape nodes = shape_of_team(t);
  for (int r = 0; r < size(); ++r) {
    const auto flows = gather_flows(distribution::block(modelled_team(nodes, r), elements), references_of(r), 8);
    for (const flow_size& f : flows.receives)
      if (f.peer == rank() && !t.is_near(r)) expected.push_back({rank(), r, f.bytes});
  }
  EXPECT_EQ(counted([&] { plan.gather_ghosts(x); }), expected) << "rank " << rank();
}

collective::job job_of(const collective::modelled_call& c, std::vector<double>& in, std::vector<double>& out) {
  collective::job j;
  j.what = c.what;
  j.out = reinterpret_cast<std::byte*>(out.data());
  j.in = c.what == collective::kind::bcast ? j.out : reinterpret_cast<const std::byte*>(in.data());
  j.bytes = c.bytes, j.count = c.bytes / c.element_bytes;
  j.op = reduction::reducer::of(MPI_SUM, MPI_DOUBLE);
  return j;
}

TEST_F(MessagesTest, of_collectives) {
  using collective::kind;
  const team t(comm());
  collective::engine e(t);
  e.inside().near->make_ring(collective::ring_bytes);
  const node_shape shape = shape_of_team(t);
  int compared = 0;
  for (const auto& [what, count] : std::vector<std::pair<kind, index_t>>{{kind::barrier, 0},
                                                                         {kind::allreduce, 1},
                                                                         {kind::allreduce, 3000},
                                                                         {kind::allreduce, 40000},
                                                                         {kind::allreduce, 200001},
                                                                         {kind::bcast, 5},
                                                                         {kind::bcast, 30000},
                                                                         {kind::reduce, 5},
                                                                         {kind::reduce, 30000},
                                                                         {kind::allgather, 400},
                                                                         {kind::alltoall, 20}}) {
    const collective::modelled_call asked{what, count * 8, 8};
    std::vector<double> in(as_size(std::max<index_t>(count, 1) * size()), 1.0), out = in;
    for (const collective::algorithm& a : collective::algorithms_of(what)) {
      if (!collective::is_lowered(what, a.name) || !a.serves(collective::setting_of(shape, asked))) continue;
      const collective::job j = job_of(asked, in, out);
      a.run(e.inside(), j);
      std::vector<message> expected;
      for (const collective::step_message& m : collective::messages_of(shape, rank(), asked, a.name))
        if (m.is_send) expected.push_back({rank(), m.peer, m.bytes});
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(counted([&] { a.run(e.inside(), j); }), expected)
          << name_of(what) << " of " << count << " by " << a.name << " on rank " << rank();
      ++compared;
    }
  }
  EXPECT_GE(compared, shape.nodes() > 1 && shape.per_node > 1 ? 15 : 0);
}

}  // namespace
}  // namespace nearfar::test
