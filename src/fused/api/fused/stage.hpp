// SPDX-License-Identifier: BSD-3-Clause
// A fused stage of a distributed transform: elements are read in place, also from near ranks' memory, transformed along
// one or two axes in the cache, and stored once.
#pragma once

#include <fourier/line_shape.hpp>
#include <functional>
#include <memory>
#include <nearfar/transpose.hpp>
#include <string>
#include <vector>

namespace nearfar::fused {

struct line_step {
  fourier::kind what = fourier::kind::forward;
  int axis = 0;
};

/// Who has what before and after. Real-to-complex and complex-to-real steps change the number of elements along their
/// axis (n to n/2 + 1 and back): `from` and `through` are of the grid before all steps, `to` of the one after them.
struct stage_shape {
  transpose_side from;    ///< arrays of `in`
  decomposition through;  ///< which rank transforms what: the axes of all steps are whole; its own parts need no arrays
  transpose_side to;      ///< arrays of `out`: the blocks of `through` but for the lengths of the axes of steps
  std::vector<line_step> steps;  ///< one, or two along different axes, in this order
  index_t fields = 1;
};

struct stage_options {
  std::string name = "stage";               ///< shown in reports and in the watchdog's message
  std::string method{};                     ///< empty: NEARFAR_METHOD, or tuned, transforms included
  std::vector<std::string> without{};       ///< methods that are not tried; not isend
  double budget_s = 0;                      ///< as in plan_options
  std::function<void()> rewrite = nullptr;  ///< writes `in` as the program does between calls, the same numbers again
};

/// Lines along the first step's axis are read straight from `in` of the ranks that have them, where that is near memory
/// of this node; what far ranks have comes by the exchange engine's methods into a staging of the stage's own. Where no
/// other rank has anything that this one transforms (`from` and `through` cut alike), it is a serial transform, and
/// peers are not waited for. Two steps go plane by plane through a buffer that fits the cache. Real is float or double;
/// elements are Real or std::complex<Real> as the steps' kinds say. The bits are those of a transposition followed by
/// the own engine's transforms.
///
/// Best where the axis that is contiguous in `from` is contiguous in `to`, too, and no step's; worst where they differ
/// and neither is a step's. Rows of arrays should be padded to whole lines of 64 bytes: 65 x 128 x 64 complex numbers
/// on each of two ranks (r2c of 128^3) take 1.4 to 2 times as long with rows of 65 as with rows of 68.
template <class Real>
class stage {
 public:
  /// Collective over the team, plans in one order on all ranks. While it is tuned `out` is written, `in` is not.
  /// @throws usage_error     on every rank: sides that do not fit each other or the steps, wrong numbers or sizes of
  /// arrays, `in` and `out` that overlap, unknown methods
  /// @throws resource_error  on every rank: memory that does not suffice
  stage(const stage_shape& shape, const transpose_arrays& in, const transpose_arrays& out, stage_options options = {});
  ~stage();
  stage(stage&&) noexcept;
  stage& operator=(stage&&) noexcept;

  /// Until finish() returns `in` must not be written and `out` not touched. Other arrays than before may be given, near
  /// memory again where it was. `in` and `out` may be one array where no elements travel and both sides are alike;
  /// otherwise they must not overlap.
  /// @throws usage_error  on this rank; nothing has changed then
  void start(const transpose_arrays& in, const transpose_arrays& out);
  /// What start() checks. @throws usage_error  where it would
  void check(const transpose_arrays& in, const transpose_arrays& out) const;
  bool test();    ///< true when finish() would not wait for peers; makes progress, which is most of the work; local
  void finish();  ///< waits until `out` is complete and no peer reads `in` any more
  void operator()(const transpose_arrays& in, const transpose_arrays& out) { start(in, out), finish(); }

  std::string method() const;  ///< of the exchange: "near-direct+isend"
  double tuned_seconds() const noexcept;
  std::string describe() const;
  std::string describe_json() const;  ///< of the exchange; empty where all is local

 private:
  struct state;
  std::unique_ptr<state> state_;
};

extern template class stage<float>;
extern template class stage<double>;

}  // namespace nearfar::fused
