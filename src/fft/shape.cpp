// SPDX-License-Identifier: BSD-3-Clause
// Checks of shapes, extents of the spectral grid, padded and truncated shapes.
#include "shape.hpp"

#include <algorithm>
#include <base/axis_names.hpp>
#include <base/text.hpp>
#include <cmath>

namespace nearfar {
namespace fft {
namespace {

struct kind_entry {
  const char* name;
  fourier::kind forward, backward;
};

/// In the order of fft_kind, without its first.
constexpr kind_entry kinds_table[] = {
    {"c2c", fourier::kind::forward, fourier::kind::backward},
    {"r2c", fourier::kind::real_to_complex, fourier::kind::complex_to_real},
    {"dct1", fourier::kind::dct1, fourier::kind::dct1},
    {"dct2", fourier::kind::dct2, fourier::kind::dct3},
    {"dct3", fourier::kind::dct3, fourier::kind::dct2},
    {"dct4", fourier::kind::dct4, fourier::kind::dct4},
    {"dst1", fourier::kind::dst1, fourier::kind::dst1},
    {"dst2", fourier::kind::dst2, fourier::kind::dst3},
    {"dst3", fourier::kind::dst3, fourier::kind::dst2},
    {"dst4", fourier::kind::dst4, fourier::kind::dst4},
};

bool is_known(fft_kind kind) {
  return kind >= fft_kind::none && static_cast<std::size_t>(kind) <= std::size(kinds_table);
}

const kind_entry& entry_of(fft_kind kind) { return kinds_table[static_cast<std::size_t>(kind) - 1]; }

bool has(const fft_shape& shape, fft_kind kind) {
  return shape.kinds.empty() ? kind == fft_kind::c2c && !shape.extents.empty()
                             : std::find(shape.kinds.begin(), shape.kinds.end(), kind) != shape.kinds.end();
}

void check_counts(const fft_shape& shape) {
  const std::size_t axes = shape.extents.size();
  if (axes == 0 || axes > max_dimensions)
    throw usage_error(text("fft: the grid has ", axes, " axes; 1 to ", max_dimensions, " are possible"));
  if (!shape.kinds.empty() && shape.kinds.size() != axes)
    throw usage_error(text("fft: there are ", shape.kinds.size(), " kinds; the grid has ", axes, " axes"));
  if (!shape.modes.empty() && shape.modes.size() != axes)
    throw usage_error(text("fft: there are ", shape.modes.size(), " numbers of modes; the grid has ", axes, " axes"));
  if (std::count(shape.kinds.begin(), shape.kinds.end(), fft_kind::r2c) > 1)
    throw usage_error("fft: several axes are of kind r2c; one at most is possible, the others c2c");
}

void check_axis(const fft_shape& shape, std::size_t d) {
  const index_t n = shape.extents[d], m = shape.modes[d];
  const std::string axis = text("fft: axis ", axis_number(as_index(d), as_index(shape.extents.size())));
  if (!is_known(shape.kinds[d]))
    throw usage_error(text(axis, " has a kind of number ", static_cast<int>(shape.kinds[d]),
                           ", which does not exist; 0 to ", std::size(kinds_table), " do"));
  const index_t least = shape.kinds[d] == fft_kind::dct1 ? 2 : 1;
  if (n < least) throw usage_error(text(axis, " has ", n, " points; ", least, " or more are possible"));
  if (m < 1 || m > n) throw usage_error(text(axis, " is to keep ", m, " modes of ", n, "; 1 to ", n, " are possible"));
  if (shape.kinds[d] == fft_kind::none && m != n)
    throw usage_error(text(axis, " is not transformed, and so keeps all of its ", n, " points, not ", m));
}

}  // namespace

fft_shape checked(const fft_shape& shape) {
  check_counts(shape);
  fft_shape full = shape;
  full.kinds.resize(shape.extents.size(), fft_kind::c2c);
  full.modes.resize(shape.extents.size(), 0);
  for (std::size_t d = 0; d < shape.extents.size(); ++d) {
    if (full.modes[d] == 0) full.modes[d] = full.extents[d];
    check_axis(full, d);
  }
  return full;
}

axis_facts facts_of(const fft_shape& s, int axis) {
  axis_facts f{s.kinds[at(axis)], s.extents[at(axis)], s.modes[at(axis)], s.modes[at(axis)]};
  if (f.kind == fft_kind::r2c) f.entries = f.modes / 2 + 1;
  return f;
}

bool is_real_to_real(fft_kind kind) noexcept { return kind >= fft_kind::dct1; }
fourier::kind forward_of(fft_kind kind) { return entry_of(kind).forward; }
fourier::kind backward_of(fft_kind kind) { return entry_of(kind).backward; }

std::string describe(const fft_shape& s) {
  std::vector<std::string> axes;
  for (std::size_t d = 0; d < s.extents.size(); ++d) {
    std::string words = text(s.extents[d]);
    if (s.kinds[d] != fft_kind::none) words += text(" ", entry_of(s.kinds[d]).name);
    if (s.modes[d] != s.extents[d]) words += text(" (", s.modes[d], " modes)");
    axes.push_back(std::move(words));
  }
  return axes_in_words(axes, " x ");
}

}  // namespace fft

std::vector<index_t> spectral_extents(const fft_shape& shape) {
  const fft_shape full = fft::checked(shape);
  std::vector<index_t> extents;
  for (int d = 0; d < static_cast<int>(full.extents.size()); ++d) extents.push_back(fft::facts_of(full, d).entries);
  return extents;
}

bool is_spectral_complex(const fft_shape& shape) {
  return fft::has(shape, fft_kind::c2c) || fft::has(shape, fft_kind::r2c);
}

bool is_physical_complex(const fft_shape& shape) {
  return fft::has(shape, fft_kind::c2c) && !fft::has(shape, fft_kind::r2c);
}

double roundtrip_factor(const fft_shape& shape) {
  const fft_shape full = fft::checked(shape);
  double product = 1;
  for (std::size_t d = 0; d < full.extents.size(); ++d) {
    const fft_kind kind = full.kinds[d];
    if (kind == fft_kind::none) continue;
    const double n = static_cast<double>(full.extents[d]) + (kind == fft_kind::dst1) - (kind == fft_kind::dct1);
    product *= fft::is_real_to_real(kind) ? 2 * n : n;
  }
  return product;
}

fft_shape padded(const fft_shape& shape, double factor) {
  if (!(factor >= 1)) throw usage_error(text("fft: a grid is to be padded by ", factor, "; 1 or more is possible"));
  fft_shape fine = fft::checked(shape);
  for (std::size_t d = 0; d < fine.extents.size(); ++d) {
    if (fine.kinds[d] == fft_kind::none) continue;
    const double more = std::floor(factor * static_cast<double>(fine.extents[d]) + 1e-9);
    if (!(more < 0x1p63))
      throw usage_error(text("fft: axis ", axis_number(as_index(d), as_index(fine.extents.size())), " of ",
                             fine.extents[d], " points is to be padded by ", factor,
                             "; fewer than 2^63 points are possible"));
    fine.extents[d] = static_cast<index_t>(more);
  }
  return fine;
}

fft_shape truncated(const fft_shape& shape, double factor) {
  if (!(factor > 0 && factor <= 1))
    throw usage_error(text("fft: modes are to be truncated to ", factor, " of them; above 0 to 1 is possible"));
  fft_shape fewer = fft::checked(shape);
  for (std::size_t d = 0; d < fewer.extents.size(); ++d)
    if (fewer.kinds[d] != fft_kind::none)
      fewer.modes[d] =
          std::max<index_t>(1, static_cast<index_t>(std::floor(factor * static_cast<double>(fewer.modes[d]) + 1e-9)));
  return fewer;
}

}  // namespace nearfar
