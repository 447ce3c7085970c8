// SPDX-License-Identifier: BSD-3-Clause
// Collectives through the library's own interface: the MPI's own against the tuned choice and every algorithm by name.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench_collective_engine.hpp"

namespace bench {
namespace {

mpi_functions own_of_mpi() {
  return {PMPI_Allreduce, PMPI_Bcast,    PMPI_Reduce,
          PMPI_Allgather, PMPI_Alltoall, PMPI_Barrier,
          PMPI_Gather,    PMPI_Scatter,  PMPI_Reduce_scatter_block,
          PMPI_Scan};
}

int run_cases(const options& how) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int code = 0;
  {
    const nearfar::team members(MPI_COMM_WORLD);
    const int rank = members.rank(), ranks = members.size();
    const mpi_functions own = own_of_mpi();
    const bar_setting where{labelled_mpi(how), ranks, members.nodes(), are_short_of_cores(comm)};
    report out({"collective", where.mpi, ranks, where.nodes, members.is_root(), "nearfar-shared", "near mem."}, how);
    for (const auto& c : collective_cases()) {
      if (!how.wants_case(c.name)) continue;
      std::vector<contender> contenders{make_contender("mpi-native", how, private_buffers(c, rank, ranks),
                                                       [&](const buffers& b) { own.run(c.what, b, comm); })};
      add_nearfar(members, how, c, own, contenders);
      const subject what{.name = c.name,
                         .bytes = c.bytes,
                         .bar = least_ratio(c, where),
                         .floor = make_floor(how, private_buffers(c, rank, ranks)),
                         .has_clock_floor = true};
      out.add(measure(comm, how, what, contenders));
    }
    out.finish();
    code = out.exit_code();
  }
  MPI_Comm_free(&comm);
  return code;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  setenv("NEARFAR_WISDOM", "off", 0);  // every run tunes afresh, unless the caller names a file
  MPI_Init(&argc, &argv);
  int code = 0;
  bench::options how;
  try {
    if (bench::begin_collective(argc, argv, "Collectives: the MPI's own against Nearfar", how, code))
      code = bench::run_cases(how);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_collective: %s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
