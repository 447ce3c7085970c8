// SPDX-License-Identifier: BSD-3-Clause
// Halo exchange: filling the ghost cells of fields from the ranks that own those cells.
#pragma once

#include <memory>
#include <nearfar/field.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearfar {

enum class stencil {
  box,   ///< ghost cells across faces, edges and corners
  star,  ///< ghost cells across faces only
};

struct halo_options {
  std::string name = "halo";  ///< shown in reports and error messages
  std::string method{};       ///< empty: tuned (or NEARFAR_METHOD); else one of `nearfar::methods()`
  stencil shape = stencil::box;
  double budget_s = -1;  ///< seconds for tuning; negative: NEARFAR_BUDGET or 0.5
};

/// One array of a halo plan: where it lies, which ghosts it has, which of them to fill.
struct halo_part {
  grid cells;
  array_layout layout;
  ghosts widths;                 ///< ghost layers that the array has
  ghosts exchange;               ///< layers to fill (each at most the array's); 0 on a side: nothing comes from there
  std::shared_ptr<void> memory;  ///< keeps a field's elements alive as long as the plan; empty for the caller's arrays

  halo_part(const field_base& f) : halo_part(f, f.widths()) {}  // NOLINT: implicit by intent
  halo_part(const field_base& f, const ghosts& fill)
      : cells(f.cells()), layout(f.layout()), widths(f.widths()), exchange(fill), memory(f.memory()) {}
  /// The caller's own array, which must outlive the plan: near ranks pay a copy through a shared buffer, all else is
  /// the same. A rank that owns no cells may pass null data and any extents.
  halo_part(const grid& g, const array_layout& array, const ghosts& has) : halo_part(g, array, has, has) {}
  halo_part(const grid& g, const array_layout& array, const ghosts& has, const ghosts& fill)
      : cells(g), layout(array), widths(has), exchange(fill) {}
  template <class T>
  halo_part(const grid& g, const view<T>& array, const ghosts& has) : halo_part(g, array, has, has) {}
  template <class T>
  halo_part(const grid& g, const view<T>& array, const ghosts& has, const ghosts& fill)
      : halo_part(g, layout_of(array), has, fill) {}

  template <class T>
  static array_layout layout_of(const view<T>& array) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "elements are moved as bytes");
    return make_layout(array.data, sizeof(T), array.extents, array.strides);
  }

 private:
  NEARFAR_API static array_layout make_layout(void* data, std::size_t element_bytes, const std::vector<index>& extents,
                                              const std::vector<index>& strides);
};

struct halo_state;  // internal

/// A plan that fills ghost cells, made once and run many times. Movable.
///
/// Fields of one plan share messages: at most one message per far neighbour. Several plans may be in flight at once.
class NEARFAR_API halo {
 public:
  /// Makes and tunes the plan on these very arrays (only ghost cells are written). Collective over the team, same
  /// order of plans on every rank; parts must agree in number, grid, widths and element size across ranks.
  /// @throws usage_error  on every rank: stencil wider than a neighbouring tile, sizes that disagree (naming the ranks),
  ///                      an array that does not fit its tile, unknown method, grids of different teams
  explicit halo(std::vector<halo_part> parts, halo_options options = {});
  template <class T>
  explicit halo(const field<T>& f, halo_options options = {}) : halo(std::vector<halo_part>{f}, std::move(options)) {}
  template <class T>
  halo(const grid& g, const view<T>& array, const ghosts& has, halo_options options = {})
      : halo(std::vector<halo_part>{halo_part(g, array, has)}, std::move(options)) {}

  ~halo();
  halo(halo&&) noexcept;
  halo& operator=(halo&&) noexcept;

  /// Starts filling the ghost cells of all parts; returns before data has arrived. Collective over neighbours.
  /// Until finish() returns, own cells within the exchanged widths of a face must not be written, and the ghosts being
  /// filled neither read nor written. With NEARFAR_CHECK=paranoid those ghosts hold 0xFF bytes meanwhile.
  /// @throws usage_error      if this plan is already in flight
  /// @throws transport_error  if a peer does not answer within the watchdog's time (NEARFAR_WATCHDOG)
  /// @cost   at most one message per far neighbour; no message between near ranks
  void start();
  bool test();  ///< true when finish() would not wait; makes progress; local
  /// Waits until all ghosts are filled and all arrays are the caller's again.
  /// @throws usage_error  if the plan is not in flight; with NEARFAR_CHECK=paranoid also if own cells that peers were
  ///                      reading have changed since start()
  void finish();
  void exchange() { start(), finish(); }

  std::string method() const;  ///< what was chosen, e.g. "near-mixed+persistent"
  std::string describe()
      const;  ///< what was tried and chosen, bytes, messages and times; local, same times on all ranks
  /// Median seconds of one exchange as measured when the plan was tuned; 0 if it was pinned or came from wisdom without a time.
  double tuned_seconds() const noexcept;

 private:
  std::unique_ptr<halo_state> state_;
};

/// A named way to carry out an exchange, for lists and pinning.
struct method_info {
  std::string name, description;
  bool near, far;     ///< which kind of peer it can serve
  bool is_candidate;  ///< tried by the tuner (others must be pinned)
};
NEARFAR_API std::vector<method_info> methods();

}  // namespace nearfar
