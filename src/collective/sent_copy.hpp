// SPDX-License-Identifier: BSD-3-Clause
// A copy of what a call in place sends, for MPIs whose nonblocking calls receive into the buffer before it is sent.
#pragma once

#include <collective/call.hpp>
#include <vector>

namespace nearfar::collective {

/// Open MPI 4.1 exchanges wrong numbers in MPI_Ialltoallv and MPI_Ialltoallw in place from some kilobytes on, or never
/// ends.
bool is_exchanged_wrongly(const call& c) noexcept;

class sent_copy {
 public:
  /// For alltoallv and alltoallw in place, whose lists must live as long as the call that `renew` returns. Local.
  sent_copy(const call& c, int ranks);

  /// Copies what is in the array now. Local. @return the same exchange, out of the copy
  call renew();

 private:
  call whole_;
  index_t first_ = 0;  ///< byte of the array that the copy begins with
  std::vector<std::byte> bytes_;
};

}  // namespace nearfar::collective
