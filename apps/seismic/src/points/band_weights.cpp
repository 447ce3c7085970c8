// SPDX-License-Identifier: BSD-3-Clause
// Normal equations; their matrix is that of differences of places, so one factor serves all shifts.
#include <cmath>
#include <points/band_weights.hpp>

namespace seismic {

band_weights::band_weights(int count, double highest) : count_(count), highest_(highest) {
  constexpr double longest = 0.05;
  for (int n = 0; n < waves; ++n) importance_.push_back(1 / std::pow(wave(n) + longest, 2));
  const auto at = [&](int row, int column) -> double& {
    return factor_[static_cast<std::size_t>(row * count_ + column)];
  };
  factor_.assign(static_cast<std::size_t>(count * count), 0);
  for (int row = 0; row < count; ++row)
    for (int column = 0; column <= row; ++column) {
      double sum = 0;
      for (int n = 0; n < waves; ++n)
        sum += importance_[static_cast<std::size_t>(n)] * std::cos(wave(n) * (row - column));
      for (int k = 0; k < column; ++k) sum -= at(row, k) * at(column, k);
      at(row, column) = row == column ? std::sqrt(sum) : sum / at(column, column);
    }
}

std::vector<double> band_weights::operator()(double first,
                                             const std::function<std::complex<double>(double k)>& wanted) const {
  std::vector<double> w(static_cast<std::size_t>(count_), 0);
  for (int n = 0; n < waves; ++n) {
    const double k = wave(n);
    const std::complex<double> weighed = importance_[static_cast<std::size_t>(n)] * wanted(k),
                               turn = std::polar(1.0, -k);
    std::complex<double> shifted = weighed * std::polar(1.0, -k * first);
    for (double& sum : w) sum += shifted.real(), shifted *= turn;
  }
  const auto at = [&](int row, int column) { return factor_[static_cast<std::size_t>(row * count_ + column)]; };
  const auto entry = [&](int row) -> double& { return w[static_cast<std::size_t>(row)]; };
  for (int row = 0; row < count_; ++row) {
    for (int k = 0; k < row; ++k) entry(row) -= at(row, k) * entry(k);
    entry(row) /= at(row, row);
  }
  for (int row = count_ - 1; row >= 0; --row) {
    for (int k = row + 1; k < count_; ++k) entry(row) -= at(k, row) * entry(k);
    entry(row) /= at(row, row);
  }
  return w;
}

}  // namespace seismic
