// SPDX-License-Identifier: BSD-3-Clause
// Random shapes, kinds, sides, orders, paddings, fields: every coefficient is what the definition says, forward and
// backward.
#include <cstdlib>
#include <fourier/engine.hpp>
#include <span>

#include "fft_case.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.node_sizes = {0, 2}}};

class Fft : public MpiTest {
 protected:
  static index_t most_elements(const team& t, const transpose_side& s) {
    index_t most = shape_of(s).elements + 1;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, t.comm());
    return most;
  }

  static fft_shape random_shape(random_case& r, bool is_complex_only) {
    fft_shape s;
    const std::size_t axes = 1 + r.draw(4);
    for (std::size_t d = 0; d < axes; ++d)
      s.extents.push_back(static_cast<index_t>(2 + r.draw(axes == 1 ? 40 : axes == 2 ? 18 : axes == 3 ? 9 : 4)));
    const std::size_t family = is_complex_only ? r.draw(2) : r.draw(4);
    for (std::size_t d = 0; d < axes; ++d) {
      const bool is_cosine = family == 2 || (family == 3 && r.draw(2) == 0);
      s.kinds.push_back(r.draw(5) == 0 ? fft_kind::none
                        : is_cosine    ? static_cast<fft_kind>(static_cast<int>(fft_kind::dct1) + r.draw(8))
                                       : fft_kind::c2c);
    }
    const std::size_t real = r.draw(axes);
    if (family == 1 || (family == 3 && r.draw(2) == 0)) s.kinds[real] = fft_kind::r2c;
    return s;
  }

  static void drop_modes(random_case& r, fft_shape& s) {
    s.modes = s.extents;
    for (std::size_t d = 0; d < s.extents.size(); ++d)
      if (s.kinds[d] != fft_kind::none && r.draw(2) == 0)
        s.modes[d] = 1 + static_cast<index_t>(r.draw(static_cast<std::size_t>(s.extents[d])));
  }

  static void choose_sides(random_case& r, const team& t, fft_case& c) {
    if (r.draw(2) == 0) {
      r.extents = c.shape.extents;
      c.sides.physical = r.side(t);
      if (r.draw(3) == 0) c.sides.physical->field_stride = most_elements(t, *c.sides.physical);
    }
    if (r.draw(2) == 0) {
      r.extents = spectral_extents(c.shape);
      c.sides.spectral = r.side(t);
      if (r.draw(3) == 0) c.sides.spectral->field_stride = most_elements(t, *c.sides.spectral);
    }
  }

  void run_case(unsigned seed, bool is_complex_only, bool has_modes) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const team t(comm());
    random_case r(seed);
    fft_case c;
    c.shape = random_shape(r, is_complex_only);
    if (has_modes) drop_modes(r, c.shape);
    choose_sides(r, t, c);
    c.options.fields = 1 + static_cast<index_t>(r.draw(2));
    c.options.scaling = static_cast<fft_scaling>(r.draw(4));
    c.options.nyquist = static_cast<fft_nyquist>(r.draw(2));
    c.options.method = r.draw(2) == 0 ? "isend" : "near-direct";
    c.options.fusion = static_cast<fft_fusion>(r.draw(8) == 0 ? 0 : 1 + r.draw(2));
    c.options.budget_s = 0.002;
    c.is_near = r.draw(2) == 0;
    const bool has_strides = (c.sides.physical && c.sides.physical->field_stride > 0) ||
                             (c.sides.spectral && c.sides.spectral->field_stride > 0);
    c.is_in_place = r.draw(3) == 0 && !has_strides;
    if (!engines_.empty()) c.options.engines = {engines_[r.draw(engines_.size())]};
    if (seed % 3 == 0)
      expect_right<float>(t, c, seed);
    else
      expect_right<double>(t, c, seed);
  }

  void run_cases(unsigned first, unsigned count, bool is_complex_only, bool has_modes) {
    for (unsigned seed = first; seed < first + count; ++seed) {
      run_case(seed, is_complex_only, has_modes);
      NEARFAR_ASSERT_ALL(!HasFailure());
    }
  }
  void run_long_rows() {
    const team t(comm());
    const fft_shape shapes[] = {fft_shape::real({3, 5, 66}), fft_shape::complex({4, 3, 67}),
                                fft_shape::real({2, 2, 509})};
    for (const fft_shape& shape : std::span(shapes).first(size() > 3 ? 1 : 3))
      for (const bool is_in_place : {false, true})
        for (const fft_fusion fusion : {fft_fusion::never, fft_fusion::always}) {
          fft_case c{.shape = shape, .is_in_place = is_in_place};
          c.options.fields = 2, c.options.fusion = fusion, c.options.budget_s = 0.002;
          expect_right<double>(t, c, 7);
          expect_right<float>(t, c, 8);
          NEARFAR_ASSERT_ALL(!HasFailure());
        }
    const fft_layout layout(t, shapes[0]);
    const array_shape spectral = shape_of(layout.spectral());
    if (size() <= 3) {  // slabs
      EXPECT_EQ(spectral.elements % 4, 0) << "34 coefficients in rows of 36";
    }
  }
  std::vector<std::string> engines_;  ///< drawn from; the default one if there are none

  unsigned some() const { return size() > 4 ? 3 : size() > 2 ? 8 : 30; }
};

TEST_F(Fft, complex_and_real_are_what_definitions_say) { run_cases(1, some(), true, false); }
TEST_F(Fft, all_kinds_are_what_definitions_say) { run_cases(1000, some(), false, false); }
TEST_F(Fft, modes_that_are_not_kept_are_zero) { run_cases(2000, some(), false, true); }

// As where arrays are larger than the caches.
class FftPastCaches : public Fft {
 protected:
  void SetUp() override {
    Fft::SetUp();
    ::setenv("NEARFAR_CACHE_BYTES", "1", 1);
    for (const fourier::engine_info& e : fourier::engines())
      if (fourier::is_available<float>(e.name) && fourier::is_available<double>(e.name) && !e.is_on_device)
        engines_.push_back(e.name);
  }
  void TearDown() override {
    ::unsetenv("NEARFAR_CACHE_BYTES");
    Fft::TearDown();
  }
};

TEST_F(FftPastCaches, all_kinds_are_what_definitions_say) { run_cases(3000, some(), false, false); }
TEST_F(FftPastCaches, modes_that_are_not_kept_are_zero) { run_cases(4000, some() / 2, false, true); }
TEST_F(FftPastCaches, rows_of_whole_cache_lines_are_what_definitions_say) { run_long_rows(); }

// Long enough for padding between the stages and on the chosen spectral side; a prime length, too.
TEST_F(Fft, rows_of_whole_cache_lines_are_what_definitions_say) { run_long_rows(); }

}  // namespace
}  // namespace nearfar::test
