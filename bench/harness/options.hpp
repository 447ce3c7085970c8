// SPDX-License-Identifier: BSD-3-Clause
// The command line that all bench programs share.
#pragma once

#include <string>
#include <vector>

namespace bench {

enum class timing {
  loop,   ///< whole iterations (write faces, operate, read results), less the same iterations without the operation
  parts,  ///< a clock around each operation; writing and reading are not counted, but their cold misses escape too
};

struct options {
  std::vector<std::string> cases, methods;  ///< shell patterns; empty: all
  std::string json_file, label;             ///< label: said after the MPI's name, for runs that differ in its settings
  timing clock = timing::loop;
  double case_s = 2;        ///< measuring time of one case
  double burst_s = 300e-6;  ///< aimed length of one burst
  double tune_s = 0;        ///< tuning budget of one plan; 0: the library's own
  int max_rounds = 0;       ///< 0: as many as fit
  bool is_list = false, is_quick = false, is_gate = false;
  bool is_reused =
      false;  ///< send the same data again and again; only the benchmarks of collectives and threads know this
  bool is_rewritten = false;  ///< the opposite for transpositions, which do so unless they are told

  bool wants_case(const std::string& name) const { return matches(cases, name); }
  bool wants_method(const std::string& name) const { return matches(methods, name); }

 private:
  static bool matches(const std::vector<std::string>& patterns, const std::string& name);
};

/// Fills `chosen` from the command line, where it starts from the program's own defaults. False: end the program with
/// `exit_code` (help was asked or an option is wrong; only `is_speaker` prints).
bool read_options(int argc, char** argv, const char* description, bool is_speaker, options& chosen, int& exit_code);

}  // namespace bench
