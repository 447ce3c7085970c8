// SPDX-License-Identifier: BSD-3-Clause
// Transpositions by 2DECOMP&FFT: packed, MPI_Alltoallv, unpacked; the order of memory stays.
#include "decomp2d_grid.hpp"
#include "transpose_peers.hpp"

extern "C" {
void bench_decomp2d_x_to_y(const bench::element* from, bench::element* to);
void bench_decomp2d_y_to_z(const bench::element* from, bench::element* to);
}

namespace bench {
namespace {

nearfar::transpose_side side_of(const nearfar::team& members, const transpose_case& c, int whole) {
  return {
      nearfar::decomposition::from_boxes(members, std::vector<nearfar::index_t>(3, c.points), decomp2d_part(whole))};
}

/// Slabs: z is cut, then y, as for a transform of whole planes first.
class open_grid : private decomp2d_grid {
 public:
  open_grid(const nearfar::team& members, const transpose_case& c)
      : decomp2d_grid(c.points, c.is_pencil ? process_grid(members.size())[1] : 1,
                      c.is_pencil ? process_grid(members.size())[0] : members.size()) {}
};

class decomp2d_method : private open_grid, public transpose_method {
 public:
  decomp2d_method(const nearfar::team& members, const transpose_case& c)
      : open_grid(members, c),
        transpose_method(side_of(members, c, c.is_pencil ? 1 : 2), side_of(members, c, c.is_pencil ? 2 : 3)),
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
  return {{"peer-2decomp", [](const nearfar::team& members, const transpose_case& c) -> transpose_method_ptr {
             return std::make_unique<decomp2d_method>(members, c);
           }}};
}

}  // namespace bench
