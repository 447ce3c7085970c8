// SPDX-License-Identifier: BSD-3-Clause
// One-sided windows that stay open, lent to plans, and whether one-sided puts work here.
#pragma once

#include <base/numbers.hpp>
#include <far/lease_pool.hpp>
#include <nearfar/team.hpp>

namespace nearfar::far {

/// Memory of MPI's own choice, in a passive epoch with all ranks for as long as it lives.
class window {
 public:
  window(const team& members, index_t bytes);
  ~window();
  window(const window&) = delete;
  window& operator=(const window&) = delete;
  MPI_Win win() const noexcept { return win_; }
  std::byte* data() const noexcept { return data_; }
  index_t bytes() const noexcept { return bytes_; }

 private:
  MPI_Win win_ = MPI_WIN_NULL;
  std::byte* data_ = nullptr;
  index_t bytes_ = 0;
};

/// A window with at least `bytes` bytes on this rank that no other plan uses. Collective over the team.
lease_pool<window>::lease borrow_window(const team& members, index_t bytes);

/// Puts a word to the right-hand neighbour and looks whether it arrived; the answer is kept. Collective over the team
/// at the first call.
bool do_puts_work(const team& members);

}  // namespace nearfar::far
