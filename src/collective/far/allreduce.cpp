// SPDX-License-Identifier: BSD-3-Clause
// Near combination, the crossing between the nodes, and spreading the result: one piece of the vector overlaps the other.
#include "allreduce.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "../reductions/lines.hpp"
#include "crossing.hpp"

namespace nearfar::collective {

namespace {

constexpr int most_crossing = 3;

// A vector in pieces, each in as many slices as ranks of a node combine. A unit of the ring takes a piece (`wide`) and behind it one
// slice of the result of an earlier piece (`narrow`).
struct cutting {
  index narrow, wide, unit, per_slice, per_piece, pieces, element;
  cutting(const job& j, int owners, index piece_bytes) : element(j.op.element_bytes()) {
    const index most = ring_bytes / 4 / (owners + 1) / 64 * 64;
    const index fair = ((j.bytes + owners - 1) / owners + 63) / 64 * 64;
    narrow = std::min({std::max<index>(piece_bytes / owners, 4096), std::max<index>(fair, 4096), most});
    wide = narrow * owners;
    unit = static_cast<index>(std::bit_ceil(static_cast<std::uint64_t>(wide + narrow)));
    per_slice = std::min(narrow / element, (j.count + owners - 1) / owners);
    per_piece = per_slice * owners;
    pieces = (j.count + per_piece - 1) / per_piece;
  }
};

class column_run {
 public:
  column_run(rooms& room, const job& j, int owners, index piece_bytes)
      : h_(*room.near), between_(*room.far), j_(j), cut_(j, owners, piece_bytes), owners_(owners) {
    delay_ = static_cast<int>(std::min<index>(most_crossing - 1, cut_.pieces - 1));
    is_owner_ = h_.rank() < owners;
    if (!is_owner_) return;
    per_crossing_ = scratch_for_crossing(between_, cut_.per_slice, cut_.element);
    scratch_ = room.scratch_of(per_crossing_ * (delay_ + 1));
    from_.resize(as_size(h_.size()));
  }

  void run() {
    h_.begin();
    std::uint64_t before = 0;
    for (index k = 0; k < cut_.pieces + delay_; ++k) {
      const std::uint64_t now = h_.reserve(cut_.unit);
      if (k < cut_.pieces) {
        contribute(k, now);
        if (is_owner_) combine(k, now);
      }
      if (k > 0) spread(k - 1 - delay_, before);
      if (k >= delay_ && is_owner_) finish(k - delay_, result_in(now));
      before = now;
    }
    spread(cut_.pieces - 1, before);
    h_.all_arrived();
  }

 private:
  index first(index k, int slice) const { return std::min(j_.count, k * cut_.per_piece + slice * cut_.per_slice); }
  index count(index k, int slice) const { return first(k, slice + 1) - first(k, slice); }
  std::uint64_t result_in(std::uint64_t unit) const { return unit + static_cast<std::uint64_t>(cut_.wide); }
  crossing& crossing_of(index k) { return crossings_[as_size(k % (delay_ + 1))]; }

  // All but the own slice, which nobody else reads.
  void contribute(index k, std::uint64_t at) {
    std::byte* to = h_.mine(at, cut_.wide);
    const index start = first(k, 0) * cut_.element, end = first(k, owners_) * cut_.element;
    const index own = is_owner_ ? first(k, h_.rank()) * cut_.element : end;
    const index after = is_owner_ ? first(k, h_.rank() + 1) * cut_.element : end;
    std::memcpy(to, j_.in + start, as_size(own - start));
    std::memcpy(to + (after - start), j_.in + after, as_size(end - after));
    h_.publish(at + static_cast<std::uint64_t>(cut_.wide));
  }

  // Waits for a near rank while the crossings go on.
  const std::byte* theirs(int from, std::uint64_t at, index bytes) {
    const std::uint64_t end = at + static_cast<std::uint64_t>(bytes);
    if (!h_.has_published(from, end))
      h_.wait(from, [&] {
        advance();
        return h_.has_published(from, end);
      });
    return h_.theirs(from, at, bytes);
  }

  void combine(index k, std::uint64_t at) {
    const index start = first(k, h_.rank()) * cut_.element, offset = start - first(k, 0) * cut_.element;
    for (int r = 0; r < h_.size(); ++r)
      from_[as_size(r)] = r == h_.rank() ? j_.in + start : theirs(r, at, cut_.wide) + offset;
    const index elements = count(k, h_.rank());
    if (elements > 0 && (h_.size() > 1 || j_.in != j_.out))
      j_.op.combine_all(j_.out + start, from_.data(), h_.size(), elements);
    crossing_of(k).start(between_, h_.rank(), j_.op, j_.out + start, scratch_ + (k % (delay_ + 1)) * per_crossing_,
                         elements);
    latest_ = k;
    advance();
  }

  bool advance() {
    int limit = crossing::any_phase;
    for (index k = std::max<index>(0, latest_ - delay_); k <= latest_; ++k) {
      crossing_of(k).advance(limit);
      limit = crossing_of(k).phase();
    }
    return limit == crossing::any_phase;
  }

  void finish(index k, std::uint64_t at) {
    const auto is_over = [&] {
      advance();
      return crossing_of(k).phase() == crossing::any_phase;
    };
    if (!is_over()) h_.wait_in_mpi(is_over);
    std::byte* shared = h_.mine(at, cut_.narrow);
    std::memcpy(shared, j_.out + first(k, h_.rank()) * cut_.element, as_size(count(k, h_.rank()) * cut_.element));
    h_.publish(at + static_cast<std::uint64_t>(cut_.narrow));
  }

  // Piece k from the others' part of this unit, if there is a result in it; then nothing in the unit is needed any more.
  void spread(index k, std::uint64_t unit) {
    for (int i = 1; k >= 0 && i <= owners_; ++i) {
      const int r = (h_.rank() + i) % owners_;
      if (r == h_.rank()) continue;
      const std::byte* from = theirs(r, result_in(unit), cut_.narrow);
      std::memcpy(j_.out + first(k, r) * cut_.element, from, as_size(count(k, r) * cut_.element));
    }
    h_.take(unit + static_cast<std::uint64_t>(cut_.unit));
  }

  hall& h_;
  const columns& between_;
  const job& j_;
  cutting cut_;
  int owners_, delay_ = 0;
  bool is_owner_ = false;
  index per_crossing_ = 0, latest_ = -1;
  std::byte* scratch_ = nullptr;
  std::vector<const std::byte*> from_;
  crossing crossings_[most_crossing];
};

}  // namespace

void barrier_by_leaders(rooms& room, const job& j) {
  hall& h = *room.near;
  h.begin();
  if (h.rank() == 0) {
    for (int r = 1; r < h.size(); ++r) h.collect(r, nullptr, 0);
    cross(h, *room.far, 0, j.op, nullptr, nullptr, 0);
    h.post(nullptr, 0);
  } else {
    h.post(nullptr, 0);
    h.collect(0, nullptr, 0);
  }
  h.all_arrived();
}

void allreduce_by_leader_lines(rooms& room, const job& j) {
  hall& h = *room.near;
  h.begin();
  if (h.rank() == 0) {
    combine_slots(h, j, 0, h.size() - 1, j.out);
    std::byte* scratch = room.scratch_of(scratch_for_crossing(*room.far, j.count, j.op.element_bytes()));
    cross(h, *room.far, 0, j.op, j.out, scratch, j.count);
    h.post(j.out, j.bytes);
  } else {
    h.post(j.in, j.bytes);
    h.collect(0, j.out, j.bytes);
  }
  h.all_arrived();
}

template <index piece_bytes>
void allreduce_by_leaders(rooms& room, const job& j) {
  column_run(room, j, 1, piece_bytes).run();
}

template <index piece_bytes>
void allreduce_by_lanes(rooms& room, const job& j) {
  column_run(room, j, room.far->lanes(), piece_bytes).run();
}

template void allreduce_by_leaders<32 << 10>(rooms&, const job&);
template void allreduce_by_leaders<128 << 10>(rooms&, const job&);
template void allreduce_by_lanes<32 << 10>(rooms&, const job&);
template void allreduce_by_lanes<128 << 10>(rooms&, const job&);

}  // namespace nearfar::collective
