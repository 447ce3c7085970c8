// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: what a run goes on from, on any number of ranks, with the same bits.
//
// Checkpoints at path P are output streams that take turns there (output_opening::take_turns), each of format rsf and
// of one step:
//
//     u, v, w, c   modes of the velocity and of the scalar, if there is one; each rank writes its own
//     about        lines of text: step, time, grid, and what the run was told; of the root
#pragma once

#include <nearfar/output.hpp>
#include <optional>
#include <settings/settings.hpp>
#include <string>

namespace turbulence {

/// Where a run is.
struct run_place {
  index_t step = 0;
  double time = 0;
  std::string stream{};  ///< it goes on from; empty: from the start
  std::string note{};    ///< what is another now than when it was written; empty: nothing
};

/// Writes checkpoints by a thread of one rank of each node, while the run goes on.
class checkpoint_writer {
 public:
  /// Collective. @param from  a stream that stays until a newer one is whole; empty: none
  checkpoint_writer(flow& of, std::string path, std::string from);
  /// Returns when the state has been copied. Collective. @throws nearfar::io_error  on every rank: this one cannot be
  /// begun, or the one before could not be written. The newest one that is whole stays
  /// @throws nearfar::usage_error  on every rank: the flow is not finite; nothing is written then
  void write(const run_place& at);
  void finish();  ///< returns when the last one is whole. Collective. @throws nearfar::io_error

 private:
  flow& of_;
  std::string path_, kept_;
  std::optional<nearfar::output_stream> stream_;
};

/// Fills the flow with a checkpoint's state. Collective.
/// @param given            as for checkpoint_writer: the newer of its two streams is taken; or a stream itself
/// @param is_interpolated  it may be of another grid: modes that both have are taken, others are zero
/// @throws nearfar::io_error     on every rank: nothing is there, or it is damaged
/// @throws nearfar::usage_error  on every rank: it is something else, or of another grid, with both values
run_place restart_from(const std::string& given, bool is_interpolated, flow& into);

/// That the flow is finite. Collective. @throws nearfar::usage_error  on every rank
void check_finite(flow& of, const run_place& at);

}  // namespace turbulence
