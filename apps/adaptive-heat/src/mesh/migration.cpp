// SPDX-License-Identifier: BSD-3-Clause
// Both ends know from the two partitions who sends to whom; only the numbers of leaves travel, as lengths of messages.
#include <base/mpi_check.hpp>
#include <cstring>
#include <mesh/migration.hpp>
#include <mesh/receive_codes.hpp>

namespace adaptive_heat {

namespace {
constexpr int code_tag = 3, data_tag = 4;

/// One leaf's bytes as a type, so that counts stay small.
class leaf_type {
 public:
  explicit leaf_type(std::size_t bytes) {
    check_mpi(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~leaf_type() { MPI_Type_free(&type_); }
  leaf_type(const leaf_type&) = delete;
  leaf_type& operator=(const leaf_type&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Calls `use(owner)` for each rank that owns some of [begin, end) in that partition.
template <class Use>
void for_owners(const partition& parts, std::uint64_t begin, std::uint64_t end, Use use) {
  if (begin == end) return;
  for (int r = parts.owner(begin); r < parts.ranks() && parts.begin(r) < end; ++r)
    if (!parts.is_empty(r)) use(r);
}

}  // namespace

migration migration::none(std::size_t leaves) {
  migration m;
  m.old_leaves_ = m.new_leaves_ = leaves;
  m.kept_ = {0, 0, leaves};
  return m;
}

migration::migration(MPI_Comm comm, int rank, const partition& from, const partition& to, codes& leaves)
    : comm_(comm), old_leaves_(leaves.size()) {
  find_sends(rank, from, to, leaves);
  exchange_codes(rank, from, to, leaves);
  new_leaves_ = leaves.size();
}

std::size_t migration::leaves_sent() const noexcept {
  std::size_t count = 0;
  for (const piece& p : sends_) count += p.count;
  return count;
}

void migration::find_sends(int rank, const partition& from, const partition& to, const codes& leaves) {
  for_owners(to, from.begin(rank), from.end(rank), [&](int owner) {
    const std::size_t first = lower_position(leaves, code_of(to.begin(owner), 0));
    const piece p{owner, first, lower_position(leaves, code_of(to.end(owner), 0)) - first};
    if (owner == rank)
      kept_ = p;
    else
      sends_.push_back(p);
  });
}

void migration::exchange_codes(int rank, const partition& from, const partition& to, codes& leaves) {
  std::vector<MPI_Request> requests(sends_.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < sends_.size(); ++i)
    check_mpi(MPI_Isend(leaves.data() + sends_[i].first, static_cast<int>(sends_[i].count), MPI_UINT64_T,
                        sends_[i].peer, code_tag, comm_, &requests[i]),
              "MPI_Isend");
  codes arrived;
  for_owners(from, to.begin(rank), to.end(rank), [&](int owner) {
    if (owner != rank) return receive_piece(owner, arrived);
    kept_to_ = arrived.size();
    const auto first = leaves.begin() + static_cast<std::ptrdiff_t>(kept_.first);
    arrived.insert(arrived.end(), first, first + static_cast<std::ptrdiff_t>(kept_.count));
  });
  wait_for(requests);
  leaves.swap(arrived);
}

void migration::receive_piece(int peer, codes& arrived) {
  const std::size_t first = arrived.size();
  receives_.push_back({peer, first, receive_codes(comm_, peer, code_tag, arrived)});
}

std::size_t migration::leaves_received() const noexcept {
  std::size_t count = 0;
  for (const piece& p : receives_) count += p.count;
  return count;
}

namespace {

/// Leaves of pieces that lie one after the other, or where the pieces say.
class piece_walk {
 public:
  explicit piece_walk(bool is_packed) : is_packed_(is_packed) {}
  std::size_t first(const migration::piece& p) {
    const std::size_t packed = next_;
    next_ += p.count;
    return is_packed_ ? packed : p.first;
  }

 private:
  bool is_packed_;
  std::size_t next_ = 0;
};

}  // namespace

void migration::send_pieces(const std::byte* from, std::byte* to, std::size_t bytes_per_leaf, bool is_packed) const {
  if (is_local() || bytes_per_leaf == 0) return;
  const leaf_type type(bytes_per_leaf);
  std::vector<MPI_Request> requests;
  requests.reserve(sends_.size() + receives_.size());
  piece_walk at_receiver(is_packed), at_sender(is_packed);
  for (const piece& p : receives_)
    check_mpi(MPI_Irecv(to + at_receiver.first(p) * bytes_per_leaf, static_cast<int>(p.count), type.get(), p.peer,
                        data_tag, comm_, &requests.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Irecv");
  for (const piece& p : sends_)
    check_mpi(MPI_Isend(from + at_sender.first(p) * bytes_per_leaf, static_cast<int>(p.count), type.get(), p.peer,
                        data_tag, comm_, &requests.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Isend");
  wait_for(requests);
}

void migration::move_bytes(const std::byte* from, std::byte* to, std::size_t bytes_per_leaf) const {
  send_pieces(from, to, bytes_per_leaf, false);
  if (kept_.count > 0)
    std::memcpy(to + kept_to_ * bytes_per_leaf, from + kept_.first * bytes_per_leaf, kept_.count * bytes_per_leaf);
}

void migration::exchange_bytes(const std::byte* sent, std::byte* received, std::size_t bytes_per_leaf) const {
  send_pieces(sent, received, bytes_per_leaf, true);
}

}  // namespace adaptive_heat
