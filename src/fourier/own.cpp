// SPDX-License-Identifier: BSD-3-Clause
// The own engine: cuts lines into bundles, says where their lanes lie, and has the kernels of this processor transform them.
#include <algorithm>
#include <base/env.hpp>
#include <base/text.hpp>
#include <cstdint>
#include <cstdlib>
#include <fourier/pieces.hpp>
#include <nearfar/error.hpp>
#include <new>
#include <vector>

#include "job.hpp"
#include "own_tables.hpp"

namespace nearfar::fourier {
namespace {

template <class Real>
const kernels<Real>& kernels_of(const kernels<float>& f, const kernels<double>& d) {
  if constexpr (std::is_same_v<Real, float>)
    return f;
  else
    return d;
}

/// The best that this processor can run; NEARFAR_FOURIER_SIMD = avx512, avx2 or plain names another.
template <class Real>
const kernels<Real>& kernels_here() {
  const std::string wanted = env::string_or("NEARFAR_FOURIER_SIMD", "avx512");
  if (wanted != "avx512" && wanted != "avx2" && wanted != "plain")
    throw usage_error(text("NEARFAR_FOURIER_SIMD is '", wanted, "'; allowed are avx512, avx2 and plain"));
  if (wanted == "avx512" && avx512::is_usable()) return kernels_of<Real>(avx512::for_float, avx512::for_double);
  if (wanted != "plain" && avx2::is_usable()) return kernels_of<Real>(avx2::for_float, avx2::for_double);
  return kernels_of<Real>(plain::for_float, plain::for_double);
}

constexpr std::size_t line_bytes = 64;

template <class Real>
struct buffer {
  explicit buffer(index count) {
    const std::size_t bytes = (as_size(count) * sizeof(Real) + line_bytes - 1) / line_bytes * line_bytes;
    at = static_cast<Real*>(std::aligned_alloc(line_bytes, std::max(bytes, line_bytes)));
    if (!at) throw resource_error(text("no memory for ", bytes, " bytes of scratch of a transform"));
    std::fill_n(at, count, Real(0));
  }
  ~buffer() { std::free(at); }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  Real* at;
};

}  // namespace

template <class Real>
struct bundle_engine<Real>::state {
  state(kind what, index length)
      : shape(line_shape{what, length}),
        table(what, length),
        kernel(&kernels_here<Real>()),
        room_stride(2 * kernel->lanes * table.rows_needed() + staggered),
        room(3 * room_stride),
        in_rows(as_size(shape.in_length())),
        out_rows(as_size(shape.out_length())) {
    work.complex = table.complex();
    work.reals = table.reals();
    for (int i = 0; i < 3; ++i) work.room[i] = room.at + i * room_stride;
    set_side(work.in, shape.in_length(), is_complex_in(what));
    set_side(work.out, shape.out_length(), is_complex_out(what));
    work.in.is_reversed = what == kind::backward;
  }
  static void set_side(bundle_side<Real>& side, index length, bool is_complex) {
    side.length = length;
    side.components = is_complex ? 2 : 1;
  }

  void run(const line_range& lines, std::span<const source_piece> in, std::span<const target_piece> out,
           bool past_caches);
  void run_bundle(const index (&i)[most_lanes], const index (&j)[most_lanes], int count, bool may_be_straight);
  void take_leftovers(const line_range& lines, index first);

  static constexpr index staggered = 5 * 64 / sizeof(Real) * 4;  // rooms must not start at the same place in a page
  line_shape shape;
  tables<Real> table;
  const kernels<Real>* kernel;
  index room_stride;
  buffer<Real> room;
  std::vector<Real*> in_rows, out_rows;
  std::vector<lane_piece<Real>> in_lanes, out_lanes;
  std::vector<target_piece> in_pieces, out_pieces;
  bool is_in_straight = false, is_out_straight = false, is_next = false;
  job<Real> work;
};

namespace {

template <class Real, class Piece>
void take_pieces(std::span<const Piece> pieces, const bundle_side<Real>& side, std::vector<target_piece>& kept,
                 std::vector<lane_piece<Real>>& lanes, index width, const char* what) {
  kept.clear();
  lanes.clear();
  index next = 0;
  for (const Piece& p : pieces) {
    if (p.begin != next || p.end < p.begin)
      throw usage_error(text(what, " piece of elements ", p.begin, " … ", p.end, " follows after element ", next,
                             "; pieces cover 0 … ", side.length, " in order"));
    next = p.end;
    kept.push_back({p.begin, p.end, const_cast<void*>(static_cast<const void*>(p.base)), p.stride, p.line_stride});
    lanes.push_back({p.begin, p.end, p.stride * side.components, p.line_stride[0] * side.components * width, {}});
  }
  if (next != side.length)
    throw usage_error(text(what, " pieces cover elements 0 … ", next, "; lines have ", side.length));
}

bool is_straight(const std::vector<target_piece>& pieces) {
  return std::all_of(pieces.begin(), pieces.end(), [](const target_piece& p) { return p.line_stride[0] == 1; });
}

template <class Real>
Real* start_of(const target_piece& p, int components, index i, index j) {
  return static_cast<Real*>(p.base) + components * (i * p.line_stride[0] + j * p.line_stride[1]);
}

/// Addresses of rows, for lanes side by side.
template <class Real>
void set_rows(bundle_side<Real>& side, const std::vector<target_piece>& pieces, std::vector<Real*>& rows, index i,
              index j) {
  for (const target_piece& p : pieces) {
    Real* at = start_of<Real>(p, side.components, i, j);
    for (index k = p.begin; k < p.end; ++k, at += p.stride * side.components)
      rows[as_size(side.is_reversed && k > 0 ? side.length - k : k)] = at;
  }
  side.rows = rows.data();
}

/// The bundle beside the one that the addresses are of.
template <class Real>
void move_rows(std::vector<Real*>& rows, index step) {
  for (Real*& row : rows) row += step;
}

/// Whether what a bundle writes to each row or lane at once is whole cache lines.
template <class Real>
bool are_lines_whole(const std::vector<target_piece>& pieces, int components, index width, bool is_straight,
                     index first) {
  const index element = components * index{sizeof(Real)}, vector = width * index{sizeof(Real)};
  if ((is_straight ? vector * components : vector) % index{line_bytes} != 0) return false;
  const auto is_aligned = [&](index elements) { return elements * element % index{line_bytes} == 0; };
  return std::all_of(pieces.begin(), pieces.end(), [&](const target_piece& p) {
    return reinterpret_cast<std::uintptr_t>(p.base) % line_bytes == 0 && is_aligned(p.line_stride[1]) &&
           (is_straight ? is_aligned(p.stride) && is_aligned(first) : is_aligned(p.line_stride[0]));
  });
}

/// Stores past the caches are ordered against later ones by this only.
void finish_stores_past_caches() {
#if defined(__SSE2__)
  __builtin_ia32_sfence();
#endif
}

/// Addresses of lanes; lanes that are not there are the first one once more.
template <class Real>
void set_lanes(bundle_side<Real>& side, const std::vector<target_piece>& pieces, std::vector<lane_piece<Real>>& lanes,
               const index (&i)[most_lanes], const index (&j)[most_lanes], int count, int width) {
  for (std::size_t n = 0; n < pieces.size(); ++n)
    for (int l = 0; l < width; ++l) {
      const int from = l < count ? l : 0;
      lanes[n].lane[l] = start_of<Real>(pieces[n], side.components, i[from], j[from]);
    }
  side.pieces = lanes.data();
  side.piece_count = as_index(lanes.size());
  side.rows = nullptr;
}

}  // namespace

template <class Real>
void bundle_engine<Real>::state::run_bundle(const index (&i)[most_lanes], const index (&j)[most_lanes], int count,
                                            bool may_be_straight) {
  work.active = count;
  const bool is_beside = may_be_straight && is_next;
  if (is_beside && is_in_straight)
    move_rows(in_rows, kernel->lanes * work.in.components);
  else if (may_be_straight && is_in_straight)
    set_rows(work.in, in_pieces, in_rows, i[0], j[0]);
  else
    set_lanes(work.in, in_pieces, in_lanes, i, j, count, kernel->lanes);
  if (is_beside && is_out_straight)
    move_rows(out_rows, kernel->lanes * work.out.components);
  else if (may_be_straight && is_out_straight)
    set_rows(work.out, out_pieces, out_rows, i[0], j[0]);
  else
    set_lanes(work.out, out_pieces, out_lanes, i, j, count, kernel->lanes);
  (work.complex ? kernel->transform : kernel->transform_reals)(work);
}

/// Lines i >= first of all j, bundled across j.
template <class Real>
void bundle_engine<Real>::state::take_leftovers(const line_range& lines, index first) {
  index i[most_lanes], j[most_lanes];
  int count = 0;
  for (index y = lines.begin[1]; y < lines.end[1]; ++y)
    for (index x = first; x < lines.end[0]; ++x) {
      i[count] = x;
      j[count] = y;
      if (++count == kernel->lanes) {
        run_bundle(i, j, count, false);
        count = 0;
      }
    }
  if (count > 0) run_bundle(i, j, count, false);
}

template <class Real>
void bundle_engine<Real>::state::run(const line_range& lines, std::span<const source_piece> in,
                                     std::span<const target_piece> out, bool past_caches) {
  take_pieces<Real>(in, work.in, in_pieces, in_lanes, kernel->lanes, "input");
  take_pieces<Real>(out, work.out, out_pieces, out_lanes, kernel->lanes, "output");
  is_in_straight = is_straight(in_pieces);
  is_out_straight = is_straight(out_pieces);
  const auto goes_past = [&](bool is_straight) {
    return past_caches &&
           are_lines_whole<Real>(out_pieces, work.out.components, kernel->lanes, is_straight, lines.begin[0]);
  };
  work.out.is_past_caches = goes_past(is_out_straight);
  index straight_end = lines.begin[0];
  if (is_in_straight || is_out_straight) {
    const index width = kernel->lanes;
    straight_end += std::max<index>(lines.end[0] - lines.begin[0], 0) / width * width;
    index i[most_lanes], j[most_lanes];
    for (index y = lines.begin[1]; y < lines.end[1]; ++y) {
      std::fill_n(j, width, y);
      for (index x = lines.begin[0]; x < straight_end; x += width) {
        for (index l = 0; l < width; ++l) i[l] = x + l;
        is_next = x > lines.begin[0];
        run_bundle(i, j, static_cast<int>(width), true);
      }
    }
  }
  work.out.is_past_caches = goes_past(false);
  take_leftovers(lines, straight_end);
  if (past_caches) finish_stores_past_caches();
}

template <class Real>
bundle_engine<Real>::bundle_engine(kind what, index length) {
  check(line_shape{what, length});
  state_ = std::make_unique<state>(what, length);
}

template <class Real>
bundle_engine<Real>::~bundle_engine() = default;

template <class Real>
int bundle_engine<Real>::lanes() const noexcept {
  return state_->kernel->lanes;
}

template <class Real>
void bundle_engine<Real>::run(const line_range& lines, std::span<const source_piece> in,
                              std::span<const target_piece> out, bool past_caches) {
  state_->run(lines, in, out, past_caches);
}

template <class Real>
std::string bundle_engine<Real>::describe() const {
  return text("own ", state_->kernel->name, ", ", state_->table.describe());
}

template class bundle_engine<float>;
template class bundle_engine<double>;

}  // namespace nearfar::fourier
