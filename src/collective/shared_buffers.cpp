// SPDX-License-Identifier: BSD-3-Clause
// Handles and addresses are exchanged in the lines of a slot.
#include <collective/shared_buffers.hpp>

namespace nearfar::collective {

namespace {

constexpr std::size_t remembered_chunks = 64;

struct handles {
  near::handle in, out;
  std::int32_t is_near = 0;
};
struct addresses {
  const void* in;
  void* out;
};

bool find(near::handle& found, near::arena& memory, const void* at, index_t bytes) {
  if (at == nullptr || bytes == 0) return true;
  found = memory.find(at, bytes);
  return found.is_valid();
}

std::byte* seen_from_here(node_segment& h, neighbour_memory& known, const near::handle& where) {
  return where.is_valid() ? known.at(h.memory(), where) : nullptr;
}

}  // namespace

std::byte* neighbour_memory::at(near::arena& memory, const near::handle& h) {
  for (const auto& e : known_)
    if (e.chunk == h.chunk_key()) return e.memory.at(h);
  entry fresh{h.chunk_key(), memory.attach(h)};
  if (known_.size() < remembered_chunks) {
    known_.push_back(std::move(fresh));
    return known_.back().memory.at(h);
  }
  oldest_ = (oldest_ + 1) % remembered_chunks;
  known_[oldest_] = std::move(fresh);
  return known_[oldest_].memory.at(h);
}

bool shared_buffers::meet(node_segment& h, neighbour_memory& known, const void* own_in, index_t in_bytes, void* own_out,
                          index_t out_bytes) {
  handles mine;
  const bool has_in = find(mine.in, h.memory(), own_in, in_bytes);
  const bool has_out = find(mine.out, h.memory(), own_out, out_bytes);
  mine.is_near = has_in && has_out ? 1 : 0;
  h.post(&mine, sizeof mine);
  in.assign(as_size(h.size()), static_cast<const std::byte*>(own_in));
  out.assign(as_size(h.size()), static_cast<std::byte*>(own_out));
  bool are_near = mine.is_near != 0;
  std::vector<handles> all(as_size(h.size()));
  for (int r = 0; r < h.size(); ++r) {
    if (r == h.rank()) continue;
    h.collect(r, &all[as_size(r)], sizeof(handles));
    are_near = are_near && all[as_size(r)].is_near != 0;
  }
  for (int r = 0; are_near && r < h.size(); ++r) {
    if (r == h.rank()) continue;
    in[as_size(r)] = seen_from_here(h, known, all[as_size(r)].in);
    out[as_size(r)] = seen_from_here(h, known, all[as_size(r)].out);
  }
  return are_near;
}

void remote_buffers::meet(node_segment& h, const void* own_in, void* own_out) {
  const addresses mine{own_in, own_out};
  h.post(&mine, sizeof mine);
  in.resize(as_size(h.size()));
  out.resize(as_size(h.size()));
  for (int r = 0; r < h.size(); ++r) {
    addresses theirs = mine;
    if (r != h.rank()) h.collect(r, &theirs, sizeof theirs);
    in[as_size(r)] = static_cast<const std::byte*>(theirs.in);
    out[as_size(r)] = static_cast<std::byte*>(theirs.out);
  }
}

void meet_again(node_segment& h, index_t line) {
  h.post(nullptr, 0, line);
  for (int r = 0; r < h.size(); ++r)
    if (r != h.rank()) h.collect(r, nullptr, 0, line);
}

}  // namespace nearfar::collective
