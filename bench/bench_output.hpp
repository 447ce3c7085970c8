// SPDX-License-Identifier: BSD-3-Clause
// An experiment of the output benchmark: so many steps of computing, each followed by a snapshot on disk.
#pragma once

#include <array>
#include <functional>
#include <nearfar/mpi.hpp>
#include <nearfar/output.hpp>
#include <string>
#include <vector>

namespace bench {

/// Who does what: all ranks of MPI_COMM_WORLD but the last compute, the last one writes or sleeps.
struct output_cast {
  int rank = 0, computing = 1;
  MPI_Comm comm = MPI_COMM_NULL;  ///< of those that compute; null on the writer
  bool is_writer() const { return rank == computing; }
  bool is_root() const { return rank == 0; }
};

/// Elements of the snapshot that a rank computes: whole planes of the first dimension.
struct output_part {
  nearfar::index_t first_plane = 0, planes = 0, first = 0, elements = 0;
  nearfar::index_t bytes() const { return 4 * elements; }
};

struct output_experiment {
  std::array<nearfar::index_t, 3> grid{256, 256, 128};
  std::string folder = ".";
  int frames = 8;
  double rate = 0;           ///< of the throttled disk, bytes per second; 0: the disk as it is
  double compute_s = 0;      ///< between snapshots
  bool is_spinning = false;  ///< computing on the core instead of sleeping, as a program does whose GPU computes
  bool is_direct = true;
  bool is_wave = false;  ///< snapshots are those of an expanding wave, instead of a ramp that costs next to nothing
  std::string format = "rsf", compression{};  ///< of a second set of our own methods, where they are not these
  output_cast who{};

  nearfar::index_t bytes() const { return 4 * grid[0] * grid[1] * grid[2]; }
  std::string path() const { return folder + "/bench_output"; }
  std::string raw_path() const { return path() + ".p.raw"; }
  output_part part_of(int computing_rank) const;
  output_part own_part() const { return part_of(who.rank); }
};

/// Seconds of all steps until the last is durable, and the stalls: seconds that the computing rank did not compute. The
/// most of all ranks counts.
struct output_result {
  double seconds = 0, stall_s = 0;
};

/// One method of writing. Collective over MPI_COMM_WORLD.
struct output_method {
  std::string name;
  std::function<output_result(const output_experiment&)> run;
  std::function<bool(const output_experiment&)> is_right;  ///< on the root, afterwards: the files hold the snapshots
};

std::vector<output_method> plain_output_methods();   ///< the paper's: bench_output_plain.cpp
std::vector<output_method> adios2_output_methods();  ///< none where the library is not found
std::vector<output_method> raw_output_methods();     ///< what the disk takes: bench_output_raw.cpp
std::vector<output_method> nearfar_output_methods(const output_experiment& formats);  ///< bench_output_nearfar.cpp

/// Fills `mine` with the own part of a step's snapshot as a program's last loop does, and computes or sleeps for the
/// rest of `compute_s`.
void compute_step(const output_experiment& e, int step, float* mine);

/// Whether the raw file holds all snapshots, one behind the other: compares some values of each.
bool is_raw_file_right(const output_experiment& e);
/// Whether files and folders whose names begin with that of the experiment and end with `end` have at least `bytes`
/// together.
bool have_files(const output_experiment& e, const std::string& end, nearfar::index_t bytes);
void remove_files(const output_experiment& e);

/// Ranks that have nothing to do wait without taking a core.
void sleep_until_all_are_here();

double clock_s();

}  // namespace bench
