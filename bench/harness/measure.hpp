// SPDX-License-Identifier: BSD-3-Clause
// Measures several methods of doing the same thing against each other, in short interleaved bursts.
#pragma once

#include <functional>
#include <nearfar/mpi.hpp>
#include <string>
#include <vector>

#include "options.hpp"

namespace bench {

/// One method of doing a case, set up and ready to run.
struct contender {
  std::string name;
  bool is_tuned = false;                          ///< the library's own choice
  std::function<std::string()> choice = nullptr;  ///< which method the tuner has chosen by now; may be empty
  double setup_ms = 0;                            ///< what making it took, maximum over ranks
  long long heap_bytes = 0;                       ///< what it holds, of this rank; 0: not known
  std::function<double(int)> burst;               ///< runs so many iterations, returns this rank's seconds; collective
  std::function<bool()> check;                    ///< complete check of the result, verdict of this rank; collective

  bool is_yardstick() const { return name.rfind("mpi-", 0) == 0; }
};

/// A family of methods that the tuned one is held against besides the MPI variants.
struct rival {
  std::string name;                   ///< for tables
  std::vector<std::string> prefixes;  ///< of the methods' names
  double bar = 0,
         other_bar =
             0;  ///< least ratio of the family's best to the tuned one, and to the one in the other memory; 0: none
};

/// The bar for what moves blocks of so many bytes between nodes: short ones are to gain from meeting on the node, long
/// ones wait for the wire.
inline double bar_between_nodes(long long block_bytes) { return block_bytes <= 32 << 10 ? 1.5 : 0.97; }

/// A case to be measured.
struct subject {
  std::string name;
  long long bytes = 0;               ///< that a rank sends to one neighbour, or what the case's text says
  double bar = 0;                    ///< least ratio of best MPI variant to tuned; 0: none
  std::function<double(int)> floor;  ///< iterations without the operation, subtracted in loop timing; may be empty
  bool has_clock_floor = false;      ///< subtracted in parts timing too: there it is what reading the clock costs
  std::vector<rival> rivals{};
  double limit_us = 0;                ///< longest time that the tuned one may take; 0: none
  std::string other = "nearfar-own";  ///< that `other_bar` is for: the tuned one in the other kind of memory
  std::string ours = "nearfar";       ///< the one of ours that the other bars are for
};

struct measurement {
  std::string method, choice;
  bool is_tuned = false, is_right = false;
  double median_us = 0, p10_us = 0, p90_us = 0, setup_ms = 0;
  long long heap_bytes = 0;  ///< maximum over ranks
  int samples = 0;
};

struct case_result {
  std::string name;
  long long bytes = 0;
  double bar = 0, floor_us = 0;
  std::vector<measurement> methods;
  std::vector<rival> rivals{};
  double limit_us = 0;
  std::string other = "nearfar-own", ours = "nearfar";

  const measurement* find(const std::string& method) const;
  const measurement* best_of(const std::vector<std::string>& prefixes) const;
  const measurement* best_yardstick() const { return best_of({"mpi-"}); }
  double ratio(const std::string& ours) const;  ///< best MPI variant / ours; 0 when either is missing
  double ratio(const rival& family, const std::string& ours) const;
  bool is_short() const;  ///< the tuned one is below a bar or above the limit, or in own memory below 0.97
  bool is_right() const;
};

/// Runs all contenders in rounds: in each round every one of them runs a burst, in a fresh random order, after a
/// barrier. A sample is the maximum over ranks of a burst's seconds per iteration. Collective over `comm`.
case_result measure(MPI_Comm comm, const options& how, const subject& what, std::vector<contender>& contenders);

double now_s();

/// Runs `make` and returns its seconds, maximum over ranks, in ms. Collective.
double timed_ms(MPI_Comm comm, const std::function<void()>& make);

}  // namespace bench
