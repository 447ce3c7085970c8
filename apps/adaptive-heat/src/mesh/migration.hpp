// SPDX-License-Identifier: BSD-3-Clause
// Moves leaves, and what belongs to them, from one partition of the curve to another.
#pragma once

#include <mesh/node_list.hpp>
#include <mesh/partition.hpp>
#include <nearfar/mpi.hpp>
#include <type_traits>
#include <vector>

namespace adaptive_heat {

/// Who sends which leaves to whom. Leaves keep their order along the curve, so each piece is contiguous at both ends.
class migration {
 public:
  struct piece {
    int peer;
    std::size_t first, count;  ///< leaves, by position on this rank
  };

  /// Nothing moves: `leaves` leaves stay where they are.
  static migration none(std::size_t leaves);

  /// Moves `leaves`, which lie as `from` says, to where `to` says, and remembers how. Collective. `comm` is borrowed
  /// and must outlive the plan; messages have tags 3 and 4.
  /// @pre   both partitions are the same on every rank and cut no leaf
  /// @cost  a message per rank that gets leaves from here, found in the splitters
  migration(MPI_Comm comm, int rank, const partition& from, const partition& to, codes& leaves);

  std::size_t old_leaves() const noexcept { return old_leaves_; }  ///< on this rank, before
  std::size_t new_leaves() const noexcept { return new_leaves_; }  ///< on this rank, after
  bool is_local() const noexcept {
    return sends_.empty() && receives_.empty();
  }  ///< this rank keeps all and gets nothing
  std::size_t leaves_sent() const noexcept;
  const std::vector<piece>& sends() const noexcept { return sends_; }        ///< by ascending rank
  const std::vector<piece>& receives() const noexcept { return receives_; }  ///< by ascending rank

  /// Moves `per_leaf` values for each leaf: `from` has those of the old leaves, `to` gets those of the new ones. They
  /// do not overlap. Collective over the ranks that exchange leaves; done on return.
  /// @throws nearfar::transport_error if MPI fails
  template <class T>
  void move(const T* from, T* to, std::size_t per_leaf) const {
    static_assert(std::is_trivially_copyable_v<T>);
    move_bytes(reinterpret_cast<const std::byte*>(from), reinterpret_cast<std::byte*>(to), per_leaf * sizeof(T));
  }
  /// Moves only what changes rank: `sent` has the values of the leaves of sends(), piece after piece, `received` gets
  /// those of receives().
  template <class T>
  void exchange(const T* sent, T* received, std::size_t per_leaf) const {
    static_assert(std::is_trivially_copyable_v<T>);
    exchange_bytes(reinterpret_cast<const std::byte*>(sent), reinterpret_cast<std::byte*>(received),
                   per_leaf * sizeof(T));
  }
  std::size_t leaves_received() const noexcept;
  const piece& kept() const noexcept { return kept_; }       ///< what stays: this rank, old positions
  std::size_t kept_to() const noexcept { return kept_to_; }  ///< its first new position
  void move_bytes(const std::byte* from, std::byte* to, std::size_t bytes_per_leaf) const;
  void exchange_bytes(const std::byte* sent, std::byte* received, std::size_t bytes_per_leaf) const;

 private:
  migration() = default;
  void find_sends(int rank, const partition& from, const partition& to, const codes& leaves);
  void exchange_codes(int rank, const partition& from, const partition& to, codes& leaves);
  void send_pieces(const std::byte* from, std::byte* to, std::size_t bytes_per_leaf, bool is_packed) const;
  void receive_piece(int peer, codes& arrived);

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::size_t old_leaves_ = 0, new_leaves_ = 0;
  piece kept_{0, 0, 0};      ///< old position of what stays
  std::size_t kept_to_ = 0;  ///< its new position
  std::vector<piece> sends_, receives_;
};

}  // namespace adaptive_heat
