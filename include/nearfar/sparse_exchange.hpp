// SPDX-License-Identifier: BSD-3-Clause
// Messages to ranks that do not know that they will get any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <nearfar/api.hpp>
#include <nearfar/team.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace nearfar {

/// Unexpected messages (NBX): each rank appends bytes for any ranks; a delivery sends what has been appended, one
/// message per peer, and returns what others have sent to this rank. Nobody keeps or sends a number per rank.
///
///   nearfar::sparse_exchange requests(team, "owners of cells");
///   for (const cell& c : missing) requests.put(owner_of(c), c.code);
///   for (const auto& m : requests.deliver())
///     for (const std::uint64_t code : m.as<std::uint64_t>()) answer(m.peer, code);
///
/// Memory is kept from delivery to delivery. Threads: as those of its team; deliveries of a team are made in the same
/// order on all ranks.
/// @source T. Hoefler, C. Siebert, A. Lumsdaine, Scalable communication protocols for dynamic sparse data exchange,
///         2010
class NEARFAR_API sparse_exchange {
 public:
  /// What one rank has sent to this one in a delivery.
  struct message {
    int peer = 0;                  ///< who has sent it
    std::vector<std::byte> bytes;  ///< in the order in which they were appended

    /// The bytes as elements of one trivially copyable type, which the sender has put; what is left over is ignored.
    template <class T>
    std::span<const T> as() const noexcept {
      static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));
      return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    }
  };

  /// Local. `name` is what errors and the watchdog call it.
  explicit sparse_exchange(const team& members, std::string name = "sparse exchange");
  ~sparse_exchange();
  sparse_exchange(sparse_exchange&&) noexcept;
  sparse_exchange& operator=(sparse_exchange&&) noexcept;

  /// Room for so many more bytes in the message for `peer`, to be written before the next call. Local.
  /// @throws usage_error if `peer` is this rank or no rank of the team
  std::span<std::byte> append(int peer, std::size_t bytes);

  /// Appends a value. Local.
  /// @throws usage_error as append
  template <class T>
  void put(int peer, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(append(peer, sizeof value).data(), &value, sizeof value);
  }

  std::int64_t appended_bytes() const noexcept;  ///< since the last delivery, for all peers
  std::int64_t deliveries() const noexcept;      ///< so far

  /// Sends what was appended; returns the messages for this rank by ascending sender, valid until the next delivery.
  /// `sums`, as many on every rank, become their sums over the ranks. Collective; blocks.
  /// @throws transport_error if MPI fails, or a near rank has died
  /// @throws std::bad_alloc on this rank, if it has no memory for what it is sent: the others' messages have arrived
  /// @cost   the messages, and one barrier (a reduction where there are sums) that does not block; nothing on one rank
  std::span<const message> deliver(std::span<std::int64_t> sums = {});

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace nearfar
