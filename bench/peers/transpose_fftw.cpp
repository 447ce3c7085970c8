// SPDX-License-Identifier: BSD-3-Clause
// Transpositions by FFTW-MPI, planned with FFTW_MEASURE.
#include <fftw3-mpi.h>

#include "transpose_peers.hpp"

namespace bench {
namespace {

using nearfar::index_t;

/// The grid as a matrix whose rows are cut, before and after; its elements are lines along axis 2, or single numbers.
struct matrix {
  ptrdiff_t rows, columns, values, row_block, column_block;  ///< values: doubles per element
  ptrdiff_t own_rows = 0, first_row = 0, own_columns = 0, first_column = 0, capacity = 0;

  matrix(MPI_Comm comm, index_t n, int ranks, bool keeps_lines)
      : rows(n),
        columns(keeps_lines ? n : n * n),
        values(keeps_lines ? 2 * n : 2),
        row_block((n + ranks - 1) / ranks),
        column_block(row_block * (keeps_lines ? 1 : n)) {
    fftw_mpi_init();
    const ptrdiff_t extents[2] = {rows, columns};
    capacity = fftw_mpi_local_size_many_transposed(2, extents, values, row_block, column_block, comm, &own_rows,
                                                   &first_row, &own_columns, &first_column);
  }
};

nearfar::transpose_side side(const nearfar::team& members, index_t n, std::size_t cut_axis, index_t first, index_t own,
                             std::vector<int> order) {
  nearfar::box b{3, {}, {n, n, n}};
  b.lower[cut_axis] = first, b.upper[cut_axis] = first + own;
  return {
      nearfar::decomposition::from_boxes(members, std::vector<index_t>(3, n), own > 0 ? b : nearfar::box{3, {}, {}}),
      std::move(order)};
}

class fftw_method : public transpose_method {
 public:
  fftw_method(const nearfar::team& members, const transpose_case& c, const matrix& m, bool keeps_lines)
      : transpose_method(
            side(members, c.points, 0, m.first_row, m.own_rows, {}),
            keeps_lines ? side(members, c.points, 1, m.first_column, m.own_columns, {1, 0, 2})
                        : side(members, c.points, 1, m.first_column / c.points, m.own_columns / c.points, {1, 2, 0})),
        in_(fftw_alloc_real(static_cast<std::size_t>(m.capacity))),
        out_(fftw_alloc_real(static_cast<std::size_t>(m.capacity))),
        plan_(fftw_mpi_plan_many_transpose(m.rows, m.columns, m.values, m.row_block, m.column_block, in_, out_,
                                           MPI_COMM_WORLD, FFTW_MEASURE)) {}
  ~fftw_method() override {
    fftw_destroy_plan(plan_);
    fftw_free(in_);
    fftw_free(out_);
  }
  fftw_method(const fftw_method&) = delete;
  fftw_method& operator=(const fftw_method&) = delete;
  void run() override { fftw_execute(plan_); }
  element* in() override { return reinterpret_cast<element*>(in_); }
  element* out() override { return reinterpret_cast<element*>(out_); }

 private:
  double *in_, *out_;
  fftw_plan plan_;
};

template <bool keeps_lines>
transpose_method_ptr make(const nearfar::team& members, const transpose_case& c) {
  const matrix m(MPI_COMM_WORLD, c.points, members.size(), keeps_lines);
  return std::make_unique<fftw_method>(members, c, m, keeps_lines);
}

}  // namespace

std::vector<transpose_peer> fftw_peers(const transpose_case& c) {
  if (c.is_pencil) return {};
  return {{"peer-fftw", make<true>}, {"peer-fftw-permuted", make<false>}};
}

}  // namespace bench
