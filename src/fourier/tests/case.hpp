// SPDX-License-Identifier: BSD-3-Clause
// Random lines in any layout, transformed by an engine and by definition.
#pragma once

#include <algorithm>
#include <fourier/engine.hpp>
#include <limits>
#include <random>

#include <fourier/naive.hpp>

namespace nearfar::fourier::test {

/// An array of Real or complex<Real> that tells what was written where.
template <class Real>
class array {
 public:
  array(bool is_complex, index_t elements)
      : components_(is_complex ? 2 : 1), data_(as_size(elements * components_ + 1), untouched) {}

  void* at(index_t offset_reals = 0) { return data_.data() + offset_reals; }
  exact get(index_t element) const {
    const std::size_t i = as_size(element * components_);
    return {data_[i], components_ == 2 ? data_[i + 1] : Real(0)};
  }
  void set(index_t element, exact x) {
    const std::size_t i = as_size(element * components_);
    data_[i] = static_cast<Real>(x.real());
    if (components_ == 2) data_[i + 1] = static_cast<Real>(x.imag());
  }
  index_t untouched_count() const { return std::count(data_.begin(), data_.end(), untouched); }
  const std::vector<Real>& reals() const { return data_; }

 private:
  static constexpr Real untouched = Real(777);
  int components_;
  std::vector<Real> data_;
};

inline index_t in_place_of(const line_shape& s, index_t k, index_t i, index_t j) {
  return k * s.in_stride + i * s.lines[0].in_stride + j * s.lines[1].in_stride;
}
inline index_t out_place_of(const line_shape& s, index_t k, index_t i, index_t j) {
  return k * s.out_stride + i * s.lines[0].out_stride + j * s.lines[1].out_stride;
}

/// Elements from the first to past the last.
inline index_t in_extent(const line_shape& s) {
  return in_place_of(s, s.in_length() - 1, s.lines[0].count - 1, s.lines[1].count - 1) + 1;
}
inline index_t out_extent(const line_shape& s) {
  return out_place_of(s, s.out_length() - 1, s.lines[0].count - 1, s.lines[1].count - 1) + 1;
}

template <class Real>
void fill_lines(const line_shape& s, array<Real>& in, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<Real> number(-1, 1);
  for (index_t j = 0; j < s.lines[1].count; ++j)
    for (index_t i = 0; i < s.lines[0].count; ++i)
      for (index_t k = 0; k < s.in_length(); ++k) {
        const Real re = number(generator);
        in.set(in_place_of(s, k, i, j), exact(re, number(generator)));
      }
}

template <class Real>
numbers line_of_input(const line_shape& s, const array<Real>& in, index_t i, index_t j) {
  numbers x;
  for (index_t k = 0; k < s.in_length(); ++k) x.push_back(in.get(in_place_of(s, k, i, j)));
  return x;
}

/// Root of the sum of squared differences over that of the truth, in units of the precision: worst of all lines.
template <class Real>
double worst_error(const line_shape& s, const std::vector<numbers>& truth, const array<Real>& out) {
  double worst = 0;
  for (index_t j = 0; j < s.lines[1].count; ++j)
    for (index_t i = 0; i < s.lines[0].count; ++i) {
      const numbers& right = truth[as_size(j * s.lines[0].count + i)];
      long double difference = 0, size = 0;
      for (index_t k = 0; k < s.out_length(); ++k) {
        difference += std::norm(out.get(out_place_of(s, k, i, j)) - right[as_size(k)]);
        size += std::norm(right[as_size(k)]);
      }
      const double error = static_cast<double>(std::sqrt(difference / std::max(size, 1e-30L)));
      worst = std::max(worst, std::isfinite(error) ? error : 1e30);
    }
  return worst / static_cast<double>(std::numeric_limits<Real>::epsilon());
}

template <class Real>
std::vector<numbers> truth_of(const line_shape& s, const array<Real>& in) {
  std::vector<numbers> truth;
  const definition right(s.what, s.length);
  for (index_t j = 0; j < s.lines[1].count; ++j)
    for (index_t i = 0; i < s.lines[0].count; ++i) truth.push_back(right(line_of_input(s, in, i, j)));
  return truth;
}

/// What an engine may be wrong by, in units of the precision.
inline double allowed_error(index_t n) { return 2 + 1.0 * std::log2(static_cast<double>(n)); }

/// Error of the engine on random lines, out of place.
template <class Real>
double error_of(const line_shape& s, const char* engine = "own") {
  array<Real> in(is_complex_in(s.what), in_extent(s)), out(is_complex_out(s.what), out_extent(s));
  fill_lines(s, in);
  const auto truth = truth_of(s, in);
  make_plan<Real>(engine, s)->run(in.at(), out.at());
  return worst_error(s, truth, out);
}

}  // namespace nearfar::fourier::test
