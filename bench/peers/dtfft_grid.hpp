// SPDX-License-Identifier: BSD-3-Clause
// What the transpositions and the transforms by dtFFT have in common: its settings, process grids, and memory.
#pragma once

#include <dtfft.h>

#include <array>
#include <stdexcept>
#include <string>

namespace bench {

inline void check_dtfft(dtfft_error_t code, const char* call) {
  if (code != DTFFT_SUCCESS) throw std::runtime_error(std::string(call) + ": " + dtfft_get_error_string(code));
}

/// Its plan for a process grid. Extents and parts are listed from the contiguous axis on; that axis is whole at first.
class dtfft_grid {
 public:
  /// create(grid communicator, effort, where to store the plan) is one of dtfft_create_plan_….
  template <class Create>
  dtfft_grid(const std::array<int, 3>& parts, bool is_tuned, Create create) {
    dtfft_config_t how;
    check_dtfft(dtfft_create_config(&how), "dtfft_create_config");
    how.enable_mpi_backends = is_tuned;
    how.enable_kernel_autotune = is_tuned;
    check_dtfft(dtfft_set_config(&how), "dtfft_set_config");
    const int periods[3] = {};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 3, parts.data(), periods, 0, &grid);
    check_dtfft(create(grid, is_tuned ? DTFFT_PATIENT : DTFFT_ESTIMATE, &plan_), "dtfft_create_plan");
    MPI_Comm_free(&grid);
  }
  ~dtfft_grid() { dtfft_destroy(&plan_); }
  dtfft_grid(const dtfft_grid&) = delete;
  dtfft_grid& operator=(const dtfft_grid&) = delete;

  dtfft_plan_t get() const { return plan_; }
  /// What one of dtfft_get_…_bytes says.
  std::size_t bytes(dtfft_error_t (*query)(dtfft_plan_t, std::size_t*)) const {
    std::size_t n = 0;
    check_dtfft(query(plan_, &n), "a query of bytes");
    return n;
  }
  std::size_t array_bytes() const { return bytes(dtfft_get_alloc_bytes); }
  std::string backend() const {
    dtfft_backend_t chosen;
    check_dtfft(dtfft_get_backend(plan_, &chosen), "dtfft_get_backend");
    return dtfft_get_backend_string(chosen);
  }

 private:
  dtfft_plan_t plan_ = nullptr;
};

/// Memory of a plan, which must live longer.
class dtfft_array {
 public:
  dtfft_array(const dtfft_grid& grid, std::size_t bytes) : grid_(grid) {
    check_dtfft(dtfft_mem_alloc(grid.get(), bytes, &data_), "dtfft_mem_alloc");
  }
  ~dtfft_array() { dtfft_mem_free(grid_.get(), data_); }
  dtfft_array(const dtfft_array&) = delete;
  dtfft_array& operator=(const dtfft_array&) = delete;
  void* data() const { return data_; }

 private:
  const dtfft_grid& grid_;
  void* data_ = nullptr;
};

}  // namespace bench
