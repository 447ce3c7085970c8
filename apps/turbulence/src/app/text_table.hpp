// SPDX-License-Identifier: BSD-3-Clause
// Rows of numbers as text, one after the other: each is on disk when the call returns.
#pragma once

#include <common/own_file.hpp>
#include <nearfar/team.hpp>
#include <optional>
#include <span>
#include <string>

namespace turbulence {

class text_table {
 public:
  /// Collective; the root writes. @param kept_until  rows of a file that is there stay up to this time, their first
  /// number, as a run goes on from then; absent: the file begins anew. @throws nearfar::io_error  on every rank
  text_table(const nearfar::team& team, const std::string& path, const std::string& heading,
             std::optional<double> kept_until);
  /// The root's text, whole lines. Collective. @throws nearfar::io_error  on every rank: a full disk
  void add(const std::string& lines);

 private:
  nearfar::team team_;
  apps::own_file file_;
  std::int64_t size_ = 0;
};

/// The numbers with blanks between them, as short as they are read back to the same bits.
std::string row_of(std::span<const double> numbers);

}  // namespace turbulence
