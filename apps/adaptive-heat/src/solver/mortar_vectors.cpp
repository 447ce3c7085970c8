// SPDX-License-Identifier: BSD-3-Clause
// All vectors lie in one piece of near memory, each at a multiple of 64 bytes.
#include <array>
#include <cstring>
#include <mortar/shape_weights.hpp>
#include <nearfar/irregular_vector.hpp>
#include <solver/mortar_vectors.hpp>
#include <utility>

namespace adaptive_heat {

void mortar_vectors::renew(const vector_sizes& sizes) {
  size_ = sizes.size;
  const auto padded = [](std::int64_t size) { return (size + 15) / 8 * 8; };  // loops may run over the end so far
  const auto both = [&](std::int64_t size, std::int64_t behind) { return padded(size) + (behind + 7) / 8 * 8; };
  const std::int64_t all_size = padded(size_), longer = both(size_, sizes.behind);
  const std::pair<double**, std::int64_t> all[] = {{&preconditioned, longer}, {&product, longer},
                                                   {&direction, all_size},    {&image, all_size},
                                                   {&solution, all_size},     {&inverse_diagonal, all_size}};
  const std::int64_t needed = 2 * both(sizes.largest, sizes.largest_behind) + 4 * padded(sizes.largest);
  if (capacity_ < needed) {
    capacity_ = needed + needed / 8;
    memory_.reset();
    memory_ = nearfar::allocate_near_memory(team_, sizeof(double) * static_cast<std::size_t>(capacity_));
  }
  double* at = static_cast<double*>(memory_.get());
  for (const auto& [vector, length] : all) {
    *vector = at;
    std::memset(at + sizes.points, 0, sizeof(double) * static_cast<std::size_t>(length - sizes.points));
    at += length;
  }
  residual = preconditioned, average = product;
}

void mortar_vectors::clear(double* vector) const noexcept {
  std::memset(vector, 0, sizeof(double) * static_cast<std::size_t>(size_));
}

void mortar_vectors::divide_by_weights(double* vector, std::int64_t first, std::int64_t last) const noexcept {
  static const auto inverse = [] {
    std::array<double, 8 * weight_unit + 1> table{};
    for (std::size_t sixths = 1; sixths < table.size(); ++sixths)
      table[sixths] = weight_unit / static_cast<double>(sixths);
    return table;
  }();
  const std::uint8_t* const weight = weights.data();
  for (std::int64_t i = first; i < last; ++i) vector[i] *= inverse[weight[i]];
}

}  // namespace adaptive_heat
