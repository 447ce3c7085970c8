// SPDX-License-Identifier: BSD-3-Clause
// Sources and receivers in the GPU's memory.
#pragma once

#include <array>
#include <deque>
#include <gpu/device.hpp>
#include <gpu/small_launches.hpp>
#include <solver/engine.hpp>
#include <span>
#include <vector>

namespace seismic::gpu {

/// The sources of one kind, as so many at a time as one launch takes.
class source_lists {
 public:
  source_lists() = default;
  source_lists(const tile_waves& waves, const std::vector<driven_point>& all, bool is_physical);

  /// Adds to the fields, which are own points (0, 0, 0).
  void drive(device& on, const stream& in, std::array<float*, 2> fields, std::span<const double> amplitudes) const;

 private:
  struct chunk {
    std::vector<std::size_t> numbers;  ///< of its sources in the list of all
    int cells = 0, fields = 1;
    array places, starts, sources, weights;
  };
  std::vector<chunk> chunks_;
};

/// Receivers, and samples that wait for the host: they come in batches.
class receiver_list {
 public:
  receiver_list() = default;
  receiver_list(const tile_waves& waves, const std::vector<point_weights>& all);

  void record(device& on, const stream& in, const tile_shape& shape, const float* field);
  /// All samples so far, by receivers; those that the GPU has are fetched.
  std::vector<std::vector<float>>& recorded(const stream& in);

 private:
  void fetch(const stream& in);

  int count_ = 0;
  array receivers_, samples_;
  std::size_t waiting_ = 0;  ///< samples of each receiver
  std::vector<std::vector<float>> recorded_;
};

}  // namespace seismic::gpu
