// SPDX-License-Identifier: BSD-3-Clause
// A field: one value per cell of a grid with ghost cells around each tile, in memory that near ranks share.
#pragma once

#include <cstddef>
#include <memory>
#include <nearfar/grid.hpp>
#include <span>
#include <type_traits>

namespace nearfar {

/// Where the elements of a tile lie in memory: of any type, strides and memory order, owned by anyone.
///
/// `data` points at the first element of the array, ghost cells included. Dimension order is the grid's
/// (slowest first by convention, but the strides decide). Strides may be negative and may leave gaps, but must nest:
/// each is at least the reach of the next smaller one, so that no two elements overlap.
struct array_layout {
  void* data = nullptr;                                 ///< null only on a rank that owns no cells
  std::size_t element_bytes = 0;                        ///< 1 … 65536 bytes, copied as they are
  std::array<index_t, max_dimensions> extents{};        ///< elements per dimension, ghost cells included
  std::array<index_t, max_dimensions> strides_bytes{};  ///< distance between neighbours along each dimension
};

/// The caller's own array, seen by the library: pointer, extents (with ghosts) and strides in elements.
template <class T>
struct array_view {
  T* data = nullptr;  ///< the first element, ghost cells included
  /// Elements per dimension, ghost cells included, in the order of the grid's dimensions.
  std::vector<index_t> extents;
  std::vector<index_t> strides;  ///< in elements; empty: contiguous, last dimension fastest
};

/// How a field is laid out in memory.
struct field_options {
  /// Layers around each tile: one number for all sides, or {{low, high}, …} per dimension.
  nearfar::ghosts ghosts = 0;
  std::vector<int> memory_order{};  ///< dimensions from slowest to fastest; empty: 0, 1, 2 … (C order)
};

struct field_state;  // internal: halo/field_state.hpp

/// The untyped part of a field. Copies share the memory. The last dimension is contiguous unless memory_order says
/// otherwise; layout() has the strides.
class NEARFAR_API field_base {
 public:
  /// Allocates (own cells + ghosts) elements in this rank's near memory (ordinary memory where near ranks cannot share
  /// any) and sets them to zero bytes. A rank without cells gets no elements. Collective over the grid's team.
  /// @throws resource_error on every rank, naming the node, /dev/shm's free space and the bytes asked
  /// @throws usage_error on every rank: negative ghosts, a memory order that is not a permutation, elements that are
  ///         not 1 … 65536 bytes
  field_base(const grid& cells, std::size_t element_bytes, const field_options& options);

  const grid& cells() const noexcept;              ///< the grid that it belongs to
  const nearfar::ghosts& widths() const noexcept;  ///< ghost layers that it has
  const array_layout& layout() const noexcept;     ///< where its elements lie on this rank
  const box& own() const noexcept;                 ///< cells of this rank
  box with_ghosts() const noexcept;                ///< own cells and the ghosts around them
  region core() const;  ///< own cells at least the ghost width away from every face: need no ghost
  region edge() const;  ///< the other own cells
  std::shared_ptr<void> memory() const noexcept { return state_; }  ///< keeps the elements alive while it is held

 protected:
  std::shared_ptr<field_state> state_;
};

/// Elements of type T, one per cell, ghost cells included. Copies share the memory.
///
/// Halo plans read and write it in place; near ranks load from it directly. Elements are trivially copyable and moved
/// as bytes.
template <class T>
class field : public field_base {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");

 public:
  /// Elements with all bytes zero. Collective over the grid's team. Errors are those of field_base.
  explicit field(const grid& cells, const field_options& options = {}) : field_base(cells, sizeof(T), options) {}

  /// The first element of this rank's part, ghost cells included; null on a rank that owns no cells.
  T* data() const noexcept { return static_cast<T*>(layout().data); }

  /// The element at global indices (ghost cells included: own().lower[d] - ghosts … own().upper[d] + ghosts - 1).
  template <class... Index>
  T& operator()(Index... i) const noexcept {
    const std::array<index_t, sizeof...(Index)> at{static_cast<index_t>(i)...};
    index_t offset = 0;
    for (std::size_t d = 0; d < sizeof...(Index); ++d) {
      const index_t first = own().lower[d] - widths().low(static_cast<int>(d));
      offset += (at[d] - first) * layout().strides_bytes[d];
    }
    return *reinterpret_cast<T*>(static_cast<std::byte*>(layout().data) + offset);
  }
};

}  // namespace nearfar
