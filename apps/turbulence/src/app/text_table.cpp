// SPDX-License-Identifier: BSD-3-Clause
#include <app/text_table.hpp>
#include <charconv>
#include <common/agreement.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace turbulence {
namespace {

/// Whole lines of comments and of times up to that one.
std::string kept_lines(const std::string& path, double until) {
  std::ifstream in(path);
  std::string all, line;
  while (std::getline(in, line)) {
    if (in.eof()) break;  // a torn line
    if (line.empty() || line[0] == '#' || std::strtod(line.c_str(), nullptr) <= until) all += line + '\n';
  }
  return all;
}

}  // namespace

text_table::text_table(const nearfar::team& team, const std::string& path, const std::string& heading,
                       std::optional<double> kept_until)
    : team_(team) {
  apps::agree_after(team, [&] {
    if (!team.is_root()) return;
    std::string text = kept_until ? kept_lines(path, *kept_until) : "";
    if (text.empty()) text = heading;
    apps::write_whole(path, text);
    file_ = apps::own_file::to_write(path);
    size_ = static_cast<std::int64_t>(text.size());
  });
}

void text_table::add(const std::string& lines) {
  apps::agree_after(team_, [&] {
    if (!team_.is_root()) return;
    file_.write(size_, std::as_bytes(std::span(lines.data(), lines.size())));
    size_ += static_cast<std::int64_t>(lines.size());
  });
}

std::string row_of(std::span<const double> numbers) {
  std::string row;
  for (const double number : numbers) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    row += (row.empty() ? "" : " ") + std::string(digits.data(), end);
  }
  return row + '\n';
}

}  // namespace turbulence
