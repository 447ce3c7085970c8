// SPDX-License-Identifier: BSD-3-Clause
// Collectives through the library's own interface: the MPI's own against the tuned choice and every algorithm by name.
#include "bench_collective_engine.hpp"

namespace bench {
namespace {

mpi_functions own_of_mpi() {
  return {PMPI_Allreduce, PMPI_Bcast,      PMPI_Reduce,
          PMPI_Allgather, PMPI_Alltoall,   PMPI_Barrier,
          PMPI_Gather,    PMPI_Scatter,    PMPI_Reduce_scatter_block,
          PMPI_Scan,      PMPI_Allgatherv, PMPI_Gatherv,
          PMPI_Scatterv,  PMPI_Alltoallv,  PMPI_Reduce_scatter};
}

int run_cases(const options& how, MPI_Comm comm) {
  const nearfar::team members(MPI_COMM_WORLD);
  const int rank = members.rank(), ranks = members.size();
  const mpi_functions own = own_of_mpi();
  const setting head{"collective",      labelled_mpi(how), ranks,      members.nodes(),
                     members.is_root(), "nearfar-shared",  "near mem."};
  return measure_cases(how, head, comm, [&](const collective_case& c) {
    std::vector<contender> contenders{make_contender("mpi-native", how, private_buffers(c, rank, ranks),
                                                     [&, c](const buffers& b) { own.run(c.what, b, comm); })};
    add_nearfar(members, how, c, own, contenders);
    return contenders;
  });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::collective_main(argc, argv, "Collectives: the MPI's own against Nearfar", bench::run_cases);
}
