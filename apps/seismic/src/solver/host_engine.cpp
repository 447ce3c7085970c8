// SPDX-License-Identifier: BSD-3-Clause
// The processor as an engine: blocks of the tile by OpenMP threads, those that need ghosts when they have come.
#include <omp.h>

#include <algorithm>
#include <array>
#include <kernels/denormals.hpp>
#include <nearfar/choice.hpp>
#include <solver/engine.hpp>

namespace seismic {

namespace {

class host_engine final : public engine {
 public:
  /// Collective.
  explicit host_engine(tile_waves& waves);

  std::string name() const override { return kernels_.name; }
  std::string describe() const override;
  void advance(bool has_layers, const block_observer& done) override;
  bool has_blocks() const override { return true; }
  double sum_of_squares() override;
  void hold() override;
  void subtract(double norm) override;
  void clear() override;
  void fetch() override {}
  void store() override {}
  void wait() override {}
  void set_points(std::vector<driven_point> driven, std::vector<point_weights> receivers) override;
  void drive(std::span<const double> amplitudes, bool is_physical) override;
  void record() override;
  std::vector<std::vector<float>>& recorded() override { return recorded_; }
  void start_copy(const frame_part& part) override {
    copy_frame(waves_.field(waves_.now, 0), {waves_.shape.plane(), waves_.shape.row(), 1}, part,
               waves_.options.threads);
  }
  bool is_copied() override { return true; }
  void finish_copy() override {}

 private:
  int rows_of_block();
  void make_blocks(index_t rows);
  void mirror_at_surface();
  void compute(const std::vector<block_rows>& blocks, const block_observer& done);
  std::size_t fields() const { return static_cast<std::size_t>(waves_.fields()); }
  huge_array& array(int level, std::size_t f) { return waves_.levels[static_cast<std::size_t>(level)][f]; }

  tile_waves& waves_;
  const kernel_table& kernels_;
  step_kernel kernel_;
  std::vector<block_rows> inner_, outer_;  ///< that need no ghosts, and that do
  int rows_ = 0;                           ///< of a block
  std::vector<huge_array> scratch_;        ///< of each thread
  std::vector<nearfar::halo_plan> halos_;  ///< of each level; none where nothing comes from elsewhere
  step_arguments common_;
  std::vector<driven_point> driven_;
  std::vector<point_weights> receivers_;
  std::vector<std::vector<float>> recorded_;
};

// Rows of a block: the first where nothing is measured. A part of the grid that is smaller than that lies in the cache
// anyhow.
constexpr std::array measured_rows{32, 16, 8, 64};
constexpr index_t least_measured_points = 500'000;

template <std::size_t N>
constexpr int largest_of(const std::array<int, N>& numbers) {
  return *std::max_element(numbers.begin(), numbers.end());
}

nearfar::ghosts filled_ghosts(const tile_waves& w) {
  const int g = w.shape.ghosts, beside = w.points.is_flat() ? 0 : g, around = w.repeats() ? g : 0;
  return {{g, g}, {beside, beside}, {around, around}};
}

host_engine::host_engine(tile_waves& waves)
    : waves_(waves),
      kernels_(kernels_named(waves.options.kernels)),
      kernel_(kernels_.of(waves.options.system, waves.shape.radius)) {
  const int most = std::max({waves.options.rows_per_block, largest_of(measured_rows), waves.shape.ghosts});
  for (int t = 0; t < waves.options.threads; ++t)
    scratch_.emplace_back(scratch_floats(waves.options.system, waves.shape, most), t);
  make_blocks(rows_of_block());
  halos_ = halos_of(waves_, filled_ghosts(waves_));
}

/// Raced on the fields as they are at first, zeros, which a step leaves as they are. Collective.
int host_engine::rows_of_block() {
  const propagator_options& o = waves_.options;
  const nearfar::team& team = waves_.tiles.team();
  if (o.rows_per_block > 0) return o.rows_per_block;
  if (waves_.points.size() / team.size() < least_measured_points) return measured_rows.front();
  std::string what = "rows of a block of nearfar-seismic, system " + std::to_string(static_cast<int>(o.system)) +
                     ", order " + std::to_string(o.order) + ", kernels " + name() + ", " + std::to_string(o.threads) +
                     " threads, points";
  for (const index_t n : waves_.points.points) what += " " + std::to_string(n);
  std::vector<std::string> names;
  for (const int rows : measured_rows) names.push_back(std::to_string(rows));
  common_ = waves_.arguments();
  const auto step_by = [this](std::size_t n) {
    make_blocks(measured_rows[n]);
    compute(inner_, {}), compute(outer_, {});
  };
  return measured_rows[nearfar::tune_choice(team, what, names, step_by).chosen];
}

// Blocks are long along z, which kernels march along, and whole along x. Those within the stencil's radius of a
// neighbour's tile are apart: they have to wait for its values.
void host_engine::make_blocks(index_t rows) {
  const tile_shape& shape = waves_.shape;
  const index_t ghosts = shape.ghosts, planes = 32;
  inner_.clear(), outer_.clear(), rows_ = static_cast<int>(rows);
  const auto is_cut = [&](int d) {
    return waves_.repeats() || waves_.tiles.process_grid()[static_cast<std::size_t>(d)] > 1;
  };
  const auto cuts = [](index_t extent, index_t rim, index_t step) {
    std::vector<index_t> at{0};
    if (rim > 0 && extent > 2 * rim) at.push_back(rim);
    const index_t end = rim > 0 && extent > 2 * rim ? extent - rim : extent;
    while (at.back() + step < end) at.push_back(at.back() + step);
    if (at.back() < end) at.push_back(end);
    if (end < extent) at.push_back(extent);
    return at;
  };
  const index_t z_rim = is_cut(z) ? ghosts : 0, y_rim = is_cut(y) && !waves_.points.is_flat() ? ghosts : 0;
  const auto zs = cuts(shape.nz, z_rim, planes), ys = cuts(shape.ny, y_rim, rows);
  // x wraps onto this very rank: every row waits for the exchange.
  const bool all_wait = waves_.repeats();
  for (std::size_t k = 0; k + 1 < zs.size(); ++k)
    for (std::size_t j = 0; j + 1 < ys.size(); ++j) {
      const block_rows b{zs[k], zs[k + 1], ys[j], ys[j + 1]};
      const bool waits = all_wait || b.z_begin < z_rim || b.z_end > shape.nz - z_rim || b.y_begin < y_rim ||
                         b.y_end > shape.ny - y_rim;
      (waits ? outer_ : inner_).push_back(b);
    }
}

// The field is odd about the surface: zero there, and so are its even derivatives.
void host_engine::mirror_at_surface() {
  if (!waves_.options.has_free_surface || waves_.tiles.own().lower[0] > 0) return;
  const tile_shape& shape = waves_.shape;
  for (std::size_t f = 0; f < fields(); ++f) {
    float* const surface = array(waves_.now, f).data() + shape.at(0, -shape.ghosts, -tile_shape::margin);
    std::fill_n(surface, shape.plane(), 0.0f);
    for (index_t k = 1; k <= shape.ghosts; ++k)
      for (index_t n = 0; n < shape.plane(); ++n) surface[n - k * shape.plane()] = -surface[n + k * shape.plane()];
  }
}

void host_engine::compute(const std::vector<block_rows>& blocks, const block_observer& done) {
  const auto count = static_cast<std::ptrdiff_t>(blocks.size());
#pragma omp parallel num_threads(waves_.options.threads)
  {
    const flushed_denormals flushed;
    step_arguments a = common_;
    a.scratch = scratch_[static_cast<std::size_t>(omp_get_thread_num())].data();
#pragma omp for schedule(dynamic)
    for (std::ptrdiff_t n = 0; n < count; ++n) {
      const block_rows& b = blocks[static_cast<std::size_t>(n)];
      a.z_begin = b.z_begin, a.z_end = b.z_end, a.y_begin = b.y_begin, a.y_end = b.y_end;
      kernel_(a);
      if (done) done(a.next[0], b);
    }
  }
}

void host_engine::advance(bool has_layers, const block_observer& done) {
  common_ = waves_.arguments();
  mirror_at_surface();
  if (halos_.empty()) {
    compute(inner_, done);
    compute(outer_, done);
  } else {
    nearfar::halo_plan& halo = halos_[static_cast<std::size_t>(waves_.now)];
    halo.start();
    compute(inner_, done);
    halo.finish();
    compute(outer_, done);
  }
  if (has_layers && !waves_.layers.is_empty()) waves_.layers.add(kernels_, common_, waves_.options.threads);
}

double host_engine::sum_of_squares() {
  const tile_shape& shape = waves_.shape;
  double sum = 0;
  for (std::size_t f = 0; f < fields(); ++f) {
    const float* const p = array(waves_.now, f).data();
#pragma omp parallel for num_threads(waves_.options.threads) reduction(+ : sum) schedule(static)
    for (index_t k = 0; k < shape.nz; ++k)
      for (index_t j = 0; j < shape.ny; ++j)
        for (index_t i = 0; i < shape.nx; ++i) {
          const double value = static_cast<double>(p[shape.at(k, j, i)]);
          sum += value * value;
        }
  }
  return sum;
}

void host_engine::hold() {
  for (std::size_t f = 0; f < fields(); ++f) {
    const huge_array& now = array(waves_.now, f);
    std::copy_n(now.data(), now.size(), array(1 - waves_.now, f).data());
  }
}

void host_engine::subtract(double norm) {
  for (std::size_t f = 0; f < fields(); ++f) {
    const float* const now = array(waves_.now, f).data();
    float* const next = array(1 - waves_.now, f).data();
    for (index_t at = 0; at < waves_.shape.volume(); ++at) next[at] = (next[at] - now[at]) / static_cast<float>(norm);
  }
}

void host_engine::clear() {
  for (const int level : {0, 1})
    for (std::size_t f = 0; f < fields(); ++f) std::fill_n(array(level, f).data(), waves_.shape.volume(), 0.0f);
}

void host_engine::set_points(std::vector<driven_point> driven, std::vector<point_weights> receivers) {
  driven_ = std::move(driven), receivers_ = std::move(receivers);
  recorded_.assign(receivers_.size(), {});
}

void host_engine::drive(std::span<const double> amplitudes, bool is_physical) {
  const std::array<index_t, 3> strides{waves_.shape.plane(), waves_.shape.row(), 1};
  const nearfar::box& own = waves_.tiles.own();
  const int driven_fields = is_physical && waves_.options.system == system_kind::self_adjoint ? 1 : waves_.fields();
  for (std::size_t n = 0; n < driven_.size(); ++n) {
    if (driven_[n].is_physical != is_physical) continue;
    for (int f = 0; f < driven_fields; ++f) {
      const field_part<float> into{waves_.field(waves_.now, f), strides, own};
      if (is_physical)
        inject(into, field_part<const float>{waves_.vp2(), strides, own}, driven_[n].where,
               amplitudes[n] / waves_.cell_volume());
      else
        inject(into, driven_[n].where, amplitudes[n]);
    }
  }
}

void host_engine::record() {
  const tile_shape& shape = waves_.shape;
  nearfar::box filled = waves_.tiles.own();
  for (std::size_t d = 0; d < 3; ++d) filled.lower[d] -= shape.ghosts, filled.upper[d] += shape.ghosts;
  const field_part<const float> from{
      waves_.field(1 - waves_.now, 0) + shape.at(-shape.ghosts, -shape.ghosts, -shape.ghosts) - shape.at(0, 0, 0),
      {shape.plane(), shape.row(), 1},
      filled};
  for (std::size_t r = 0; r < receivers_.size(); ++r)
    // + 0: of a negative zero, a sum over ranks would make a positive one, but one rank would not.
    recorded_[r].push_back(static_cast<float>(read(from, receivers_[r])) + 0.0f);
}

std::string host_engine::describe() const {
  std::string words = std::string("kernels ") + kernels_.name + ", order " + std::to_string(2 * waves_.shape.radius) +
                      ", " + std::to_string(waves_.options.threads) + " threads per rank, blocks of " +
                      std::to_string(rows_) + " rows; " + waves_.tiles.describe();
  if (!halos_.empty()) words += "; halo: " + halos_.front().method();
  return words;
}

}  // namespace

std::unique_ptr<engine> host_engine_of(tile_waves& waves) { return std::make_unique<host_engine>(waves); }

}  // namespace seismic
