// SPDX-License-Identifier: BSD-3-Clause
// process_vm_readv in slices that the kernel accepts.
#include <limits.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <base/text.hpp>
#include <cerrno>
#include <cstring>
#include <near/arena.hpp>
#include <near/process_reads.hpp>
#include <nearfar/error.hpp>
#include <topology/team_state.hpp>

namespace nearfar::near {

namespace {

/// Drops `bytes` bytes from the front of the list, which starts at piece `first`.
void advance(std::vector<iovec>& list, std::size_t& first, std::size_t bytes) {
  while (bytes > 0) {
    iovec& piece = list[first];
    const std::size_t step = std::min(bytes, piece.iov_len);
    piece.iov_base = static_cast<std::byte*>(piece.iov_base) + step;
    piece.iov_len -= step;
    bytes -= step;
    if (piece.iov_len == 0) ++first;
  }
}

}  // namespace

bool can_read_process(const team_state& s, int of, const std::uint64_t* own_word, std::uint64_t magic) {
#ifdef PR_SET_PTRACER
  // Where the Yama module restricts reads to children, a process may open itself to its peers. No effect elsewhere.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
#endif
  struct place {
    std::int64_t process, address;
  };
  const place mine{getpid(), reinterpret_cast<std::int64_t>(own_word)};
  std::vector<place> all(as_size(s.near_size));
  watched_mpi("MPI_Allgather", [&] {
    return MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, s.node_comm);
  });
  const place& peer = all[as_size(of)];
  std::uint64_t seen = 0;
  iovec local{&seen, sizeof seen}, remote{reinterpret_cast<void*>(peer.address), sizeof seen};
  const ssize_t got = process_vm_readv(static_cast<pid_t>(peer.process), &local, 1, &remote, 1, 0);
  const bool mine_works = got == ssize_t{sizeof seen} && seen == magic + static_cast<std::uint64_t>(of);
  watched_mpi("MPI_Barrier", [&] { return MPI_Barrier(s.node_comm); });  // the words must stay until everyone has read
  return mine_works;
}

namespace {

/// The number of the error; 0 if all was read.
int error_of_reading(int process, std::vector<iovec>& local, std::vector<iovec>& remote) {
  for (std::size_t l = 0, r = 0; r < remote.size();) {
    const auto locals = std::min<std::size_t>(local.size() - l, IOV_MAX);
    const auto remotes = std::min<std::size_t>(remote.size() - r, IOV_MAX);
    const ssize_t got = process_vm_readv(process, &local[l], locals, &remote[r], remotes, 0);
    if (got <= 0) return got < 0 ? errno : EFAULT;
    advance(local, l, static_cast<std::size_t>(got));
    advance(remote, r, static_cast<std::size_t>(got));
  }
  return 0;
}

std::string refusal(int process, int code) {
  return text("process ", process, " cannot be read: ", std::strerror(code));
}

}  // namespace

bool try_to_read_process(int process, std::vector<iovec>& local, std::vector<iovec>& remote) {
  const int code = error_of_reading(process, local, remote);
  if (code != 0) say_once_that_messages_serve(refusal(process, code));
  return code == 0;
}

void read_process(int process, std::vector<iovec>& local, std::vector<iovec>& remote) {
  if (const int code = error_of_reading(process, local, remote); code != 0)
    throw transport_error(refusal(process, code));
}

}  // namespace nearfar::near
