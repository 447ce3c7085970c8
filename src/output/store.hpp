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
  store(const std::string& path, agent_plan& plan, const output_options& options);
  /// Steps that were there, and those that note_step() told of.
  const std::vector<double>& times() const noexcept { return times_; }
  void note_step(double time) { times_.push_back(time); }
  /// All steps have been written: their files have names, the headers speak of them. @throws io_error
  void settle(const agent_plan& plan);
  /// Cuts off what no journal speaks of, and writes the headers. @returns the whole steps. @throws io_error
  index finish(const agent_plan& plan) const;
  /// The headers alone, where other ranks may still write. @throws io_error
  void finish_headers(const agent_plan& plan) const;
  bool is_open() const noexcept { return journal_.get() >= 0; }

 private:
  descriptor journal_;
  std::vector<double> times_;
  index settled_ = 0;
};

/// The steps of a plan's journal whose files are there and long enough. @throws io_error
journal_contents whole_steps(const agent_plan& plan);

}  // namespace nearfar::output
