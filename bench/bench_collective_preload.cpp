// SPDX-License-Identifier: BSD-3-Clause
// A plain MPI program under libnearfar_mpi.so: its MPI calls, which the preloaded library takes over, against the MPI's
// own.
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "bench_collective_case.hpp"

namespace bench {
namespace {

// The mapped MPI library; its PMPI functions are found there whatever has been preloaded.
void* open_mpi_library() {
  void* found = nullptr;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        const char* base = std::strrchr(object->dlpi_name, '/');
        if (!base || (std::strncmp(base, "/libmpi.so", 10) != 0 && std::strncmp(base, "/libmpich.so", 12) != 0))
          return 0;
        *static_cast<void**>(to) = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
        return 1;
      },
      &found);
  if (!found) throw std::runtime_error("no libmpi is mapped: is this MPI linked statically?");
  return found;
}

template <class Function>
Function real(void* library, const char* name) {
  void* address = dlsym(library, name);
  if (!address) throw std::runtime_error(std::string("the MPI has no ") + name);
  Function function;
  std::memcpy(&function, &address, sizeof function);
  return function;
}

mpi_functions own_of_mpi() {
  void* mpi = open_mpi_library();
  return {real<decltype(&MPI_Allreduce)>(mpi, "PMPI_Allreduce"),
          real<decltype(&MPI_Bcast)>(mpi, "PMPI_Bcast"),
          real<decltype(&MPI_Reduce)>(mpi, "PMPI_Reduce"),
          real<decltype(&MPI_Allgather)>(mpi, "PMPI_Allgather"),
          real<decltype(&MPI_Alltoall)>(mpi, "PMPI_Alltoall"),
          real<decltype(&MPI_Barrier)>(mpi, "PMPI_Barrier"),
          real<decltype(&MPI_Gather)>(mpi, "PMPI_Gather"),
          real<decltype(&MPI_Scatter)>(mpi, "PMPI_Scatter"),
          real<decltype(&MPI_Reduce_scatter_block)>(mpi, "PMPI_Reduce_scatter_block"),
          real<decltype(&MPI_Scan)>(mpi, "PMPI_Scan"),
          real<decltype(&MPI_Allgatherv)>(mpi, "PMPI_Allgatherv"),
          real<decltype(&MPI_Gatherv)>(mpi, "PMPI_Gatherv"),
          real<decltype(&MPI_Scatterv)>(mpi, "PMPI_Scatterv"),
          real<decltype(&MPI_Alltoallv)>(mpi, "PMPI_Alltoallv"),
          real<decltype(&MPI_Reduce_scatter)>(mpi, "PMPI_Reduce_scatter")};
}

mpi_functions as_called() {
  return {MPI_Allreduce, MPI_Bcast,      MPI_Reduce,
          MPI_Allgather, MPI_Alltoall,   MPI_Barrier,
          MPI_Gather,    MPI_Scatter,    MPI_Reduce_scatter_block,
          MPI_Scan,      MPI_Allgatherv, MPI_Gatherv,
          MPI_Scatterv,  MPI_Alltoallv,  MPI_Reduce_scatter};
}

bool is_preloaded() {
  Dl_info where{};
  return dladdr(dlsym(RTLD_DEFAULT, "MPI_Allreduce"), &where) != 0 &&
         std::strstr(where.dli_fname, "nearfar") != nullptr;
}

int nodes_of(MPI_Comm comm) {
  MPI_Comm node;
  int rank = 0, leads = 0, nodes = 0;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &rank);
  leads = rank == 0 ? 1 : 0;
  MPI_Allreduce(&leads, &nodes, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&node);
  return nodes;
}

// Calls until the library has seen enough of them to choose: counted, so that all ranks stop alike.
void let_it_choose(const mpi_functions& called, act what, const buffers& data, MPI_Comm comm) {
  constexpr int enough = 40;
  for (int i = 0; i < enough; ++i) called.run(what, data, comm);
}

int run_cases(const options& how, MPI_Comm comm) {
  if (!is_preloaded()) throw std::runtime_error("libnearfar_mpi.so is not preloaded (set LD_PRELOAD)");
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const mpi_functions own = own_of_mpi(), called = as_called();
  const setting head{
      .front = "preload", .mpi = labelled_mpi(how), .ranks = ranks, .nodes = nodes_of(comm), .is_speaker = rank == 0};
  return measure_cases(how, head, comm, [&](const collective_case& c) {
    const auto mine = private_buffers(c, rank, ranks), theirs = private_buffers(c, rank, ranks);
    let_it_choose(called, c.what, *theirs, comm);
    std::vector<contender> contenders{
        make_contender("mpi-native", how, mine, [&, c](const buffers& b) { own.run(c.what, b, comm); }),
        make_contender("nearfar", how, theirs, [&, c](const buffers& b) { called.run(c.what, b, comm); })};
    contenders.back().is_tuned = true;
    return contenders;
  });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  setenv("NEARFAR_TUNE_AFTER", "20", 0);  // let_it_choose makes more calls than that
  return bench::collective_main(
      argc, argv, "Collectives of a plain MPI program: the MPI's own against libnearfar_mpi.so", bench::run_cases);
}
