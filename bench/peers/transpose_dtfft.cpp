// SPDX-License-Identifier: BSD-3-Clause
// Transpositions by dtFFT: X to Z where slabs allow it, X to Y between pencils; the axis that becomes whole becomes contiguous.
#include <dtfft.h>

#include <algorithm>
#include <stdexcept>

#include "transpose_peers.hpp"

namespace bench {
namespace {

void check(dtfft_error_t code, const char* call) {
  if (code != DTFFT_SUCCESS) throw std::runtime_error(std::string(call) + ": " + dtfft_get_error_string(code));
}

class dtfft_plan {
 public:
  dtfft_plan(const nearfar::team& members, const transpose_case& c, bool is_tuned) {
    dtfft_config_t how;
    check(dtfft_create_config(&how), "dtfft_create_config");
    how.enable_mpi_backends = is_tuned;
    how.enable_kernel_autotune = is_tuned;
    check(dtfft_set_config(&how), "dtfft_set_config");
    const int32_t n = static_cast<int32_t>(c.points), extents[3] = {n, n, n};
    const MPI_Comm grid = make_grid(members, c);
    check(dtfft_create_plan_c2c(3, extents, grid, DTFFT_DOUBLE, is_tuned ? DTFFT_PATIENT : DTFFT_ESTIMATE,
                                DTFFT_EXECUTOR_NONE, &plan_),
          "dtfft_create_plan_c2c");
    MPI_Comm freed = grid;
    MPI_Comm_free(&freed);
  }
  ~dtfft_plan() { dtfft_destroy(&plan_); }
  dtfft_plan(const dtfft_plan&) = delete;
  dtfft_plan& operator=(const dtfft_plan&) = delete;
  dtfft_plan_t get() const { return plan_; }

 private:
  /// Its extents and parts are listed from the contiguous axis on; that axis is whole at first.
  static MPI_Comm make_grid(const nearfar::team& members, const transpose_case& c) {
    const auto [rows, columns] = process_grid(members.size());
    const int parts[3] = {1, c.is_pencil ? columns : 1, c.is_pencil ? rows : members.size()}, periods[3] = {};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 3, parts, periods, 0, &grid);
    return grid;
  }
  dtfft_plan_t plan_ = nullptr;
};

/// `axes`: ours, from the one that is contiguous in this layout to the slowest.
nearfar::transpose_side side_of(const nearfar::team& members, const transpose_case& c, const dtfft_plan& plan,
                                dtfft_layout_t layout, const std::vector<int>& axes) {
  dtfft_pencil_t part;
  check(dtfft_get_pencil(plan.get(), layout, &part), "dtfft_get_pencil");
  nearfar::box own{3, {}, {}};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto d = static_cast<std::size_t>(axes[k]);
    own.lower[d] = part.starts[k], own.upper[d] = part.starts[k] + part.counts[k];
  }
  return {nearfar::decomposition::from_boxes(members, std::vector<nearfar::index>(3, c.points), own),
          {axes.rbegin(), axes.rend()}};
}

class dtfft_way : private dtfft_plan, public transpose_way {
 public:
  dtfft_way(const nearfar::team& members, const transpose_case& c, bool is_tuned)
      : dtfft_plan(members, c, is_tuned),
        transpose_way(side_of(members, c, *this, DTFFT_LAYOUT_X_PENCILS, {2, 1, 0}),
                      c.is_pencil ? side_of(members, c, *this, DTFFT_LAYOUT_Y_PENCILS, {1, 0, 2})
                                  : side_of(members, c, *this, DTFFT_LAYOUT_Z_PENCILS, {0, 2, 1})),
        step_(c.is_pencil ? DTFFT_TRANSPOSE_X_TO_Y : DTFFT_TRANSPOSE_X_TO_Z) {
    size_t room = 0, work_room = 0;
    check(dtfft_get_alloc_bytes(get(), &room), "dtfft_get_alloc_bytes");
    check(dtfft_get_aux_bytes_transpose(get(), &work_room), "dtfft_get_aux_bytes_transpose");
    for (void** array : {&in_, &out_}) check(dtfft_mem_alloc(get(), room, array), "dtfft_mem_alloc");
    check(dtfft_mem_alloc(get(), std::max(room, work_room), &work_), "dtfft_mem_alloc");
  }
  ~dtfft_way() override {
    for (void* array : {in_, out_, work_}) dtfft_mem_free(get(), array);
  }
  dtfft_way(const dtfft_way&) = delete;
  dtfft_way& operator=(const dtfft_way&) = delete;

  void run() override { check(dtfft_transpose(get(), in_, out_, step_, work_), "dtfft_transpose"); }
  element* in() override { return static_cast<element*>(in_); }
  element* out() override { return static_cast<element*>(out_); }
  std::string choice() const override {
    dtfft_backend_t backend;
    check(dtfft_get_backend(get(), &backend), "dtfft_get_backend");
    return dtfft_get_backend_string(backend);
  }

 private:
  dtfft_transpose_t step_;
  void *in_ = nullptr, *out_ = nullptr, *work_ = nullptr;
};

template <bool is_tuned>
transpose_way_ptr make(const nearfar::team& members, const transpose_case& c) {
  return std::make_unique<dtfft_way>(members, c, is_tuned);
}

}  // namespace

std::vector<transpose_peer> dtfft_peers() { return {{"peer-dtfft", make<false>}, {"peer-dtfft-tuned", make<true>}}; }

}  // namespace bench
