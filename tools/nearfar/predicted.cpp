// SPDX-License-Identifier: BSD-3-Clause
// nearfar bench --predict: messages counted and modelled, times measured and predicted.
#include "predicted.hpp"

#include <base/text.hpp>
#include <cstdio>
#include <halo/lowering.hpp>
#include <irregular/lowering.hpp>
#include <map>
#include <memory>
#include <model/simulation.hpp>
#include <model/workloads.hpp>
#include <nearfar/nearfar.hpp>
#include <nlohmann/json.hpp>
#include <topology/agree.hpp>
#include <transpose/lowering.hpp>

#include "bursts.hpp"
#include "sent.hpp"

namespace nearfar::command {

namespace {

using json = nlohmann::ordered_json;
using exchange::message;

/// An operation as it runs and as it is modelled.
struct subject {
  const char* front;
  std::string what, method;
  std::function<void()> run;
  std::vector<message> modelled;  ///< that this rank sends, sorted
  model::program steps;           ///< many of them, one after the other
  std::vector<std::shared_ptr<void>> kept{};
};

/// The model's runs follow each other as the measured ones do: ranks do not wait for all others in between.
constexpr int modelled_repeats = 8, modelled_runs = 21;

class maker {
 public:
  maker(const team& t, const model::machine& m) : t_(t), m_(m) {
    agree(t, [&] {
      if (shape_.node_of(t.rank()) != t.node() || shape_.size_of(t.node()) != t.near_size())
        throw usage_error(text("the model deals ranks to nodes one node after the other, ", shape_.per_node,
                               " to each; rank ", t.rank(), " is on node ", t.node(), " with ", t.near_size()));
    });
  }

  bool has_lanes() const { return t_.nodes() > 1 && t_.nodes() < t_.size(); }
  std::string with_near(const std::string& far) const { return t_.nodes() == 1 ? "near-mixed" : "near-mixed+" + far; }

  subject halo(index_t side, int fields, const std::string& far) const {
    const std::string method = with_near(far);
    const grid cells(t_, {side, side}, {.periodic = {true, true}});
    const auto list = std::make_shared<std::vector<field<double>>>();
    for (int i = 0; i < fields; ++i) list->emplace_back(cells, field_options{.ghosts = 1});
    const auto plan =
        std::make_shared<halo_plan>(std::vector<halo_part>(list->begin(), list->end()), halo_options{.method = method});
    const auto cut = std::make_shared<halo_lowering>(
        shape_, halo_request{{side, side}, {.periodic = {true, true}}, 1, stencil::box, sizeof(double), fields});
    return with_flows(
        {"halo", text(side, " x ", side, ", ", fields, " fields"), method, [plan] { plan->run(); }, {}, {}, {list}},
        [cut](int rank) { return cut->flows_of(rank); });
  }

  subject transpose(index_t side) const {
    const auto sides = [side](const team& members) {
      return std::pair{transpose_side{decomposition::slab(members, {side, side}, 0)},
                       transpose_side{decomposition::slab(members, {side, side}, 1)}};
    };
    const auto [from, to] = sides(t_);
    const auto in = numbers(shape_of(from).elements), out = numbers(shape_of(to).elements);
    const std::string method = with_near("isend");
    const auto plan = std::make_shared<transpose_plan>(from, to, *in, *out, transpose_options{.method = method});
    subject s{"transpose", text(side, " x ", side, ", slabs"), method, [plan] { plan->run(); }, {}, {}, {in, out}};
    return with_flows(std::move(s), [shape = shape_, sides](int rank) {
      const auto [a, b] = sides(modelled_team(shape, rank));
      return transpose_flows(a, b, 1, sizeof(double));
    });
  }

  subject gather(index_t elements, index_t references) const {
    const auto references_of = [=](int rank) {
      constexpr index_t stride = 7919;
      std::vector<index_t> all;
      for (index_t i = 0; i < references; ++i) all.push_back((i * stride + rank) % elements);
      return all;
    };
    const std::string method = t_.nodes() == 1 ? "near-direct" : "near-direct+isend";
    irregular_plan plan(distribution::block(t_, elements), references_of(t_.rank()), {.method = method});
    const auto x = std::make_shared<irregular_vector<double>>(plan);
    const auto shared = std::make_shared<irregular_plan>(std::move(plan));
    return with_flows(
        {"irregular", text(references, " of ", elements), method, [=] { shared->gather_ghosts(*x); }, {}, {}},
        gather_flows(shape_, elements, references_of, sizeof(double)));
  }

  static collective::modelled_call sum_of(index_t count) {
    return {collective::kind::allreduce, count * index_t{sizeof(double)}, sizeof(double)};
  }
  /// Not where it is left to the MPI.
  bool knows_allreduce(index_t count) const {
    return t_.nodes() == 1 ||
           collective::is_lowered(sum_of(count).what, collective::default_method(shape_, sum_of(count)));
  }
  /// By the algorithm that is taken where nothing was measured.
  subject allreduce(index_t count) const {
    const collective::modelled_call call = sum_of(count);
    const auto in = numbers(count), out = numbers(count);
    const std::string method = collective::default_method(shape_, call);
    const auto plan =
        std::make_shared<collective_plan>(t_, calls::allreduce(*in, *out, MPI_SUM), plan_options{.method = method});
    subject s{"allreduce", readable_bytes(call.bytes), method, [plan] { plan->run(); }, {}, {}, {in, out}};
    for (const collective::step_message& m : collective::messages_of(shape_, t_.rank(), call, method))
      if (m.is_send) s.modelled.push_back({t_.rank(), m.peer, m.bytes});
    std::sort(s.modelled.begin(), s.modelled.end());
    const model::program once = model::collective_program(shape_, call, method, m_);
    s.steps = once;
    for (int i = 1; i < modelled_repeats; ++i)
      for (std::size_t r = 0; r < once.ranks.size(); ++r) {
        const auto& more = once.ranks[r].operations;
        s.steps.ranks[r].operations.insert(s.steps.ranks[r].operations.end(), more.begin(), more.end());
      }
    return s;
  }

 private:
  static std::shared_ptr<std::vector<double>> numbers(index_t count) {
    return std::make_shared<std::vector<double>>(as_size(count), 1.0);
  }

  subject with_flows(subject s, const exchange::flows_by_rank& flows) const {
    for (const message& m : exchange::messages_of(shape_, t_.node(), s.method, flows))
      if (m.source == t_.rank()) s.modelled.push_back(m);
    std::sort(s.modelled.begin(), s.modelled.end());
    const model::exchange_workload work(shape_, s.method, flows, shape_.nodes());
    s.steps = {shape_, {}};
    for (const int rank : work.ranks()) s.steps.ranks.push_back({rank, {}});
    for (int i = 0; i < modelled_repeats; ++i) work.append(s.steps.ranks, m_);
    return s;
  }

  team t_;
  model::machine m_;
  node_shape shape_{t_.size(), first_near_size()};

  int first_near_size() const {
    int size = t_.near_size();
    MPI_Bcast(&size, 1, MPI_INT, 0, t_.comm());
    return size;
  }
};

/// Messages and bytes of all ranks. Collective.
std::pair<index_t, index_t> totals(const team& t, const std::vector<message>& own) {
  std::int64_t mine[2] = {static_cast<std::int64_t>(own.size()), 0}, all[2] = {0, 0};
  for (const message& m : own) mine[1] += m.bytes;
  MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, t.comm());
  return {all[0], all[1]};
}

json compared(const team& t, const model::machine& m, const subject& s, double seconds) {
  s.run();  // connections are made in the first run
  const std::vector<message> sent = sent_during(s.run);
  const auto [counted, counted_bytes] = totals(t, sent);
  const auto [modelled, modelled_bytes] = totals(t, s.modelled);
  int is_same = sent == s.modelled ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &is_same, 1, MPI_INT, MPI_MIN, t.comm());
  const int times = runs_of_burst(t, s.run);
  std::vector<double> measured;
  for (burst_budget left(seconds); left.goes_on(measured.size()); left.spend(times * measured.back()))
    measured.push_back(burst_us(t, s.run, times));
  const double measured_us = median(measured);
  const double predicted_us = model::predict(s.steps, m, modelled_runs).median_us / modelled_repeats;
  return {{"front", s.front},
          {"what", s.what},
          {"method", s.method},
          {"ranks", t.size()},
          {"nodes", t.nodes()},
          {"messages", counted},
          {"messages_modelled", modelled},
          {"bytes", counted_bytes},
          {"bytes_modelled", modelled_bytes},
          {"same", is_same != 0},
          {"measured_us", measured_us},
          {"predicted_us", predicted_us},
          {"error_percent", 100 * (predicted_us / measured_us - 1)}};
}

void print_row(const json& row) {
  std::printf("%-10s %-20s %-18s%9lld%9lld%12lld%12lld  %-4s%11.1f%11.1f%+8.0f %%\n",
              row["front"].get<std::string>().c_str(), row["what"].get<std::string>().c_str(),
              row["method"].get<std::string>().c_str(), row["messages"].get<long long>(),
              row["messages_modelled"].get<long long>(), row["bytes"].get<long long>(),
              row["bytes_modelled"].get<long long>(), row["same"].get<bool>() ? "yes" : "NO",
              row["measured_us"].get<double>(), row["predicted_us"].get<double>(), row["error_percent"].get<double>());
}

}  // namespace

int print_predicted(const team& t, const model::machine& m, double seconds, bool is_json) {
  const maker make(t, m);
  std::vector<std::function<subject()>> all{[&] { return make.halo(400, 1, "isend"); },
                                            [&] { return make.halo(1000, 8, "isend"); }};
  if (make.has_lanes()) all.emplace_back([&] { return make.halo(1000, 8, "lanes"); });
  all.insert(all.end(), {[&] { return make.transpose(512); }, [&] { return make.gather(100000, 20000); }});
  for (const index_t count : {1, 8192, 1 << 18})
    if (make.knows_allreduce(count)) all.emplace_back([&, count] { return make.allreduce(count); });
  if (t.is_root() && !is_json)
    std::printf("%-10s %-20s %-18s%9s%9s%12s%12s  %-4s%11s%11s%10s\n", "front", "operation", "method", "messages",
                "model", "bytes", "model", "same", "us", "model", "error");
  json rows = json::array();
  bool is_same = true;
  for (const auto& each : all) {
    rows.push_back(compared(t, m, each(), seconds));
    is_same = is_same && rows.back()["same"].get<bool>();
    if (t.is_root() && !is_json) print_row(rows.back());
  }
  if (t.is_root() && is_json) std::printf("%s\n", rows.dump(2).c_str());
  return is_same ? 0 : 1;
}

}  // namespace nearfar::command
