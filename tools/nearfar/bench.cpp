// SPDX-License-Identifier: BSD-3-Clause
// nearfar bench: plans against the plain MPI way on these ranks, in short interleaved bursts; and the machine file.
#include <base/text.hpp>
#include <cstdio>
#include <fstream>
#include <functional>
#include <model/machine.hpp>
#include <nearfar/nearfar.hpp>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "bursts.hpp"
#include "fit.hpp"
#include "predicted.hpp"

namespace nearfar::command {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* bench_usage =
    "usage: mpirun -n N nearfar bench [--seconds 2] [--json]\n"
    "       mpirun -n N nearfar bench --fit FILE\n"
    "       mpirun -n N nearfar bench --predict [--machine FILE] [--seconds 2] [--json]\n"
    "Times operations of each front by the library's choice and by plain MPI, in turns, and prints medians and ratios\n"
    "(above 1: the library is quicker). --seconds: of each operation. --fit measures latencies and speeds here and\n"
    "writes them as a machine file for nearfar model; with ranks on two nodes it measures between these too.\n"
    "--predict puts the messages and times of plans here beside those of nearfar model, on the machine of FILE or as "
    "it\n"
    "is measured first; it ends with 1 if messages differ. Times fit only where ranks have a core each.\n";

/// Two ways of the same.
struct contest {
  const char* front;
  std::string what;
  std::function<void()> plain, ours;
};

json measured(const team& t, const contest& c, double seconds) {
  const int times = runs_of_burst(t, c.plain);
  std::vector<double> plain, ours;
  for (burst_budget left(seconds); left.goes_on(plain.size()); left.spend(times * (plain.back() + ours.back())))
    plain.push_back(burst_us(t, c.plain, times)), ours.push_back(burst_us(t, c.ours, times));
  const double a = median(plain), b = median(ours);
  return {{"front", c.front}, {"what", c.what}, {"plain_us", a},
          {"nearfar_us", b},  {"ratio", a / b}, {"samples", plain.size()}};
}

/// Keeps what the contests use.
struct subjects {
  explicit subjects(const team& t) : members(t) {}
  team members;
  std::vector<std::shared_ptr<void>> kept;
  template <class T, class... Arguments>
  T& make(Arguments&&... arguments) {
    auto made = std::make_shared<T>(std::forward<Arguments>(arguments)...);
    kept.push_back(made);
    return *made;
  }
};

contest halo_contest(subjects& s, index_t side) {
  const grid cells(s.members, {side, side}, {.periodic = {true, true}, .allow_idle = true});
  auto& f = s.make<field<double>>(cells, field_options{.ghosts = 1});
  auto& plain = s.make<halo_plan>(f, halo_options{.method = "isend"});
  auto& ours = s.make<halo_plan>(f);
  return {"halo", text(side, " x ", side, " doubles, 1 ghost"), [&] { plain.run(); }, [&] { ours.run(); }};
}

contest transpose_contest(subjects& s, index_t side) {
  const transpose_side from{decomposition::slab(s.members, {side, side}, 0)},
      to{decomposition::slab(s.members, {side, side}, 1)};
  auto& in = s.make<std::vector<double>>(static_cast<std::size_t>(shape_of(from).elements), 1.0);
  auto& out = s.make<std::vector<double>>(static_cast<std::size_t>(shape_of(to).elements));
  auto& plain = s.make<transpose_plan>(from, to, in, out, transpose_options{.method = "isend"});
  auto& ours = s.make<transpose_plan>(from, to, in, out);
  return {"transpose", text(side, " x ", side, " doubles, slabs"), [&] { plain.run(); }, [&] { ours.run(); }};
}

contest allreduce_contest(subjects& s, index_t count) {
  auto& in = s.make<std::vector<double>>(static_cast<std::size_t>(count), 1.0);
  auto& out = s.make<std::vector<double>>(static_cast<std::size_t>(count));
  const team t = s.members;
  return {"collective", text("allreduce of ", readable_bytes(8 * count)),
          [&in, &out, t] {
            MPI_Allreduce(in.data(), out.data(), static_cast<int>(in.size()), MPI_DOUBLE, MPI_SUM, t.comm());
          },
          [&in, &out, t] { allreduce(t, in, out, MPI_SUM); }};
}

contest gather_contest(subjects& s, index_t elements) {
  std::vector<index_t> references;
  for (index_t i = 0; i < elements / 4; ++i) references.push_back((i * 7919 + s.members.rank()) % elements);
  const distribution where = distribution::block(s.members, elements);
  auto& plain = s.make<irregular_plan>(where, references, irregular_options{.method = "isend"});
  auto& ours = s.make<irregular_plan>(where, references);
  auto& x = s.make<irregular_vector<double>>(plain);
  auto& y = s.make<irregular_vector<double>>(ours);
  return {"irregular", text(elements / 4, " of ", elements, " doubles a rank"), [&] { plain.gather_ghosts(x); },
          [&] { ours.gather_ghosts(y); }};
}

}  // namespace

int run_bench(const std::vector<std::string>& words) {
  const arguments a(words, {"seconds", "fit", "machine"}, {"predict"});
  if (a.has("help")) return std::printf("%s", bench_usage) < 0;
  if (!is_launched()) throw usage_error("start it by the launcher, with two ranks or more: mpirun -n 2 nearfar bench");
  int argc = 0;
  char** argv = nullptr;
  const runtime mpi(argc, argv);
  const team t = mpi.world();
  const double seconds = static_cast<double>(a.number_or("seconds", 2, 1, 3600)) / 2;
  if (t.size() < 2) throw usage_error("bench needs two ranks or more: mpirun -n 2 nearfar bench");
  if (a.has("fit")) {
    const model::machine m = fitted_machine(t);
    if (!t.is_root()) return 0;
    std::ofstream out(a.text_or("fit", ""));
    out << "# Written by nearfar bench --fit.\n" << to_toml(m);
    if (!out.flush()) throw io_error(text(a.text_or("fit", ""), " cannot be written"));
    return 0;
  }
  if (a.has("predict"))
    return print_predicted(t, a.has("machine") ? model::read_machine(a.text_or("machine", "")) : fitted_machine(t),
                           seconds, a.is_json());
  subjects s(t);
  json all = json::array();
  if (t.is_root() && !a.is_json())
    std::printf("%-12s%-34s%12s%12s%8s\n", "front", "operation", "plain, us", "nearfar, us", "ratio");
  for (const contest& c : {halo_contest(s, 100), halo_contest(s, 1000), transpose_contest(s, 512),
                           gather_contest(s, 100000), allreduce_contest(s, 1), allreduce_contest(s, 8192)}) {
    all.push_back(measured(t, c, seconds));
    const json& row = all.back();
    if (t.is_root() && !a.is_json())
      std::printf("%-12s%-34s%12.2f%12.2f%8.2f\n", c.front, c.what.c_str(), row["plain_us"].get<double>(),
                  row["nearfar_us"].get<double>(), row["ratio"].get<double>());
  }
  if (t.is_root() && a.is_json()) std::printf("%s\n", all.dump(2).c_str());
  return 0;
}

}  // namespace nearfar::command
