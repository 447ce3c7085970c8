// SPDX-License-Identifier: BSD-3-Clause
// Fourier, cosine and sine transforms along the axes of a grid that is distributed over the ranks.
#pragma once

#include <memory>
#include <nearfar/element_type.hpp>
#include <nearfar/transpose.hpp>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace nearfar {

/// What is done along one axis. Definitions are FFTW's, unnormalised; forward has exp(-2 pi i jk/n).
enum class fft_kind {
  none,  ///< the axis is not transformed
  c2c,   ///< complex to complex
  r2c,   ///< real to n/2 + 1 coefficients; at most one axis, transformed before those of kind c2c
  dct1,  ///< REDFT00 (backward: itself), n >= 2
  dct2,  ///< REDFT10 (backward: dct3)
  dct3,  ///< REDFT01 (backward: dct2)
  dct4,  ///< REDFT11 (backward: itself)
  dst1,  ///< RODFT00 (backward: itself)
  dst2,  ///< RODFT10 (backward: dst3)
  dst3,  ///< RODFT01 (backward: dst2)
  dst4,  ///< RODFT11 (backward: itself)
};

/// What is transformed: the physical grid and a kind per axis, slowest axis first.
///
/// Modes: where modes[d] = m is smaller than extents[d] = n, only m modes of the axis exist on the spectral side.
/// Forward drops the others, backward takes them for zero; neither moves nor stores them. With c2c and r2c the modes k
/// = -(m-1)/2 … (m-1)/2 are kept (of r2c those with k >= 0), in the order in which a transform of length m has them,
/// and for even m one more, |k| = m/2, which fft_nyquist speaks of. Of cosine and sine transforms the first m are kept.
/// Coefficients are those of the transform of length n.
struct fft_shape {
  std::vector<index_t> extents;   ///< of the physical grid, 1 to 4 axes
  std::vector<fft_kind> kinds{};  ///< empty: c2c along all axes
  std::vector<index_t> modes{};   ///< empty, or 0 for an axis: all of them

  /// C2c along all axes.
  static fft_shape complex(std::vector<index_t> extents) { return {std::move(extents)}; }
  /// r2c along the last axis, c2c along the others.
  static fft_shape real(std::vector<index_t> extents) {
    std::vector<fft_kind> kinds(extents.size(), fft_kind::c2c);
    if (!kinds.empty()) kinds.back() = fft_kind::r2c;
    return {std::move(extents), std::move(kinds)};
  }
};

/// Extents of the spectral grid: the modes, m/2 + 1 of them along an axis of kind r2c. @throws usage_error as
/// fft_layout
NEARFAR_API std::vector<index_t> spectral_extents(const fft_shape& shape);
/// Whether elements are complex: on the spectral side with any c2c or r2c, on the physical one with c2c but no r2c.
NEARFAR_API bool is_spectral_complex(const fft_shape& shape);
NEARFAR_API bool is_physical_complex(const fft_shape& shape);  ///< the same for the elements of the physical side
/// What forward followed by backward multiplies by where nothing is normalised: n per axis of kind c2c or r2c, 2(n-1)
/// for dct1, 2(n+1) for dst1, 2n for the others.
NEARFAR_API double roundtrip_factor(const fft_shape& shape);
/// The grid of `factor` times as many points along the transformed axes (rounded down) with the modes of the given one:
/// 1.5 is the 3/2 rule.
/// @throws usage_error for a factor below 1
NEARFAR_API fft_shape padded(const fft_shape& shape, double factor);
/// The same grid with `factor` times as many modes (rounded down) along the transformed axes: 2.0 / 3 is the 2/3 rule.
/// @throws usage_error  for a factor that is not in (0, 1]
NEARFAR_API fft_shape truncated(const fft_shape& shape, double factor);

/// What a layout is told about its sides; the same on all ranks, but for paddings and strides.
struct fft_layout_options {
  std::optional<transpose_side> physical{}, spectral{};  ///< any sides of these extents; empty: chosen
  /// Parts of the axes that a chosen physical side cuts: one number for slabs, two for pencils; empty: slabs where the
  /// ranks are not more than the smallest extent, else pencils, near ranks in one row, as even as can be.
  std::vector<int> process_grid{};
};

struct fft_layout_state;  // internal: fft/route.hpp

/// Where the elements of both grids lie, and by which distributions between them the transforms go. Copies share one
/// state.
///
/// A chosen physical side has its axes in memory in their order and cuts the first ones that are transformed as
/// complex, or those that are not transformed at all. A chosen spectral side is where the last transform has left the
/// elements ("transposed"); its axes in memory: see spectral().memory_order. Its rows may have up to three elements of
/// padding above them, for whole cache lines.
class NEARFAR_API fft_layout {
 public:
  /// Collective over the team; the same shape and options on all ranks (paddings and strides of sides may differ).
  /// @throws usage_error  on every rank: extents, kinds, modes, process grids or sides that cannot be, and which can
  fft_layout(const nearfar::team& members, fft_shape shape, fft_layout_options options = {});
  const nearfar::team& team() const noexcept;       ///< whose ranks own the elements
  const fft_shape& shape() const noexcept;          ///< what is transformed
  const transpose_side& physical() const noexcept;  ///< where the elements of the physical grid lie
  const transpose_side& spectral() const noexcept;  ///< where the coefficients lie
  std::string describe() const;  ///< both sides, the axes that each cuts, and the steps between them; local

 private:
  friend struct internals;
  std::shared_ptr<const fft_layout_state> state_;
};

/// Who divides by what: n is the roundtrip factor.
enum class fft_scaling {
  none,         ///< nobody: forward then backward multiplies by n
  forward,      ///< forward, by n: coefficients of the series (mpi4py-fft, shenfun)
  backward,     ///< backward, by n (NumPy)
  orthonormal,  ///< both, by the square root of n: with c2c the sum of squares stays
};

/// The mode m/2 of an axis that keeps an even number m of fewer than all modes.
enum class fft_nyquist {
  shared,  ///< forward: the sum of modes m/2 and -m/2; backward: half of it goes to each (mpi4py-fft, shenfun)
  zero,    ///< forward stores zero, backward takes it for zero
};

/// Whether a transposition and the transforms after it are one stage, which reads near ranks' memory straight into the
/// transforms.
enum class fft_fusion {
  raced,   ///< where that is faster than one after the other on these arrays
  never,   ///< one after the other
  always,  ///< wherever that is possible: transforms along one or two axes with all their modes, by our own engine
};

/// How a plan of transforms is made; the same on all ranks.
struct fft_options {
  // as in plan_options; the method and the methods left out are those of the transpositions
  std::string name = "fft";            ///< shown in reports and errors, compared across ranks
  std::string method{};                ///< empty: NEARFAR_METHOD, or tuned; else one of methods("fft")
  std::vector<std::string> without{};  ///< methods that the tuner leaves out; any but isend
  double budget_s = 0;                 ///< for all tuning
  std::string type_name{};             ///< what they are, compared across the ranks that say it

  index_t fields = 1;                         ///< that are transformed together; all move in one message per peer
  fft_scaling scaling = fft_scaling::none;    ///< who divides by the roundtrip factor
  fft_nyquist nyquist = fft_nyquist::shared;  ///< what becomes of the mode m/2 where modes are left out
  /// Serial engines: the fastest of them is taken, one after the other tried on these arrays. Empty:
  /// NEARFAR_FFT_ENGINES (names with commas), or "own". "fftw" and "mkl" are libraries that are found at run time, with
  /// their own licences (FFTW: GPL), and so never used unasked.
  std::vector<std::string> engines{};
  fft_fusion fusion = fft_fusion::raced;  ///< transpositions and transforms in one pass, or one after the other
};

/// Forward: from the physical grid to coefficients; backward: from coefficients to the physical grid.
enum class fft_direction { forward, backward };

template <class Real>
struct fft_state;  // internal

namespace detail {
/// The arrays that a plan has made for one of its sides.
struct fft_arrays {
  transpose_side side;
  index_t fields;
  std::shared_ptr<void> memory;
  std::vector<void*> starts;
};
}  // namespace detail

/// Transforms of fields, forward and backward, by a chain of stages: one-dimensional transforms along axes that are
/// whole on each rank, and transpositions between them. Real is float or double. Elements of arrays are Real or
/// std::complex<Real>, as the shape says.
///
/// Input arrays are preserved unless input and output start at one address (in place). Making a plan and starting it
/// are collective over the team; test(), finish() and questions are local. One operation of a plan is in flight at a
/// time.
///
/// Arrays may be in GPU memory, all of all ranks (CUDA): kinds c2c and r2c with all modes, by cuFFT on the GPU that is
/// current on this thread. Moves go through near memory of the host. start_… waits for what the default stream has to
/// do; who writes arrays on other streams synchronises them first.
template <class Real>
class NEARFAR_API fft_plan {
 public:
  /// Makes and tunes the plan on these very arrays, whose contents stay. Collective over the team, plans in one order
  /// on all ranks. Holds at most two work arrays in near memory. Arrays of a field may start at one address on both
  /// sides; any other overlap is refused.
  /// @throws usage_error on every rank: numbers of arrays, element sizes, a missing array, arrays that overlap, unknown
  ///         engines or methods
  /// @throws resource_error on every rank: memory that does not suffice, and how much was asked for
  fft_plan(const fft_layout& layout, const writable_transpose_arrays& physical,
           const writable_transpose_arrays& spectral, fft_options options = {},
           std::source_location where = std::source_location::current());
  /// The same on arrays of its own: of both sides, in near memory, all zero, as transpose_array makes them. physical()
  /// and spectral() give them. Collective over the team.
  /// @throws as the other constructor
  explicit fft_plan(const fft_layout& layout, fft_options options = {},
                    std::source_location where = std::source_location::current());
  ~fft_plan();
  fft_plan(fft_plan&&) noexcept;
  fft_plan& operator=(fft_plan&&) noexcept;

  /// Starts a transform; returns when this rank has done what it can without waiting for others. Collective. Until
  /// finish() returns, the input must not be written and the output neither read nor written. Other arrays than the
  /// plan was made with are possible, in place if it was made in place.
  /// @throws usage_error on this rank, nothing changes: in flight already, arrays as in the constructor
  void start_forward(const transpose_arrays& physical, const writable_transpose_arrays& spectral);
  /// The same backward. @throws usage_error  as start_forward().
  void start_backward(const transpose_arrays& spectral, const writable_transpose_arrays& physical);
  void start(fft_direction where);  ///< on the arrays that the plan was made with, or those of its last start that way
  bool test();    ///< makes progress, which may be a stage of transforms; true when finish() would not wait; local
  void finish();  ///< waits until the output is complete and both arrays are the caller's again
  /// start(where) and finish().
  void run(fft_direction where) { start(where), finish(); }
  /// start_forward() and finish().
  void forward(const transpose_arrays& physical, const writable_transpose_arrays& spectral) {
    start_forward(physical, spectral), finish();
  }
  /// start_backward() and finish().
  void backward(const transpose_arrays& spectral, const writable_transpose_arrays& physical) {
    start_backward(spectral, physical), finish();
  }

  /// The arrays of the physical grid that the plan has made itself, one per field. They share its memory, which lives
  /// as long as one of them or the plan. T is Real or std::complex<Real>, as the shape says. Local.
  /// @throws usage_error  elements are not T, and what they are; the plan was made on the caller's arrays
  template <class T>
  transpose_array<T> physical() const {
    return array_of<T>(fft_direction::forward);
  }
  /// Those of the coefficients. @throws usage_error  as physical()
  template <class T>
  transpose_array<T> spectral() const {
    return array_of<T>(fft_direction::backward);
  }

  const fft_layout& layout() const;   ///< where the elements of both grids lie
  const nearfar::team& team() const;  ///< whose ranks exchange
  index_t work_bytes() const;         ///< of the work arrays on this rank
  std::string method() const;         ///< of each move of a forward transform, with commas; "local" where nothing moves
  double tuned_seconds() const noexcept;  ///< of the moves of a forward transform when the plan was tuned; 0 if unknown
  std::string describe() const;           ///< stages, engines, methods, bytes, quickest times so far; local
  /// {"plan": "fft", "name": …, "forward": […], "backward": […]}: of each stage that moves elements between ranks what
  /// was tried and chosen, as in plan_options.hpp. Local.
  std::string describe_json() const;

 private:
  friend struct internals;
  /// What this direction reads. @throws usage_error  as physical()
  const detail::fft_arrays& own_arrays(fft_direction read_by, element_type elements) const;
  template <class T>
  transpose_array<T> array_of(fft_direction read_by) const {
    const detail::fft_arrays& own = own_arrays(read_by, element_type_of<T>());
    return {own.side, own.fields, own.memory, own.starts};
  }

  std::unique_ptr<fft_state<Real>> state_;
};

extern template class fft_plan<float>;
extern template class fft_plan<double>;

/// The fastest layout, and what was measured; the same on every rank.
struct tuned_fft_layout {
  fft_layout layout;              ///< both of its sides are the library's
  std::vector<int> process_grid;  ///< as in fft_layout_options; empty: the one that is chosen without measuring
  double seconds = 0;             ///< of forward and backward; 0 where there is no choice
  std::string report;             ///< a line per grid that was timed
};

/// The layout, with both sides chosen, whose transforms forward and backward take the least time: what fft_layout
/// chooses, slabs, and pencils, the squarest first, `most_timed` in all, with plans of these very options on arrays of
/// zeros in near memory. What fft_layout chooses stays unless another is faster by 3 %. Kept as wisdom. Collective over
/// the team, the same arguments on all ranks.
/// @throws usage_error on every rank: as fft_layout and fft_plan; fewer than 1 grid
/// @throws resource_error on every rank: memory that does not suffice
/// @cost `most_timed` plans, and options.budget_s for their race
template <class Real>
NEARFAR_API tuned_fft_layout tune_fft_layout(const team& members, const fft_shape& shape,
                                             const fft_options& options = {}, int most_timed = 4);
extern template tuned_fft_layout tune_fft_layout<float>(const team&, const fft_shape&, const fft_options&, int);
extern template tuned_fft_layout tune_fft_layout<double>(const team&, const fft_shape&, const fft_options&, int);

}  // namespace nearfar
