// SPDX-License-Identifier: BSD-3-Clause
// Letters between ranks that do not know who will write to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nearfar/mpi.hpp>
#include <span>
#include <vector>

namespace adaptive_heat {

struct message {
  int peer = 0;
  std::vector<std::uint64_t> words;
};

/// One rank's message queue. Words put in go out with the next delivery, one message per peer.
class mail {
 public:
  explicit mail(MPI_Comm comm);  ///< borrowed; nobody else may send on it with tags 0 and 1

  /// Adds words to the message for `peer`, which may be any rank but this one. Local.
  void put(int peer, std::uint64_t word);
  std::int64_t words_put() const noexcept { return words_put_; }  ///< since the last delivery

  std::int64_t deliveries() const noexcept { return deliveries_; }  ///< so far

  /// Delivers all messages; returns those for this rank by ascending sender, valid until the next delivery. `sums`
  /// become the sums over the ranks. Collective.
  /// @throws nearfar::transport_error if MPI fails
  /// @cost   the messages and one reduction that does not block; nothing on one rank
  /// @source the NBX algorithm of Hoefler, Siebert and Lumsdaine (2010), with a reduction in place of the barrier
  std::span<const message> deliver(std::span<std::int64_t> sums);

 private:
  message& next_message(std::vector<message>& list, std::size_t& used, int peer);
  void send();
  void receive();
  bool sent_all();
  void converse(std::span<std::int64_t> sums);

  MPI_Comm comm_;
  int size_ = 1;
  int tag_ = 0;
  std::int64_t words_put_ = 0, deliveries_ = 0;
  std::vector<message> out_, in_;  // the first out_used_ and in_used_ count; the others keep their memory
  std::size_t out_used_ = 0, in_used_ = 0;
  std::vector<MPI_Request> sends_;
};

}  // namespace adaptive_heat
