// SPDX-License-Identifier: BSD-3-Clause
// Lists of plain records between ranks that know of each other.
#pragma once

#include <base/mpi_check.hpp>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace adaptive_heat {

/// Records by rank: those of rank r are `records[first[r]] … records[first[r + 1] - 1]`.
template <class T>
struct rank_lists {
  std::vector<T> records;
  std::vector<std::int64_t> first;

  explicit rank_lists(int ranks) : first(static_cast<std::size_t>(ranks) + 1) {}
  std::span<const T> of(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return std::span<const T>(records).subspan(static_cast<std::size_t>(first[r]),
                                               static_cast<std::size_t>(first[r + 1] - first[r]));
  }
};

/// What each partner has for this rank. Lists for other ranks must be empty; who is whose partner is mutual. Collective over partners.
/// T is a whole number of 8-byte words. @cost a message to each partner
template <class T>
rank_lists<T> exchange_lists(MPI_Comm comm, int tag, std::span<const int> partners, const rank_lists<T>& out) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);
  constexpr int words = sizeof(T) / 8;
  std::vector<MPI_Request> requests(partners.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < partners.size(); ++i) {
    const std::span<const T> list = out.of(partners[i]);
    check_mpi(MPI_Isend(list.data(), words * static_cast<int>(list.size()), MPI_INT64_T, partners[i], tag, comm,
                        &requests[i]),
              "MPI_Isend");
  }
  rank_lists<T> in(static_cast<int>(out.first.size()) - 1);
  for (const int partner : partners) {
    MPI_Message message;
    MPI_Status status;
    int count = 0;
    check_mpi(MPI_Mprobe(partner, tag, comm, &message, &status), "MPI_Mprobe");
    check_mpi(MPI_Get_count(&status, MPI_INT64_T, &count), "MPI_Get_count");
    const std::size_t before = in.records.size();
    in.records.resize(before + static_cast<std::size_t>(count / words));
    check_mpi(MPI_Mrecv(in.records.data() + before, count, MPI_INT64_T, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    in.first[static_cast<std::size_t>(partner) + 1] = count / words;
  }
  for (std::size_t r = 1; r < in.first.size(); ++r) in.first[r] += in.first[r - 1];
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  return in;
}

}  // namespace adaptive_heat
