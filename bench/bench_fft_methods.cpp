// SPDX-License-Identifier: BSD-3-Clause
// Our own plans as methods of transforming a cube.
#include "bench_fft_methods.hpp"

#include <algorithm>
#include <nearfar/error.hpp>
#include <optional>
#include <utility>

namespace bench {

namespace {

using nearfar::index_t;
using complex = std::complex<double>;

nearfar::fft_shape shape_of(const fft_cube& what) {
  const std::vector<index_t> extents(3, what.points);
  return what.is_real ? nearfar::fft_shape::real(extents) : nearfar::fft_shape::complex(extents);
}

class nearfar_method : public fft_method {
 public:
  nearfar_method(const nearfar::team& members, const fft_cube& what, nearfar::fft_options options)
      : nearfar_method({members, shape_of(what)}, what, std::move(options)) {}
  nearfar_method(nearfar::fft_layout layout, const fft_cube& what, nearfar::fft_options options)
      : layout_(std::move(layout)), spectral_(layout_.spectral()) {
    if (what.is_real)
      real_.emplace(layout_.physical());
    else
      complex_.emplace(layout_.physical());
    plan_ = std::make_unique<nearfar::fft_plan<double>>(layout_, arrays(), spectral_, std::move(options));
  }
  void run() override { plan_->forward(arrays(), spectral_), plan_->backward(spectral_, arrays()); }
  rows_of_reals physical() override {
    double* const first = real_ ? real_->data() : reinterpret_cast<double*>(complex_->data());
    const index_t reals = nearfar::shape_of(layout_.physical()).elements * (real_ ? 1 : 2);
    return {first, 1, reals, reals};
  }
  complex forward_constant() override {
    plan_->forward(arrays(), spectral_);
    return spectral_.data()[0];
  }
  std::string choice() const override {
    const std::string words = plan_->describe();
    const auto has = [&words](const char* part) { return words.find(part) != std::string::npos; };
    std::string order = has("in the same pass") ? "fused" : "in turn";
    const std::vector<int>& grid = layout_.spectral().parts.process_grid();
    if (std::count(grid.begin(), grid.end(), 1) < 2) order += ", pencils";
    return has(", fftw") ? order + (has(", own") ? ", own and FFTW" : ", FFTW") : order;
  }

 private:
  nearfar::writable_transpose_arrays arrays() const {
    return real_ ? nearfar::writable_transpose_arrays(*real_) : nearfar::writable_transpose_arrays(*complex_);
  }
  nearfar::fft_layout layout_;
  nearfar::transpose_array<complex> spectral_;
  std::optional<nearfar::transpose_array<double>> real_;
  std::optional<nearfar::transpose_array<complex>> complex_;
  std::unique_ptr<nearfar::fft_plan<double>> plan_;
};

/// The whole cube on the first rank, while the others wait.
class serial_method : public fft_method {
 public:
  serial_method(const nearfar::team& members, const fft_cube& what) {
    if (!members.is_root()) return;
    alone_.emplace(MPI_COMM_SELF);
    method_ = std::make_unique<nearfar_method>(*alone_, what, nearfar::fft_options{});
  }
  void run() override {
    if (method_) method_->run();
  }
  rows_of_reals physical() override { return method_ ? method_->physical() : rows_of_reals{}; }
  complex forward_constant() override { return method_ ? method_->forward_constant() : complex{}; }

 private:
  std::optional<nearfar::team> alone_;
  std::unique_ptr<nearfar_method> method_;
};

using engine_names = std::vector<std::string>;

}  // namespace

std::vector<fft_entry> own_fft_methods(const nearfar::team& members, const fft_cube& what, double tune_s) {
  const auto ours = [&members, what, tune_s](nearfar::fft_fusion fusion, engine_names engines) {
    return [&members, what, tune_s, fusion, engines]() -> std::unique_ptr<fft_method> {
      nearfar::fft_options options;
      options.fusion = fusion;
      options.engines = engines;
      options.budget_s = tune_s;
      try {
        return std::make_unique<nearfar_method>(members, what, options);
      } catch (const nearfar::usage_error&) {
        return nullptr;  // no such engine: the same verdict on every rank
      }
    };
  };
  const auto own = ours(nearfar::fft_fusion::raced, {"own"});
  const auto raced = [own, both = ours(nearfar::fft_fusion::raced, {"own", "fftw"})] {
    auto made = both();
    return made ? std::move(made) : own();  // without FFTW here ours is the best
  };
  const auto tuned_layout = [&members, what, tune_s]() -> std::unique_ptr<fft_method> {
    if (members.size() < 3) return nullptr;  // there is one layout only
    nearfar::fft_options options;
    options.budget_s = tune_s;
    return std::make_unique<nearfar_method>(nearfar::tune_fft_layout<double>(members, shape_of(what), options).layout,
                                            what, options);
  };
  return {{"nearfar", true, own},
          {"nearfar:tuned-layout", false, tuned_layout},
          {"nearfar:best", true, raced},
          {"nearfar:in-turn", false, ours(nearfar::fft_fusion::never, {"own"})},
          {"nearfar:at-once", false, ours(nearfar::fft_fusion::always, {"own"})},
          {"nearfar-fftw", false, ours(nearfar::fft_fusion::never, {"fftw"})},
          {"serial", false, [&members, what] { return std::make_unique<serial_method>(members, what); }}};
}

}  // namespace bench
