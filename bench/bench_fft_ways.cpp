// SPDX-License-Identifier: BSD-3-Clause
// Our own plans as ways of transforming a cube.
#include "bench_fft_ways.hpp"

#include <nearfar/error.hpp>
#include <optional>
#include <utility>

namespace bench {

namespace {

using nearfar::index;
using complex = std::complex<double>;

class nearfar_way : public fft_way {
 public:
  nearfar_way(const nearfar::team& members, const fft_cube& what, nearfar::fft_options options)
      : layout_(members, what.is_real ? nearfar::fft_shape::real({what.points, what.points, what.points})
                                      : nearfar::fft_shape::complex({what.points, what.points, what.points})),
        spectral_(layout_.spectral()) {
    if (what.is_real)
      real_.emplace(layout_.physical());
    else
      complex_.emplace(layout_.physical());
    plan_ = std::make_unique<nearfar::fft_plan<double>>(layout_, arrays(), spectral_, std::move(options));
  }
  void run() override { plan_->forward(arrays(), spectral_), plan_->backward(spectral_, arrays()); }
  rows_of_reals physical() override {
    double* const first = real_ ? real_->data() : reinterpret_cast<double*>(complex_->data());
    const index reals = shape_of(layout_.physical()).elements * (real_ ? 1 : 2);
    return {first, 1, reals, reals};
  }
  complex forward_constant() override {
    plan_->forward(arrays(), spectral_);
    return spectral_.data()[0];
  }
  std::string choice() const override {
    const std::string words = plan_->describe();
    const auto has = [&words](const char* part) { return words.find(part) != std::string::npos; };
    const std::string order = has("in the same pass") ? "fused" : "in turn";
    return has(", fftw") ? order + (has(", own") ? ", own and FFTW" : ", FFTW") : order;
  }

 private:
  nearfar::transpose_arrays arrays() const {
    return real_ ? nearfar::transpose_arrays(*real_) : nearfar::transpose_arrays(*complex_);
  }
  nearfar::fft_layout layout_;
  nearfar::transpose_array<complex> spectral_;
  std::optional<nearfar::transpose_array<double>> real_;
  std::optional<nearfar::transpose_array<complex>> complex_;
  std::unique_ptr<nearfar::fft_plan<double>> plan_;
};

/// The whole cube on the first rank, while the others wait.
class serial_way : public fft_way {
 public:
  serial_way(const nearfar::team& members, const fft_cube& what) {
    if (!members.is_root()) return;
    alone_.emplace(MPI_COMM_SELF);
    way_ = std::make_unique<nearfar_way>(*alone_, what, nearfar::fft_options{});
  }
  void run() override {
    if (way_) way_->run();
  }
  rows_of_reals physical() override { return way_ ? way_->physical() : rows_of_reals{}; }
  complex forward_constant() override { return way_ ? way_->forward_constant() : complex{}; }

 private:
  std::optional<nearfar::team> alone_;
  std::unique_ptr<nearfar_way> way_;
};

using engine_names = std::vector<std::string>;

}  // namespace

std::vector<fft_entry> own_fft_ways(const nearfar::team& members, const fft_cube& what, double tune_s) {
  const auto ours = [&members, what, tune_s](nearfar::fft_fusion fusion, engine_names engines) {
    return [&members, what, tune_s, fusion, engines]() -> std::unique_ptr<fft_way> {
      nearfar::fft_options options;
      options.fusion = fusion;
      options.engines = engines;
      options.budget_s = tune_s;
      try {
        return std::make_unique<nearfar_way>(members, what, options);
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
  return {{"nearfar", true, own},
          {"nearfar:best", true, raced},
          {"nearfar:in-turn", false, ours(nearfar::fft_fusion::never, {"own"})},
          {"nearfar:at-once", false, ours(nearfar::fft_fusion::always, {"own"})},
          {"nearfar-fftw", false, ours(nearfar::fft_fusion::never, {"fftw"})},
          {"serial", false, [&members, what] { return std::make_unique<serial_way>(members, what); }}};
}

}  // namespace bench
