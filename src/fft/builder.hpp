// SPDX-License-Identifier: BSD-3-Clause
// The stages of one direction of a plan: each the fastest of its own race, or all of one kind.
#pragma once

#include "state.hpp"

namespace nearfar::fft {

template <class Real>
class builder {
 public:
  /// `budget_s` for all races of both directions. `engines` may be used.
  builder(fft_state<Real>& p, double budget_s, std::vector<std::string> engines);

  const std::vector<std::string>& engines() const { return engines_; }
  /// Each step by the fastest engine, a move and the transforms after it as one stage where that is faster. Collective.
  std::vector<link> stage_by_stage(const direction& d) const;
  /// One stage per step, all transforms by this engine. Collective.
  std::vector<link> in_turn(const direction& d, const std::string& engine) const;
  /// What may be one stage is one, by the engine of this library, which transforms the rest as well. Collective.
  std::vector<link> at_once(const direction& d) const;
  /// Whether at_once() has a move and transforms in one stage.
  bool has_fused(const direction& d) const;

 private:
  stage_context context_of(const direction& d, std::size_t i) const;
  bool goes_past_caches(const direction& d, std::size_t i) const;
  bool may_fuse(const direction& d, std::size_t i) const;
  int races() const;
  std::unique_ptr<saved_arrays> save_output(const direction& d, std::size_t point) const;
  link one_step(const direction& d, std::size_t i, const std::vector<std::string>& engines,
                const std::vector<link>& before) const;
  void add_faster(const direction& d, std::size_t i, std::vector<link>& links) const;
  link fused(const direction& d, std::size_t i, const race_terms& terms) const;
  std::function<void()> writing_anew(const direction& d, std::size_t point, const std::vector<link>& before) const;

  fft_state<Real>& p_;
  std::vector<std::string> engines_;
  double share_s_;
};

/// Words for wisdom: what a step transforms and where its elements lie.
std::string key_of(const stage_context& context, const step& what, index_t real_bytes);

}  // namespace nearfar::fft
