// SPDX-License-Identifier: BSD-3-Clause
// An experiment of the output benchmark: so many steps of computing, each followed by a snapshot on disk.
#pragma once

#include <functional>
#include <nearfar/mpi.hpp>
#include <nearfar/output.hpp>
#include <string>
#include <vector>

namespace bench {

struct output_experiment {
  std::array<nearfar::index, 3> grid{256, 256, 128};
  std::string folder = ".";
  int frames = 8;
  double rate = 0;           ///< of the throttled disk, bytes per second; 0: the disk as it is
  double compute_s = 0;      ///< between snapshots
  bool is_spinning = false;  ///< computing on the core instead of sleeping, as a program does whose GPU computes
  bool is_direct = true;

  nearfar::index bytes() const { return 4 * grid[0] * grid[1] * grid[2]; }
  std::string path() const { return folder + "/bench_output"; }
};

/// Seconds of all steps until the last is durable, and the stalls: seconds per frame that the computing rank did not compute.
struct output_result {
  double seconds = 0, stall_s = 0;
  bool is_right = true;
};

/// One way of writing. Rank 0 of MPI_COMM_WORLD computes, rank 1 writes or sleeps. Collective.
struct output_way {
  std::string name;
  std::function<output_result(const output_experiment&)> run;
};

std::vector<output_way> plain_output_ways();    ///< the paper's: bench_output_plain.cpp
std::vector<output_way> nearfar_output_ways();  ///< bench_output_nearfar.cpp

/// Fills `frame` with the snapshot of a step as a program's last loop does, and computes or sleeps for the rest of `compute_s`.
void compute_step(const output_experiment& e, int step, float* frame);

/// Whether the file holds `frames` snapshots: compares some of each.
bool is_file_right(const output_experiment& e, const std::string& path);

/// Rank 1 waits for rank 0 without taking its core.
void sleep_until_all_are_here();

double clock_s();

}  // namespace bench
