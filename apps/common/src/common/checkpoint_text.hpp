// SPDX-License-Identifier: BSD-3-Clause
// What is alike in the programs' checkpoints: a stream of one step whose array "about" says in lines of text what the
// others are of, written by the root.
#pragma once

#include <nearfar/output.hpp>
#include <nearfar/output_reader.hpp>
#include <string>
#include <utility>
#include <vector>

namespace apps {

/// Names and values, a line each.
using key_values = std::vector<std::pair<std::string, std::string>>;

/// To the last digit.
std::string exact_words(double number);
/// Empty: there is no such key.
std::string value_in(const key_values& all, const std::string& key);

/// @param first_line  names the program and the form of its checkpoints
std::string checkpoint_text(const std::string& first_line, const key_values& keys);

/// An array that the root has alone and whole.
nearfar::output_array whole_of_root(const nearfar::team& team, const std::string& name,
                                    std::vector<nearfar::index_t> extents, nearfar::element_type type);

/// How a checkpoint at a path is written: two streams take turns. @param kept  a stream that stays until this one is
/// whole; empty: none
nearfar::output_options checkpoint_options(std::string kept);

/// A checkpoint that has been opened.
class checkpoint_source {
 public:
  /// Collective. @param given  the path at which streams take turns: the newer one is taken; or a stream itself
  /// @throws nearfar::io_error, nearfar::usage_error  on every rank: nothing is there, or it is damaged or something
  /// else
  checkpoint_source(const nearfar::team& team, const std::string& given, std::string first_line);

  nearfar::output_reader& in() { return in_; }
  const std::string& stream() const { return in_.path(); }
  const nearfar::output_array* array(const std::string& name) const;  ///< null: there is none
  /// Begins its step, with these parts of arrays besides the text: all their bytes are compared with their sums.
  /// Collective. @throws as the constructor
  key_values text(std::vector<nearfar::output_selection> wanted);

 private:
  nearfar::output_reader in_;
  std::string first_line_;
  nearfar::index_t letters_ = 0;
};

/// Runs `act`; its usage_error or io_error, which are the same on all ranks, begin with what was asked for.
template <class Act>
void as_restart(const std::string& given, const Act& act) {
  const std::string begin = "--restart=" + given + ": ";
  try {
    act();
  } catch (const nearfar::usage_error& e) {
    throw nearfar::usage_error(begin + e.what());
  } catch (const nearfar::io_error& e) {
    throw nearfar::io_error(begin + e.what());
  }
}

}  // namespace apps
