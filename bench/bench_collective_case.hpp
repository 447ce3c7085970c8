// SPDX-License-Identifier: BSD-3-Clause
// What the two collective benchmarks share: cases, buffers filled afresh, checks, the MPI's own functions, the loop
// that is timed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/measure.hpp"
#include "harness/report.hpp"

namespace bench {

enum class act {
  allreduce,
  bcast,
  reduce,
  allgather,
  alltoall,
  barrier,
  gather,
  scatter,
  reduce_scatter_block,
  scan,
  allgatherv,
  gatherv,
  scatterv,
  alltoallv,
  reduce_scatter
};

const char* name_of(act what);

/// The act that moves the same blocks without lists of their lengths: here, all lists name equal ones.
act without_lists(act what);

/// `bytes` is the length of the vector that is reduced or broadcast, of each rank's block in the others. Rank 0 is the
/// root.
struct collective_case {
  std::string name;
  act what;
  long long bytes;
};

std::vector<collective_case> collective_cases();

/// Which MPI's bar holds, and for which ranks.
struct bar_setting {
  std::string mpi;  ///< as mpi_name() says it
  int ranks, nodes;
  bool is_short_of_cores;
};

/// Whether some node has more ranks than cores they may run on. Collective.
bool are_short_of_cores(MPI_Comm comm);

/// Least ratio that this project set itself; 0.97, so never slower, where it set none.
double least_ratio(const collective_case& c, const bar_setting& where);

/// Input and output of one contender: doubles holding whole numbers that depend on rank, block, position and round, so
/// that every result is exact and tells where it came from. The memory is the caller's.
class buffers {
 public:
  buffers(const collective_case& c, int rank, int ranks, double* in, double* out);
  static std::size_t in_length(const collective_case& c, int ranks);   ///< in elements
  static std::size_t out_length(const collective_case& c, int ranks);  ///< in elements

  void fill(int round);               ///< writes all that this rank sends
  void wipe();                        ///< writes what no result can be
  bool is_right(int round) const;     ///< every element of the result
  bool looks_right(int round) const;  ///< its first and last element

  double* in() const { return in_; }
  double* out() const { return out_; }
  int count() const { return static_cast<int>(count_); }  ///< elements in `bytes`
  const int* counts() const { return counts_.data(); }    ///< for each rank
  const int* places() const { return places_.data(); }

 private:
  double value(int from, std::size_t block, std::size_t at, int round) const;
  double sum(int ranks, std::size_t block, std::size_t at, int round) const;
  double expected(std::size_t at, int round) const;
  std::size_t length() const;
  act what_;
  int rank_, ranks_;
  std::size_t count_;
  double *in_, *out_;
  std::vector<int> counts_, places_;
};

/// The collective functions of an MPI; the MPI's own, or what a preloaded library put in their place.
struct mpi_functions {
  decltype(&MPI_Allreduce) allreduce;
  decltype(&MPI_Bcast) bcast;
  decltype(&MPI_Reduce) reduce;
  decltype(&MPI_Allgather) allgather;
  decltype(&MPI_Alltoall) alltoall;
  decltype(&MPI_Barrier) barrier;
  decltype(&MPI_Gather) gather;
  decltype(&MPI_Scatter) scatter;
  decltype(&MPI_Reduce_scatter_block) reduce_scatter_block;
  decltype(&MPI_Scan) scan;
  decltype(&MPI_Allgatherv) allgatherv;
  decltype(&MPI_Gatherv) gatherv;
  decltype(&MPI_Scatterv) scatterv;
  decltype(&MPI_Alltoallv) alltoallv;
  decltype(&MPI_Reduce_scatter) reduce_scatter;

  int run(act what, const buffers& b, MPI_Comm comm) const;
};

/// A contender that runs `operate` on these buffers; all of its data is written afresh before every operation unless
/// the options say otherwise, and results are looked at after every one.
contender make_contender(const std::string& name, const options& how, std::shared_ptr<buffers> data,
                         std::function<void(const buffers&)> operate);

/// The same loop without an operation: the reading of the clock, or, in loop timing, the filling and looking.
std::function<double(int)> make_floor(const options& how, std::shared_ptr<buffers> data);

/// Page-aligned ordinary memory of so many doubles, touched.
std::shared_ptr<double> private_memory(std::size_t length);

std::shared_ptr<buffers> private_buffers(const collective_case& c, int rank, int ranks);

/// mpi_name(), and the label that the options give it.
std::string labelled_mpi(const options& how);

/// Measures every case that the options want; `contend` gives the contenders of one, the first being the yardstick.
/// Collective over `comm`.
/// @return the exit code
int measure_cases(const options& how, const setting& head, MPI_Comm comm,
                  const std::function<std::vector<contender>(const collective_case&)>& contend);

/// The main function of a collective benchmark: MPI, its options, the list of cases, and what `run` throws. `run` gets
/// a communicator of its own. @return the exit code
int collective_main(int argc, char** argv, const char* description, int (*run)(const options& how, MPI_Comm comm));

}  // namespace bench
