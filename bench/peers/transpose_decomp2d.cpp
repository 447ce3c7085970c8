// SPDX-License-Identifier: BSD-3-Clause
// Transpositions by 2DECOMP&FFT: packed, MPI_Alltoallv, unpacked; the order of memory stays.
#include <array>

#include "transpose_peers.hpp"

extern "C" {
void bench_decomp2d_open(const int* extents, int rows, int columns);
void bench_decomp2d_close();
void bench_decomp2d_part(int whole, int* first, int* last);
void bench_decomp2d_x_to_y(const bench::element* from, bench::element* to);
void bench_decomp2d_y_to_z(const bench::element* from, bench::element* to);
}

namespace bench {
namespace {

/// Its x, y, z are our axes 2, 1, 0.
nearfar::transpose_side side_of(const nearfar::team& members, const transpose_case& c, int whole) {
  int first[3], last[3];
  bench_decomp2d_part(whole, first, last);
  nearfar::box own{3, {}, {}};
  for (std::size_t d = 0; d < 3; ++d) own.lower[d] = first[2 - d] - 1, own.upper[d] = last[2 - d];
  return {nearfar::decomposition::from_boxes(members, std::vector<nearfar::index>(3, c.points), own)};
}

/// The library's state is global: it is there while this is.
class open_grid {
 public:
  open_grid(const nearfar::team& members, const transpose_case& c) {
    const int n = static_cast<int>(c.points);
    const std::array<int, 3> extents{n, n, n};
    const auto [rows, columns] = process_grid(members.size());
    // Slabs: z is cut, then y, as for a transform of whole planes first.
    c.is_pencil ? bench_decomp2d_open(extents.data(), columns, rows)
                : bench_decomp2d_open(extents.data(), 1, members.size());
  }
  ~open_grid() { bench_decomp2d_close(); }
  open_grid(const open_grid&) = delete;
  open_grid& operator=(const open_grid&) = delete;
};

class decomp2d_way : private open_grid, public transpose_way {
 public:
  decomp2d_way(const nearfar::team& members, const transpose_case& c)
      : open_grid(members, c),
        transpose_way(side_of(members, c, c.is_pencil ? 1 : 2), side_of(members, c, c.is_pencil ? 2 : 3)),
        is_pencil_(c.is_pencil),
        in_(elements_of(from())),
        out_(elements_of(to())) {}
  void run() override { is_pencil_ ? bench_decomp2d_x_to_y(in(), out()) : bench_decomp2d_y_to_z(in(), out()); }
  element* in() override { return in_.data(); }
  element* out() override { return out_.data(); }

 private:
  bool is_pencil_;
  std::vector<element> in_, out_;
};

}  // namespace

std::vector<transpose_peer> decomp2d_peers() {
  return {{"peer-2decomp", [](const nearfar::team& members, const transpose_case& c) -> transpose_way_ptr {
             return std::make_unique<decomp2d_way>(members, c);
           }}};
}

}  // namespace bench
