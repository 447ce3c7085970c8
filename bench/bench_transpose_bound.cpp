// SPDX-License-Identifier: BSD-3-Clause
// Copies: what bounds transpositions.
#include <algorithm>
#include <cstring>
#include <near/arena.hpp>
#include <near/past_caches.hpp>
#include <nearfar/error.hpp>

#include "bench_transpose_case.hpp"

namespace bench {
namespace {

using nearfar::index_t;
using nearfar::near::stores;

index_t bytes_of(const nearfar::transpose_side& side) {
  return nearfar::shape_of(side).elements * static_cast<index_t>(sizeof(element));
}

/// A contiguous piece of some rank's source, and where this rank has it.
struct piece {
  const std::byte* from = nullptr;
  index_t at = 0, bytes = 0;
};

class copies : public transpose_method {
 public:
  copies(const transpose_sides& sides, stores how) : transpose_method(sides.from, sides.to), how_(how) {}
  bool is_transposed() const override { return false; }
  bool is_copied() override {
    const auto* const to = reinterpret_cast<const std::byte*>(out());
    return std::all_of(pieces_.begin(), pieces_.end(), [&](const piece& p) {
      return std::memcmp(to + p.at, p.from, static_cast<std::size_t>(p.bytes)) == 0;
    });
  }
  void run() override {
    auto* const to = reinterpret_cast<std::byte*>(out());
    for (const piece& p : pieces_) nearfar::near::copy(how_, to + p.at, p.from, p.bytes);
    nearfar::near::finish(how_);
  }

 protected:
  std::vector<piece> pieces_;

 private:
  stores how_;
};

class own_copies : public copies {
 public:
  own_copies(const transpose_sides& sides, stores how)
      : copies(sides, how), in_(own_elements_of(sides.from)), out_(own_elements_of(sides.to)) {
    pieces_.push_back(
        {reinterpret_cast<const std::byte*>(in_.data()), 0, std::min(bytes_of(sides.from), bytes_of(sides.to))});
  }
  element* in() override { return in_.data(); }
  element* out() override { return out_.data(); }

 private:
  std::vector<element> in_, out_;
};

/// Each rank's source is taken as cut into pieces in the order of ranks.
class near_copies : public copies {
 public:
  near_copies(const transpose_sides& sides, stores how) : copies(sides, how), in_(sides.from), out_(sides.to) {
    const nearfar::team members = sides.from.parts.team();
    auto& arena = nearfar::near::arena::of(members);
    if (!arena.is_shared() || members.nodes() > 1)
      throw nearfar::usage_error("ranks that are not all near cannot copy from each other's memory");
    const nearfar::near::handle mine = arena.find(in_.data(), bytes_of(sides.from));
    std::vector<nearfar::near::handle> handles(static_cast<std::size_t>(members.size()));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, handles.data(), sizeof mine, MPI_BYTE, members.comm());
    index_t at = 0;
    for (int q = 0; q < members.size(); ++q) {
      const nearfar::near::handle& h = handles[static_cast<std::size_t>(q)];
      const index_t bytes = bytes_between(sides, q, members.rank());
      if (bytes == 0) continue;  // a rank without cells has no memory either
      mapped_.push_back(arena.attach(h));
      pieces_.push_back({mapped_.back().at(h) + offset_in_source(sides, q, members.rank()), at, bytes});
      at += bytes;
    }
  }
  element* in() override { return in_.data(); }
  element* out() override { return out_.data(); }

 private:
  static index_t bytes_between(const transpose_sides& sides, int source, int target) {
    return intersection(sides.from.parts.of(source), sides.to.parts.of(target)).cells() *
           static_cast<index_t>(sizeof(element));
  }
  static index_t offset_in_source(const transpose_sides& sides, int source, int target) {
    index_t at = 0;
    for (int r = 0; r < target; ++r) at += bytes_between(sides, source, r);
    return at;
  }
  nearfar::transpose_array<element> in_, out_;
  std::vector<nearfar::near::mapping> mapped_;
};

constexpr const char* past = "-past-caches";

}  // namespace

std::vector<std::string> bounds() {
  return {"copy-own", std::string("copy-own") + past, "copy-near", std::string("copy-near") + past};
}

transpose_method_ptr make_bound(const std::string& name, const transpose_sides& sides) {
  const stores how = name.ends_with(past) ? stores::past_caches : stores::ordinary;
  if (name.starts_with("copy-own")) return std::make_unique<own_copies>(sides, how);
  return std::make_unique<near_copies>(sides, how);
}

}  // namespace bench
