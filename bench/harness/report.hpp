// SPDX-License-Identifier: BSD-3-Clause
// Tables for people on stdout and JSON Lines for programs.
#pragma once

#include <fstream>
#include <vector>

#include "measure.hpp"

namespace bench {

/// Where and on what the program ran.
struct setting {
  std::string front;  ///< halo, transpose, …
  std::string mpi;    ///< e.g. "Open MPI 4.1.4"
  int ranks = 1, nodes = 1;
  bool is_speaker = true;                                       ///< this rank prints
  std::string other = "nearfar-own", other_words = "own mem.";  ///< the tuned one in the other kind of memory
};

/// Short name and version of the MPI in use.
std::string mpi_name();

/// Writes results as they come and a table of all at the end. Only the speaking rank writes.
class report {
 public:
  /// @throws std::runtime_error  on the speaking rank, if the JSON file cannot be written
  report(const setting& where, const options& how);
  void add(const case_result& result);
  void finish();
  int exit_code() const;  ///< 1: a result was wrong; 2: a bar was missed and --gate was given; else 0

 private:
  void write_json(const case_result& result);
  setting where_;
  bool is_gate_, is_parts_;
  std::ofstream json_;
  std::vector<case_result> results_;
};

}  // namespace bench
