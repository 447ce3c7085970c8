// SPDX-License-Identifier: BSD-3-Clause
// Calls in which the last rank does not do as the others: other sizes, roots or kinds, or arguments that it alone has
// wrong.
//
//   mismatch KIND MISTAKE BYTES [root-is-last] [return]
//
// Some right calls, the wrong one, some right calls again. By default the communicator's handler ends the job, as in
// most programs; with "return" each rank says what codes it got.
#include <unistd.h>

#include "checks.hpp"

namespace {

constexpr int calls_around = 12;

struct arguments {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1, root = 0, bytes = 8;  // of each block
  std::vector<char> in, out;
  std::vector<int> sent, received, places;  // of the kinds with lists
  void *from = nullptr, *to = nullptr;
  MPI_Datatype type = MPI_BYTE;
  MPI_Op op = MPI_BOR;

  arguments(MPI_Comm all, int block) : comm(all), bytes(block) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const auto capacity = static_cast<std::size_t>(4 * bytes * size);
    in.assign(capacity, static_cast<char>(1 << rank));
    out.assign(capacity, 0);
    from = in.data();
    to = out.data();
    sent.assign(static_cast<std::size_t>(size), bytes);
    received = sent;
    for (int r = 0; r < size; ++r) places.push_back(2 * r * bytes);
  }
};

int call(const std::string& kind, arguments& a) {
  const int own = a.sent[static_cast<std::size_t>(a.rank)], got = a.received[static_cast<std::size_t>(a.rank)];
  if (kind == "barrier") return MPI_Barrier(a.comm);
  if (kind == "bcast") return MPI_Bcast(a.to, a.bytes, a.type, a.root, a.comm);
  if (kind == "reduce") return MPI_Reduce(a.from, a.to, a.bytes, a.type, a.op, a.root, a.comm);
  if (kind == "allreduce") return MPI_Allreduce(a.from, a.to, a.bytes, a.type, a.op, a.comm);
  if (kind == "scan") return MPI_Scan(a.from, a.to, a.bytes, a.type, a.op, a.comm);
  if (kind == "exscan") return MPI_Exscan(a.from, a.to, a.bytes, a.type, a.op, a.comm);
  if (kind == "reduce_scatter_block") return MPI_Reduce_scatter_block(a.from, a.to, a.bytes, a.type, a.op, a.comm);
  if (kind == "reduce_scatter") return MPI_Reduce_scatter(a.from, a.to, a.received.data(), a.type, a.op, a.comm);
  if (kind == "gather") return MPI_Gather(a.from, a.bytes, a.type, a.to, a.bytes, a.type, a.root, a.comm);
  if (kind == "scatter") return MPI_Scatter(a.from, a.bytes, a.type, a.to, a.bytes, a.type, a.root, a.comm);
  if (kind == "allgather") return MPI_Allgather(a.from, a.bytes, a.type, a.to, a.bytes, a.type, a.comm);
  if (kind == "alltoall") return MPI_Alltoall(a.from, a.bytes, a.type, a.to, a.bytes, a.type, a.comm);
  if (kind == "gatherv")
    return MPI_Gatherv(a.from, own, a.type, a.to, a.received.data(), a.places.data(), a.type, a.root, a.comm);
  if (kind == "scatterv")
    return MPI_Scatterv(a.from, a.sent.data(), a.places.data(), a.type, a.to, got, a.type, a.root, a.comm);
  if (kind == "allgatherv")
    return MPI_Allgatherv(a.from, own, a.type, a.to, a.received.data(), a.places.data(), a.type, a.comm);
  if (kind == "alltoallv")
    return MPI_Alltoallv(a.from, a.sent.data(), a.places.data(), a.type, a.to, a.received.data(), a.places.data(),
                         a.type, a.comm);
  require(false, "a kind that is known");
  return MPI_ERR_OTHER;
}

void resize(arguments& a, int bytes) {
  a.bytes = bytes;
  a.sent.assign(a.sent.size(), bytes);
  a.received = a.sent;
}

// What the last rank does otherwise.
std::string make_mistake(std::string kind, const std::string& mistake, arguments& a) {
  const auto me = static_cast<std::size_t>(a.rank);
  if (mistake == "longer") resize(a, 2 * a.bytes);
  if (mistake == "shorter") resize(a, a.bytes / 2);
  if (mistake == "sends-more") a.sent.assign(a.sent.size(), 2 * a.bytes);
  if (mistake == "sends-less") a.sent.assign(a.sent.size(), a.bytes / 2);
  if (mistake == "others-less")
    for (int r = 0; r < a.size; ++r) a.sent[static_cast<std::size_t>(r)] = r == a.rank ? a.bytes : a.bytes / 2;
  if (mistake == "gets-more") a.received.assign(a.received.size(), 2 * a.bytes);
  if (mistake == "gets-less") a.received.assign(a.received.size(), a.bytes / 2);
  if (mistake == "own-more") a.sent[me] = 2 * a.bytes;  // to itself, where it sends to others, too
  if (mistake == "own-less") a.sent[me] = a.bytes / 2;
  if (mistake == "nothing") resize(a, 0);
  if (mistake == "negative") resize(a, -a.bytes);
  if (mistake == "root") a.root = a.rank;
  if (mistake == "root-high") a.root = a.size;
  if (mistake == "root-low") a.root = -7;
  if (mistake == "null") a.from = a.to = nullptr;
  if (mistake == "same-buffer") a.from = a.to;
  if (mistake == "type") a.type = MPI_DATATYPE_NULL;
  if (mistake == "op") a.op = MPI_OP_NULL;
  if (mistake == "other-op") a.op = MPI_BXOR;
  if (mistake == "absent") return "none";
  if (mistake == "kind") return kind == "allreduce" ? "bcast" : "allreduce";
  return kind;
}

int class_of(int code) {
  int found = -1;
  MPI_Error_class(code, &found);
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  require(argc >= 4, "mismatch KIND MISTAKE BYTES [root-is-last] [return]");
  arguments right(MPI_COMM_WORLD, std::atoi(argv[3])), wrong = right;
  wrong.from = wrong.in.data();
  wrong.to = wrong.out.data();
  bool returns = false;
  for (int i = 4; i < argc; ++i) {
    if (std::string(argv[i]) == "root-is-last") wrong.root = right.root = right.size - 1;
    returns = returns || std::string(argv[i]) == "return";
  }
  if (returns) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const std::string kind = argv[1];
  for (int i = 0; i < calls_around; ++i) call(kind, right);
  const bool is_last = right.rank == right.size - 1;
  const std::string then = is_last ? make_mistake(kind, argv[2], wrong) : kind;
  const int code = then == "none" ? MPI_SUCCESS : call(then, wrong);
  std::printf("rank %d: class %d\n", right.rank, class_of(code));
  std::fflush(stdout);
  int later = MPI_SUCCESS;
  for (int i = 0; i < calls_around && later == MPI_SUCCESS; ++i) later = call(kind, right);
  std::printf("rank %d: later class %d\n", right.rank, class_of(later));
  std::fflush(stdout);
  MPI_Finalize();
}
