// SPDX-License-Identifier: BSD-3-Clause
// All vectors lie in one piece of near memory, each at a multiple of 64 bytes.
#include <array>
#include <cstring>
#include <mortar/shape_weights.hpp>
#include <nearfar/gathered_vector.hpp>
#include <solver/mortar_vectors.hpp>

namespace adaptive_heat {

void mortar_vectors::renew(std::int64_t points, std::int64_t size, std::int64_t largest) {
  size_ = size;
  const std::int64_t padded = (size + 15) / 8 * 8;  // loops may run over the end up to a multiple of 8
  double** const all[] = {&average, &residual, &direction, &image, &product, &solution, &inverse_diagonal};
  constexpr std::int64_t count = std::size(all);
  const std::int64_t needed = count * ((largest + 15) / 8 * 8);
  if (room_ < needed) {
    room_ = needed + needed / 8;
    memory_.reset();
    memory_ = nearfar::allocate_near_memory(team_, sizeof(double) * static_cast<std::size_t>(room_));
  }
  double* at = static_cast<double*>(memory_.get());
  for (double** const vector : all) {
    *vector = at;
    std::memset(at + points, 0, sizeof(double) * static_cast<std::size_t>(padded - points));
    at += padded;
  }
}

void mortar_vectors::clear(double* vector) const noexcept {
  std::memset(vector, 0, sizeof(double) * static_cast<std::size_t>(size_));
}

void mortar_vectors::divide_by_weights(double* vector, std::int64_t points) const noexcept {
  static const auto inverse = [] {
    std::array<double, 8 * weight_unit + 1> table{};
    for (std::size_t sixths = 1; sixths < table.size(); ++sixths)
      table[sixths] = weight_unit / static_cast<double>(sixths);
    return table;
  }();
  const std::uint8_t* const weight = weights.data();
  for (std::int64_t i = 0; i < points; ++i) vector[i] *= inverse[weight[i]];
}

}  // namespace adaptive_heat
