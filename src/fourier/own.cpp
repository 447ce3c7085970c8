// SPDX-License-Identifier: BSD-3-Clause
// Nearfar's engine: cuts lines into bundles, one line per SIMD lane, and calls the kernels of this processor.
#include <algorithm>
#include <array>
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
  explicit buffer(index_t count) {
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

namespace {

bool is_straight(const std::vector<target_piece>& pieces) {
  return std::all_of(pieces.begin(), pieces.end(), [](const target_piece& p) { return p.line_stride[0] == 1; });
}

bool is_stepped_alike(const std::vector<target_piece>& pieces) {
  return std::all_of(pieces.begin(), pieces.end(),
                     [&](const target_piece& p) { return p.line_stride[1] == pieces.front().line_stride[1]; });
}

template <class Real>
Real* start_of(const target_piece& p, int components, index_t i, index_t j) {
  return static_cast<Real*>(p.base) + components * (i * p.line_stride[0] + j * p.line_stride[1]);
}

/// Whether what a bundle writes to each row or SIMD lane at once is whole cache lines.
template <class Real>
bool are_lines_whole(const std::vector<target_piece>& pieces, int components, index_t width, bool is_straight,
                     index_t first) {
  const index_t element = components * index_t{sizeof(Real)}, vector = width * index_t{sizeof(Real)};
  if ((is_straight ? vector * components : vector) % index_t{line_bytes} != 0) return false;
  const auto is_aligned = [&](index_t elements) { return elements * element % index_t{line_bytes} == 0; };
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

/// Lines (i[l], j[l]) of a bundle.
struct bundle_lines {
  index_t i[most_simd_lanes], j[most_simd_lanes];
  int count = 0;
};

/// A side of the kernels' job, and where its bundles lie.
template <class Real>
class walked_side {
 public:
  walked_side(bundle_side<Real>& side, index_t length, bool is_complex) : side_(side), rows_(as_size(length)) {
    side.length = length;
    side.components = is_complex ? 2 : 1;
  }

  template <class Piece>
  void take(std::span<const Piece> pieces, index_t width, const char* what) {
    pieces_.clear();
    simd_lanes_.clear();
    index_t next = 0;
    for (const Piece& p : pieces) {
      if (p.begin != next || p.end < p.begin)
        throw usage_error(text(what, " piece of elements ", p.begin, " … ", p.end, " follows after element ", next,
                               "; pieces cover 0 … ", side_.length, " in order"));
      next = p.end;
      pieces_.push_back({p.begin, p.end, const_cast<void*>(static_cast<const void*>(p.base)), p.stride, p.line_stride});
      simd_lanes_.push_back(
          {p.begin, p.end, p.stride * side_.components, p.line_stride[0] * side_.components * width, 0, {}});
    }
    if (next != side_.length)
      throw usage_error(text(what, " pieces cover elements 0 … ", next, "; lines have ", side_.length));
    is_straight_ = fourier::is_straight(pieces_);
    is_stepped_alike_ = fourier::is_stepped_alike(pieces_);
  }

  bool is_straight() const { return is_straight_; }
  const std::vector<target_piece>& pieces() const { return pieces_; }

  /// Addresses for full bundles of lines (i, …), (i + 1, …) side by side in `order`.
  void begin_full(index_t i, index_t j, int width, const std::array<int, most_simd_lanes>& order) {
    first_i_ = i;
    begin_step(j);
    if (is_straight_) return;
    bundle_lines lines{{}, {}, width};
    for (int l = 0; l < width; ++l) lines.i[l] = i + order[as_size(l)], lines.j[l] = j;
    set_simd_lanes(lines, width);
  }
  /// The full bundle that begins at line (i, j); those of a j follow each other.
  void move_to(index_t i, index_t j) {
    if (is_straight_) {
      if (j != first_j_ && !is_stepped_alike_) begin_step(j);
      side_.offset = side_.components * (i - first_i_ + (j - first_j_) * pieces_.front().line_stride[1]);
    } else {
      for (std::size_t n = 0; n < pieces_.size(); ++n)
        simd_lanes_[n].offset = side_.components * ((i - first_i_) * pieces_[n].line_stride[0] +
                                                    (j - first_j_) * pieces_[n].line_stride[1]);
    }
  }

  /// Addresses of SIMD lanes; SIMD lanes that are not there are the first one once more.
  void set_simd_lanes(const bundle_lines& lines, int width) {
    for (std::size_t n = 0; n < pieces_.size(); ++n) {
      simd_lanes_[n].offset = 0;
      for (int l = 0; l < width; ++l) {
        const int from = l < lines.count ? l : 0;
        simd_lanes_[n].simd_lane[l] = start_of<Real>(pieces_[n], side_.components, lines.i[from], lines.j[from]);
      }
    }
    side_.pieces = simd_lanes_.data();
    side_.piece_count = as_index(simd_lanes_.size());
    side_.rows = nullptr;
  }

 private:
  /// Addresses of rows, for SIMD lanes side by side.
  void begin_step(index_t j) {
    first_j_ = j;
    if (!is_straight_) return;
    for (const target_piece& p : pieces_) {
      Real* at = start_of<Real>(p, side_.components, first_i_, j);
      for (index_t k = p.begin; k < p.end; ++k, at += p.stride * side_.components)
        rows_[as_size(side_.is_reversed && k > 0 ? side_.length - k : k)] = at;
    }
    side_.rows = rows_.data();
  }

  bundle_side<Real>& side_;
  std::vector<Real*> rows_;
  std::vector<target_piece> pieces_;
  std::vector<simd_lane_piece<Real>> simd_lanes_;
  bool is_straight_ = false, is_stepped_alike_ = false;
  index_t first_i_ = 0, first_j_ = 0;
};

/// Whether the rows or SIMD lanes of a bundle lie so close to each other that hardware fetches what the next one needs.
bool are_close(const std::vector<target_piece>& pieces, index_t element_bytes, index_t width) {
  constexpr index_t close_bytes = index_t{64} << 10;
  return std::all_of(pieces.begin(), pieces.end(), [&](const target_piece& p) {
    return (std::abs(p.stride) * (p.end - p.begin - 1) + std::abs(p.line_stride[0]) * width) * element_bytes <=
           close_bytes;
  });
}

}  // namespace

template <class Real>
struct bundle_engine<Real>::state {
  state(kind what, index_t length)
      : shape(line_shape{what, length}),
        table(what, length),
        kernel(&kernels_here<Real>()),
        workspace_stride(2 * kernel->simd_lanes * table.rows_needed() + staggered),
        workspace(3 * workspace_stride),
        in(work.in, shape.in_length(), is_complex_in(what)),
        out(work.out, shape.out_length(), is_complex_out(what)) {
    work.complex = table.complex();
    work.reals = table.reals();
    for (int i = 0; i < 3; ++i) work.workspace[i] = workspace.at + i * workspace_stride;
    work.in.is_reversed = what == kind::backward;
    for (int l = 0; l < most_simd_lanes; ++l) {
      in_order[as_size(l)] = l;
      as_they_fall[as_size(l)] = work.complex ? line_of_simd_lane<Real>(l, kernel->simd_lanes) : l;
    }
  }

  void run(const line_range& lines, std::span<const source_piece> from, std::span<const target_piece> to,
           bool past_caches);
  void run_full_bundles(const line_range& lines, index_t end);
  void run_bundle(int count) {
    work.active = count;
    (work.complex ? kernel->transform : kernel->transform_reals)(work);
  }
  void take_leftovers(const line_range& lines, index_t first);
  void set_reach(bool are_rows, bool past_caches, index_t first);
  index_t in_bytes() const { return work.in.components * index_t{sizeof(Real)}; }
  index_t out_bytes() const { return work.out.components * index_t{sizeof(Real)}; }

  static constexpr index_t staggered =
      5 * 64 / sizeof(Real) * 4;  // workspaces must not start at the same place in a page
  line_shape shape;
  tables<Real> table;
  const kernels<Real>* kernel;
  index_t workspace_stride;
  buffer<Real> workspace;
  job<Real> work;
  walked_side<Real> in, out;
  std::array<int, most_simd_lanes> in_order, as_they_fall;
};

template <class Real>
void bundle_engine<Real>::state::set_reach(bool are_rows, bool past_caches, index_t first) {
  const bool is_near = are_close(in.pieces(), in_bytes(), kernel->simd_lanes) &&
                       are_close(out.pieces(), out_bytes(), kernel->simd_lanes);
  work.in.how_far = work.out.how_far = is_near ? reach::near : reach::far;
  if (past_caches && are_lines_whole<Real>(out.pieces(), work.out.components, kernel->simd_lanes, are_rows, first))
    work.out.how_far = reach::past_caches;
}

/// Bundles of simd_lanes() lines with neighbouring i.
template <class Real>
void bundle_engine<Real>::state::run_full_bundles(const line_range& lines, index_t end) {
  const int width = kernel->simd_lanes;
  const auto& order = in.is_straight() || out.is_straight() ? as_they_fall : in_order;
  in.begin_full(lines.begin[0], lines.begin[1], width, order);
  out.begin_full(lines.begin[0], lines.begin[1], width, order);
  for (index_t j = lines.begin[1]; j < lines.end[1]; ++j)
    for (index_t i = lines.begin[0]; i < end; i += width) {
      in.move_to(i, j);
      out.move_to(i, j);
      run_bundle(width);
    }
}

/// Lines i >= first of all j, bundled across j.
template <class Real>
void bundle_engine<Real>::state::take_leftovers(const line_range& lines, index_t first) {
  bundle_lines bundle;
  const auto run = [&] {
    in.set_simd_lanes(bundle, kernel->simd_lanes);
    out.set_simd_lanes(bundle, kernel->simd_lanes);
    run_bundle(bundle.count);
    bundle.count = 0;
  };
  for (index_t y = lines.begin[1]; y < lines.end[1]; ++y)
    for (index_t x = first; x < lines.end[0]; ++x) {
      bundle.i[bundle.count] = x;
      bundle.j[bundle.count] = y;
      if (++bundle.count == kernel->simd_lanes) run();
    }
  if (bundle.count > 0) run();
}

template <class Real>
void bundle_engine<Real>::state::run(const line_range& lines, std::span<const source_piece> from,
                                     std::span<const target_piece> to, bool past_caches) {
  in.take(from, kernel->simd_lanes, "input");
  out.take(to, kernel->simd_lanes, "output");
  const index_t count = std::max<index_t>(lines.end[0] - lines.begin[0], 0);
  const index_t full_end = lines.begin[0] + count / kernel->simd_lanes * kernel->simd_lanes;
  set_reach(out.is_straight(), past_caches, lines.begin[0]);
  if (full_end > lines.begin[0] && lines.end[1] > lines.begin[1]) run_full_bundles(lines, full_end);
  if (full_end < lines.end[0]) {
    set_reach(false, past_caches, lines.begin[0]);
    take_leftovers(lines, full_end);
  }
  if (past_caches) finish_stores_past_caches();
}

template <class Real>
bundle_engine<Real>::bundle_engine(kind what, index_t length) {
  check(line_shape{what, length});
  state_ = std::make_unique<state>(what, length);
}

template <class Real>
bundle_engine<Real>::~bundle_engine() = default;

template <class Real>
int bundle_engine<Real>::simd_lanes() const noexcept {
  return state_->kernel->simd_lanes;
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
