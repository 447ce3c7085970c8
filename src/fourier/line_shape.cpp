// SPDX-License-Identifier: BSD-3-Clause
// Facts about kinds of transforms, and the checks of what is asked.
#include <base/text.hpp>
#include <fourier/line_shape.hpp>
#include <nearfar/error.hpp>

namespace nearfar::fourier {
namespace {

constexpr index_t longest = index_t{1} << 48;  // square roots of the integer range and more: positions cannot overflow

void check_loop(const loop& lines, int which) {
  if (lines.count < 0)
    throw usage_error(text("loop ", which, " over lines has ", lines.count, " lines; 0 or more are allowed"));
  if (lines.count > 1 && lines.out_stride == 0)
    throw usage_error(
        text("loop ", which, " over ", lines.count,
             " lines has output stride 0, so that all would be stored in one place; allowed is any other"));
}

}  // namespace

const char* name_of(kind what) {
  constexpr const char* names[] = {"forward", "backward", "real-to-complex", "complex-to-real", "DCT-I",   "DCT-II",
                                   "DCT-III", "DCT-IV",   "DST-I",           "DST-II",          "DST-III", "DST-IV"};
  return names[static_cast<int>(what)];
}

bool is_complex_in(kind what) noexcept {
  return what == kind::forward || what == kind::backward || what == kind::complex_to_real;
}

bool is_complex_out(kind what) noexcept {
  return what == kind::forward || what == kind::backward || what == kind::real_to_complex;
}

bool is_real_to_real(kind what) noexcept { return !is_complex_in(what) && !is_complex_out(what); }

index_t line_shape::in_length() const noexcept { return what == kind::complex_to_real ? length / 2 + 1 : length; }
index_t line_shape::out_length() const noexcept { return what == kind::real_to_complex ? length / 2 + 1 : length; }

void check(const line_shape& shape) {
  const index_t least = shape.what == kind::dct1 ? 2 : 1;
  if (shape.length < least || shape.length > longest)
    throw usage_error(text("length of a ", name_of(shape.what), " transform is ", shape.length, "; allowed is ", least,
                           " … ", longest));
  if (shape.out_length() > 1 && shape.out_stride == 0)
    throw usage_error(text("output stride of lines of ", shape.out_length(), " elements is 0; allowed is any other"));
  check_loop(shape.lines[0], 0);
  check_loop(shape.lines[1], 1);
}

std::string describe(const line_shape& shape) {
  return text(name_of(shape.what), " of ", shape.length, ", ", shape.lines[1].count, " x ", shape.lines[0].count,
              " lines");
}

}  // namespace nearfar::fourier
