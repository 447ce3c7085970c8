// SPDX-License-Identifier: BSD-3-Clause
// A fixed list of MPI requests that is polled, never waited for, so that the watchdog can end the wait.
#pragma once

#include <nearfar/mpi.hpp>
#include <vector>

namespace nearfar::far {

/// Requests of one direction of an exchange; slots are filled anew (or restarted, if persistent) each epoch.
class request_list {
 public:
  explicit request_list(std::size_t count = 0)
      : requests_(count, MPI_REQUEST_NULL), finished_(count), is_active_(count) {}
  /// Frees persistent requests; cancels nothing: an exchange is destroyed after finish().
  ~request_list();
  request_list(const request_list&) = delete;
  request_list& operator=(const request_list&) = delete;

  void free_all() noexcept;  ///< persistent requests that are not active

  std::size_t size() const noexcept { return requests_.size(); }
  MPI_Request* slot(std::size_t i) noexcept { return &requests_[i]; }
  MPI_Request* all() noexcept { return requests_.data(); }

  /// Says that all requests are active now.
  void arm() noexcept {
    for (std::size_t i = 0; i < is_active_.size(); ++i) is_active_[i] = 1;
    open_ = requests_.size();
  }
  /// Says that request i is active now.
  void arm(std::size_t i) noexcept {
    is_active_[i] = 1;
    ++open_;
  }
  bool is_active(std::size_t i) const noexcept { return is_active_[i] != 0; }

  /// Tests the active requests and calls finished(i) for each that completed; true once none is left.
  template <class Finished>
  bool poll(Finished finished) {
    if (open_ == 0) return true;
    const int done = test_some();
    for (int k = 0; k < done; ++k) {
      const auto i = static_cast<std::size_t>(finished_[static_cast<std::size_t>(k)]);
      is_active_[i] = 0;
      finished(i);
    }
    open_ -= static_cast<std::size_t>(done);
    return open_ == 0;
  }
  bool poll() {
    return poll([](std::size_t) {});
  }

 private:
  int test_some();
  std::vector<MPI_Request> requests_;
  std::vector<int> finished_;
  std::vector<char> is_active_;
  std::size_t open_ = 0;
};

}  // namespace nearfar::far
