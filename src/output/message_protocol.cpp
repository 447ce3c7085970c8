// SPDX-License-Identifier: BSD-3-Clause
// Cutting frames into messages.
#include "message_protocol.hpp"

#include <algorithm>
#include <topology/team_state.hpp>

#include "crc32c.hpp"

namespace nearfar::output {

namespace {
constexpr index_t piece_bytes =
    32 << 20;  // a few per frame: the first is on its way to the disk's queue while others travel
}

std::vector<piece> pieces_of(const writer_plan& plan, const ring& from, std::uint64_t step) {
  const step_layout in = plan.layout_of(plan.first_step + static_cast<index_t>(step), from.frame(step));
  std::vector<piece> pieces;
  for (const brick& b : in.bricks) {
    std::byte* data = from.frame(step) + b.base + plan.shift(in, b);
    const index_t bytes = plan.layout.bytes_of(b);
    for (index_t at = 0; at < bytes; at += piece_bytes)
      pieces.push_back({data + at, static_cast<int>(std::min(piece_bytes, bytes - at))});
  }
  return pieces;
}

std::uint32_t crc_of(const std::vector<piece>& pieces) noexcept {
  std::uint32_t crc = 0;
  for (const piece& p : pieces) crc = crc32c(crc, p.at, static_cast<std::size_t>(p.bytes));
  return crc;
}

bool is_finished(MPI_Request& request) {
  int is_done = 0;
  check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
  return is_done != 0;
}

}  // namespace nearfar::output
