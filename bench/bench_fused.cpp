// SPDX-License-Identifier: BSD-3-Clause
// Whole three-dimensional transforms between slabs: fused stages beside the same transforms with transpositions between them, and FFTW's own.
#include <cmath>
#include <cstdio>
#include <list>
#include <vector>

#include "bench_fused_ways.hpp"
#include "harness/program.hpp"
#include "harness/report.hpp"

namespace bench {

using nearfar::index;

namespace {

struct cube_case {
  std::string name;
  cube what;
  bool is_backward;
};

std::vector<cube_case> all_cases() {
  std::vector<cube_case> all;
  for (const bool is_real : {false, true})
    for (const index n : {64, 128, 256})
      for (const bool is_backward : {false, true}) {
        const char* const kind = is_real ? (is_backward ? "c2r-" : "r2c-") : (is_backward ? "c2c-backward-" : "c2c-");
        all.push_back({kind + std::to_string(n), {n, is_real}, is_backward});
      }
  return all;
}

class cube_bench {
 public:
  cube_bench(const nearfar::team& members, const options& how, const cube_case& c) : members_(members), case_(c) {
    what.name = c.name;
    const index n = c.what.points;
    what.bytes = n * n * n / members.size() * (c.what.is_real ? 8 : 16);
    add(how, "nearfar", true, [&] { return make_fused(members, c.what, ""); });
    add(how, "nearfar:near-direct", false, [&] { return make_fused(members, c.what, "near-direct"); });
    add(how, "nearfar:in-turn", false, [&] { return make_in_turn(members, c.what); });
#ifdef NEARFAR_BENCH_FFTW_MPI
    add(how, "peer-fftw", false, [&] { return make_fftw_mpi(c.what); });
#endif
  }

  subject what;
  std::vector<contender> contenders;

 private:
  template <class Make>
  void add(const options& how, const std::string& name, bool is_tuned, Make make) {
    if (!how.wants_method(name)) return;
    contender c;
    c.setup_ms = timed_ms(MPI_COMM_WORLD, [&] { ways_.push_back(make()); });
    c.name = name;
    c.is_tuned = is_tuned;
    cube_way* way = ways_.back().get();
    fill(*way);
    if (case_.is_backward) way->forward();
    c.choice = [way] { return way->choice(); };
    c.burst = [this, way](int n) {
      const double begin = now_s();
      for (int i = 0; i < n; ++i) case_.is_backward ? way->backward() : way->forward();
      return now_s() - begin;
    };
    c.check = [this, way] { return is_right(*way); };
    contenders.push_back(std::move(c));
  }

  double value_at(index x, index y, index z) const {
    const index n = case_.what.points;
    return static_cast<double>(((x * n + y) * n + z) * 37 % 101) / 101;
  }

  template <class Body>
  void for_reals(cube_way& way, Body body) {
    const auto own = nearfar::decomposition::slab(members_, std::vector<index>(3, case_.what.points), 0).own();
    const index n = case_.what.points, per = case_.what.is_real ? 1 : 2;
    for (index x = own.lower[0]; x < own.upper[0]; ++x)
      for (index y = 0; y < n; ++y)
        for (index z = 0; z < n * per; ++z)
          body(way.physical()[((x - own.lower[0]) * n + y) * way.row_reals() + z], value_at(x, y, z));
  }

  void fill(cube_way& way) {
    for_reals(way, [](double& x, double value) { x = value; });
  }

  /// The sum of all is the coefficient of wave number 0, and there and back multiplies by the number of points.
  bool is_right(cube_way& way) {
    fill(way);
    element sums[2] = {};
    index place = 0;
    for_reals(way, [&](double&, double value) {
      const bool is_imaginary = !case_.what.is_real && place++ % 2 == 1;
      sums[0] += is_imaginary ? element(0, value) : element(value, 0);
    });
    MPI_Allreduce(sums, sums + 1, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    way.forward();
    const double points = std::pow(static_cast<double>(case_.what.points), 3);
    bool is_right = members_.rank() != 0 || std::abs(way.spectral()[0] - sums[1]) < 1e-9 * std::abs(sums[1]);
    way.backward();
    for_reals(way, [&](double& x, double value) { is_right &= std::abs(x / points - value) < 1e-12; });
    fill(way);
    way.forward();
    return is_right;
  }

  const nearfar::team& members_;
  cube_case case_;
  std::list<std::unique_ptr<cube_way>> ways_;
};

void list() {
  for (const auto& c : all_cases()) std::printf("%s\n", c.name.c_str());
}

int run(const options& how) {
  const nearfar::team members(MPI_COMM_WORLD);
  setting where{"fused", mpi_name(), members.size(), members.nodes(), members.is_root()};
  report table(where, how);
  for (const auto& c : all_cases()) {
    if (!how.wants_case(c.name)) continue;
    cube_bench made(members, how, c);
    table.add(measure(MPI_COMM_WORLD, how, made.what, made.contenders));
  }
  table.finish();
  return table.exit_code();
}

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, "Transforms of cubes between slabs, in double precision.", {}, bench::list,
                            bench::run);
}
