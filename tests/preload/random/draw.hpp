// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that all ranks draw alike, and the digest of what a rank has seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace random_program {

constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ x >> 30U) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27U) * 0x94d049bb133111ebU;
  return x ^ x >> 31U;
}

class draw {
 public:
  explicit draw(std::uint64_t seed) : state_(mixed(seed)) {}
  std::uint64_t next() { return mixed(state_++); }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// What a rank has received and what calls returned, in one number. With `is_told` each step is also a line on standard
/// error.
class digest {
 public:
  bool is_told = false;
  int rank = 0, step = 0;

  void add(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) value_ = (value_ ^ at[i]) * 0x100000001b3U;
  }
  void add(int value) { add(&value, sizeof value); }
  /// Ends a part of a step, which is called `what`.
  void mark(const char* what, int code) {
    add(code);
    value_ = mixed(value_);
    if (is_told)
      std::fprintf(stderr, "rank %d step %d %s code %d digest %016llx\n", rank, step, what, code,
                   static_cast<unsigned long long>(value_));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace random_program
