// SPDX-License-Identifier: BSD-3-Clause
// The state of a plan: two chains, one per direction, that share two work arrays.
#pragma once

#include <base/internals.hpp>
#include <device/device.hpp>
#include <limits>
#include <near/arena.hpp>
#include <topology/plan_identity.hpp>

#include "arrays.hpp"
#include "stage.hpp"

namespace nearfar {
namespace fft {

/// A stage, between two places of its chain.
struct link {
  std::shared_ptr<stage> run;
  std::size_t first = 0, end = 0;  ///< steps
  double quickest_s = std::numeric_limits<double>::infinity();
};

struct direction {
  bool is_backward = false;
  chain steps;
  std::vector<link> links;
};

/// A work array, in near memory or the GPU's.
struct work_memory {
  near::block near;
  device::memory device;
  std::byte* data() const { return near ? near.data() : device.data(); }
};

}  // namespace fft

template <class Real>
struct fft_state {
  fft_state(const fft_layout& l, fft_options o, const std::source_location& where)
      : identity(state_of(l).members, "fft", o, where),
        layout(l),
        options(std::move(o)),
        title(text("fft \"", options.name, "\"")),
        physical{"physical", state_of(l).forward.front().from, options.fields, sizeof(Real)},
        spectral{"spectral", state_of(l).forward.back().to, options.fields, sizeof(Real)} {}
  ~fft_state();  ///< finishes what is in flight: ranks that go on wait for this one's part in all links
  plan_identity identity;
  fft_layout layout;
  fft_options options;
  std::string title;
  fft::array_side physical, spectral;
  bool is_in_place = false, is_on_device = false;
  std::array<index_t, 2> work_bytes{};
  fft::work_memory work[2];
  fft::direction forward{false, {}, {}}, backward{true, {}, {}};

  fft::direction* now = nullptr;  ///< in flight
  std::size_t next = 0;           ///< link
  bool is_started = false;        ///< that link
  double started_s = 0;
  fft::kept_arrays physical_arrays, spectral_arrays;  ///< of the last operation
  std::optional<detail::fft_arrays> own_physical, own_spectral;

  const nearfar::team& team() const { return layout.team(); }

  transpose_arrays arrays_at(const fft::direction& d, std::size_t point) const {
    return arrays_at(d, point, physical_arrays, spectral_arrays);
  }
  /// In an operation on these arrays.
  transpose_arrays arrays_at(const fft::direction& d, std::size_t point, const transpose_arrays& on_physical,
                             const transpose_arrays& on_spectral) const {
    const fft::resting& r = point == 0 ? d.steps.steps.front().from : d.steps.steps[point - 1].to;
    switch (d.steps.places[point]) {
      case fft::place::input:
        return d.is_backward ? on_spectral : on_physical;
      case fft::place::output:
        return d.is_backward ? on_physical : on_spectral;
      default:
        return {work[d.steps.places[point] == fft::place::second_work].data(), -1,
                as_size(fft::element_bytes(r, sizeof(Real)))};
    }
  }
};

}  // namespace nearfar
