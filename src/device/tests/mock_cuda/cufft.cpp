// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for cuFFT: batches of one-dimensional transforms by their definition.
#include <cmath>
#include <complex>
#include <map>
#include <vector>

#include "mock_cuda.hpp"

namespace {

constexpr int success = 0, invalid_plan = 1, invalid_value = 4;
constexpr int forward = -1;

struct mock_plan {
  long long length = 0, in_stride = 0, in_distance = 0, out_stride = 0, out_distance = 0, batch = 0;
  int type = 0;
};
std::map<int, mock_plan>& plans() {
  static std::map<int, mock_plan> all;
  return all;
}

using exact = std::complex<double>;

std::vector<exact> transformed(const std::vector<exact>& in, double sign) {
  const std::size_t n = in.size();
  std::vector<exact> out(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j)
      out[k] +=
          in[j] * std::polar(1.0, sign * 2 * std::acos(-1.0) * static_cast<double>(j * k % n) / static_cast<double>(n));
  return out;
}

/// All n coefficients of those that a transform to reals reads.
std::vector<exact> whole(std::vector<exact> half, std::size_t n) {
  half[0] = half[0].real();
  if (n % 2 == 0) half[n / 2] = half[n / 2].real();
  half.resize(n);
  for (std::size_t k = n / 2 + 1; k < n; ++k) half[k] = std::conj(half[n - k]);
  return half;
}

template <class Element>
exact load(const Element& e) {
  return exact(e);
}
template <class Real>
exact load(const std::complex<Real>& e) {
  return {e.real(), e.imag()};
}
template <class Real>
void store(const exact& x, Real& to) {
  to = static_cast<Real>(x.real());
}
template <class Real>
void store(const exact& x, std::complex<Real>& to) {
  to = {static_cast<Real>(x.real()), static_cast<Real>(x.imag())};
}

template <class In, class Out>
int run(int handle, int type, In* in, Out* out, double sign, bool reads_half, bool writes_half) {
  const auto found = plans().find(handle);
  if (found == plans().end() || found->second.type != type) return invalid_plan;
  const mock_plan& p = found->second;
  const mock_cuda_access source(in), target(out);
  if (!source.is_device() || !target.is_device()) return invalid_value;
  const auto n = static_cast<std::size_t>(p.length);
  std::vector<std::vector<exact>> lines;
  for (long long b = 0; b < p.batch; ++b) {
    std::vector<exact> line(reads_half ? n / 2 + 1 : n);
    for (std::size_t j = 0; j < line.size(); ++j)
      line[j] = load(in[b * p.in_distance + static_cast<long long>(j) * p.in_stride]);
    lines.push_back(transformed(reads_half ? whole(line, n) : line, sign));
  }
  if (reads_half)  // as cuFFT may do
    for (long long b = 0; b < p.batch; ++b) in[b * p.in_distance] = In{};
  for (long long b = 0; b < p.batch; ++b)
    for (std::size_t k = 0; k < (writes_half ? n / 2 + 1 : n); ++k)
      store(lines[static_cast<std::size_t>(b)][k], out[b * p.out_distance + static_cast<long long>(k) * p.out_stride]);
  return success;
}

}  // namespace

extern "C" {

int cufftCreate(int* handle) {
  static int last = 0;
  plans()[*handle = ++last] = {};
  return success;
}
int cufftMakePlanMany64(int handle, int rank, long long* n, long long* in_embed, long long in_stride,
                        long long in_distance, long long* out_embed, long long out_stride, long long out_distance,
                        int type, long long batch, std::size_t* work_bytes) {
  if (rank != 1 || !in_embed || !out_embed || *n < 1 || batch < 1 || in_stride < 1 || out_stride < 1 ||
      in_distance < 1 || out_distance < 1)
    return invalid_value;  // of a single line, too
  plans()[handle] = {*n, in_stride, in_distance, out_stride, out_distance, batch, type};
  *work_bytes = 0;
  return success;
}
int cufftDestroy(int handle) { return plans().erase(handle) == 1 ? success : invalid_plan; }

int cufftExecC2C(int p, std::complex<float>* in, std::complex<float>* out, int direction) {
  return run(p, 0x29, in, out, direction == forward ? -1 : 1, false, false);
}
int cufftExecZ2Z(int p, std::complex<double>* in, std::complex<double>* out, int direction) {
  return run(p, 0x69, in, out, direction == forward ? -1 : 1, false, false);
}
int cufftExecR2C(int p, float* in, std::complex<float>* out) { return run(p, 0x2a, in, out, -1, false, true); }
int cufftExecD2Z(int p, double* in, std::complex<double>* out) { return run(p, 0x6a, in, out, -1, false, true); }
int cufftExecC2R(int p, std::complex<float>* in, float* out) { return run(p, 0x2c, in, out, 1, true, false); }
int cufftExecZ2D(int p, std::complex<double>* in, double* out) { return run(p, 0x6c, in, out, 1, true, false); }

}  // extern "C"
