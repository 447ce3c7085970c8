// SPDX-License-Identifier: BSD-3-Clause
// A field: one value per cell of a grid with ghost cells around each tile, in memory that near ranks share.
#pragma once

#include <cstddef>
#include <memory>
#include <nearfar/element_view.hpp>
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

/// internal: what copies of a field share.
struct field_state {
  grid cells;                      ///< the grid that it belongs to
  ghosts widths;                   ///< ghost layers that it has
  array_layout layout{};           ///< where its elements lie on this rank
  std::shared_ptr<void> memory{};  ///< empty for a rank without cells
};

/// The untyped part of a field. Copies share the memory. The last dimension is contiguous unless memory_order says
/// otherwise; layout() has the strides.
class NEARFAR_API field_base {
 public:
  /// Allocates (own cells + ghosts) elements in this rank's near memory (ordinary memory where near ranks cannot share
  /// any) and sets them to zero bytes. A rank without cells gets no elements. Collective over the grid's team.
  /// @throws resource_error on every rank, naming the node, /dev/shm's free space and the bytes asked
  /// @throws usage_error on every rank: negative ghosts, a memory order that is not a permutation, elements that are
  ///         not 1 … 65536 bytes
  field_base(const nearfar::grid& cells, std::size_t element_bytes, const field_options& options);

  const nearfar::grid& grid() const noexcept { return state_->cells; }       ///< that it belongs to
  const nearfar::team& team() const noexcept { return grid().team(); }       ///< that the grid belongs to
  const nearfar::ghosts& widths() const noexcept { return state_->widths; }  ///< ghost layers that it has
  const array_layout& layout() const noexcept { return state_->layout; }     ///< where its elements lie on this rank
  const box& own() const noexcept { return grid().own(); }                   ///< cells of this rank
  box with_ghosts() const noexcept { return grown(own(), widths()); }        ///< own cells and the ghosts around them
  region core() const;  ///< own cells at least the ghost width away from every face: need no ghost
  region edge() const;  ///< the other own cells
  std::shared_ptr<void> memory() const noexcept { return state_; }  ///< keeps the elements alive while it is held

 protected:
  std::array<index_t, max_dimensions> strides() const noexcept;  ///< in elements

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
  explicit field(const nearfar::grid& cells, const field_options& options = {})
      : field_base(cells, sizeof(T), options), elements_(data(), with_ghosts(), strides()) {}

  /// The first element of this rank's part, ghost cells included; null on a rank that owns no cells.
  T* data() const noexcept { return static_cast<T*>(layout().data); }

  /// The element at global indices (ghost cells included: own().lower[d] - ghosts … own().upper[d] + ghosts - 1).
  template <class... Index>
  T& operator()(Index... i) const noexcept {
    return elements_(i...);
  }
  /// The same access for functions with loops, which take it by value: element_view<T> or element_view<const T>.
  /// @throws usage_error  the last dimension is not contiguous (memory_order says so): any_view() has any order. Local.
  element_view<T> view() const { return {data(), with_ghosts(), strides()}; }
  /// So that a field can be given where a view is taken.
  operator element_view<T>() const { return view(); }  // NOLINT: implicit by intent
  /// The same, only to be read.
  operator element_view<const T>() const { return view(); }  // NOLINT: implicit by intent
  /// Of a field of any memory_order.
  element_view<T, layout_stride> any_view() const noexcept { return elements_; }

 private:
  element_view<T, layout_stride> elements_;
};

}  // namespace nearfar
