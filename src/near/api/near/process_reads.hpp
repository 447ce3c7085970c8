// SPDX-License-Identifier: BSD-3-Clause
// Cross-memory attach: reading a near rank's ordinary memory with process_vm_readv (Linux).
#pragma once

#include <sys/uio.h>

#include <base/numbers.hpp>
#include <cstdint>
#include <vector>

namespace nearfar {
struct team_state;
}

namespace nearfar::near {

/// Tries to read the word of near rank `of` that holds `magic` + its near rank; every near rank passes its own word's
/// address. Collective over the node.
bool can_read_process(const team_state& s, int of, const std::uint64_t* own_word, std::uint64_t magic);

/// Reads all of `remote` of the process into `local`, in order; both lists add up to the same number of bytes and are
/// used up. The kernel may come to refuse what it allowed before: where the process changes its user, is made
/// unreadable (PR_SET_DUMPABLE), or its first thread ends.
/// @return whether all was read; if not, one warning per process says why
bool try_to_read_process(int process, std::vector<iovec>& local, std::vector<iovec>& remote);

/// The same. @throws transport_error if the kernel refuses or the process is gone
void read_process(int process, std::vector<iovec>& local, std::vector<iovec>& remote);

}  // namespace nearfar::near
