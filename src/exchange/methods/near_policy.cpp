// SPDX-License-Identifier: BSD-3-Clause
// Choice of the protocol for one near flow.
#include "near_policy.hpp"

#include <algorithm>

namespace nearfar::exchange {

namespace {

constexpr index most_process_read_runs = 64;  // the kernel takes about 0.3 us a run: more are cheaper staged

bool can_be_read_in_place(const std::vector<transfer_facts>& source, const std::vector<transfer_facts>& target) {
  for (std::size_t k = 0; k < source.size(); ++k)
    if (!source[k].is_in_arena || !source[k].is_box || !target[k].is_box || source[k].extents != target[k].extents)
      return false;
  return true;
}

index shortest_run(const std::vector<transfer_facts>& facts) {
  index shortest = std::numeric_limits<index>::max();
  for (const auto& f : facts)
    if (f.bytes() > 0) shortest = std::min(shortest, f.run_bytes);
  return shortest;
}

index run_count(const std::vector<transfer_facts>& facts) {
  index runs = 0;
  for (const auto& f : facts) runs += f.runs;
  return runs;
}

}  // namespace

protocol choose_protocol(const near_policy& p, const flow& f, bool is_outgoing) {
  const auto& source = is_outgoing ? f.here : f.there;
  const auto& target = is_outgoing ? f.there : f.here;
  if (f.bytes <= p.longest_line) return protocol::line;
  if (p.larger == protocol::direct && can_be_read_in_place(source, target) &&
      shortest_run(source) >= p.shortest_direct_run)
    return protocol::direct;
  if (p.larger == protocol::process_read && run_count(source) <= most_process_read_runs) return protocol::process_read;
  return protocol::staged;
}

const char* name_of(protocol p) {
  switch (p) {
    case protocol::line:
      return "line";
    case protocol::staged:
      return "staged";
    case protocol::direct:
      return "direct";
    case protocol::process_read:
      return "process-read";
  }
  return "?";
}

}  // namespace nearfar::exchange
