// SPDX-License-Identifier: BSD-3-Clause
// The near methods, and the choice of the protocol for one near flow.
#include "near_policy.hpp"

#include <algorithm>
#include <map>

#include "near.hpp"
#include "near_pipe.hpp"
#include "near_stream.hpp"

namespace nearfar::exchange {

namespace {

bool are_equal_boxes(const std::vector<transfer_facts>& source, const std::vector<transfer_facts>& target) {
  for (std::size_t k = 0; k < source.size(); ++k)
    if (source[k].extents != target[k].extents) return false;
  return true;
}

bool can_be_read_in_place(const std::vector<transfer_facts>& source, const std::vector<transfer_facts>& target) {
  return are_equal_boxes(source, target) &&
         std::all_of(source.begin(), source.end(), [](const transfer_facts& f) { return f.is_in_arena; });
}

index_t shortest_run(const std::vector<transfer_facts>& facts) {
  index_t shortest = std::numeric_limits<index_t>::max();
  for (const auto& f : facts)
    if (f.bytes() > 0) shortest = std::min(shortest, f.run_bytes);
  return shortest;
}

index_t run_count(const std::vector<transfer_facts>& facts) {
  index_t runs = 0;
  for (const auto& f : facts) runs += f.runs;
  return runs;
}

}  // namespace

const near_policy& policy_of(const std::string& method) {
  static const std::map<std::string, near_policy> policies{
      {"near-line", {.longest_line = 16384}},
      {"near-staged", {}},
      {"near-direct", {.larger = protocol::direct}},
      {"near-direct-streamed", {.larger = protocol::direct, .past_caches = true}},
      {"near-streamed", {.larger = protocol::streamed}},
      {"near-piped", {.larger = protocol::piped}},
      {"near-mixed", {.longest_line = 4608, .larger = protocol::direct, .shortest_direct_run = 512}},
      {"near-cma", {.larger = protocol::process_read}},
      {"node-barrier", {.longest_line = 0, .larger = protocol::direct, .uses_barriers = true}},
  };
  return policies.at(method);
}

protocol choose_protocol(const near_policy& p, const flow& f, bool is_outgoing) {
  const auto& source = is_outgoing ? f.here : f.there;
  const auto& target = is_outgoing ? f.there : f.here;
  if (f.bytes <= p.longest_line) return protocol::line;
  if (p.larger == protocol::direct && can_be_read_in_place(source, target) &&
      shortest_run(source) >= p.shortest_direct_run)
    return protocol::direct;
  if (p.larger == protocol::process_read && run_count(source) <= most_process_read_runs) return protocol::process_read;
  if (p.larger == protocol::streamed && f.bytes >= shortest_streamed_bytes && are_equal_boxes(source, target))
    return protocol::streamed;
  if (p.larger == protocol::piped && f.bytes >= shortest_piped_bytes && are_equal_boxes(source, target))
    return protocol::piped;
  return protocol::staged;
}

const char* name_of(protocol p) {
  switch (p) {
    case protocol::line:
      return "line";
    case protocol::staged:
      return "staged";
    case protocol::streamed:
      return "streamed";
    case protocol::piped:
      return "piped";
    case protocol::direct:
      return "direct";
    case protocol::process_read:
      return "process-read";
  }
  return "?";
}

std::uint64_t protocols_of(const context& c, const std::string& method) {
  const near_policy& policy = policy_of(method);
  const bool differs_in_stores = policy.past_caches && c.exceeds_core_cache && !c.goes_past_caches;
  hash64 h;
  for (const flow& f : c.receives) {
    if (f.is_self || !f.is_near() || f.bytes == 0) continue;
    const protocol how = choose_protocol(policy, f, false);
    h.add(f.peer).add(static_cast<index_t>(how)).add(how == protocol::direct && differs_in_stores ? 1 : 0);
  }
  return h.value();
}

bool is_near_memory_shared(const context& c) { return c.arena->is_shared(); }
bool is_process_reading_possible(const context& c) { return c.arena->is_shared() && c.arena->has_process_reads(); }

}  // namespace nearfar::exchange
