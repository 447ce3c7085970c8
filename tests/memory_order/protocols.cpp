// SPDX-License-Identifier: BSD-3-Clause
// What ranks do to each other's memory, done by threads: the sanitizer sees every pair of accesses that no release and
// acquire put in order, whether this processor would have swapped them or not.
//
// Each protocol is written twice into the same memory without a barrier between, so that both directions are seen: what
// was written is read whole, and what is still read is not overwritten.
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <near/line.hpp>
#include <near/signal.hpp>
#include <ring.hpp>
#include <thread>
#include <vector>

namespace nearfar {
namespace {

constexpr std::uint64_t rounds = 200;

void must(bool truth, const char* what) {
  if (truth) return;
  std::fprintf(stderr, "memory_order: %s\n", what);
  std::_Exit(1);
}

template <class Ready>
void wait_for(Ready ready) {
  while (!ready()) sched_yield();
}

template <class One, class Other>
void both(One one, Other other) {
  std::thread first(one), second(other);
  first.join();
  second.join();
}

/// Lines that carry data and epoch; the reader says by a signal that they may be written anew.
void lines() {
  constexpr index_t bytes = 300;
  std::vector<near::line> shared(static_cast<std::size_t>(near::lines_for(bytes)));
  near::signal taken{};
  const near::line_kernel& k = near::word_lines();
  both(
      [&] {
        std::vector<std::byte> data(bytes);
        for (std::uint64_t e = 1; e <= rounds; ++e) {
          wait_for([&] { return taken.has_reached(e - 1); });
          std::memset(data.data(), static_cast<int>(e), bytes);
          k.write(shared.data(), data.data(), bytes, e);
        }
      },
      [&] {
        std::vector<std::byte> data(bytes);
        for (std::uint64_t e = 1; e <= rounds; ++e) {
          index_t next = 0;
          wait_for(
              [&] { return (next = k.read(shared.data(), data.data(), bytes, e, next)) == near::lines_for(bytes); });
          must(data.front() == std::byte(e) && data.back() == std::byte(e), "a line has other data than its epoch");
          taken.set(e);
        }
      });
}

/// Memory that is written, signalled, read in place and signalled back: what all in-place methods do.
void signals() {
  std::vector<std::uint64_t> shared(64);
  near::signal written{}, read{};
  both(
      [&] {
        for (std::uint64_t e = 1; e <= rounds; ++e) {
          for (auto& word : shared) word = e;
          written.set(e);
          wait_for([&] { return read.has_reached(e); });
        }
      },
      [&] {
        for (std::uint64_t e = 1; e <= rounds; ++e) {
          wait_for([&] { return written.has_reached(e); });
          for (const auto word : shared) must(word == e, "memory is older than its signal");
          read.set(e);
        }
      });
}

/// Two members fill their halves of frames, one takes them; an error's words are whole when it is seen.
void frames() {
  constexpr int members = 2, depth = 2;
  constexpr index_t frame_bytes = 4096;
  const auto bytes = static_cast<std::size_t>(output::ring::bytes(members, depth, frame_bytes));
  const std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(4096, bytes), &std::free);
  std::memset(memory.get(), 0, bytes);
  const output::ring r(static_cast<std::byte*>(memory.get()), members, depth, frame_bytes);
  const auto fill = [&](int member) {
    for (std::uint64_t s = 0; s < rounds; ++s) {
      wait_for([&] { return r.head().released.load(std::memory_order_acquire) + depth > s; });
      std::memset(r.frame(s) + member * frame_bytes / 2, static_cast<int>(s), frame_bytes / 2);
      r.member_state(member).filled.store(s + 1, std::memory_order_release);
    }
  };
  std::thread other([&] { fill(1); });
  both([&] { fill(0); },
       [&] {
         for (std::uint64_t s = 0; s < rounds; ++s) {
           wait_for([&] { return r.is_full(s); });
           must(r.frame(s)[0] == std::byte(s) && r.frame(s)[frame_bytes - 1] == std::byte(s), "a frame is not full");
           r.head().released.store(s + 1, std::memory_order_release);
         }
       });
  other.join();
  both([&] { r.fail(7, "the disk is full"); },
       [&] {
         wait_for([&] { return r.has_failed(); });
         must(r.head().failed_step == 7 && std::strcmp(r.head().message, "the disk is full") == 0, "words of an error");
       });
}

}  // namespace
}  // namespace nearfar

int main() {
  nearfar::lines();
  nearfar::signals();
  nearfar::frames();
  std::puts("memory_order: all in order");
}
