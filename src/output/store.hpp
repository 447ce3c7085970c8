// SPDX-License-Identifier: BSD-3-Clause
// What the root does with a stream's files before the first step and after the last.
#pragma once

#include <nearfar/output.hpp>

#include "agent.hpp"
#include "journal.hpp"

namespace nearfar::output {

/// The files of a stream, kept from other programs while this lives.
class store {
 public:
  store() = default;
  /// Makes the files, or finds the last whole step in them and cuts off what is behind it; fills in what `plan` says of the steps that
  /// are there. @throws io_error
  store(agent_plan& plan, const output_options& options);
  /// Cuts off what no journal speaks of, and writes the headers. @returns the whole steps. @throws io_error
  index finish(const agent_plan& plan) const;
  /// The headers alone, where other ranks may still write. @throws io_error
  void finish_headers(const agent_plan& plan) const;
  bool is_open() const noexcept { return journal_.get() >= 0; }

 private:
  descriptor journal_;
};

step_axis axis_of(const journal_contents& steps);

/// The whole steps of a journal whose data the files are long enough for.
journal_contents whole_steps(const std::string& journal, const std::vector<std::string>& data_paths,
                             const std::vector<index>& frame_bytes, bool must_exist);

}  // namespace nearfar::output
