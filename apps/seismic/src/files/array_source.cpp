// SPDX-License-Identifier: BSD-3-Clause
// Plain arrays: a piece of a row at a time.
#include <algorithm>
#include <cmath>
#include <files/array_source.hpp>
#include <files/bytes.hpp>
#include <nearfar/error.hpp>

namespace seismic {
namespace {

constexpr index_t most_elements = index_t{1} << 44;
constexpr std::size_t piece = 1 << 16;  ///< elements converted at a time

std::size_t bytes_of(element_type type) { return type == element_type::float32 ? 4 : 8; }

template <class T>
void convert(std::span<const std::byte> bytes, const array_layout& layout, std::span<T> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = layout.type == element_type::float32 ? static_cast<T>(float_in(bytes, 4 * i, layout.is_big_endian))
                                                     : static_cast<T>(double_in(bytes, 8 * i, layout.is_big_endian));
}

template <class T>
void read_elements(const apps::own_file& file, const array_layout& layout, index_t from, std::span<T> values) {
  const std::size_t size = bytes_of(layout.type);
  std::vector<std::byte> bytes(size * std::min(piece, values.size()));
  while (!values.empty()) {
    const std::size_t count = std::min(piece, values.size());
    file.read(layout.offset_bytes + from * static_cast<index_t>(size), std::span(bytes).first(size * count));
    convert(bytes, layout, values.first(count));
    values = values.subspan(count), from += static_cast<index_t>(count);
  }
}

}  // namespace

std::string shown(std::span<const index_t> extents) {
  std::string all;
  for (const index_t n : extents) all += (all.empty() ? "" : " x ") + std::to_string(n);
  return all;
}

index_t checked_product(std::span<const index_t> extents, const std::string& what) {
  index_t product = 1;
  for (const index_t n : extents) {
    if (n < 1 || product > most_elements / n)
      throw nearfar::io_error(what + " is said to have " + shown(extents) +
                              " numbers: each extent must be at least 1, the product at most 2^44");
    product *= n;
  }
  return product;
}

array_axis even_axis(std::span<const double> places, double slack) {
  array_axis axis;
  if (places.size() < 2) return axis;
  const double spacing = (places.back() - places.front()) / static_cast<double>(places.size() - 1);
  if (!(spacing > 0)) return axis;
  for (std::size_t n = 0; n < places.size(); ++n)
    if (!(std::abs(places[n] - places[0] - static_cast<double>(n) * spacing) <= slack + 1e-3 * spacing)) return axis;
  axis.origin = places[0], axis.spacing = spacing;
  return axis;
}

array_file::array_file(array_layout layout) : layout_(std::move(layout)), file_(apps::own_file::to_read(layout_.path)) {
  const index_t needed = layout_.offset_bytes +
                         checked_product(layout_.extents, layout_.path) * static_cast<index_t>(bytes_of(layout_.type));
  if (const index_t size = file_.size(); size < needed)
    throw nearfar::io_error(layout_.path + " has " + std::to_string(size) + " bytes, and " + shown(layout_.extents) +
                            " numbers need " + std::to_string(needed) + ": it is truncated or its header is wrong");
}

void array_file::read_row(index_t from, std::span<float> values) const { read_elements(file_, layout_, from, values); }

void array_file::read_doubles(index_t from, std::span<double> values) const {
  read_elements(file_, layout_, from, values);
}

void array_file::read(std::span<const index_t> lower, std::span<const index_t> upper, std::span<float> values) const {
  const auto width = static_cast<std::size_t>(upper.back() - lower.back());
  for_each_row(layout_.extents, lower, upper, [&](index_t row, index_t from) {
    read_row(from, values.subspan(static_cast<std::size_t>(row) * width, width));
  });
}

}  // namespace seismic
