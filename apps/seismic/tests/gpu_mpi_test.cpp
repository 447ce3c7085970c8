// SPDX-License-Identifier: BSD-3-Clause
// The GPU's engine against the processor's, to rounding: systems, sides, sources, receivers, frames, states; what the
// driver refuses. On a GPU, or on the stand-in for CUDA's driver, which does nothing before it is waited for.
#include <algorithm>
#include <cmath>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <solver/shot.hpp>

#include "gpu_fixture.hpp"
#include "materials.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 4}, .node_sizes = {0}, .on_cluster = false}};

using ::testing::HasSubstr;

class pulse final : public wavelet {
 public:
  double at(double time_s) const override { return std::exp(-std::pow((time_s - 0.004) / 0.003, 2)); }
  double highest_frequency_hz(double) const override { return 100; }
  double begin_s() const override { return 0; }
  double end_s() const override { return 0.02; }
  std::string name() const override { return "pulse"; }
};

struct outcome {
  std::vector<std::vector<float>> arrays;  ///< of state(), own points one after the other
  std::vector<float> traces, frame;
  double norm = 0, rate = 0;
};

class gpu_waves : public GpuTest {
 protected:
  grid points{{26, 31, 23}, {10, 12, 11}, {}};
  static constexpr index_t steps = 24;

  acquisition shots() const {
    const position middle{127, points.is_flat() ? 0.0 : 155, 121};
    const position corner{260 * 0.9, points.is_flat() ? 0.0 : 40, 33};
    const auto weights = [&](const position& p) {
      return weights_of(p, points, points.whole(), {.half_width = 3, .window = usual_window(3)}, "point");
    };
    acquisition a;
    const auto in_time = std::make_shared<pulse>();
    a.sources = {{weights(middle), in_time, 1e6, true}, {weights(corner), in_time, 0.7, false}};
    a.sources.push_back({weights({middle[0] + 10, middle[1], middle[2] + 3}), in_time, -4e5, true});
    for (const double x : {20.0, 55.5, 130.0}) a.receivers.push_back(weights({middle[0] * 0.8, middle[1], x}));
    for (const dimension d : {z, x})
      a.receivers.push_back(
          slope_weights_of({90, points.is_flat() ? 0.0 : 155, 131.5}, points, points.whole(), {}, d, "point"));
    a.steps_per_sample = 2;
    return a;
  }

  static std::vector<float> own_values(const state_array& s) {
    std::vector<float> values;
    for (index_t k = 0; k < s.own.extent(0); ++k)
      for (index_t j = 0; j < s.own.extent(1); ++j) {
        const float* const row = s.data + k * s.strides[0] + j * s.strides[1];
        values.insert(values.end(), row, row + s.own.extent(2));
      }
    return values;
  }

  /// A frame of every second point, copied after half of the steps and looked at in the end.
  static frame_part frame_of(const propagator& waves, std::vector<float>& into) {
    frame_part part;
    part.first = {1, 0, 2}, part.stride = {2, 1, 2};
    part.counts = {(waves.shape().nz - 1) / 2, waves.shape().ny, (waves.shape().nx - 2) / 2};
    const index_t row = part.counts[2] + 3, plane = row * part.counts[1] + 7;  // with gaps
    into.assign(static_cast<std::size_t>(plane * part.counts[0]), 0.0f);
    part.to = reinterpret_cast<char*>(into.data());
    part.to_strides_bytes = {plane * 4, row * 4, 4};
    return part;
  }

  outcome run(propagator_options options, const medium& m, device_kind device) {
    const nearfar::team team(comm());
    options.device = device, options.ghosts = std::max(options.ghosts, slope_half_width);
    propagator waves(team, points, m, options);
    outcome o;
    o.rate = waves.measured_rate(2);
    shot now(waves, shots());
    for (index_t n = 0; n < steps; ++n) {
      now.step();
      if (n == steps / 2) waves.points().start_copy(frame_of(waves, o.frame));
    }
    // On the stand-in, where nothing is done before it is waited for: no step has waited for the copy.
    if (of_stand_in<int>("mock_cuda_devices") != nullptr) {
      EXPECT_EQ(waves.points().is_copied(), !waves.options().is_on_gpu());
    }
    waves.points().finish_copy();
    o.norm = waves.norm_now();
    o.traces = now.traces(team);
    for (const state_array& s : waves.state()) o.arrays.push_back(own_values(s));
    return o;
  }

  static double largest(const std::vector<float>& v) {
    double most = 0;
    for (const float x : v) most = std::max(most, std::abs(static_cast<double>(x)));
    return most;
  }

  void expect_close(const std::vector<float>& is, const std::vector<float>& should, const std::string& what) const {
    EXPECT_EQ(is.size(), should.size()) << what;
    double most = largest(should), off = 0;
    for (std::size_t n = 0; n < std::min(is.size(), should.size()); ++n)
      off = std::max(off, std::abs(static_cast<double>(is[n]) - static_cast<double>(should[n])));
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm());
    EXPECT_GT(most, 0) << what << ": nothing to compare";
    EXPECT_LE(off, 1e-5 * most) << what;
  }

  void expect_same(const propagator_options& options, const medium& m) {
    const outcome cpu = run(options, m, device_kind::cpu), gpu = run(options, m, device_kind::gpu);
    EXPECT_EQ(cpu.arrays.size(), gpu.arrays.size());
    for (std::size_t n = 0; n < std::min(cpu.arrays.size(), gpu.arrays.size()); ++n)
      expect_close(gpu.arrays[n], cpu.arrays[n], "array " + std::to_string(n));
    expect_close(gpu.traces, cpu.traces, "traces");
    expect_close(gpu.frame, cpu.frame, "frame");
    EXPECT_NEAR(gpu.norm / cpu.norm, 1, 1e-5);
    EXPECT_NEAR(gpu.rate / cpu.rate, 1, 1e-5);
  }
};

TEST_F(gpu_waves, are_those_of_the_processor_in_all_systems) {
  if (size() > 2)
    return expect_same(
        {.system = system_kind::self_adjoint, .order = 4, .dt_s = 0.0008, .sides = side_kind::periodic, .threads = 1},
        sharp_blocks());
  for (const system_kind system :
       {system_kind::isotropic, system_kind::fletcher_vti, system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const side_kind sides : {side_kind::rigid, side_kind::periodic, side_kind::sponge}) {
      SCOPED_TRACE(static_cast<int>(system) * 10 + static_cast<int>(sides));
      const int order = system == system_kind::fletcher_tti ? 4 : 8;
      expect_same(
          {.system = system, .order = order, .dt_s = 0.0008, .sides = sides, .absorbing_cells = 5, .threads = 1},
          sharp_blocks());
    }
}

TEST_F(gpu_waves, are_those_of_the_processor_behind_matched_layers_and_under_a_free_surface) {
  if (size() > 2) points.points[0] = 48;
  for (const auto& [has_surface, is_transposed] : {std::pair{true, false}, {false, false}, {false, true}}) {
    if (size() > 2 && !has_surface) return;
    expect_same({.order = 4,
                 .dt_s = 0.0008,
                 .sides = side_kind::cpml,
                 .absorbing_cells = 5,
                 .is_transposed = is_transposed,
                 .has_free_surface = has_surface,
                 .threads = 1},
                sharp_blocks());
  }
  for (const system_kind system : {system_kind::fletcher_vti, system_kind::fletcher_tti, system_kind::self_adjoint})
    expect_same(
        {.system = system, .order = 4, .dt_s = 0.0008, .sides = side_kind::cpml, .absorbing_cells = 5, .threads = 1},
        sharp_blocks());
}

TEST_F(gpu_waves, are_those_of_the_processor_in_two_dimensions) {
  if (size() > 2) return;
  points.points = {30, 1, 41};
  for (const system_kind system : {system_kind::isotropic, system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const side_kind sides : {side_kind::rigid, side_kind::periodic})
      expect_same({.system = system, .order = 4, .dt_s = 0.0008, .sides = sides, .threads = 1}, sharp_blocks());
}

TEST_F(gpu_waves, take_more_sources_and_samples_than_one_launch_or_batch) {
  if (size() > 2) return;
  points.points = {20, 1, 24};
  const nearfar::team team(comm());
  acquisition many;
  const auto in_time = std::make_shared<pulse>();
  const auto weights = [&](double along_z, double along_x) {
    return weights_of({along_z, 0, along_x}, points, points.whole(), {.half_width = 2, .window = usual_window(2)},
                      "point");
  };
  for (int n = 0; n < 300; ++n)
    many.sources.push_back({weights(30 + 0.4 * n, 40 + 0.5 * n), in_time, n % 2 == 0 ? 1e5 : -5e4, n % 3 != 0});
  for (const double x : {33.0, 120.0}) many.receivers.push_back(weights(81, x));
  std::vector<std::vector<float>> traces;
  for (const device_kind device : {device_kind::cpu, device_kind::gpu}) {
    propagator waves(team, points, sharp_blocks(), {.order = 4, .dt_s = 0.0008, .threads = 1, .device = device});
    shot now(waves, many);
    for (int n = 0; n < 260; ++n) now.step();
    traces.push_back(now.traces(team));
  }
  expect_close(traces[1], traces[0], "traces");
}

TEST_F(gpu_waves, go_on_from_a_state) {
  if (size() > 2) return;
  const nearfar::team team(comm());
  propagator_options options{.order = 4, .dt_s = 0.0008, .sides = side_kind::cpml, .absorbing_cells = 4, .threads = 1};
  std::vector<std::vector<float>> results;
  for (const bool is_in_two_parts : {false, true}) {
    options.device = device_kind::gpu, options.ghosts = 3;
    propagator first(team, points, sharp_blocks(), options);
    shot now(first, shots());
    for (index_t n = 0; n < 8; ++n) now.step();
    propagator second(team, points, sharp_blocks(), options);
    shot later(second, shots());
    if (is_in_two_parts) {
      const auto from = first.state(), to = second.state();
      for (std::size_t a = 0; a < from.size(); ++a)
        for (index_t k = 0; k < from[a].own.extent(0); ++k)
          for (index_t j = 0; j < from[a].own.extent(1); ++j) {
            const index_t at = k * from[a].strides[0] + j * from[a].strides[1];
            std::copy_n(from[a].data + at, from[a].own.extent(2), to[a].data + at);
          }
      second.resume(8);
    }
    for (index_t n = 0; n < 8; ++n) (is_in_two_parts ? later : now).step();
    results.push_back(own_values((is_in_two_parts ? second : first).state().front()));
  }
  EXPECT_TRUE(results[0] == results[1]);
  EXPECT_GT(largest(results[0]) + 1e-30, 0);
}

TEST_F(gpu_waves, are_refused_where_the_driver_has_no_device_memory_or_kernels) {
  auto* const devices = of_stand_in<int>("mock_cuda_devices");
  auto* const bytes = of_stand_in<std::size_t>("mock_cuda_bytes_left");
  if (devices == nullptr || bytes == nullptr) return;
  const nearfar::team team(comm());
  const auto words = [&] {
    try {
      propagator(team, points, sharp_blocks(), {.dt_s = 0.0008, .threads = 1, .device = device_kind::gpu});
    } catch (const nearfar::usage_error& e) {
      return std::string(e.what());
    } catch (const nearfar::resource_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  *devices = 0;
  EXPECT_THAT(words(), HasSubstr("finds no GPU"));
  *devices = 1;
  // On the last rank alone, and an error on all.
  const std::size_t all = *bytes;
  if (rank() == size() - 1) *bytes = 100000;
  EXPECT_THAT(words(), HasSubstr("no memory for an array of"));
  *bytes = all;
  gpu::replace_kernel_image(nullptr);
  if (gpu::kernel_image() == nullptr) {
    EXPECT_THAT(words(), HasSubstr("built without nvcc"));
  }
  gpu::replace_kernel_image("stand-in", 120);
  EXPECT_THAT(words(), HasSubstr("has capability 9.9, and the kernels of this program need 12.0 at least"));
  gpu::replace_kernel_image("stand-in");
  EXPECT_EQ(words(), "");
}

}  // namespace
}  // namespace seismic::test
