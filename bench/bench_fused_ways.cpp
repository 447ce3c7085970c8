// SPDX-License-Identifier: BSD-3-Clause
// Nearfar's ways through a cube: fused stages, and transpositions between serial plans.
#include "bench_fused_ways.hpp"

#include <fourier/engine.hpp>
#include <fused/stage.hpp>

namespace bench {

namespace {

using nearfar::index;
using nearfar::fourier::kind;
using stage = nearfar::fused::stage<double>;

struct sides {
  nearfar::transpose_side planes, middle, columns;  ///< physical; spectral in planes; spectral in columns

  static sides of(const nearfar::team& t, const cube& c) {
    const index n = c.points, m = c.is_real ? n / 2 + 1 : n;
    constexpr index line = 64 / sizeof(element);
    nearfar::ghosts whole_lines;  // rows of complex numbers start where lines of memory do
    whole_lines.set(2, 0, static_cast<int>((line - m % line) % line));
    return {{nearfar::decomposition::slab(t, {n, n, n}, 0)},
            {nearfar::decomposition::slab(t, {n, n, m}, 0), {}, whole_lines},
            {nearfar::decomposition::slab(t, {n, n, m}, 1), {}, whole_lines}};
  }
};

class arrays_of_cube : public cube_way {
 public:
  arrays_of_cube(const nearfar::team& t, const cube& c)
      : what_(c), sides_(sides::of(t, c)), spectral_(sides_.columns), work_({sides_.columns, sides_.middle}) {
    if (c.is_real)
      reals_ = std::make_unique<nearfar::transpose_array<double>>(sides_.planes);
    else
      complexes_ = std::make_unique<nearfar::transpose_array<element>>(sides_.planes);
  }
  double* physical() override { return what_.is_real ? reals_->data() : reinterpret_cast<double*>(complexes_->data()); }
  index row_reals() override { return what_.points * (what_.is_real ? 1 : 2); }
  element* spectral() override { return spectral_.data(); }

 protected:
  nearfar::transpose_arrays physical_arrays() const {
    if (what_.is_real) return *reals_;
    return *complexes_;
  }
  kind first() const { return what_.is_real ? kind::real_to_complex : kind::forward; }
  kind last() const { return what_.is_real ? kind::complex_to_real : kind::backward; }

  cube what_;
  sides sides_;
  std::unique_ptr<nearfar::transpose_array<double>> reals_;
  std::unique_ptr<nearfar::transpose_array<element>> complexes_;
  nearfar::transpose_array<element> spectral_, work_;
};

class fused_way : public arrays_of_cube {
 public:
  fused_way(const nearfar::team& t, const cube& c, const std::string& method)
      : arrays_of_cube(t, c),
        planes_({sides_.planes, sides_.planes.parts, sides_.middle, {{first(), 2}, {kind::forward, 1}}},
                physical_arrays(), work_),
        columns_({sides_.middle, sides_.columns.parts, sides_.columns, {{kind::forward, 0}}}, work_, spectral_,
                 {.method = method}),
        columns_back_({sides_.columns, sides_.columns.parts, sides_.columns, {{kind::backward, 0}}}, spectral_, work_),
        planes_back_({sides_.columns, sides_.middle.parts, sides_.planes, {{kind::backward, 1}, {last(), 2}}}, work_,
                     physical_arrays(), {.method = method}) {}
  void forward() override {
    planes_(physical_arrays(), work_);
    columns_(work_, spectral_);
  }
  void backward() override {
    columns_back_(spectral_, work_);
    planes_back_(work_, physical_arrays());
  }
  std::string choice() const override { return columns_.method() + " " + planes_back_.method(); }

 private:
  stage planes_, columns_, columns_back_, planes_back_;
};

using serial = std::unique_ptr<nearfar::fourier::plan<double>>;

serial lines(const nearfar::transpose_side& in, const nearfar::transpose_side& out, kind what, index n, int axis) {
  const nearfar::array_shape a = shape_of(in), b = shape_of(out);
  const auto d = static_cast<std::size_t>(axis);
  const std::size_t i = axis == 2 ? 1 : 2, j = axis == 0 ? 1 : 0;
  nearfar::fourier::line_shape shape{what, n, a.strides[d], b.strides[d], {}};
  shape.lines[0] = {a.held.extent(static_cast<int>(i)), a.strides[i], b.strides[i]};
  shape.lines[1] = {a.held.extent(static_cast<int>(j)), a.strides[j], b.strides[j]};
  return nearfar::fourier::make_plan<double>("own", shape);
}

class in_turn_way : public arrays_of_cube {
 public:
  in_turn_way(const nearfar::team& t, const cube& c)
      : arrays_of_cube(t, c),
        gathered_(sides_.middle),
        rows_(lines(sides_.planes, sides_.middle, first(), c.points, 2)),
        columns_(lines(sides_.middle, sides_.middle, kind::forward, c.points, 1)),
        depth_(lines(sides_.columns, sides_.columns, kind::forward, c.points, 0)),
        depth_back_(lines(sides_.columns, sides_.columns, kind::backward, c.points, 0)),
        columns_back_(lines(sides_.middle, sides_.middle, kind::backward, c.points, 1)),
        rows_back_(lines(sides_.middle, sides_.planes, last(), c.points, 2)),
        there_(sides_.middle, sides_.columns, work_, spectral_),
        back_(sides_.columns, sides_.middle, work_, gathered_) {}
  void forward() override {
    rows_->run(physical(), work_.data());
    columns_->run(work_.data(), work_.data());
    there_();
    depth_->run(spectral(), spectral());
  }
  void backward() override {
    depth_back_->run(spectral(), work_.data());
    back_();
    columns_back_->run(gathered_.data(), gathered_.data());
    rows_back_->run(gathered_.data(), physical());
  }
  std::string choice() const override { return there_.method() + " " + back_.method(); }

 private:
  nearfar::transpose_array<element> gathered_;
  serial rows_, columns_, depth_, depth_back_, columns_back_, rows_back_;
  nearfar::transpose_plan there_, back_;
};

}  // namespace

std::unique_ptr<cube_way> make_fused(const nearfar::team& members, const cube& what, const std::string& method) {
  return std::make_unique<fused_way>(members, what, method);
}
std::unique_ptr<cube_way> make_in_turn(const nearfar::team& members, const cube& what) {
  return std::make_unique<in_turn_way>(members, what);
}

}  // namespace bench
