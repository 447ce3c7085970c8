// SPDX-License-Identifier: BSD-3-Clause
// A different number of writers for the rest of a stream: it is closed, and opened again to append.
#include <algorithm>
#include <base/internals.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "formats/format.hpp"
#include "stream_state.hpp"

namespace nearfar {

using namespace output;

namespace {
constexpr int most_tried = 8;  // per node
}

/// Numbers of writers per node that are tried. What a writer has is compressed as one, and varying arrays are laid out
/// for one: there the number stays.
std::vector<int> output_state::numbers_of_writers() const {
  if (options_.writers_per_node > 0) return {options_.writers_per_node};
  std::vector<int> numbers{1};
  const bool is_free = options_.policy == output_policy::automatic && !layout_.has_varying() &&
                       !format_of(options_.format).has_one_writer() &&
                       std::all_of(layout_.plan().codecs.begin(), layout_.plan().codecs.end(),
                                   [](const codec& c) { return c.kind == codec_kind::none; });
  const bool is_possible = everywhere(state_of(members_), near::arena::of(members_).is_shared());
  int most = members_.near_size();
  watched_mpi("MPI_Allreduce",
              [&] { return MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, members_.comm()); });
  if (is_free && is_possible)
    while (2 * numbers.back() <= std::min(most, most_tried)) numbers.push_back(2 * numbers.back());
  return numbers;
}

std::unique_ptr<output_state> output_state::reopened(std::unique_ptr<output_state> before) {
  before->close();
  output_options options = before->options_;
  options.opening = output_opening::append;
  options.append_before.reset();
  options.verify = false;
  earlier_steps earlier{before->earlier_.steps + before->group_.accepted(), before->waited_s_, before->longest_wait_s_,
                        before->copied_s_, before->tuner_};
  const team members = before->members_;
  const std::string path = before->path_;
  std::vector<output_array> arrays = before->layout_.arrays();  // none varies
  before.reset();                                               // its memory is there for the next
  return std::make_unique<output_state>(members, path, std::move(arrays), options, std::move(earlier));
}

}  // namespace nearfar
