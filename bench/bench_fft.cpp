// SPDX-License-Identifier: BSD-3-Clause
// Transforms of cubes of double precision numbers, forward and backward: our plans in several settings, one rank alone,
// and peers.
#include <cmath>
#include <cstdio>
#include <list>

#include "bench_fft_methods.hpp"
#include "harness/hop.hpp"
#include "harness/program.hpp"
#include "harness/report.hpp"
#include "peers/fft_peers.hpp"

namespace bench {

using nearfar::index_t;

namespace {

const std::string fftw_by_name = "nearfar-fftw";  // the peers' serial engine
const std::string best_by_name = "nearfar:best";  // what bars on our best engine are for

struct cube_case {
  std::string name;
  fft_cube what;
};

std::vector<cube_case> all_cases() {
  std::vector<cube_case> all;
  for (const bool is_real : {false, true})
    for (const index_t n : {16, 32, 64, 128, 256})
      all.push_back({(is_real ? "r2c-" : "c2c-") + std::to_string(n), {n, is_real}});
  return all;
}

/// Any, but the sums of all are far from zero.
double value_at(index_t i, int rank) { return static_cast<double>((i * 37 + rank * 11) % 101) / 101; }

std::vector<fft_entry> all_methods(const nearfar::team& members, const fft_cube& what, double tune_s) {
  std::vector<fft_entry> all = own_fft_methods(members, what, tune_s);
  [[maybe_unused]] const auto append = [&all](const std::vector<fft_entry>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
#ifdef NEARFAR_BENCH_DECOMP2D
  append(decomp2d_fft_methods(members, what));
#endif
#ifdef NEARFAR_BENCH_FFTW_MPI
  append(fftw_fft_methods(what));
#endif
#ifdef NEARFAR_BENCH_DTFFT
  append(dtfft_fft_methods(members, what));
#endif
  return all;
}

/// What a rank sends to another of a slab's transposition.
index_t block_bytes(const nearfar::team& members, const fft_cube& what) {
  const index_t numbers = what.points * what.points * (what.is_real ? what.points / 2 + 1 : what.points);
  return numbers * 16 / (static_cast<index_t>(members.size()) * members.size());
}

/// Of the best peer. Near: 1.3 times with the best engine; with the peers' serial engine the more, the more has to be
/// moved. Over several nodes the wire decides: 1.5 times where blocks are small, and never much less than a peer.
std::vector<rival> rivals_of(const nearfar::team& members, const fft_cube& what) {
  if (members.nodes() > 1) return {{"all peers", {"peer-"}, bar_between_nodes(block_bytes(members, what))}};
  const double same_engine = what.points >= 256 ? 1.3 : what.points >= 128 ? 1.1 : 0.97;
  return {{"all peers", {"peer-"}, 1.3, same_engine}};
}

class cube_bench {
 public:
  cube_bench(const nearfar::team& members, const options& how, const cube_case& c) : members_(members), case_(c) {
    what.name = c.name;
    what.bytes = c.what.points * c.what.points * c.what.points / members.size() * (c.what.is_real ? 8 : 16);
    what.rivals = rivals_of(members, c.what);
    what.other = fftw_by_name;
    if (how.wants_method(best_by_name)) what.ours = best_by_name;
    for (const fft_entry& e : all_methods(members, c.what, how.tune_s))
      if (how.wants_method(e.name)) add(e);
    if (members.size() == 2 && members.nodes() == 1 && how.wants_method("hop"))
      contenders.push_back(make_hop(MPI_COMM_WORLD));
  }

  subject what;
  std::vector<contender> contenders;

 private:
  void add(const fft_entry& entry) {
    contender c;
    std::unique_ptr<fft_method> made;
    c.setup_ms = timed_ms(MPI_COMM_WORLD, [&] { made = entry.make(); });
    if (!made) return;
    methods_.push_back(std::move(made));
    fft_method* method = methods_.back().get();
    fill(*method);
    c.name = entry.name;
    c.is_tuned = entry.is_tuned;
    c.choice = [method] { return method->choice(); };
    c.burst = [this, method](int n) {
      fill(*method);  // numbers grow by points^3 each time; infinities cost nothing, but plain ones are fairer
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = now_s();
      for (int i = 0; i < n; ++i) method->run();
      return now_s() - begin;
    };
    c.check = [this, method] { return is_right(*method); };
    contenders.push_back(std::move(c));
  }

  /// Calls body(number, value) for this rank's numbers.
  template <class Body>
  void for_numbers(fft_method& method, Body body) const {
    const rows_of_reals rows = method.physical();
    for (index_t row = 0, i = 0; row < rows.count; ++row)
      for (index_t k = 0; k < rows.length; ++k, ++i)
        body(rows.first[row * rows.stride + k], value_at(i, members_.rank()));
  }

  void fill(fft_method& method) const {
    for_numbers(method, [](double& number, double value) { number = value; });
  }

  /// The sum of all is the coefficient of wave number 0, and there and back multiplies by the number of points.
  bool is_right(fft_method& method) {
    fill(method);
    std::complex<double> sums[2] = {};
    bool is_imaginary = false;
    for_numbers(method, [&](double&, double value) {
      sums[0] += is_imaginary ? std::complex<double>(0, value) : std::complex<double>(value, 0);
      is_imaginary = !case_.what.is_real && !is_imaginary;
    });
    MPI_Allreduce(sums, sums + 1, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const std::complex<double> constant = method.forward_constant();
    bool is_right = members_.rank() != 0 || std::abs(constant - sums[1]) < 1e-9 * std::abs(sums[1]);
    fill(method);
    MPI_Barrier(MPI_COMM_WORLD);
    method.run();
    const double points = std::pow(static_cast<double>(case_.what.points), 3);
    for_numbers(method, [&](double number, double value) { is_right &= std::abs(number / points - value) < 1e-12; });
    fill(method);
    return is_right;
  }

  const nearfar::team& members_;
  cube_case case_;
  std::list<std::unique_ptr<fft_method>> methods_;
};

void list() {
  for (const auto& c : all_cases()) std::printf("%s\n", c.name.c_str());
}

int run(const options& how) {
  const nearfar::team members(MPI_COMM_WORLD);
  setting where{"fft", mpi_name(), members.size(), members.nodes(), members.is_root(), fftw_by_name, "by fftw"};
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
