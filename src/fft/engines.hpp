// SPDX-License-Identifier: BSD-3-Clause
// Which serial engines may be used, the choice for each step, and whether two steps are fused.
#pragma once

#include <functional>

#include "stage.hpp"

namespace nearfar::fft {

/// The names in options or NEARFAR_FFT_ENGINES, or "own"; the same on all ranks, and all of them to be had on all. For
/// arrays in GPU memory "cufft", and for no others. Collective. @throws usage_error  on every rank, naming an engine
/// that cannot be had and those that can
std::vector<std::string> wanted_engines(const team& members, const fft_options& options, bool is_on_device);

/// What `make` makes with the fastest engine, raced where there are several and wisdom knows none. `key` says what is
/// transformed. The race runs the stages on these arrays. Collective.
std::unique_ptr<stage> fastest(const team& members, const std::vector<std::string>& engines, const std::string& key,
                               const std::function<std::unique_ptr<stage>(const std::string&)>& make,
                               const transpose_arrays& in, const transpose_arrays& out, double budget_s);

/// One of two methods; made (collectively) only if it takes part.
struct candidate_stage {
  std::string name;
  std::function<void()> make, run;
};

/// The name of the faster method, which has been made: what wisdom knows, or the winner of a race. The second method
/// must win by more than a tie. Collective.
std::string faster(const team& members, const std::string& key, const candidate_stage& first,
                   const candidate_stage& second, const race_terms& terms);

/// Which of these names wisdom knows to be the fastest under this key; empty if it does not. Collective.
std::string known_stages(const team& members, const std::string& key, const std::vector<std::string>& names);

/// The name of the fastest of several methods that have been made; any but the first must win by more than a tie.
/// Wisdom keeps it. Collective.
std::string fastest_whole(const team& members, const std::string& key, const std::vector<candidate_stage>& made,
                          double budget_s);

}  // namespace nearfar::fft
