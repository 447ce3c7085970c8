// SPDX-License-Identifier: BSD-3-Clause
// A stage of a chain: a move, transforms, or both fused, of all fields from one place to the next.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "route.hpp"

namespace nearfar::fft {

/// Elements of one or several consecutive steps carried out. A plan starts a stage when the one before has finished on
/// this rank.
class stage {
 public:
  virtual ~stage() = default;
  /// @throws usage_error  where start() would, for what the plan cannot see. Changes nothing; local.
  virtual void check(const transpose_arrays&, const transpose_arrays&) const {}
  /// `in` and `out` are the arrays of the first step's `from` and of the last step's `to`; they stay where they are
  /// until finish() returns.
  virtual void start(const transpose_arrays& in, const transpose_arrays& out) = 0;
  virtual bool test() { return true; }  ///< true when finish() would not wait; local
  virtual void finish() {}              ///< afterwards no other rank reads or writes this rank's arrays for this stage
  virtual std::string describe() const = 0;
  virtual std::string describe_json() const { return ""; }  ///< how elements move; empty: to no other ranks
  virtual std::string method() const { return ""; }         ///< by which elements move to other ranks; empty: none do
  virtual double tuned_seconds() const { return 0; }        ///< of moving them; 0 if unknown
};

/// What stages of one plan have in common.
struct stage_context {
  const fft_shape& shape;  ///< checked
  const fft_options& options;
  bool is_backward = false;
  double factor = 1;          ///< that the last transforming stage multiplies by
  bool is_on_device = false;  ///< all arrays are in GPU memory
  bool past_caches = false;   ///< a local stage stores its output past the caches
};

/// Where field `i` of these arrays starts.
inline void* field_of(const transpose_side& side, const transpose_arrays& arrays, index_t i) {
  if (side.field_stride == 0) return arrays[as_size(i)];
  return static_cast<char*>(arrays[0]) + i * side.field_stride * as_index(arrays.element_bytes());
}

/// How races of a stage are held.
struct race_terms {
  double budget_s = 0;
  std::function<void()> rewrite = nullptr;  ///< writes `in` as the stage before does, the same numbers again; local
};

/// The move of a step by a transposition plan. Collective. `terms`: for tuning it.
std::unique_ptr<stage> make_move(const stage_context& context, const step& what, const transpose_arrays& in,
                                 const transpose_arrays& out, const race_terms& terms);

/// The same between arrays in GPU memory, through near memory of the host.
std::unique_ptr<stage> make_device_move(const stage_context& context, const step& what, index_t element_bytes,
                                        double budget_s);

/// The transforms of a step on this rank, by the serial engine of this name. Local.
template <class Real>
std::unique_ptr<stage> make_transforms(const stage_context& context, const step& what, const std::string& engine);

}  // namespace nearfar::fft
