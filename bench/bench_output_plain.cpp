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

int count_of(const output_part& part) { return static_cast<int>(part.elements); }

void receive_frame(const output_experiment& e, float* frame) {
  for (int r = 0; r < e.who.computing; ++r) {
    const output_part part = e.part_of(r);
    MPI_Recv(frame + part.first, count_of(part), MPI_FLOAT, r, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/// Through the page cache, durable after each snapshot as ours are.
void write_all(const output_experiment& e) {
  std::vector<float> frame(static_cast<std::size_t>(e.bytes() / 4));
  const int file = open(e.raw_path().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) throw std::runtime_error(e.raw_path() + " cannot be made");
  for (int step = 0; step < e.frames; ++step) {
    receive_frame(e, frame.data());
    const double began = clock_s();
    for (nearfar::index_t at = 0; at < e.bytes();) {
      const ssize_t n =
          write(file, reinterpret_cast<char*>(frame.data()) + at, static_cast<std::size_t>(e.bytes() - at));
      if (n <= 0) throw std::runtime_error(e.raw_path() + " cannot be written");
      at += n;
    }
    fdatasync(file);
    const double left = e.rate > 0 ? static_cast<double>(e.bytes()) / e.rate - (clock_s() - began) : 0;
    if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
  }
  close(file);
  const char done = 1;
  for (int r = 0; r < e.who.computing; ++r) MPI_Send(&done, 1, MPI_CHAR, r, tag, MPI_COMM_WORLD);
}

output_result compute_all(const output_experiment& e, bool is_blocking) {
  const output_part part = e.own_part();
  std::vector<float> mine(static_cast<std::size_t>(part.elements)), sent(is_blocking ? 0 : mine.size());
  const int count = count_of(part), writer = e.who.computing;
  MPI_Request request = MPI_REQUEST_NULL;
  output_result r;
  const double began = clock_s();
  for (int step = 0; step < e.frames; ++step) {
    compute_step(e, step, mine.data());
    const double from = clock_s();
    if (is_blocking) {
      MPI_Send(mine.data(), count, MPI_FLOAT, writer, tag, MPI_COMM_WORLD);
    } else {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      std::memcpy(sent.data(), mine.data(), static_cast<std::size_t>(part.bytes()));
      MPI_Isend(sent.data(), count, MPI_FLOAT, writer, tag, MPI_COMM_WORLD, &request);
    }
    r.stall_s += clock_s() - from;
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  char done = 0;
  MPI_Recv(&done, 1, MPI_CHAR, writer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  r.seconds = clock_s() - began;
  return r;
}

output_result run(const output_experiment& e, bool is_blocking) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (!e.who.is_writer()) return compute_all(e, is_blocking);
  write_all(e);
  return {};
}

}  // namespace

std::vector<output_method> plain_output_methods() {
  return {{"mpi-send", [](const auto& e) { return run(e, true); }, is_raw_file_right},
          {"mpi-isend", [](const auto& e) { return run(e, false); }, is_raw_file_right}};
}

}  // namespace bench
