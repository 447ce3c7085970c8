// SPDX-License-Identifier: BSD-3-Clause
// The writer rank of Machado, Lorenzon and Navaux: whole snapshots by MPI_Send or MPI_Isend to a rank that writes them.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "bench_output.hpp"

namespace bench {
namespace {

constexpr int tag = 7;

/// Through the page cache, durable after each snapshot as ours are.
void write_all(const output_experiment& e) {
  std::vector<float> frame(static_cast<std::size_t>(e.bytes() / 4));
  const int file = open((e.path() + ".p.raw").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) throw std::runtime_error(e.path() + ".p.raw cannot be made");
  const int count = static_cast<int>(frame.size());
  for (int step = 0; step < e.frames; ++step) {
    MPI_Recv(frame.data(), count, MPI_FLOAT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double began = clock_s();
    for (nearfar::index at = 0; at < e.bytes();)
      at += write(file, reinterpret_cast<char*>(frame.data()) + at, static_cast<std::size_t>(e.bytes() - at));
    fdatasync(file);
    const double left = e.rate > 0 ? static_cast<double>(e.bytes()) / e.rate - (clock_s() - began) : 0;
    if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
  }
  close(file);
  const char done = 1;
  MPI_Send(&done, 1, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
}

output_result compute_all(const output_experiment& e, bool is_blocking) {
  std::vector<float> frame(static_cast<std::size_t>(e.bytes() / 4)), sent(is_blocking ? 0 : frame.size());
  const int count = static_cast<int>(frame.size());
  MPI_Request request = MPI_REQUEST_NULL;
  output_result r;
  const double began = clock_s();
  for (int step = 0; step < e.frames; ++step) {
    compute_step(e, step, frame.data());
    const double from = clock_s();
    if (is_blocking) {
      MPI_Send(frame.data(), count, MPI_FLOAT, 1, tag, MPI_COMM_WORLD);
    } else {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      std::memcpy(sent.data(), frame.data(), static_cast<std::size_t>(e.bytes()));
      MPI_Isend(sent.data(), count, MPI_FLOAT, 1, tag, MPI_COMM_WORLD, &request);
    }
    r.stall_s += clock_s() - from;
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  char done = 0;
  MPI_Recv(&done, 1, MPI_CHAR, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  r.seconds = clock_s() - began;
  return r;
}

output_result run(const output_experiment& e, bool is_blocking) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  output_result r;
  if (rank == 0)
    r = compute_all(e, is_blocking);
  else
    write_all(e);
  return r;
}

}  // namespace

std::vector<output_way> plain_output_ways() {
  return {{"mpi-send", [](const auto& e) { return run(e, true); }},
          {"mpi-isend", [](const auto& e) { return run(e, false); }}};
}

}  // namespace bench
