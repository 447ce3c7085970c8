// SPDX-License-Identifier: BSD-3-Clause
// The bench's own geometry of a halo exchange, independent of the library: tiles, neighbours, strips, and the oracle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace bench {

using index_t = std::int64_t;

enum class halo_kind {
  together,  ///< all fields in one exchange
  each,      ///< MPI exchanges field after field, as most programs do; Nearfar has one plan for them
  step,      ///< two steps of a 5-point stencil with their exchanges
};

struct halo_case {
  std::string name;
  halo_kind kind = halo_kind::together;
  std::vector<index_t> tile;  ///< own cells of each rank, slowest dimension first
  std::vector<int> ghosts;    ///< width on both sides, per dimension
  std::vector<int> is_cut;    ///< dimensions that are cut over ranks
  std::vector<bool> periodic;
  bool is_star = false;
  int element_bytes = 4, fields = 1;
  double near_bar = 0.97;  ///< for 2 ranks on one node
};

/// Cells in local indices, ghost cells included: 0 is the first ghost.
struct cell_box {
  std::vector<index_t> lower, upper;
};

/// All that two ranks exchange for one field; the boxes of a sender and of its receiver correspond in order.
struct link {
  int peer = 0;
  std::vector<cell_box> sends, receives;
};

/// This rank's tile and links.
struct geometry {
  geometry(const halo_case& c, int rank, int ranks);

  std::vector<int> process_grid, coordinates;
  std::vector<index_t> global, lower, own, with_ghosts;  ///< extents of all and first own cell; local extents
  std::vector<int> ghosts;
  std::vector<bool> periodic;
  std::vector<link> links;      ///< by peer; this rank itself is one of them where periodic dimensions are not cut
  std::vector<cell_box> faces;  ///< own cells that others need
  index_t bytes_to_a_neighbour = 0;

  /// The cell whose value belongs at these local indices, as one number; -1 outside the grid.
  index_t global_cell(const std::vector<index_t>& local) const;
  cell_box own_cells() const;

 private:
  void add_direction(const std::vector<int>& direction);
  int neighbour(const std::vector<int>& direction) const;
  cell_box ghost_box(const std::vector<int>& direction) const;
  cell_box edge_box(const std::vector<int>& direction) const;
  link& link_to(int peer);
};

/// A box in memory: up to three nested loops over runs of adjacent elements.
struct block {
  index_t offset = 0, run = 1;                     ///< in elements
  index_t counts[3] = {1, 1, 1}, strides[3] = {};  ///< slowest first, in elements
  index_t elements() const { return counts[0] * counts[1] * counts[2] * run; }
};

block make_block(const cell_box& box, const std::vector<index_t>& strides);

struct block_link {
  int peer = 0;
  std::vector<block> sends, receives;
  index_t send_elements = 0, receive_elements = 0;  ///< of one field
};

/// A geometry laid over arrays with given strides.
struct layout {
  layout(const geometry& where, std::vector<index_t> strides_in_elements);
  std::vector<index_t> strides;
  std::vector<block_link> links;
  std::vector<block> faces, filled;  ///< own cells that others need; ghosts that an exchange fills
};

std::vector<index_t> dense_strides(const std::vector<index_t>& extents);

/// Fields in ordinary, page-aligned memory.
template <class T>
class plain_arrays {
 public:
  plain_arrays(const geometry& where, int count) {
    std::size_t cells = 1;
    for (const index_t e : where.with_ghosts) cells *= static_cast<std::size_t>(e);
    const std::size_t bytes = (cells * sizeof(T) + 4095) / 4096 * 4096;
    for (int f = 0; f < count; ++f) {
      memory_.emplace_back(static_cast<T*>(std::aligned_alloc(4096, bytes)), &std::free);
      std::memset(memory_.back().get(), 0, bytes);
      fields.push_back(memory_.back().get());
    }
  }
  std::vector<T*> fields;

 private:
  std::vector<std::unique_ptr<T, decltype(&std::free)>> memory_;
};

/// Calls f(first element of a run) for every run, and f(element) with stride for single elements, in memory order.
template <class Run>
void for_runs(const block& b, Run f) {
  for (index_t i = 0; i < b.counts[0]; ++i)
    for (index_t j = 0; j < b.counts[1]; ++j) {
      const index_t row = b.offset + i * b.strides[0] + j * b.strides[1];
      for (index_t k = 0; k < b.counts[2]; ++k) f(row + k * b.strides[2]);
    }
}

/// Visits rows: f(first offset, elements, distance between them), so that both long runs and single elements vectorise.
template <class Row>
void for_rows(const block& b, Row f) {
  if (b.run > 1)
    for_runs(b, [&](index_t at) { f(at, b.run, index_t{1}); });
  else
    for (index_t i = 0; i < b.counts[0]; ++i)
      for (index_t j = 0; j < b.counts[1]; ++j)
        f(b.offset + i * b.strides[0] + j * b.strides[1], b.counts[2], b.strides[2]);
}

/// What owners write before iteration `turn`: exact in float, another value every time.
template <class T>
T face_value(int turn, std::size_t field) {
  return static_cast<T>((turn & 0xffff) * 16 + static_cast<int>(field & 15));
}

template <class T>
void write_faces(const layout& where, const std::vector<T*>& fields, int turn) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const T value = face_value<T>(turn, f);
    for (const auto& b : where.faces)
      for_rows(b, [&](index_t at, index_t n, index_t stride) {
        T* to = fields[f] + at;
        if (stride == 1)
          for (index_t i = 0; i < n; ++i) to[i] = value;
        else
          for (index_t i = 0; i < n; ++i) to[i * stride] = value;
      });
  }
}

/// Reads every exchanged ghost cell; true if all hold what was written before this very iteration.
template <class T>
bool ghosts_are_fresh(const layout& where, const std::vector<T*>& fields, int turn) {
  int stale = 0;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const T value = face_value<T>(turn, f);
    for (const auto& b : where.filled)
      for_rows(b, [&](index_t at, index_t n, index_t stride) {
        const T* from = fields[f] + at;
        int differing = 0;
        if (stride == 1)
          for (index_t i = 0; i < n; ++i) differing |= from[i] != value;
        else
          for (index_t i = 0; i < n; ++i) differing |= from[i * stride] != value;
        stale |= differing;
      });
  }
  return stale == 0;
}

/// A value for each global cell of the first field, exact in float, unlike that of its neighbours and at least 64. The
/// value in another field is larger by the field's number.
template <class T>
T cell_value(index_t cell) {
  std::uint64_t h = static_cast<std::uint64_t>(cell) * 0x9e3779b97f4a7c15ULL;
  h ^= h >> 29, h *= 0xbf58476d1ce4e5b9ULL, h ^= h >> 32;
  return static_cast<T>(64 + (h & 0xfffff));
}

/// Calls f(local indices) for every cell of a box.
template <class Cell>
void for_cells(const cell_box& box, Cell f) {
  for (std::size_t d = 0; d < box.lower.size(); ++d)
    if (box.upper[d] <= box.lower[d]) return;
  std::vector<index_t> at = box.lower;
  for (;;) {
    f(at);
    std::size_t d = at.size();
    while (d-- > 0 && ++at[d] == box.upper[d]) at[d] = box.lower[d];
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

inline index_t offset_of(const std::vector<index_t>& at, const std::vector<index_t>& strides) {
  index_t offset = 0;
  for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * strides[d];
  return offset;
}

/// The oracle: what the first field holds before and after an exchange, own cells with their values, ghosts with a
/// value that no cell has until they are filled.
template <class T>
class oracle {
 public:
  oracle(const geometry& where, const layout& memory) {
    index_t last = 0;
    for (std::size_t d = 0; d < where.own.size(); ++d) last += (where.with_ghosts[d] - 1) * memory.strides[d];
    before_.assign(static_cast<std::size_t>(last) + 1, T(-1));
    const auto set = [&](std::vector<T>& values, const cell_box& box) {
      for_cells(box, [&](const auto& at) {
        values[static_cast<std::size_t>(offset_of(at, memory.strides))] = cell_value<T>(where.global_cell(at));
      });
    };
    set(before_, where.own_cells());
    after_ = before_;
    for (const auto& l : where.links)
      for (const auto& box : l.receives) set(after_, box);
  }

  void fill(const std::vector<T*>& fields) const {
    for (std::size_t f = 0; f < fields.size(); ++f)
      for (std::size_t i = 0; i < before_.size(); ++i) fields[f][i] = before_[i] + static_cast<T>(f);
  }

  /// Every ghost to be filled and every own cell holds its value, and all else is untouched.
  bool is_filled(const std::vector<T*>& fields) const {
    bool is_right = true;
    for (std::size_t f = 0; f < fields.size(); ++f)
      for (std::size_t i = 0; i < after_.size(); ++i) is_right &= fields[f][i] == after_[i] + static_cast<T>(f);
    return is_right;
  }

 private:
  std::vector<T> before_, after_;
};

}  // namespace bench
