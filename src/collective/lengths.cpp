// SPDX-License-Identifier: BSD-3-Clause
#include "lengths.hpp"

#include <algorithm>
#include <array>
#include <base/numbers.hpp>
#include <numeric>
#include <span>
#include <topology/team_state.hpp>
#include <tune/judge.hpp>

namespace nearfar::collective {
namespace {

constexpr std::array<index_t, 3> lengths{512, 32 << 10, 256 << 10};  // of the longest block
constexpr index_t most_bytes_of_a_rank = index_t{4} << 20;
constexpr index_t least_step = 4;  // nearer lengths tell the same
constexpr double longest_call_s = 2e-3;
constexpr double slow_bytes_per_s = 1e8;  // a slow network's

index_t longest_block(const team& members, const job& j) {
  index_t longest = 0;
  for (const std::span<const index_t> list : {j.blocks.send_bytes, j.blocks.receive_bytes})
    for (const index_t bytes : list) longest = std::max(longest, bytes);
  watched_mpi("MPI_Allreduce",
              [&] { return MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_INT64_T, MPI_MAX, members.comm()); });
  return longest;
}

// A job like another, with every block as many times as long.
class stretched {
 public:
  stretched(const job& like, index_t from, index_t to) : job_(like) {
    lay_out(like.blocks.send_bytes, from, to, send_bytes_, send_offsets_);
    lay_out(like.blocks.receive_bytes, from, to, receive_bytes_, receive_offsets_);
    job_.blocks = {send_bytes_, send_offsets_, receive_bytes_, receive_offsets_};
    input_.resize(as_size(std::accumulate(send_bytes_.begin(), send_bytes_.end(), index_t{0})));
    if (like.in != nullptr) job_.in = input_.data();
  }
  const job& as_job() const { return job_; }

 private:
  // Both ends of a block round alike.
  static void lay_out(std::span<const index_t> like, index_t from, index_t to, std::vector<index_t>& bytes,
                      std::vector<index_t>& offsets) {
    for (const index_t b : like)
      bytes.push_back(
          static_cast<index_t>(static_cast<double>(b) / static_cast<double>(from) * static_cast<double>(to)));
    offsets.resize(bytes.size());
    std::exclusive_scan(bytes.begin(), bytes.end(), offsets.begin(), index_t{0});
  }

  job job_;
  std::vector<index_t> send_bytes_, send_offsets_, receive_bytes_, receive_offsets_;
  std::vector<std::byte> input_;
};

bool is_near(index_t a, index_t b) { return a < least_step * b && b < least_step * a; }

}  // namespace

std::optional<race_result> race_over_lengths(workspace& work, const std::vector<const algorithm*>& candidates,
                                             const call& c, const job& like, const race_options& how) {
  race_options share = how;
  share.budget_s = how.budget_s / (1 + lengths.size());
  auto held = race_algorithms(work, candidates, true, c, like, share);
  const index_t longest = longest_block(work.members, like);
  if (!held || longest == 0) return held;
  std::vector<tune::decision> races{held->race};
  double call_s = tune::plain_seconds(held->race), at = static_cast<double>(longest);
  for (const index_t wanted : lengths) {
    const index_t length = std::min(wanted, most_bytes_of_a_rank / work.members.size());
    const double guess_s = std::min(call_s * static_cast<double>(length) / at,
                                    call_s + static_cast<double>(length * work.members.size()) / slow_bytes_per_s);
    if (length == 0 || is_near(length, longest) || guess_s > longest_call_s) continue;
    const stretched longer(like, longest, length);
    const auto more = race_algorithms(work, candidates, true, c, longer.as_job(), share);
    if (!more) continue;
    races.push_back(more->race);
    held->cost_s += more->cost_s;
    held->race.spent_s += more->race.spent_s;
    call_s = tune::plain_seconds(more->race);
    at = static_cast<double>(length);
  }
  held->race.tried = tune::judged_together(races);
  return held;
}

}  // namespace nearfar::collective
