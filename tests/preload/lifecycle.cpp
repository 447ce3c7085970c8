// SPDX-License-Identifier: BSD-3-Clause
// Makes and frees very many communicators, uses each a little and some of them much, and looks what that leaves behind.
//
//   lifecycle COMMUNICATORS
#include <dirent.h>

#include <fstream>
#include <memory>

#include "checks.hpp"

namespace {

int open_files() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), ::closedir);
  int count = 0;
  while (::readdir(folder.get()) != nullptr) ++count;
  return count;
}

int mappings() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) ++count;
  return count;
}

long resident_kib() {
  std::ifstream file("/proc/self/statm");
  long pages = 0;
  file >> pages >> pages;
  return pages * 4;
}

void sum_on(MPI_Comm comm, int times) {
  const communicator c(comm, "a communicator");
  for (int k = 0; k < times; ++k) {
    const int mine = c.rank + k;
    int sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    require(sum == c.size * (c.size - 1) / 2 + k * c.size, "a sum on a fresh communicator");
  }
}

// Communicators of different ranks in turn, so that a handle that comes again means something else.
void use_one(int i) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm comm;
  if (i % 50 == 7)
    MPI_Comm_split(MPI_COMM_WORLD, i % 100 == 7 ? rank % 2 : 0, -rank, &comm);
  else
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  sum_on(comm, i % 100 == 0 ? 80 : i % 5);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int communicators = argc > 1 ? std::atoi(argv[1]) : 1000;
  for (int i = 0; i < communicators / 10; ++i) use_one(i);
  const int files = open_files(), maps = mappings();
  const long memory = resident_kib();
  for (int i = communicators / 10; i < communicators; ++i) use_one(i);
  const long grown = resident_kib() - memory;
  std::printf("files %+d, mappings %+d, resident %+ld KiB\n", open_files() - files, mappings() - maps, grown);
  require(open_files() <= files + 4, "files are left open");
  require(mappings() <= maps + 40, "mappings are left");
  require(grown < 30000, "memory is lost");
  sum_on(MPI_COMM_WORLD, 20);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  if (rank == 0) std::puts("nothing is left behind");
}
