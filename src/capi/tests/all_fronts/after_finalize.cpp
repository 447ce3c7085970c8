// SPDX-License-Identifier: BSD-3-Clause
// After MPI_Finalize every call says so, in an error of class 1, and none ends in the MPI's abort. Prints what does
// not.
#include <complex>
#include <cstdio>
#include <cstring>
#include <nearfar/nearfar.hpp>
#include <optional>
#include <vector>

namespace {

int faults = 0;

template <class Call>
void refuses(const char* what, const Call& call) {
  const char* outcome = "no error";
  try {
    call();
  } catch (const nearfar::usage_error& e) {
    if (std::strstr(e.what(), "MPI is finalized") != nullptr) return;
    outcome = "another message";
  } catch (const nearfar::error&) {
    outcome = "another error";
  }
  std::printf("%s after MPI_Finalize: %s\n", what, outcome);
  ++faults;
}

template <class Plan>
void refuses_all(const char* front, Plan& plan) {
  refuses(front, [&] { plan.test(); });
  refuses(front, [&] { plan.finish(); });
  refuses(front, [&] { plan.method(); });
  refuses(front, [&] { plan.describe(); });
}

struct everything {
  explicit everything(const nearfar::team& t) : all(t) {}

  nearfar::team all;
  nearfar::grid cells{all, {8, 8}, {.periodic = {true, true}}};
  nearfar::field<double> pressure{cells, {.ghosts = 1}};
  nearfar::halo_plan halo{pressure};
  std::vector<nearfar::index_t> references{0};
  nearfar::irregular_plan gather{nearfar::distribution::block(all, 8), references};
  std::vector<double> x = std::vector<double>(static_cast<std::size_t>(gather.map().total()));
  nearfar::decomposition rows = nearfar::decomposition::slab(all, {8, 8}, 0),
                         columns = nearfar::decomposition::slab(all, {8, 8}, 1);
  std::vector<double> in = std::vector<double>(64), out = std::vector<double>(64);
  nearfar::transpose_plan transpose{{rows}, {columns}, in, out};
  nearfar::fft_layout layout{all, {.extents = {8, 8}}};
  std::vector<std::complex<double>> physical = std::vector<std::complex<double>>(128), spectral = physical;
  nearfar::fft_plan<double> fft{layout, physical, spectral};
  double number = 1, sum = 0;
  nearfar::collective_plan collective{all, nearfar::calls::allreduce(&number, &sum, 1, MPI_DOUBLE, MPI_SUM)};
};

}  // namespace

int main(int argc, char** argv) {
  std::optional<everything> kept;
  bool speaks = false;
  {
    const nearfar::runtime mpi(argc, argv);
    speaks = mpi.world().rank() == 0;
    everything& e = kept.emplace(mpi.world());
    e.halo.run();
    e.transpose.run();
    e.collective.run();
  }
  everything& e = *kept;
  refuses("halo start", [&] { e.halo.start(); });
  refuses_all("halo", e.halo);
  refuses("transpose start", [&] { e.transpose.start(); });
  refuses_all("transpose", e.transpose);
  refuses("fft start", [&] { e.fft.start(nearfar::fft_direction::forward); });
  refuses_all("fft", e.fft);
  refuses("gather", [&] { e.gather.gather_ghosts(e.x); });
  refuses_all("gather", e.gather);
  refuses("collective start", [&] { e.collective.start(); });
  refuses_all("collective", e.collective);
  refuses("allreduce", [&] { nearfar::allreduce(e.all, e.number, nearfar::reduce_op::sum); });
  refuses("barrier", [&] { nearfar::barrier(e.all); });
  refuses("a team", [&] { nearfar::team again(MPI_COMM_WORLD); });
  refuses("a field", [&] { nearfar::field<double> another(e.cells, {.ghosts = 1}); });
  refuses("a halo plan", [&] { nearfar::halo_plan another(e.pressure); });
  kept.reset();
  // One rank speaks: lines of two may run into each other. The faults of the other one are in its exit status.
  if (faults == 0 && speaks) std::puts("every call has said so");
  return faults == 0 ? 0 : 1;
}
