// SPDX-License-Identifier: BSD-3-Clause
// The reductions through the rings. All ranks reserve the same positions in the same order, also where they write
// nothing.
#include "ring.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace nearfar::collective {

namespace {

constexpr int kept = most_ahead + 1;  // positions

index_t pieces_of(index_t count, index_t per_piece) { return (count + per_piece - 1) / per_piece; }

// One array of the pieces that a rank combines, in the order of ranks.
class contributions {
 public:
  explicit contributions(int ranks) : many_(ranks > few ? as_size(ranks) : 0) {}
  const std::byte*& operator[](int r) { return many_.empty() ? few_[as_size(r)] : many_[as_size(r)]; }
  const std::byte* const* data() const { return many_.empty() ? few_.data() : many_.data(); }

 private:
  static constexpr int few = 16;
  std::array<const std::byte*, few> few_{};
  std::vector<const std::byte*> many_;
};

// A vector cut into pieces of `per_piece` elements.
struct cutting {
  index_t per_piece, pieces, count, element;
  cutting(const job& j, index_t piece_bytes)
      : per_piece(piece_bytes / j.op.element_bytes()),
        pieces(pieces_of(j.count, per_piece)),
        count(j.count),
        element(j.op.element_bytes()) {}
  index_t elements(index_t k) const { return std::min(per_piece, count - k * per_piece); }
  index_t bytes(index_t k) const { return elements(k) * element; }
  index_t offset(index_t k) const { return k * per_piece * element; }
};

void copy_in(near::stores how, node_segment& h, std::uint64_t at, const std::byte* from, index_t bytes, index_t space) {
  near::copy(how, h.mine(at, space), from, bytes);
  near::finish(how);
  h.publish(at + static_cast<std::uint64_t>(space));
}

// Combines piece k of near ranks 0 … last into `to`.
void combine_piece(node_segment& h, const job& j, const cutting& cut, index_t k, std::uint64_t at, index_t space,
                   int last, contributions& from, std::byte* to) {
  for (int r = 0; r <= last; ++r) from[r] = r == h.rank() ? j.in + cut.offset(k) : h.theirs(r, at, space);
  if (last == 0)
    std::memmove(to, from[0], as_size(cut.bytes(k)));
  else
    j.op.combine_all(to, from.data(), last + 1, cut.elements(k));
}

void run_ring(workspace& work, const job& j, bool writes, int last) {
  node_segment& h = *work.near;
  const auto [piece_bytes, ahead, how] = work.cut;
  h.begin();
  const cutting cut(j, piece_bytes);
  contributions from(h.size());
  std::array<std::uint64_t, kept> position{};
  for (index_t k = 0; k < cut.pieces + ahead; ++k) {
    if (k < cut.pieces) {
      const std::uint64_t at = position[as_size(k % kept)] = h.reserve(piece_bytes);
      if (writes) copy_in(how, h, at, j.in + cut.offset(k), cut.bytes(k), piece_bytes);
    }
    if (k < ahead) continue;
    const index_t done = k - ahead;
    const std::uint64_t at = position[as_size(done % kept)];
    if (last >= 0) combine_piece(h, j, cut, done, at, piece_bytes, last, from, j.out + cut.offset(done));
    h.take(at + static_cast<std::uint64_t>(piece_bytes));
  }
}

}  // namespace

void allreduce_by_ring(workspace& work, const job& j) {
  run_ring(work, j, true, work.near->size() - 1);
  work.near->all_arrived();
}

void rooted_by_ring(workspace& work, const job& j) {
  node_segment& h = *work.near;
  if (j.what == kind::reduce)
    run_ring(work, j, h.rank() != j.root, h.rank() == j.root ? h.size() - 1 : -1);
  else
    run_ring(work, j, true, h.rank() - (j.what == kind::exscan ? 1 : 0));
  h.leave();
}

namespace {

// The pieces of allreduce_by_slices: each step takes one unit of every ring, a piece of the vector (`wide`) and behind
// it the slice that its owner combined from the piece before (`narrow`), so that what is published comes in the order
// of positions.
struct slicing {
  index_t narrow, wide, unit, per_slice, per_piece;
  slicing(const node_segment& h, const job& j) {
    const index_t ranks = h.size();
    const index_t most = ring_bytes / 4 / (ranks + 1) / 64 * 64;
    const index_t fair = ((j.bytes + ranks - 1) / ranks + 63) / 64 * 64;
    narrow = std::clamp<index_t>(fair, 4096, std::min<index_t>(most, 64 << 10));
    wide = narrow * ranks;
    unit = static_cast<index_t>(std::bit_ceil(static_cast<std::uint64_t>(wide + narrow)));
    per_slice = std::min(narrow / j.op.element_bytes(), (j.count + ranks - 1) / ranks);
    per_piece = per_slice * ranks;
  }
};

class slice_run {
 public:
  slice_run(workspace& work, const job& j) : h_(*work.near), j_(j), how_(work.cut.how), cut_(h_, j), from_(h_.size()) {
    element_ = j.op.element_bytes();
    pieces_ = pieces_of(j.count, cut_.per_piece);
  }

  void run() {
    h_.begin();
    std::uint64_t before = 0;
    for (index_t k = 0; k < pieces_ + 2; ++k) {
      const std::uint64_t now = h_.reserve(cut_.unit);
      if (k < pieces_) contribute(k, now);
      if (k >= 1 && k - 1 < pieces_) combine(k - 1, before, result_in(now));
      if (k >= 2) spread(k - 2, result_in(before));
      if (k >= 2) h_.take(before + static_cast<std::uint64_t>(cut_.unit));
      before = now;
    }
    h_.take(before + static_cast<std::uint64_t>(cut_.unit));
    h_.all_arrived();
  }

 private:
  index_t first(index_t k, int slice) const { return std::min(j_.count, k * cut_.per_piece + slice * cut_.per_slice); }
  std::uint64_t result_in(std::uint64_t unit) const { return unit + static_cast<std::uint64_t>(cut_.wide); }

  // All but the own slice, which nobody else reads.
  void contribute(index_t k, std::uint64_t at) {
    std::byte* to = h_.mine(at, cut_.wide);
    const index_t start = first(k, 0) * element_, end = first(k, h_.size()) * element_;
    const index_t own = first(k, h_.rank()) * element_, after = first(k, h_.rank() + 1) * element_;
    near::copy(how_, to, j_.in + start, own - start);
    near::copy(how_, to + (after - start), j_.in + after, end - after);
    near::finish(how_);
    h_.publish(at + static_cast<std::uint64_t>(cut_.wide));
  }

  void combine(index_t k, std::uint64_t from, std::uint64_t to) {
    const index_t start = first(k, h_.rank()) * element_, offset = start - first(k, 0) * element_;
    const index_t count = first(k, h_.rank() + 1) - first(k, h_.rank());
    for (int r = 0; r < h_.size(); ++r)
      from_[r] = r == h_.rank() ? j_.in + start : h_.theirs(r, from, cut_.wide) + offset;
    std::byte* shared = h_.mine(to, cut_.narrow);
    if (count > 0) j_.op.combine_all(j_.out + start, shared, from_.data(), h_.size(), count);
    h_.publish(to + static_cast<std::uint64_t>(cut_.narrow));
  }

  // Starts with the next rank's slice, so that not all read from one.
  void spread(index_t k, std::uint64_t at) {
    for (int i = 1; i < h_.size(); ++i) {
      const int r = (h_.rank() + i) % h_.size();
      const std::byte* from = h_.theirs(r, at, cut_.narrow);
      std::memcpy(j_.out + first(k, r) * element_, from, as_size((first(k, r + 1) - first(k, r)) * element_));
    }
  }

  node_segment& h_;
  const job& j_;
  near::stores how_;
  slicing cut_;
  contributions from_;
  index_t element_ = 1, pieces_ = 0;
};

}  // namespace

void allreduce_by_slices(workspace& work, const job& j) { slice_run(work, j).run(); }

}  // namespace nearfar::collective
