// SPDX-License-Identifier: BSD-3-Clause
// What is written while a flow goes on: the series, spectra, snapshots.
#pragma once

#include <app/checkpoint.hpp>
#include <app/snapshots.hpp>
#include <app/text_table.hpp>
#include <optional>
#include <settings/settings.hpp>

namespace turbulence {

class observers {
 public:
  /// Collective. @param from  where the run goes on; without a stream files begin anew
  observers(flow& of, const settings& what, const run_place& from);
  /// After each step, told the time before it and the step's length, and before the first one. Collective.
  /// @throws nearfar::io_error  on every rank
  void look(const run_place& at, double time_before, double dt);
  void flush();  ///< snapshots are on disk then, too. Collective
  void close();
  std::string describe() const { return films_ ? films_->describe() : ""; }

 private:
  flow& of_;
  settings what_;
  std::optional<text_table> series_, spectra_;
  std::optional<snapshots> films_;
};

}  // namespace turbulence
