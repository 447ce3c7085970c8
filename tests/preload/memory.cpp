// SPDX-License-Identifier: BSD-3-Clause
// Memory of MPI_Alloc_mem under the preloaded library: right results on it, and signs that peers reach it without
// copies.
//
//   memory near|own|short   what MPI_Alloc_mem is expected to give, or that /dev/shm is short
#include <cinttypes>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "checks.hpp"

namespace {

struct region {
  std::uintptr_t first = 0, end = 0;
  std::string file;
};

std::vector<region> regions() {
  std::ifstream maps("/proc/self/maps");
  std::vector<region> found;
  for (std::string line; std::getline(maps, line);) {
    region r;
    char file[256] = "";
    std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %255[^\n]", &r.first, &r.end, file);
    r.file = file;
    if (r.file.find("/dev/shm/#") == 0 || r.file.find("/memfd:nearfar") == 0) found.push_back(r);
  }
  return found;
}

bool is_in_near_memory(const void* at) {
  const auto place = reinterpret_cast<std::uintptr_t>(at);
  for (const region& r : regions())
    if (r.first <= place && place < r.end) return true;
  return false;
}

int pieces_of_near_memory() { return static_cast<int>(regions().size()); }

/// An array from MPI_Alloc_mem.
struct array {
  double* data = nullptr;
  int count;
  explicit array(int n) : count(n) {
    require(MPI_Alloc_mem(static_cast<MPI_Aint>(sizeof(double)) * n, MPI_INFO_NULL, static_cast<void*>(&data)) == 0,
            "MPI_Alloc_mem");
    require(data != nullptr, "memory has an address");
    for (int i = 0; i < n; ++i) data[i] = -1;
  }
  ~array() { require(MPI_Free_mem(data) == 0, "MPI_Free_mem"); }
  array(const array&) = delete;
  array& operator=(const array&) = delete;
};

double sum_of(const communicator& c, int i, int call) {
  double sum = 0;
  for (int r = 0; r < c.size; ++r) sum += element(r, i, call);
  return sum;
}

void check_sums(const communicator& c, array& in, array& out, int calls) {
  for (int call = 0; call < calls; ++call) {
    for (int i = 0; i < in.count; ++i) in.data[i] = element(c.rank, i, call);
    MPI_Allreduce(in.data, out.data, in.count, MPI_DOUBLE, MPI_SUM, c.comm);
    for (int i = 0; i < in.count; ++i) require(out.data[i] == sum_of(c, i, call), "a sum in memory of MPI_Alloc_mem");
    for (int i = 0; i < in.count; ++i) require(in.data[i] == element(c.rank, i, call), "what was sent is as it was");
  }
}

void check_bcasts(const communicator& c, array& data, int calls) {
  for (int call = 0; call < calls; ++call) {
    const int root = call % c.size;
    for (int i = 0; i < data.count; ++i) data.data[i] = c.rank == root ? element(root, i, call) : -1;
    MPI_Bcast(data.data, data.count, MPI_DOUBLE, root, c.comm);
    for (int i = 0; i < data.count; ++i)
      require(data.data[i] == element(root, i, call), "a bcast in memory of MPI_Alloc_mem");
  }
}

void check_alltoalls(const communicator& c, array& in, array& out, int calls) {
  const int block = in.count / c.size;
  for (int call = 0; call < calls; ++call) {
    for (int i = 0; i < block * c.size; ++i) in.data[i] = element(c.rank, i, call);
    MPI_Alltoall(in.data, block, MPI_DOUBLE, out.data, block, MPI_DOUBLE, c.comm);
    for (int r = 0; r < c.size; ++r)
      for (int i = 0; i < block; ++i)
        require(out.data[r * block + i] == element(r, c.rank * block + i, call),
                "an alltoall in memory of MPI_Alloc_mem");
  }
}

/// Both kinds of memory on different ranks, and one of each: all must notice that there is no way without copies.
void check_mixtures(const communicator& c, array& near, int calls) {
  std::vector<double> own(static_cast<std::size_t>(near.count)), result(own);
  for (int call = 0; call < calls; ++call) {
    double* in = (c.rank + call) % 2 == 0 ? near.data : own.data();
    for (int i = 0; i < near.count; ++i) in[i] = element(c.rank, i, call);
    MPI_Allreduce(in, result.data(), near.count, MPI_DOUBLE, MPI_SUM, c.comm);
    for (int i = 0; i < near.count; ++i)
      require(result[static_cast<std::size_t>(i)] == sum_of(c, i, call), "a sum over mixed memory");
  }
}

/// One-sided transfers into a window over such memory, and a window whose memory the MPI allocates.
void check_windows(const communicator& c) {
  constexpr int count = 1000;
  const int right = (c.rank + 1) % c.size, left = (c.rank + c.size - 1) % c.size;
  array exposed(count);
  double* of_mpi = nullptr;
  MPI_Win ours, theirs;
  const MPI_Aint bytes = count * sizeof(double);
  MPI_Win_create(exposed.data, bytes, sizeof(double), MPI_INFO_NULL, c.comm, &ours);
  MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, c.comm, static_cast<void*>(&of_mpi), &theirs);
  const std::vector<double> mine = contribution(c, count, 3);
  for (const MPI_Win w : {ours, theirs}) {
    MPI_Win_fence(0, w);
    MPI_Put(mine.data(), count, MPI_DOUBLE, right, 0, count, MPI_DOUBLE, w);
    MPI_Win_fence(0, w);
  }
  for (int i = 0; i < count; ++i)
    require(exposed.data[i] == element(left, i, 3) && of_mpi[i] == element(left, i, 3), "a put into a window");
  MPI_Win_free(&theirs);
  MPI_Win_free(&ours);
}

/// Sizes from nothing to a lot, and more pieces than are kept count of; what is kept for the next request is bounded.
void check_sizes() {
  for (const MPI_Aint bytes : {MPI_Aint{0}, MPI_Aint{1}, MPI_Aint{100}, MPI_Aint{4096}, MPI_Aint{5 << 20}}) {
    char* at = nullptr;
    require(MPI_Alloc_mem(bytes, MPI_INFO_NULL, static_cast<void*>(&at)) == MPI_SUCCESS, "MPI_Alloc_mem of any size");
    if (bytes > 0) at[0] = at[bytes - 1] = 1;
    require(MPI_Free_mem(at) == MPI_SUCCESS, "MPI_Free_mem of any size");
  }
  { const array first(1 << 18); }
  const int before = pieces_of_near_memory();
  for (int i = 0; i < 100; ++i) array brief(1 << 18);
  require(pieces_of_near_memory() <= before, "freed memory is used again");
  for (MPI_Aint mebibytes = 2; mebibytes < 100; mebibytes += 1 + mebibytes / 2) {  // none fits where another one was
    void* at = nullptr;
    MPI_Alloc_mem(mebibytes << 20, MPI_INFO_NULL, static_cast<void*>(&at));
    MPI_Free_mem(at);
  }
  require(pieces_of_near_memory() <= before + 64, "no more pieces are kept than there may be");
  std::vector<double*> many(300, nullptr);
  for (double*& at : many) MPI_Alloc_mem(1 << 16, MPI_INFO_NULL, static_cast<void*>(&at));
  for (double* at : many) std::memset(at, 1, 1 << 16);
  for (double* at : many) MPI_Free_mem(at);
}

void check_collectives(const communicator& world, bool is_near_expected) {
  array in(1 << 17), out(1 << 17);
  require(is_in_near_memory(in.data) == is_near_expected, "where MPI_Alloc_mem takes its memory from");
  const int before = pieces_of_near_memory();
  check_sums(world, in, out, 4);  // the engine is made at the third
  check_bcasts(world, in, 6);
  check_alltoalls(world, in, out, 4);
  // Besides what engines have for themselves: two files of each peer.
  std::printf("rank %d maps %d pieces more\n", world.rank, pieces_of_near_memory() - before);
  check_mixtures(world, in, 6);
}

void check_lives(const communicator& world) {
  array late(20000), out(20000);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  check_sums(communicator(copy, "a copy of the world"), late, out, 12);
  MPI_Comm_free(&copy);
  for (int i = 0; i < out.count; ++i) require(out.data[i] == sum_of(world, i, 11), "memory outlives communicators");
}

/// In a /dev/shm of less than 100 MB.
void check_shortage(const communicator& world) {
  array large(7 << 20), small(1 << 17);
  require(is_in_near_memory(large.data), "large memory is near where /dev/shm is short: it comes from memory files");
  require(is_in_near_memory(small.data), "small memory is near even so");
  array out(7 << 20);
  check_sums(world, large, out, 4);
}

/// MPI's key for addresses as round as wished, which Open MPI does not know: with it, as without the library, only
/// MPICH heeds it.
void check_alignments() {
#ifdef MPICH
  for (std::uintptr_t alignment = 64; alignment <= 1 << 21; alignment *= 8)
    for (MPI_Aint bytes = 5000; bytes <= 5000 << 9; bytes *= 2) {
      MPI_Info wishes;
      MPI_Info_create(&wishes);
      MPI_Info_set(wishes, "mpi_minimum_memory_alignment", std::to_string(alignment).c_str());
      void* at = nullptr;
      MPI_Alloc_mem(bytes, wishes, static_cast<void*>(&at));
      require(reinterpret_cast<std::uintptr_t>(at) % alignment == 0, "an address as round as was wished");
      MPI_Free_mem(at);
      MPI_Info_free(&wishes);
    }
#endif
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string what = argc > 1 ? argv[1] : "near";
  const communicator world(MPI_COMM_WORLD, "the world");
  if (what == "short") {
    check_shortage(world);
  } else {
    check_collectives(world, what == "near");
    check_lives(world);
    check_windows(world);
    check_sizes();
    check_alignments();
    check_collectives(world, what == "near");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (world.rank == 0) std::puts("memory is right");
  MPI_Finalize();
  return 0;
}
