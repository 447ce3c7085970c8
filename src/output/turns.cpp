// SPDX-License-Identifier: BSD-3-Clause
// Finds the newest of two alternating streams by their journals. A program that creates one of them empties its journal
// first: until its first record the other one is the newest.
#include "turns.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nearfar/error.hpp>
#include <tuple>

#include "step_writer.hpp"

namespace nearfar::output {

namespace {

struct candidate {
  turn of;
  bool is_there = false, has_step = false, is_damaged = false;
};

candidate candidate_at(const std::string& path) {
  candidate c{{path}, std::filesystem::exists(journal_path(path))};
  try {
    const journal_contents found = read_journal(journal_path(path), false);
    c.has_step = found.steps() > 0, c.is_damaged = !found.damage.empty();
    if (c.has_step) c.of.number = found.records.front().turn();
  } catch (const io_error&) {  // a file of another kind, which whoever opens it is told of
  }
  return c;
}

/// The newer one first.
std::array<candidate, 2> candidates_at(const std::string& path) {
  std::array<candidate, 2> both{candidate_at(path + "-a"), candidate_at(path + "-b")};
  const auto rank = [](const candidate& c) { return std::tuple(c.has_step, c.of.number, c.is_there); };
  if (rank(both[1]) > rank(both[0])) std::swap(both[0], both[1]);
  return both;
}

bool is_same_stream(const std::string& a, const std::string& b) {
  std::error_code not_there;
  return !a.empty() && !b.empty() && std::filesystem::equivalent(journal_path(a), journal_path(b), not_there);
}

}  // namespace

turn next_turn(const std::string& path, const std::string& kept) {
  const auto [newer, older] = candidates_at(path);
  const bool is_free = !newer.has_step || is_same_stream(older.of.path, kept);
  return {is_free ? newer.of.path : older.of.path, std::max(newer.of.number, older.of.number) + 1};
}

stream_choice stream_at(const std::string& path) {
  if (std::filesystem::exists(journal_path(path))) return {path};
  const auto [newer, older] = candidates_at(path);
  // It may have been the newest one: whoever opens it is told.
  if (older.is_damaged) return {older.of.path, newer.has_step ? newer.of.path : ""};
  if (newer.is_there) return {newer.of.path, older.has_step ? older.of.path : ""};
  throw io_error(text(journal_path(path), " cannot be read: there is no such file, nor ", journal_path(path + "-a"),
                      " or ", journal_path(path + "-b")));
}

}  // namespace nearfar::output
