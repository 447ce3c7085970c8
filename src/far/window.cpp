// SPDX-License-Identifier: BSD-3-Clause
// Makes, lends and probes one-sided windows.
#include <algorithm>
#include <base/internals.hpp>
#include <base/process.hpp>
#include <far/window.hpp>

namespace nearfar::far {

window::window(const team& members, index_t bytes) : bytes_(std::max<index_t>(bytes, 8)) {
  const file_size_signal_off off;  // MPIs keep windows in files
  watched_mpi("MPI_Win_allocate", [&] {
    return MPI_Win_allocate(static_cast<MPI_Aint>(bytes_), 1, MPI_INFO_NULL, members.comm(), &data_, &win_);
  });
  MPI_Win_set_errhandler(win_, MPI_ERRORS_RETURN);
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, win_), "MPI_Win_lock_all");
}

window::~window() {
  if (!is_mpi_usable() || win_ == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(win_);
  MPI_Win_free(&win_);
}

lease_pool<window>::lease borrow_window(const team& members, index_t bytes) {
  return lease_pool<window>::of(members).borrow(
      members, [&](const window& w) { return w.bytes() >= bytes; },
      [&] { return std::make_unique<window>(members, bytes); });
}

namespace {

struct probe_result {
  bool works = false;
};

constexpr std::int64_t enough_for_a_window = 1 << 20;

/// Some MPIs have no one-sided transport between nodes: they refuse to make the window, on every rank. Others keep
/// windows in files, and end the program where it may not have any.
bool can_windows_be_made(const team_state& s) {
  if (!everywhere(s, file_size_limit() >= enough_for_a_window)) return false;
  std::byte* data = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  const bool is_made = MPI_Win_allocate(8, 1, MPI_INFO_NULL, s.comm, &data, &win) == MPI_SUCCESS;
  const bool all = everywhere(s, is_made);
  if (all) MPI_Win_free(&win);
  return all;
}

bool probe(const team& members) {
  const team_state& s = state_of(members);
  if (!can_windows_be_made(s)) return false;
  const window w(members, sizeof(std::int64_t));
  auto* word = reinterpret_cast<std::int64_t*>(w.data());
  *word = -1;
  MPI_Win_sync(w.win());
  watched_mpi("MPI_Barrier", [&] { return MPI_Barrier(s.comm); });
  const int right = (s.rank + 1) % s.size, left = (s.rank + s.size - 1) % s.size;
  const std::int64_t mine = s.rank;
  const bool is_put = MPI_Put(&mine, 1, MPI_INT64_T, right, 0, 1, MPI_INT64_T, w.win()) == MPI_SUCCESS &&
                      MPI_Win_flush(right, w.win()) == MPI_SUCCESS;
  watched_mpi("MPI_Barrier", [&] { return MPI_Barrier(s.comm); });
  MPI_Win_sync(w.win());
  return everywhere(s, is_put && *word == left);
}

}  // namespace

bool do_puts_work(const team& members) {
  return state_of(members).attachment<probe_result>([&] { return new probe_result{probe(members)}; }).works;
}

}  // namespace nearfar::far
