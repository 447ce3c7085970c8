// SPDX-License-Identifier: BSD-3-Clause
// For tests of thread teams: runs a function on every thread of a rank, and knows what every thread of every rank puts
// in.
#pragma once

#include <base/numbers.hpp>
#include <cstdint>
#include <functional>
#include <mpi_test.hpp>
#include <mutex>
#include <nearfar/thread_team.hpp>
#include <string>
#include <thread>
#include <vector>

namespace nearfar::test {

/// What went wrong on any thread; GoogleTest's own checks are for the main thread.
class findings {
 public:
  void add(const std::string& words) {
    const std::lock_guard lock(mutex_);
    if (text_.size() < 2000) text_ += words + "\n";
  }
  void expect(bool ok, const std::string& words) {
    if (!ok) add(words);
  }
  const std::string& text() const { return text_; }

 private:
  std::mutex mutex_;
  std::string text_;
};

/// Runs `body(thread)` on each of the team's threads, thread 0 being this one; what they throw becomes a finding.
inline void on_plain_threads(int threads, findings& found, const std::function<void(int)>& body) {
  const auto guarded = [&](int t) {
    try {
      body(t);
    } catch (const std::exception& e) {
      found.add(nearfar::text("thread ", t, " threw: ", e.what()));
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(guarded, t);
  guarded(0);
  for (auto& t : others) t.join();
}

/// The same with each thread a member of `all`.
inline void on_all_threads(const thread_team& all, findings& found, const std::function<void(thread_rank&)>& body) {
  on_plain_threads(all.threads(), found, [&](int t) {
    thread_rank me(all, t);
    body(me);
  });
}

/// Numbers that any rank can work out for any thread.
inline std::uint64_t input_number(std::uint64_t seed, index_t thread, index_t element) noexcept {
  std::uint64_t v = seed * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(thread) * 0xbf58476d1ce4e5b9ULL +
                    static_cast<std::uint64_t>(element) * 0x94d049bb133111ebULL;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ULL;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebULL;
  return v ^ (v >> 31);
}

/// Small whole numbers, so that sums are exact in every type.
template <class T>
std::vector<T> whole_numbers(std::uint64_t seed, index_t thread, index_t count) {
  std::vector<T> values(as_size(count));
  for (index_t i = 0; i < count; ++i) values[as_size(i)] = static_cast<T>(input_number(seed, thread, i) % 100);
  return values;
}

}  // namespace nearfar::test
