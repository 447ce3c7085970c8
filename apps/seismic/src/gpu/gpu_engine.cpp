// SPDX-License-Identifier: BSD-3-Clause
// A GPU as an engine: fields and coefficients in its memory, steps on one stream.
//
// Where ranks share the grid, the points that neighbours need go to the host's copy of the fields on a second stream,
// the halo exchange runs there, and ghosts come back, while the inner part of the tile is computed; the rim follows.
// What repeats within the rank, along x always, is copied on the GPU. Snapshots are gathered into memory of their own,
// and go to the host on a third stream.
#include <algorithm>
#include <common/agreement.hpp>
#include <gpu/point_lists.hpp>
#include <optional>

namespace seismic {

namespace gpu {
namespace {

/// So many steps at most wait for the GPU: the host knows how far it is, and stops soon.
constexpr std::size_t most_ahead = 8;

/// Planes and rows of a tile.
struct part {
  index_t z_begin, z_end, y_begin, y_end;
  bool is_empty() const { return z_begin >= z_end || y_begin >= y_end; }
};

/// What can be computed without ghosts from other ranks, and the rest.
struct split_tile {
  part inner{};
  std::vector<part> rim;
};

split_tile split(const tile_waves& w) {
  const tile_shape& s = w.shape;
  const auto width = [&](int d, bool is_upper) -> index_t { return w.has_neighbour(d, is_upper) ? s.radius : 0; };
  const part all{0, s.nz, 0, s.ny};
  const part inner{width(z, false), s.nz - width(z, true), width(y, false), s.ny - width(y, true)};
  if (inner.is_empty()) return {{}, {all}};
  split_tile both{inner, {}};
  for (const part& p :
       {part{0, inner.z_begin, 0, s.ny}, part{inner.z_end, s.nz, 0, s.ny},
        part{inner.z_begin, inner.z_end, 0, inner.y_begin}, part{inner.z_begin, inner.z_end, inner.y_end, s.ny}})
    if (!p.is_empty()) both.rim.push_back(p);
  return both;
}

/// Ghosts that the halo fills; others are filled on the GPU.
nearfar::ghosts filled_ghosts(const tile_waves& w) {
  const auto along = [&](int d) {
    return w.tiles.process_grid()[static_cast<std::size_t>(d)] > 1 ? w.shape.ghosts : 0;
  };
  const int above = along(z), beside = w.points.is_flat() ? 0 : along(y);
  return {{above, above}, {beside, beside}, {0, 0}};
}

class gpu_engine final : public engine {
 public:
  /// Local.
  explicit gpu_engine(tile_waves& waves);
  /// Collective.
  void make_halos();

  std::string name() const override { return "gpu"; }
  std::string describe() const override;
  void advance(bool has_layers, const block_observer& done) override;
  bool has_blocks() const override { return false; }
  double sum_of_squares() override;
  void hold() override;
  void subtract(double norm) override;
  void clear() override;
  void fetch() override;
  void store() override;
  void wait() override { steps_.wait(); }
  void set_points(std::vector<driven_point> driven, std::vector<point_weights> receivers) override;
  void drive(std::span<const double> amplitudes, bool is_physical) override;
  void record() override;
  std::vector<std::vector<float>>& recorded() override { return receivers_.recorded(steps_); }
  void start_copy(const frame_part& part) override;
  bool is_copied() override { return copied_.is_done(); }
  void finish_copy() override { copied_.wait(); }

 private:
  struct slab {
    absorbing_layers::slab* host = nullptr;
    std::vector<array> psi, zeta;  ///< by field
    array from, keep;
  };

  std::size_t bytes() const { return static_cast<std::size_t>(waves_.shape.volume()) * sizeof(float); }
  std::size_t origin() const { return static_cast<std::size_t>(waves_.shape.at(0, 0, 0)); }
  const array& level(int time, int f) const {
    return levels_[static_cast<std::size_t>(time)][static_cast<std::size_t>(f)];
  }
  /// Own point (0, 0, 0).
  float* field(int time, int f) const { return level(time, f).data<float>() + origin(); }
  step_arguments arguments() const;
  void upload_model();
  void pin_fields();
  void mirror_at_surface();
  void repeat();
  void compute(const part& p);
  void exchange_and_compute();
  /// Calls act(host, device address, rows) for the points that neighbours need (own) or have sent (ghosts).
  template <class Act>
  void for_faces(bool are_ghosts, const Act& act);
  void absorb();
  template <class Act>
  void for_memories(const Act& act);
  void limit_steps_ahead();

  tile_waves& waves_;
  device gpu_;
  stream steps_, exchanges_, frames_;
  std::array<std::array<array, 2>, 2> levels_;
  std::vector<array> coefficients_;
  std::array<array, 3> damping_;
  std::vector<slab> slabs_;
  array sums_, frame_;
  split_tile split_;
  std::vector<nearfar::halo_plan> halos_;
  std::vector<pinned> pinned_;
  event ready_, arrived_, gathered_, copied_;
  std::array<event, most_ahead> done_;
  std::size_t next_done_ = 0;
  std::array<source_lists, 2> sources_;  ///< added as they are, and physical ones
  receiver_list receivers_;
};

gpu_engine::gpu_engine(tile_waves& waves)
    : waves_(waves),
      gpu_(waves.tiles.team().near_rank()),
      sums_(summing_threads * sizeof(double)),
      split_(split(waves)) {
  for (auto& time : levels_)
    for (int f = 0; f < waves_.fields(); ++f) time[static_cast<std::size_t>(f)] = array(bytes());
  upload_model();
  for (absorbing_layers::slab& s : waves_.layers.slabs()) {
    slabs_.push_back({&s,
                      {},
                      {},
                      array(s.from.data(), s.from.size() * sizeof(float)),
                      array(s.keep.data(), s.keep.size() * sizeof(float))});
    for (const huge_array& psi : s.psi)
      slabs_.back().psi.emplace_back(static_cast<std::size_t>(psi.size()) * sizeof(float));
    for (const huge_array& zeta : s.zeta)
      slabs_.back().zeta.emplace_back(static_cast<std::size_t>(zeta.size()) * sizeof(float));
  }
}

void gpu_engine::upload_model() {
  const auto from = waves_.model.pointers();
  for (int c = 0; c < coefficients_of(waves_.options.system); ++c)
    coefficients_.emplace_back(from[static_cast<std::size_t>(c)] - origin(), bytes());
  for (std::size_t d = 0; d < 3; ++d)
    damping_[d] = array(waves_.damping[d].data(), waves_.damping[d].size() * sizeof(float));
}

void gpu_engine::make_halos() {
  if (waves_.tiles.team().size() == 1) return;
  halos_ = halos_of(waves_, filled_ghosts(waves_));
  pin_fields();
}

void gpu_engine::pin_fields() {
  for (auto& time : waves_.levels)
    for (int f = 0; f < waves_.fields(); ++f) pinned_.emplace_back(time[static_cast<std::size_t>(f)].data(), bytes());
}

step_arguments gpu_engine::arguments() const {
  step_arguments a = waves_.arguments();
  for (int f = 0; f < waves_.fields(); ++f) {
    const auto at = static_cast<std::size_t>(f);
    a.now[at] = field(waves_.now, f), a.next[at] = field(1 - waves_.now, f);
  }
  for (std::size_t c = 0; c < coefficients_.size(); ++c)
    a.coefficients[c] = coefficients_[c].data<const float>() + origin();
  for (std::size_t d = 0; d < 3; ++d) a.damping[d] = damping_[d].data<const float>();
  return a;
}

void gpu_engine::mirror_at_surface() {
  if (!waves_.options.has_free_surface || waves_.tiles.own().lower[0] > 0) return;
  for (int f = 0; f < waves_.fields(); ++f) {
    const ghost_arguments a{waves_.shape, field(waves_.now, f), z};
    gpu_.launch(mirror_launch(a), &a, steps_);
  }
}

// One dimension after the other: the later ones take the ghosts of the earlier ones along.
void gpu_engine::repeat() {
  if (!waves_.repeats()) return;
  for (const int d : {z, y, x}) {
    if (waves_.tiles.process_grid()[static_cast<std::size_t>(d)] > 1 || (d == y && waves_.points.is_flat())) continue;
    for (int f = 0; f < waves_.fields(); ++f) {
      const ghost_arguments a{waves_.shape, field(waves_.now, f), d};
      gpu_.launch(repeat_launch(a), &a, steps_);
    }
  }
}

void gpu_engine::compute(const part& p) {
  if (p.is_empty()) return;
  step_arguments a = arguments();
  a.z_begin = p.z_begin, a.z_end = p.z_end, a.y_begin = p.y_begin, a.y_end = p.y_end;
  gpu_.launch(launch_of(waves_.options.system, a), &a, steps_);
}

template <class Act>
void gpu_engine::for_faces(bool are_ghosts, const Act& act) {
  const tile_shape& s = waves_.shape;
  const auto face = [&](int f, index_t k, index_t j, index_t planes, index_t rows_each) {
    const index_t at = s.at(k, j, -tile_shape::margin);
    const auto row_bytes = static_cast<std::size_t>(s.row() * rows_each) * sizeof(float);
    const auto pitch = static_cast<std::size_t>(s.plane()) * sizeof(float);
    act(waves_.field(waves_.now, f) - origin() + at,
        level(waves_.now, f).at(static_cast<std::size_t>(at) * sizeof(float)),
        rows{row_bytes, static_cast<std::size_t>(planes), pitch, pitch});
  };
  const index_t g = s.ghosts;
  for (int f = 0; f < waves_.fields(); ++f)
    for (const bool is_upper : {false, true}) {
      const index_t first = are_ghosts ? (is_upper ? s.nz : -g) : (is_upper ? s.nz - g : 0);
      if (waves_.has_neighbour(z, is_upper)) face(f, first, -g, g, s.ny + 2 * g);
      const index_t row = are_ghosts ? (is_upper ? s.ny : -g) : (is_upper ? s.ny - g : 0);
      if (waves_.has_neighbour(y, is_upper)) face(f, 0, row, s.nz, g);
    }
}

void gpu_engine::exchange_and_compute() {
  ready_.record(steps_);
  ready_.hold_up(exchanges_);
  for_faces(false, [&](float* host, address gpu, const rows& r) { copy_rows_to_host(host, gpu, r, exchanges_); });
  compute(split_.inner);
  exchanges_.wait();
  halos_[static_cast<std::size_t>(waves_.now)].run();
  for_faces(true, [&](float* host, address gpu, const rows& r) { copy_rows_to_device(gpu, host, r, exchanges_); });
  arrived_.record(exchanges_);
  arrived_.hold_up(steps_);
  repeat();
  for (const part& p : split_.rim) compute(p);
}

void gpu_engine::absorb() {
  const step_arguments step = arguments();
  for (const slab_pass pass : waves_.layers.passes())
    for (slab& s : slabs_) {
      if (!absorbing_layers::is_for(pass, *s.host)) continue;
      slab_arguments a = absorbing_layers::arguments(*s.host, step);
      a.pass = pass, a.from = s.from.data<const float>(), a.keep = s.keep.data<const float>();
      for (std::size_t f = 0; f < s.zeta.size(); ++f) {
        a.zeta[f] = s.zeta[f].data<float>() + a.slab.at(0, 0, 0);
        a.psi[f] = s.host->beside < 0
                       ? s.psi[f].data<float>() + a.slab.at(0, 0, 0)
                       : slabs_[static_cast<std::size_t>(s.host->beside)].psi[f].data<float>() + s.host->beside_offset;
      }
      gpu_.launch(absorb_launch(a), &a, steps_);
    }
}

void gpu_engine::limit_steps_ahead() {
  event& done = done_[next_done_++ % most_ahead];
  done.wait();
  done.record(steps_);
}

void gpu_engine::advance(bool has_layers, const block_observer& /*done*/) {
  limit_steps_ahead();
  mirror_at_surface();
  repeat();
  if (halos_.empty())
    compute({0, waves_.shape.nz, 0, waves_.shape.ny});
  else
    exchange_and_compute();
  if (has_layers) absorb();
}

double gpu_engine::sum_of_squares() {
  gpu::clear(sums_, steps_);
  for (int f = 0; f < waves_.fields(); ++f) {
    const squares_arguments a{waves_.shape, field(waves_.now, f), sums_.data<double>()};
    gpu_.launch(squares_launch(), &a, steps_);
  }
  std::vector<double> sums(summing_threads);
  copy_to_host(sums.data(), sums_.at(), sums_.bytes(), steps_);
  steps_.wait();
  double all = 0;
  for (const double s : sums) all += s;
  return all;
}

void gpu_engine::hold() {
  for (int f = 0; f < waves_.fields(); ++f)
    copy_on_device(level(1 - waves_.now, f).at(), level(waves_.now, f).at(), bytes(), steps_);
}

void gpu_engine::subtract(double norm) {
  for (int f = 0; f < waves_.fields(); ++f) {
    const difference_arguments a{level(waves_.now, f).data<const float>(), level(1 - waves_.now, f).data<float>(),
                                 waves_.shape.volume(), static_cast<float>(norm)};
    gpu_.launch(difference_launch(), &a, steps_);
  }
}

// The host's copies are left as they are: nothing reads of them what has not been fetched before.
void gpu_engine::clear() {
  for (const int time : {0, 1})
    for (int f = 0; f < waves_.fields(); ++f) gpu::clear(level(time, f), steps_);
}

template <class Act>
void gpu_engine::for_memories(const Act& act) {
  for (const int time : {0, 1})
    for (int f = 0; f < waves_.fields(); ++f) act(waves_.field(time, f) - origin(), level(time, f));
  for (slab& s : slabs_) {
    for (std::size_t f = 0; f < s.psi.size(); ++f) act(s.host->psi[f].data(), s.psi[f]);
    for (std::size_t f = 0; f < s.zeta.size(); ++f) act(s.host->zeta[f].data(), s.zeta[f]);
  }
}

void gpu_engine::fetch() {
  for_memories([&](float* host, const array& gpu) { copy_to_host(host, gpu.at(), gpu.bytes(), steps_); });
  steps_.wait();
}

void gpu_engine::store() {
  for_memories([&](const float* host, const array& gpu) { copy_to_device(gpu.at(), host, gpu.bytes(), steps_); });
  steps_.wait();
}

void gpu_engine::set_points(std::vector<driven_point> driven, std::vector<point_weights> receivers) {
  sources_ = {source_lists(waves_, driven, false), source_lists(waves_, driven, true)};
  receivers_ = {waves_, receivers};
}

void gpu_engine::drive(std::span<const double> amplitudes, bool is_physical) {
  std::array<float*, 2> fields{};
  for (int f = 0; f < waves_.fields(); ++f) fields[static_cast<std::size_t>(f)] = field(waves_.now, f);
  sources_[is_physical ? 1 : 0].drive(gpu_, steps_, fields, amplitudes);
}

void gpu_engine::record() { receivers_.record(gpu_, steps_, waves_.shape, field(1 - waves_.now, 0)); }

void gpu_engine::start_copy(const frame_part& part) {
  frame_arguments a;
  const std::array<index_t, 3> strides{waves_.shape.plane(), waves_.shape.row(), 1};
  a.field = field(waves_.now, 0);
  for (std::size_t d = 0; d < 3; ++d) {
    a.field += part.first[d] * strides[d];
    a.strides[d] = strides[d] * part.stride[d], a.counts[d] = part.counts[d];
  }
  const auto row = static_cast<std::size_t>(part.counts[2]) * sizeof(float);
  const auto plane = row * static_cast<std::size_t>(part.counts[1]);
  const auto bytes = plane * static_cast<std::size_t>(part.counts[0]);
  if (bytes == 0) return;
  copied_.wait();
  if (frame_.bytes() < bytes) frame_ = {}, frame_ = array(bytes);
  a.to = frame_.data<float>();
  gpu_.launch(frame_launch(a), &a, steps_);
  gathered_.record(steps_);
  gathered_.hold_up(frames_);
  const auto row_pitch = static_cast<std::size_t>(part.to_strides_bytes[1]);
  const auto plane_pitch = static_cast<std::size_t>(part.to_strides_bytes[0]);
  const bool are_planes_whole = row_pitch == row || part.counts[1] == 1;
  if (are_planes_whole && (plane_pitch == plane || part.counts[0] == 1)) {
    copy_to_host(part.to, frame_.at(), bytes, frames_);
  } else if (are_planes_whole) {
    copy_rows_to_host(part.to, frame_.at(), {plane, static_cast<std::size_t>(part.counts[0]), plane_pitch, plane},
                      frames_);
  } else {
    for (std::size_t k = 0; k < static_cast<std::size_t>(part.counts[0]); ++k)
      copy_rows_to_host(part.to + k * plane_pitch, frame_.at(k * plane),
                        {row, static_cast<std::size_t>(part.counts[1]), row_pitch, row}, frames_);
  }
  copied_.record(frames_);
}

std::string gpu_engine::describe() const {
  std::string words =
      "GPU " + gpu_.name() + ", order " + std::to_string(2 * waves_.shape.radius) + "; " + waves_.tiles.describe();
  if (halos_.empty()) return words;
  const bool are_pinned = std::all_of(pinned_.begin(), pinned_.end(), [](const pinned& p) { return p.is_pinned(); });
  return words + "; halo: " + halos_.front().method() + (are_pinned ? "" : ", not pinned: slower copies");
}

}  // namespace
}  // namespace gpu

std::unique_ptr<engine> gpu_engine_of(tile_waves& waves) {
  std::unique_ptr<gpu::gpu_engine> made;
  apps::agree_after(waves.tiles.team(), [&] { made = std::make_unique<gpu::gpu_engine>(waves); });
  made->make_halos();
  return made;
}

}  // namespace seismic
