// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <common/checkpoint_text.hpp>
#include <nearfar/error.hpp>
#include <optional>
#include <sstream>

namespace apps {
namespace {

/// Absent: no such text.
std::optional<key_values> parsed_text(const std::string& first_line, const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != first_line) return std::nullopt;
  key_values all;
  while (std::getline(lines, line)) {
    const auto at = line.find(" = ");
    if (at == std::string::npos) return std::nullopt;
    all.emplace_back(line.substr(0, at), line.substr(at + 3));
  }
  return all;
}

}  // namespace

std::string exact_words(double number) {
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  return {std::begin(digits), end};
}

std::string value_in(const key_values& all, const std::string& key) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == key; });
  return at == all.end() ? "" : at->second;
}

std::string checkpoint_text(const std::string& first_line, const key_values& keys) {
  std::string text = first_line + '\n';
  for (const auto& [key, value] : keys) text += key + " = " + value + '\n';
  return text;
}

nearfar::output_array whole_of_root(const nearfar::team& team, const std::string& name,
                                    std::vector<nearfar::index_t> extents, nearfar::element_type type) {
  nearfar::output_array a;
  a.name = name, a.type = type, a.own = {static_cast<int>(extents.size()), {}, {}};
  if (team.is_root()) std::copy(extents.begin(), extents.end(), a.own.upper.begin());
  a.extents = std::move(extents);
  return a;
}

nearfar::output_options checkpoint_options(std::string kept) {
  nearfar::output_options how;
  how.policy = nearfar::output_policy::thread, how.depth = 1, how.expected_steps = 1;
  how.opening = nearfar::output_opening::take_turns, how.kept = std::move(kept);
  return how;
}

checkpoint_source::checkpoint_source(const nearfar::team& team, const std::string& given, std::string first_line)
    : in_(team, given, {.reads_ahead = false, .depth = 1}), first_line_(std::move(first_line)) {
  const nearfar::output_array* const text = array("about");
  if (text == nullptr || text->type != nearfar::element_type::int8 || text->extents.size() != 1)
    throw nearfar::usage_error(stream() + " is a stream of other things (" + in_.arrays().front().name +
                               "), not a checkpoint");
  if (in_.steps().empty()) throw nearfar::io_error(stream() + " has no checkpoint that is whole");
  letters_ = text->extents[0];
}

const nearfar::output_array* checkpoint_source::array(const std::string& name) const {
  const auto& all = in_.arrays();
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.name == name; });
  return at == all.end() ? nullptr : &*at;
}

key_values checkpoint_source::text(std::vector<nearfar::output_selection> wanted) {
  wanted.push_back({"about", {1, {}, {letters_}}});
  in_.select(wanted);
  in_.begin_step(static_cast<nearfar::index_t>(in_.steps().size()) - 1);
  std::string words(static_cast<std::size_t>(letters_), ' ');
  in_.get("about", words.data());
  auto all = parsed_text(first_line_, words);
  if (!all) throw nearfar::usage_error(stream() + " is a stream of other things, not a checkpoint of this program");
  return *std::move(all);
}

}  // namespace apps
