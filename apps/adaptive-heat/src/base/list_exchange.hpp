// SPDX-License-Identifier: BSD-3-Clause
// Lists of plain records from every rank to every rank.
#pragma once

#include <cstdint>
#include <nearfar/collective.hpp>
#include <nearfar/team.hpp>
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

/// What every rank has for this one. Collective. T is trivially copyable and a whole number of 8-byte words.
template <class T>
rank_lists<T> exchange_lists(const nearfar::team& members, const rank_lists<T>& out) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);
  constexpr std::int64_t words = sizeof(T) / 8;
  const auto ranks = static_cast<std::size_t>(members.size());
  std::vector<std::int64_t> send(ranks), receive(ranks), send_at(ranks), receive_at(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    send[r] = words * (out.first[r + 1] - out.first[r]), send_at[r] = words * out.first[r];
  nearfar::alltoall(members, std::span<const std::int64_t>(send), std::span<std::int64_t>(receive));
  rank_lists<T> in(members.size());
  for (std::size_t r = 0; r < ranks; ++r) {
    receive_at[r] = words * in.first[r];
    in.first[r + 1] = in.first[r] + receive[r] / words;
  }
  in.records.resize(static_cast<std::size_t>(in.first[ranks]));
  nearfar::run_collective(members, nearfar::calls::alltoallv(out.records.data(), send, send_at, MPI_INT64_T,
                                                             in.records.data(), receive, receive_at, MPI_INT64_T));
  return in;
}

}  // namespace adaptive_heat
