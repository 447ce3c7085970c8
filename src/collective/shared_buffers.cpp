// SPDX-License-Identifier: BSD-3-Clause
// Handles and addresses are exchanged in the lines of a slot.
#include <unistd.h>

#include <algorithm>
#include <collective/shared_buffers.hpp>
#include <nearfar/error.hpp>

namespace nearfar::collective {

namespace {

constexpr std::size_t remembered_chunks = 128;

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

}  // namespace

// The same ones on every rank. None of this call: there are fewer of these.
void neighbour_memory::forget_oldest(std::size_t most) {
  while (known_.size() > most)
    known_.erase(std::min_element(known_.begin(), known_.end(),
                                  [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
}

bool neighbour_memory::map(near::arena& memory, const std::vector<near::handle>& fresh) {
  try {
    for (const near::handle& where : fresh)
      if (where.process != getpid()) known_.at(where.chunk_key()).memory = memory.attach(where);
    return true;
  } catch (const resource_error& e) {
    near::say_once_that_messages_serve(e.what());
    return false;
  }
}

bool neighbour_memory::learn(node_segment& h, const std::vector<near::handle>& all, std::vector<std::byte*>& seen) {
  ++calls_;
  std::vector<const entry*> entries;
  std::vector<near::handle> fresh;
  for (const near::handle& where : all) {
    if (!where.is_valid()) {
      entries.push_back(nullptr);
      continue;
    }
    const auto [found, is_new] = known_.try_emplace(where.chunk_key());
    found->second.used = calls_;
    entries.push_back(&found->second);
    if (is_new) fresh.push_back(where);
  }
  if (!fresh.empty()) {
    forget_oldest(std::max(remembered_chunks, all.size()));
    const bool is_mapped = map(h.memory(), fresh);
    h.all_arrived();
    h.begin();
    if (!meet_again(h, 0, is_mapped))
      for (const near::handle& where : fresh) known_.at(where.chunk_key()).is_refused = true;
  }
  seen.assign(all.size(), nullptr);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (entries[i] == nullptr) continue;
    if (entries[i]->is_refused) return false;
    if (all[i].process != getpid()) seen[i] = entries[i]->memory.at(all[i]);
  }
  return true;
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
  if (!are_near) return false;
  all[as_size(h.rank())] = mine;
  std::vector<near::handle> places;
  for (const handles& of : all) places.insert(places.end(), {of.in, of.out});
  std::vector<std::byte*> seen;
  if (!known.learn(h, places, seen)) return false;
  for (int r = 0; r < h.size(); ++r) {
    if (r == h.rank()) continue;
    in[as_size(r)] = seen[as_size(2 * r)];
    out[as_size(r)] = seen[as_size(2 * r + 1)];
  }
  return true;
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

bool meet_again(node_segment& h, index_t line, bool is_well) {
  const std::int64_t mine = is_well ? 1 : 0;
  h.post(&mine, sizeof mine, line);
  for (int r = 0; r < h.size(); ++r) {
    std::int64_t theirs = 1;
    if (r != h.rank()) h.collect(r, &theirs, sizeof theirs, line);
    is_well = is_well && theirs != 0;
  }
  return is_well;
}

}  // namespace nearfar::collective
