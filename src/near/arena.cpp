// SPDX-License-Identifier: BSD-3-Clause
// Allocates from this rank's chunks, maps those of near ranks, and tests at the first use whether that works here.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <base/internals.hpp>

#include <algorithm>
#include <base/env.hpp>
#include <base/log.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <near/arena.hpp>
#include <near/process_reads.hpp>
#include <nearfar/error.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <vector>

#include "chunk.hpp"

namespace nearfar::near {

namespace {

constexpr index_t smallest_chunk = 1 << 20;  // small requests share chunks of this size
constexpr std::uint64_t test_lines = 4000;
constexpr double test_limit_s = 0.002;

std::shared_ptr<std::byte> private_memory(index_t bytes, const std::string& host) {
  const auto length = as_size(round_to_pages(std::max<index_t>(bytes, 1)));
  auto* at = static_cast<std::byte*>(std::aligned_alloc(page_bytes, length));
  if (at == nullptr) throw resource_error(text("memory on ", host, ": ", readable_bytes(bytes), " asked, none left"));
  std::memset(at, 0, length);
  return {at, [](std::byte* p) { std::free(p); }};
}

// What the teams of this process have in common.
struct pool {
  struct retired {
    std::vector<block> memory;
    std::function<bool()> is_quiet;
  };
  std::mutex mutex;
  std::vector<std::weak_ptr<chunk>> chunks;
  std::shared_ptr<chunk> kept;  // programs that plan again and again find a chunk ready
  std::map<decltype(handle{}.chunk_key()), std::weak_ptr<std::byte>> attached;
  std::vector<retired> retired_blocks;

  // Never destroyed: blocks may live in static objects of the program.
  static pool& of_process() {
    static pool& p = *new pool;
    return p;
  }

  std::shared_ptr<chunk> new_chunk(index_t bytes, backing from, pages when, const std::string& host) {
    auto made = std::make_shared<chunk>(bytes, from, when, host);
    std::erase_if(chunks, [](const std::weak_ptr<chunk>& c) { return c.expired(); });
    chunks.push_back(made);
    return made;
  }

  void sweep() {
    std::erase_if(retired_blocks, [](const retired& r) { return r.is_quiet(); });
    std::erase_if(attached, [](const auto& entry) { return entry.second.expired(); });
  }
};

}  // namespace

void say_once_that_messages_serve(const std::string& cause) {
  static std::once_flag was_said;
  log::warning_once(was_said, "near ranks go on with messages where they cannot share memory any more: ", cause);
}

arena& arena::of(const team& members) {
  const team_state& s = state_of(members);
  return state_of(members).attachment<arena>([&] { return s.whole ? new arena(of(*s.whole)) : new arena(members); });
}

arena::arena(const team& members) : host_(state_of(members).host) { probe(members); }

block arena::allocate(index_t bytes) {
  try {
    if (is_shared_) return allocate_shared(bytes, host_);
  } catch (const resource_error& e) {
    if (!is_limited_below(std::max(bytes, smallest_chunk))) throw;
    say_once_that_messages_serve(e.what());
  }
  block b;
  b.data_ = private_memory(bytes, host_);
  return b;
}

block arena::allocate_spare(index_t bytes) noexcept {
  try {
    const backing from = wanted_backing();
    if (from == backing::none) return {};
    if (bytes >= smallest_chunk) return allocate_lazily(bytes);
    return bytes > free_bytes(from) / 2 ? block{} : allocate_shared(bytes, "this node");
  } catch (const std::exception&) {
    return {};
  }
}

// A program that allocates need not use what it gets: pages come from the memory that ordinary ones would come from.
block arena::allocate_lazily(index_t bytes) {
  if (bytes > free_bytes(backing::memory_file) / 2) return {};
  block b;
  pool& p = pool::of_process();
  const std::scoped_lock lock(p.mutex);
  const auto from = p.new_chunk(bytes, backing::memory_file, pages::on_touch, "this node");
  b.data_ = std::shared_ptr<std::byte>(from->take(bytes), [from, bytes](std::byte* q) { from->give_back(q, bytes); });
  return b;
}

block arena::allocate_shared(index_t bytes, const std::string& host) {
  block b;
  pool& p = pool::of_process();
  const std::scoped_lock lock(p.mutex);
  p.sweep();
  const bool is_small = bytes < smallest_chunk;
  std::shared_ptr<chunk> from;
  std::byte* at = nullptr;
  for (std::size_t i = 0; is_small && at == nullptr && i < p.chunks.size(); ++i) {
    from = p.chunks[i].lock();
    if (from) at = from->take(bytes);
  }
  if (at == nullptr) {
    from = p.new_chunk(std::max(bytes, smallest_chunk), wanted_backing(), pages::reserved, host);
    at = from->take(bytes);
    if (is_small) p.kept = from;
  }
  b.data_ = std::shared_ptr<std::byte>(at, [from, bytes](std::byte* q) { from->give_back(q, bytes); });
  return b;
}

handle arena::find(const void* address, index_t bytes) const {
  pool& p = pool::of_process();
  const std::scoped_lock lock(p.mutex);
  for (const auto& candidate : p.chunks)
    if (const auto c = candidate.lock(); c && c->holds(address, bytes)) return c->handle_at(address);
  return {};
}

std::uint64_t arena::generation() noexcept { return chunk::destroyed(); }

void arena::refuse_mapping(const handle& h, int code) const {
  throw resource_error(
      text("near memory of process ", h.process, " on ", host_, " cannot be mapped: ", std::strerror(code)));
}

int arena::open_file_of(const handle& h) const {
  const std::string path = text("/proc/", h.process, "/fd/", h.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat s {};
  int code = file < 0 || fstat(file, &s) != 0 ? errno : 0;
  if (code == 0 && (s.st_ino != h.inode || s.st_size < h.chunk_at() + h.chunk_bytes())) code = ESTALE;
  if (code == 0) return file;
  if (file >= 0) close(file);
  refuse_mapping(h, code);
}

void arena::look_again(const team& members) {
  if (!is_shared() || state_of(members).nodes == members.size()) return;
  try {
    agree(members, [&] {
      close(open_file_of(of_right_));
      if (is_limited_below(smallest_chunk)) throw resource_error("files of this process may not grow (ulimit -f)");
    });
  } catch (const resource_error& e) {
    is_closed_ = true;
    if (members.is_root()) say_once_that_messages_serve(e.what());
  }
}

mapping arena::attach(const handle& h) {
  pool& p = pool::of_process();
  const std::scoped_lock lock(p.mutex);
  mapping m;
  auto& slot = p.attached[h.chunk_key()];
  m.base_ = slot.lock();
  if (m.base_) return m;
  const int file = open_file_of(h);
  void* const at = mmap(nullptr, as_size(h.chunk_bytes()), PROT_READ | PROT_WRITE, MAP_SHARED, file, h.chunk_at());
  const int code = at == MAP_FAILED ? errno : 0;
  close(file);
  if (code != 0) refuse_mapping(h, code);
  const auto length = as_size(h.chunk_bytes());
  m.base_ = std::shared_ptr<std::byte>(static_cast<std::byte*>(at), [length](std::byte* q) { munmap(q, length); });
  slot = m.base_;
  return m;
}

void arena::retire(std::vector<block> blocks, std::function<bool()> is_quiet) {
  pool& p = pool::of_process();
  const std::scoped_lock lock(p.mutex);
  p.retired_blocks.push_back({std::move(blocks), std::move(is_quiet)});
}

namespace {

std::vector<handle> handles_of_near_ranks(const team_state& s, const handle& mine) {
  std::vector<handle> all(as_size(s.near_size));
  watched_mpi("MPI_Allgather", [&] {
    return MPI_Allgather(&mine, sizeof(handle), MPI_BYTE, all.data(), sizeof(handle), MPI_BYTE, s.node_comm);
  });
  return all;
}

}  // namespace

void arena::probe(const team& members) {
  const team_state& s = state_of(members);
  block own;
  handle mine;
  agree(members, [&] {
    if (wanted_backing() == backing::none) return;
    is_shared_ = true;
    own = allocate(page_bytes);
    mine = find(own.data(), page_bytes);
  });
  if (!everywhere(s, is_shared_)) {
    is_shared_ = false;
    return;
  }
  const auto handles = handles_of_near_ranks(s, mine);
  const int left = (s.near_rank + s.near_size - 1) % s.near_size;
  const int right = (s.near_rank + 1) % s.near_size;
  constexpr std::uint64_t magic = 0x6e656172666172ULL;
  auto* word = reinterpret_cast<std::uint64_t*>(own.data());
  *word = magic + static_cast<std::uint64_t>(s.near_rank);
  watched_mpi("MPI_Barrier", [&] { return MPI_Barrier(s.node_comm); });
  try {
    agree(members, [&] {
      const mapping of_right = attach(handles[as_size(right)]);
      std::uint64_t seen = 0;
      std::memcpy(&seen, of_right.at(handles[as_size(right)]), sizeof seen);
      if (seen != magic + static_cast<std::uint64_t>(right))
        throw resource_error("what a near rank writes is not seen");
    });
  } catch (const resource_error& e) {
    is_shared_ = false;
    if (s.rank == 0)
      log::warning("near ranks cannot map each other's memory here; they exchange messages instead: ", e.what());
  }
  has_process_reads_ = everywhere(s, can_read_process(s, left, word, magic));
  if (!is_shared_) return;
  watched_mpi("MPI_Barrier", [&] { return MPI_Barrier(s.node_comm); });
  choose_lines(members, own, handles[as_size(right)]);
  probe_ = own;
  of_right_ = handles[as_size(right)];
}

void arena::choose_lines(const team& members, const block& own, const handle& right) {
  const team_state& s = state_of(members);
  const std::string wanted = env::string_or("NEARFAR_LINES", "auto");
  if (wanted != "auto" && wanted != "words" && wanted != "wide")
    throw usage_error(text("NEARFAR_LINES is '", wanted, "'; it can be auto, words or wide"));
  bool are_whole = wide_lines() != nullptr && wanted != "words";
  if (everywhere(s, are_whole) && s.near_size > 1) {
    // Even ranks write first while odd ones read their left neighbour's line, then the roles change.
    auto* mine = reinterpret_cast<line*>(own.data() + 1024);
    const mapping peer = attach(right);
    const auto* theirs = reinterpret_cast<const line*>(peer.at(right) + 1024);
    for (int writer = 0; writer < 2; ++writer) {
      if (s.near_rank % 2 == writer)
        write_test_lines(mine, test_lines, test_limit_s);
      else
        are_whole = are_lines_whole(theirs, test_lines, test_limit_s) && are_whole;
      watched_mpi("MPI_Barrier", [&] { return MPI_Barrier(s.node_comm); });
    }
  }
  are_whole = everywhere(s, are_whole);
  if (are_whole) lines_ = wide_lines();
  if (wanted == "wide" && !are_whole)
    throw usage_error("NEARFAR_LINES is wide, but 64-byte lines do not pass the self-test here");
}

}  // namespace nearfar::near
