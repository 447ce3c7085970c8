// SPDX-License-Identifier: BSD-3-Clause
// Transpositions by dtFFT: X to Z where slabs allow it, X to Y between pencils; the axis that becomes whole becomes
// contiguous.
#include <algorithm>

#include "dtfft_grid.hpp"
#include "transpose_peers.hpp"

namespace bench {
namespace {

std::array<int, 3> parts_of(const nearfar::team& members, const transpose_case& c) {
  const auto [rows, columns] = process_grid(members.size());
  return {1, c.is_pencil ? columns : 1, c.is_pencil ? rows : members.size()};
}

class transposing_grid : public dtfft_grid {
 public:
  transposing_grid(const nearfar::team& members, const transpose_case& c, bool is_tuned)
      : dtfft_grid(parts_of(members, c), is_tuned, [&](MPI_Comm grid, dtfft_effort_t effort, dtfft_plan_t* plan) {
          const auto n = static_cast<int32_t>(c.points);
          const int32_t extents[3] = {n, n, n};
          return dtfft_create_plan_c2c(3, extents, grid, DTFFT_DOUBLE, effort, DTFFT_EXECUTOR_NONE, plan);
        }) {}
};

/// `axes`: ours, from the one that is contiguous in this layout to the slowest.
nearfar::transpose_side side_of(const nearfar::team& members, const transpose_case& c, const dtfft_grid& plan,
                                dtfft_layout_t layout, const std::vector<int>& axes) {
  dtfft_pencil_t part;
  check_dtfft(dtfft_get_pencil(plan.get(), layout, &part), "dtfft_get_pencil");
  nearfar::box own{3, {}, {}};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto d = static_cast<std::size_t>(axes[k]);
    own.lower[d] = part.starts[k], own.upper[d] = part.starts[k] + part.counts[k];
  }
  return {nearfar::decomposition::from_boxes(members, std::vector<nearfar::index_t>(3, c.points), own),
          {axes.rbegin(), axes.rend()}};
}

class dtfft_method : private transposing_grid, public transpose_method {
 public:
  dtfft_method(const nearfar::team& members, const transpose_case& c, bool is_tuned)
      : transposing_grid(members, c, is_tuned),
        transpose_method(side_of(members, c, *this, DTFFT_LAYOUT_X_PENCILS, {2, 1, 0}),
                         c.is_pencil ? side_of(members, c, *this, DTFFT_LAYOUT_Y_PENCILS, {1, 0, 2})
                                     : side_of(members, c, *this, DTFFT_LAYOUT_Z_PENCILS, {0, 2, 1})),
        step_(c.is_pencil ? DTFFT_TRANSPOSE_X_TO_Y : DTFFT_TRANSPOSE_X_TO_Z),
        in_(*this, array_bytes()),
        out_(*this, array_bytes()),
        work_(*this, std::max(array_bytes(), bytes(dtfft_get_aux_bytes_transpose))) {}

  void run() override {
    check_dtfft(dtfft_transpose(get(), in_.data(), out_.data(), step_, work_.data()), "dtfft_transpose");
  }
  element* in() override { return static_cast<element*>(in_.data()); }
  element* out() override { return static_cast<element*>(out_.data()); }
  std::string choice() const override { return backend(); }

 private:
  dtfft_transpose_t step_;
  dtfft_array in_, out_, work_;
};

template <bool is_tuned>
transpose_method_ptr make(const nearfar::team& members, const transpose_case& c) {
  return std::make_unique<dtfft_method>(members, c, is_tuned);
}

}  // namespace

std::vector<transpose_peer> dtfft_peers() { return {{"peer-dtfft", make<false>}, {"peer-dtfft-tuned", make<true>}}; }

}  // namespace bench
