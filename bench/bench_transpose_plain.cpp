// SPDX-License-Identifier: BSD-3-Clause
// What other libraries do: packing around MPI_Alltoallv, subarrays with MPI_Alltoallw.
#include <algorithm>

#include "bench_transpose_case.hpp"

namespace bench {
namespace {

using nearfar::array_shape;
using nearfar::box;
using nearfar::index_t;

struct part {
  box cells;
  index_t at = 0, count = 0;  ///< in the packed buffer, in elements
};

std::vector<part> parts_of(const nearfar::decomposition& others, const box& own) {
  std::vector<part> parts;
  index_t at = 0;
  for (int r = 0; r < others.team().size(); ++r) {
    const box cells = intersection(others.of(r), own);
    parts.push_back({cells, at, cells.cells()});
    at += cells.cells();
  }
  return parts;
}

class on_own_arrays : public transpose_method {
 public:
  on_own_arrays(const transpose_sides& sides, const nearfar::transpose_side& to)
      : transpose_method(sides.from, to),
        from_(shape_of(sides.from)),
        to_(shape_of(to)),
        in_(own_elements_of(sides.from)),
        out_(own_elements_of(to)) {}
  element* in() override { return in_.data(); }
  element* out() override { return out_.data(); }

 protected:
  array_shape from_, to_;
  std::vector<element> in_, out_;
};

class alltoallv : public on_own_arrays {
 public:
  alltoallv(MPI_Comm comm, const transpose_sides& sides, bool permutes)
      : on_own_arrays(sides, permutes ? sides.to : sides.natural_to),
        comm_(comm),
        permutes_(permutes),
        sends_(parts_of(sides.to.parts, sides.from.parts.own())),
        receives_(parts_of(sides.from.parts, sides.to.parts.own())),
        packed_(in_.size()),
        arrived_(out_.size()) {
    for (const part& p : sends_)
      send_counts_.push_back(2 * static_cast<int>(p.count)), send_at_.push_back(2 * static_cast<int>(p.at));
    for (const part& p : receives_)
      receive_counts_.push_back(2 * static_cast<int>(p.count)), receive_at_.push_back(2 * static_cast<int>(p.at));
  }

  void run() override {
    for (const part& p : sends_) pack(p);
    MPI_Alltoallv(packed_.data(), send_counts_.data(), send_at_.data(), MPI_DOUBLE, arrived_.data(),
                  receive_counts_.data(), receive_at_.data(), MPI_DOUBLE, comm_);
    for (const part& p : receives_) permutes_ ? unpack_permuted(p) : unpack(p);
  }

 private:
  void pack(const part& p) {
    element* to = packed_.data() + p.at;
    const box& b = p.cells;
    for (index_t i = b.lower[0]; i < b.upper[0]; ++i)
      for (index_t j = b.lower[1]; j < b.upper[1]; ++j, to += b.extent(2))
        std::copy_n(in_.data() + from_.offset({i, j, b.lower[2], 0}), b.extent(2), to);
  }

  void unpack(const part& p) {
    const element* from = arrived_.data() + p.at;
    const box& b = p.cells;
    for (index_t i = b.lower[0]; i < b.upper[0]; ++i)
      for (index_t j = b.lower[1]; j < b.upper[1]; ++j, from += b.extent(2))
        std::copy_n(from, b.extent(2), out_.data() + to_.offset({i, j, b.lower[2], 0}));
  }

  /// In squares that fit the first cache, of the axis that is fast on either side.
  void unpack_permuted(const part& p) {
    constexpr index_t square = 16;
    const element* from = arrived_.data() + p.at;
    const box& b = p.cells;
    const int fast = to_.strides[0] == 1 ? 0 : 1, other = 1 - fast;
    const index_t step[2] = {b.extent(1) * b.extent(2), b.extent(2)};
    for (index_t o = 0; o < b.extent(other); ++o)
      for (index_t f0 = 0; f0 < b.extent(fast); f0 += square)
        for (index_t k0 = 0; k0 < b.extent(2); k0 += square)
          for (index_t k = k0; k < std::min(k0 + square, b.extent(2)); ++k) {
            std::array<index_t, 4> at{};
            at[static_cast<std::size_t>(fast)] = b.lower[static_cast<std::size_t>(fast)] + f0;
            at[static_cast<std::size_t>(other)] = b.lower[static_cast<std::size_t>(other)] + o;
            at[2] = b.lower[2] + k;
            element* to = out_.data() + to_.offset(at);
            for (index_t f = f0; f < std::min(f0 + square, b.extent(fast)); ++f)
              *to++ = from[f * step[fast] + o * step[other] + k];
          }
  }

  MPI_Comm comm_;
  bool permutes_;
  std::vector<part> sends_, receives_;
  std::vector<element> packed_, arrived_;
  std::vector<int> send_counts_, send_at_, receive_counts_, receive_at_;
};

class alltoallw : public on_own_arrays {
 public:
  alltoallw(MPI_Comm comm, const transpose_sides& sides) : on_own_arrays(sides, sides.natural_to), comm_(comm) {
    add(parts_of(sides.to.parts, sides.from.parts.own()), sides.from.parts.own(), sends_, send_counts_);
    add(parts_of(sides.from.parts, sides.to.parts.own()), sides.to.parts.own(), receives_, receive_counts_);
    zeros_.assign(sends_.size(), 0);
  }
  ~alltoallw() override {
    for (auto* types : {&sends_, &receives_})
      for (MPI_Datatype& t : *types)
        if (t != MPI_DOUBLE) MPI_Type_free(&t);
  }
  alltoallw(const alltoallw&) = delete;
  alltoallw& operator=(const alltoallw&) = delete;

  void run() override {
    MPI_Alltoallw(in_.data(), send_counts_.data(), zeros_.data(), sends_.data(), out_.data(), receive_counts_.data(),
                  zeros_.data(), receives_.data(), comm_);
  }

 private:
  static void add(const std::vector<part>& parts, const box& own, std::vector<MPI_Datatype>& types,
                  std::vector<int>& counts) {
    for (const part& p : parts) {
      counts.push_back(p.count > 0 ? 1 : 0);
      types.push_back(MPI_DOUBLE);
      if (p.count == 0) continue;
      int sizes[3], parts_sizes[3], starts[3];
      for (int d = 0; d < 3; ++d) {
        const auto i = static_cast<std::size_t>(d);
        const int values = d == 2 ? 2 : 1;
        sizes[d] = values * static_cast<int>(own.extent(d));
        parts_sizes[d] = values * static_cast<int>(p.cells.extent(d));
        starts[d] = values * static_cast<int>(p.cells.lower[i] - own.lower[i]);
      }
      MPI_Type_create_subarray(3, sizes, parts_sizes, starts, MPI_ORDER_C, MPI_DOUBLE, &types.back());
      MPI_Type_commit(&types.back());
    }
  }

  MPI_Comm comm_;
  std::vector<MPI_Datatype> sends_, receives_;
  std::vector<int> send_counts_, receive_counts_, zeros_;
};

}  // namespace

std::vector<std::string> plain_methods() { return {"mpi-alltoallv", "mpi-alltoallv-permuted", "mpi-alltoallw"}; }

transpose_method_ptr make_plain(const std::string& name, MPI_Comm comm, const transpose_sides& sides) {
  if (name == "mpi-alltoallv") return std::make_unique<alltoallv>(comm, sides, false);
  if (name == "mpi-alltoallv-permuted") return std::make_unique<alltoallv>(comm, sides, true);
  return std::make_unique<alltoallw>(comm, sides);
}

}  // namespace bench
