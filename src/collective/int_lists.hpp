// SPDX-License-Identifier: BSD-3-Clause
// The lists of a call as MPI's calls with int take them.
#pragma once

#include <base/numbers.hpp>
#include <collective/call.hpp>
#include <vector>

namespace nearfar::collective {

/// Whether MPI looks at the lists of a side on this rank; callers may leave anything in those that it does not look at.
inline bool has_lists(const call& c, int rank, bool is_sent) {
  if (has_equal_blocks(c.what)) return false;
  if (c.what == kind::gatherv) return !is_sent && rank == c.root;
  if (c.what == kind::scatterv) return is_sent && rank == c.root;
  return c.what == kind::alltoallv || c.what == kind::alltoallw || !is_sent;
}

/// Lists that are of int already are used where they are, others are copied; the numbers must fit.
class call_lists {
 public:
  call_lists() = default;
  call_lists(const call& c, MPI_Comm comm) {
    if (has_equal_blocks(c.what)) return;
    int ranks = 0, rank = 0;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    const number_list* all[] = {&c.send.counts, &c.send.displs, &c.receive.counts, &c.receive.displs};
    for (std::size_t i = 0; i < 4; ++i)
      if (has_lists(c, rank, i < 2)) take(*all[i], ranks, i);
  }
  const int* send_counts() const noexcept { return lists_[0]; }
  const int* send_places() const noexcept { return lists_[1]; }
  const int* receive_counts() const noexcept { return lists_[2]; }
  const int* receive_places() const noexcept { return lists_[3]; }

 private:
  void take(const number_list& list, int ranks, std::size_t i) {
    lists_[i] = list.narrow();
    if (lists_[i] != nullptr || !list) return;
    copies_[i].resize(as_size(ranks));
    for (int r = 0; r < ranks; ++r) copies_[i][as_size(r)] = static_cast<int>(list[r]);
    lists_[i] = copies_[i].data();
  }

  const int* lists_[4] = {};
  std::vector<int> copies_[4];
};

}  // namespace nearfar::collective
