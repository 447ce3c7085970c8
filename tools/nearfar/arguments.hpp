// SPDX-License-Identifier: BSD-3-Clause
// The words of a subcommand: --name value, switches, and what stands by itself.
#pragma once

#include <map>
#include <nearfar/index.hpp>
#include <string>
#include <vector>

namespace nearfar::command {

class arguments {
 public:
  /// @param valued  names of options with a value; `switches` those without, to which help and json always belong;
  ///                `most_others` words stand by themselves
  /// @throws usage_error  an unknown option, one without its value or with one that it does not take, a word too many
  arguments(const std::vector<std::string>& words, const std::vector<std::string>& valued,
            const std::vector<std::string>& switches = {}, std::size_t most_others = 0);

  bool has(const std::string& name) const { return given_.count(name) != 0; }
  bool is_json() const { return has("json"); }
  const std::vector<std::string>& others() const noexcept { return others_; }

  std::string text_or(const std::string& name, const std::string& otherwise) const;
  static constexpr index_t most_number = index_t{1} << 60;
  /// @throws usage_error  no number of `least` to `most`
  index_t number_or(const std::string& name, index_t otherwise, index_t least = 1, index_t most = most_number) const;
  int count_or(const std::string& name, int otherwise) const;  ///< the same of 1 to 2^20
  /// "100x80" @throws usage_error  an entry that is no number of `least` to `most`
  std::vector<index_t> list_or(const std::string& name, std::vector<index_t> otherwise, char separator = 'x',
                               index_t least = 1, index_t most = most_number) const;
  /// The same @throws usage_error  missing
  std::vector<index_t> extents(const std::string& name) const;

 private:
  std::map<std::string, std::string> given_;
  std::vector<std::string> others_;
};

/// The subcommands: each prints what it found and returns the exit status.
int run_info(const std::vector<std::string>& words);
int run_doctor(const std::vector<std::string>& words);
int run_methods(const std::vector<std::string>& words);
int run_bench(const std::vector<std::string>& words);
int run_model(const std::vector<std::string>& words);

/// Whether a launcher has started this process as one of several ranks.
bool is_launched();

}  // namespace nearfar::command
