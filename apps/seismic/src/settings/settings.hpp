// SPDX-License-Identifier: BSD-3-Clause
// Everything that a run is told, as its file says it.
#pragma once

#include <array>
#include <common/documented_key.hpp>
#include <cstdint>
#include <grid/grid.hpp>
#include <grid/sides.hpp>
#include <optional>
#include <points/points.hpp>
#include <points/quantity.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace seismic {

enum class medium_kind { iso, vti, tti };
enum class wave_system { fletcher, self_adjoint };
enum class model_kind { properties, fletcher, salt, thrust };
enum class wavelet_kind { ricker, fletcher, file };
enum class source_scaling {
  physical,  ///< amplitude * s(t) * delta(x) on the right-hand side of p_tt = ...
  none       ///< added to p and q before each step, as the mini-app does
};
enum class gather_format { segy, rsf };
enum class device_choice {
  automatic,  ///< a GPU where every rank has one that it can use
  cpu,
  gpu
};
enum class kernel_choice { fastest, plain, avx2, avx512 };

/// From this depth on there is this value.
struct layer {
  double top_m = 0, value = 0;
};

/// A number, layers from the top downwards, or the name of a file.
using property_values = std::variant<double, std::vector<layer>, std::string>;

/// How arrays of files lie: with x contiguous, as our own and the mini-app's, or with z, as Madagascar's models and
/// traces of SEG-Y do.
enum class file_order { depth_slowest, depth_fastest };

struct model_settings {
  model_kind kind = model_kind::properties;
  /// By property_kind. Numbers and layers of angles are degrees. Absent: 0; vs: from sigma.
  std::array<std::optional<property_values>, 6> values{};
  double sigma = 0.75;  ///< vs = vp sqrt(|epsilon - delta| / sigma) where vs is not given
  file_order order = file_order::depth_slowest;
  double extrusion_slope = 0;  ///< along x per metre of y, of models that are extruded from files of two dimensions
  double velocity_unit = 1;    ///< of files, m/s
  double angle_unit = 1;       ///< of files, radians
  bool clamps = false;         ///< delta is lowered to epsilon where it is above, instead of a refusal
  double elliptic_m = 0;       ///< around sources delta goes to epsilon within so many metres; 0: nowhere
};

struct time_settings {
  double end_s = 0;
  std::optional<double> step_s{};  ///< absent: the largest stable one, with a margin
  bool is_corrected = true;        ///< the error of the steps is taken out of wavelets and traces
  double limit_s = 0;              ///< of the clock: the run then ends with a checkpoint; 0: none
};

struct side_settings {
  side_kind kind = side_kind::cpml;
  int cells = 20;  ///< beyond the grid, on each side
  bool has_free_surface = false;
};

struct source_settings {
  position where_m{};
  wavelet_kind wavelet = wavelet_kind::ricker;
  double frequency_hz = 0;  ///< of Ricker's peak, or the mini-app's cut-off
  std::optional<double> delay_s{};
  double amplitude = 1;
  std::string file{};
  double interval_s = 0;  ///< between samples of the file
  source_scaling scaling = source_scaling::physical;
};

/// Receivers of one table: so many of all, and what they record.
struct receiver_group {
  std::size_t first = 0, count = 0;
  std::vector<quantity> quantities{quantity::pressure};
  double density_kg_m3 = 0;  ///< of the ground there; 0: none was given, and no velocity is recorded
};

struct gather_settings {
  std::string file{};  ///< empty: none
  gather_format format = gather_format::segy;
  double interval_s = 0;  ///< 0: the time step
};

struct snapshot_settings {
  std::string path{};  ///< empty: none
  double interval_s = 0;
  index_t steps = 0;  ///< between snapshots, where there is no interval; 0: neither
  std::optional<position> from_m{}, to_m{};
  std::array<index_t, 3> stride{1, 1, 1};  ///< z, y, x
  bool has_sides = false;                  ///< absorbing layers are written, too: the mini-app's files
  bool has_one_file = true;                ///< netcdf and hdf5
  std::string format = "rsf", compression{}, policy = "automatic";
  double throttle_mb_per_s = 0;
};

struct checkpoint_settings {
  std::string path{};  ///< empty: none
  index_t steps = 0;   ///< between them; 0: at the end and at a time limit only
};

struct run_settings {
  device_choice device = device_choice::automatic;
  int threads = 0;  ///< of each rank; 0: OMP_NUM_THREADS, or the cores that a rank has
  std::uint64_t seed = 1;
  kernel_choice kernels = kernel_choice::fastest;
  int tap_half_width = 4;       ///< of points between grid points
  double pretended_step_s = 0;  ///< that a step sleeps instead of computing; 0: it computes
};

struct settings {
  grid space{};  ///< without absorbing layers
  medium_kind medium = medium_kind::iso;
  wave_system system = wave_system::self_adjoint;
  int order = 8;
  model_settings model{};
  time_settings time{};
  side_settings sides{};
  std::vector<source_settings> sources{};
  bool has_usual_source = false;  ///< none was given
  std::vector<position> receivers_m{};
  std::vector<receiver_group> receiver_groups{};  ///< of these, one after the other
  gather_settings gathers{};
  snapshot_settings snapshots{};
  checkpoint_settings checkpoints{};
  run_settings run{};
};

/// What such a file describes. Local: equal texts give equal settings or errors.
/// @param name         of the file, for messages
/// @param assignments  "section.key=value" each: replace keys of the file; of sources and receivers in all of them
/// @throws nearfar::usage_error  with file, line, key, value and what is allowed
settings settings_in(std::string_view text, const std::string& name, std::span<const std::string> assignments = {});

/// The points of the grid, without absorbing layers, that snapshots are of: from the point at or behind snapshots.from
/// to the one at or before snapshots.to; the stride counts from its lower corner. @throws nearfar::usage_error  no
/// point lies there
nearfar::box snapshot_part(const settings& what);

/// All keys, section by section. "sources" and "receivers" are lists of tables.
std::span<const apps::documented_key> documented_keys();

/// A settings file with all keys, which says what they mean: a small run of its own.
std::string settings_template();

/// The same keys as tables in Markdown.
std::string settings_tables();

}  // namespace seismic
