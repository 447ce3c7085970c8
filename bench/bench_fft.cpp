// SPDX-License-Identifier: BSD-3-Clause
// Transforms of cubes of double precision numbers, forward and backward: our plans in several settings, one rank alone, and peers.
#include <cmath>
#include <cstdio>
#include <list>

#include "bench_fft_ways.hpp"
#include "harness/program.hpp"
#include "harness/report.hpp"

namespace bench {

using nearfar::index;

namespace {

struct cube_case {
  std::string name;
  fft_cube what;
};

std::vector<cube_case> all_cases() {
  std::vector<cube_case> all;
  for (const bool is_real : {false, true})
    for (const index n : {64, 128, 256}) all.push_back({(is_real ? "r2c-" : "c2c-") + std::to_string(n), {n, is_real}});
  return all;
}

double value_at(index i, int rank) { return static_cast<double>((i * 37 + rank * 11) % 101) / 101; }

class cube_bench {
 public:
  cube_bench(const nearfar::team& members, const options& how, const cube_case& c) : members_(members), case_(c) {
    what.name = c.name;
    what.bytes = c.what.points * c.what.points * c.what.points / members.size() * (c.what.is_real ? 8 : 16);
    for (const fft_entry& e : fft_ways(members, c.what, how.tune_s))
      if (how.wants_method(e.name)) add(e);
  }

  subject what;
  std::vector<contender> contenders;

 private:
  void add(const fft_entry& entry) {
    contender c;
    std::unique_ptr<fft_way> made;
    c.setup_ms = timed_ms(MPI_COMM_WORLD, [&] { made = entry.make(); });
    if (!made) return;
    ways_.push_back(std::move(made));
    fft_way* way = ways_.back().get();
    fill(*way);
    c.name = entry.name;
    c.is_tuned = entry.is_tuned;
    c.choice = [way] { return way->choice(); };
    c.burst = [this, way](int n) {
      fill(*way);  // numbers grow by points^3 each time; infinities cost nothing, but plain ones are fairer
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = now_s();
      for (int i = 0; i < n; ++i) way->run();
      return now_s() - begin;
    };
    c.check = [this, way] { return is_right(*way); };
    contenders.push_back(std::move(c));
  }

  void fill(fft_way& way) const {
    for (index i = 0; i < way.reals(); ++i) way.physical()[i] = value_at(i, members_.rank());
  }

  /// The sum of all is the coefficient of wave number 0, and there and back multiplies by the number of points.
  bool is_right(fft_way& way) {
    fill(way);
    std::complex<double> sums[2] = {};
    for (index i = 0; i < way.reals(); ++i)
      sums[0] += case_.what.is_real || i % 2 == 0 ? std::complex<double>(value_at(i, members_.rank()), 0)
                                                  : std::complex<double>(0, value_at(i, members_.rank()));
    MPI_Allreduce(sums, sums + 1, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    way.run();
    bool is_right = members_.rank() != 0 || std::abs(way.constant() - sums[1]) < 1e-9 * std::abs(sums[1]);
    const double points = std::pow(static_cast<double>(case_.what.points), 3);
    for (index i = 0; i < way.reals(); ++i)
      is_right &= std::abs(way.physical()[i] / points - value_at(i, members_.rank())) < 1e-12;
    fill(way);
    return is_right;
  }

  const nearfar::team& members_;
  cube_case case_;
  std::list<std::unique_ptr<fft_way>> ways_;
};

void list() {
  for (const auto& c : all_cases()) std::printf("%s\n", c.name.c_str());
}

int run(const options& how) {
  const nearfar::team members(MPI_COMM_WORLD);
  setting where{"fft", mpi_name(), members.size(), members.nodes(), members.is_root()};
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
  return bench::run_program(argc, argv, "Transforms of cubes, forward and backward, in double precision.", {},
                            bench::list, bench::run);
}
