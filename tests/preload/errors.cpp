// SPDX-License-Identifier: BSD-3-Clause
// Mistakes and accidents: wrong arguments, a rank that comes late, a rank that dies, shared memory that is full.
//
//   errors arguments | late PIPE | dead | full
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

#include "checks.hpp"

namespace {

int times_handled = 0;

void note_error(MPI_Comm*, int*, ...) { ++times_handled; }

int class_of(int code) {
  int found = -1;
  MPI_Error_class(code, &found);
  return found;
}

int sum(MPI_Comm comm) {
  const double mine = 1;
  double all = 0;
  return MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
}

MPI_Comm used_duplicate() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < 10; ++i) sum(comm);
  return comm;
}

// The classes of the errors that wrong arguments give, the same on all ranks; the caller compares them with those of
// plain MPI.
void wrong_arguments(MPI_Comm comm, const communicator& world) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  double in = 1, out = 0;
  // A negative count in an allreduce is left out: MPICH 4.0.2 itself crashes with it.
  const int codes[] = {MPI_Allreduce(&in, &in, 1, MPI_DOUBLE, MPI_SUM, comm),
                       MPI_Allreduce(&in, &out, 1, MPI_DATATYPE_NULL, MPI_SUM, comm),
                       MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_OP_NULL, comm),
                       MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_BAND, comm),
                       MPI_Bcast(&in, 1, MPI_DOUBLE, world.size, comm),
                       MPI_Bcast(&in, -3, MPI_DOUBLE, 0, comm),
                       MPI_Reduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, -7, comm),
                       MPI_Gather(&in, 1, MPI_DATATYPE_NULL, &out, 1, MPI_DOUBLE, 0, comm)};
  if (world.rank == 0)
    for (const int code : codes) std::printf("class %d\n", class_of(code));
  require(sum(comm) == MPI_SUCCESS, "the communicator can be used after wrong arguments");
}

// A word that the test says when it is time.
std::string next_word(const char* pipe) {
  const int end = ::open(pipe, O_RDONLY);
  char word[16] = {};
  require(end >= 0 && ::read(end, word, sizeof word - 1) > 0, "a word in the pipe");
  return word;
}

// The last rank comes when it is told to. Where that is too late for NEARFAR_WATCHDOG, the others get an error by the
// communicator's handler, not a hang, and the last one is told to end the job.
void come_late(MPI_Comm comm, const communicator& world, const char* pipe) {
  const bool is_late = world.rank == world.size - 1;
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(note_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  if (world.rank == 0) std::puts("all others come"), std::fflush(stdout);
  if (is_late && next_word(pipe) == "abort") MPI_Abort(MPI_COMM_WORLD, 5);
  const int code = sum(comm);
  if (is_late) std::printf("rank %d was late\n", world.rank);
  if (code == MPI_SUCCESS) return;
  std::printf("rank %d: class %s, handled %d times\n", world.rank, class_of(code) == MPI_ERR_OTHER ? "other" : "?",
              times_handled);
  std::fflush(stdout);
  for (;;) ::pause();
}

void die(MPI_Comm comm, const communicator& world) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  if (world.rank == world.size - 1) std::raise(SIGKILL);
  const int code = sum(comm);
  std::printf("rank %d: class %s\n", world.rank, class_of(code) == MPI_ERR_OTHER ? "other" : "?");
  std::fflush(stdout);
  std::_Exit(3);
}

// Sums on many communicators; longer ones need more shared memory.
void use_many(const communicator& world, int length) {
  std::vector<MPI_Comm> comms(200);
  const std::vector<double> mine(length, world.rank);
  std::vector<double> all(length);
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 4; ++i) {
      all.assign(length, -1);
      MPI_Allreduce(mine.data(), all.data(), length, MPI_DOUBLE, MPI_SUM, comm);
      require(all.back() == world.size * (world.size - 1) / 2.0, "a sum with full memory");
    }
  }
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

// Nothing is left of /dev/shm: what the process holds already serves some engines, and without one calls are still
// right.
void fill_memory(const communicator& world) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (world.rank == 0) {
    const int file = ::open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
    for (off_t bytes = 0, piece = 1 << 20; piece >= 4096; piece /= 2)
      while (::posix_fallocate(file, bytes, piece) == 0) bytes += piece;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  use_many(world, 1);
}

// More messages on their way than the MPI's segments had pages for when engines took what there was.
void send_many(const communicator& world) {
  constexpr int messages = 1000, length = 400;
  std::vector<std::array<double, length>> data(messages);
  std::vector<MPI_Request> requests(messages);
  const int to = (world.rank + 1) % world.size, from = (world.rank + world.size - 1) % world.size;
  for (int i = 0; i < messages; ++i) {
    data[i].fill(world.rank + i);
    MPI_Isend(data[i].data(), length, MPI_DOUBLE, to, i, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = messages; i-- > 0;) {
    std::array<double, length> got{};
    MPI_Recv(got.data(), length, MPI_DOUBLE, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    require(got.back() == from + i, "a message where engines have taken what they may");
  }
  MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const communicator world(MPI_COMM_WORLD, "the world");
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "full") fill_memory(world);
  if (what == "many") use_many(world, 1000), send_many(world);
  MPI_Comm comm = used_duplicate();
  if (what == "arguments") wrong_arguments(comm, world);
  if (what == "late") come_late(comm, world, argc > 2 ? argv[2] : "");
  if (what == "dead") die(comm, world);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  if (world.rank == 0) std::puts("survived");
}
