// SPDX-License-Identifier: BSD-3-Clause
// Makes, lends and probes one-sided windows.
#include <algorithm>
#include <far/window.hpp>

namespace nearfar::far {

window::window(const team& members, index bytes) : bytes_(std::max<index>(bytes, 8)) {
  check_mpi(MPI_Win_allocate(static_cast<MPI_Aint>(bytes_), 1, MPI_INFO_NULL, members.comm(), &data_, &win_), "MPI_Win_allocate");
  MPI_Win_set_errhandler(win_, MPI_ERRORS_RETURN);
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, win_), "MPI_Win_lock_all");
}

window::~window() {
  if (!is_mpi_usable() || win_ == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(win_);
  MPI_Win_free(&win_);
}

lease_pool<window>::lease borrow_window(const team& members, index bytes) {
  return lease_pool<window>::of(members).borrow(
      members, [&](const window& w) { return w.bytes() >= bytes; }, [&] { return std::make_unique<window>(members, bytes); });
}

namespace {

struct probe_result {
  bool works = false;
};

bool probe(const team& members) {
  const team_state& s = members.state();
  const auto lease = borrow_window(members, sizeof(std::int64_t));
  auto* word = reinterpret_cast<std::int64_t*>(lease->data());
  *word = -1;
  MPI_Win_sync(lease->win());
  MPI_Barrier(s.comm);
  const int right = (s.rank + 1) % s.size, left = (s.rank + s.size - 1) % s.size;
  const std::int64_t mine = s.rank;
  const bool is_put = MPI_Put(&mine, 1, MPI_INT64_T, right, 0, 1, MPI_INT64_T, lease->win()) == MPI_SUCCESS &&
                      MPI_Win_flush(right, lease->win()) == MPI_SUCCESS;
  MPI_Barrier(s.comm);
  MPI_Win_sync(lease->win());
  int good = is_put && *word == left ? 1 : 0, all = 0;
  check_mpi(MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, s.comm), "MPI_Allreduce");
  return all != 0;
}

}  // namespace

bool do_puts_work(const team& members) {
  return members.state().attachment<probe_result>([&] { return new probe_result{probe(members)}; }).works;
}

}  // namespace nearfar::far
