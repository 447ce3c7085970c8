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
  /// @param valued  names of options with a value; `switches` those without, to which help and json always belong
  /// @throws usage_error  an unknown option, or one without its value
  arguments(const std::vector<std::string>& words, const std::vector<std::string>& valued,
            const std::vector<std::string>& switches = {});

  bool has(const std::string& name) const { return given_.count(name) != 0; }
  bool is_json() const { return has("json"); }
  const std::vector<std::string>& others() const noexcept { return others_; }

  std::string text_or(const std::string& name, const std::string& otherwise) const;
  /// @throws usage_error  no number, or below `least`
  index_t number_or(const std::string& name, index_t otherwise, index_t least = 1) const;
  /// "100x80" @throws usage_error  missing, or no such list
  std::vector<index_t> extents(const std::string& name) const;
  std::vector<index_t> extents_or(const std::string& name, std::vector<index_t> otherwise) const;

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
