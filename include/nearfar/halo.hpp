// SPDX-License-Identifier: BSD-3-Clause
// Halo exchange: filling the ghost cells of fields from the ranks that own those cells.
#pragma once

#include <memory>
#include <nearfar/field.hpp>
#include <nearfar/plan_options.hpp>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearfar {

/// Which ghost cells are filled.
enum class stencil {
  box,   ///< ghost cells across faces, edges and corners
  star,  ///< ghost cells across faces only
};

/// How a halo plan is made; the same on all ranks.
struct halo_options {
  // as in plan_options
  /// Shown in reports and errors, compared across ranks.
  std::string name = "halo";
  /// Empty: NEARFAR_METHOD, or tuned; else one of methods("halo"), or NEAR+FAR.
  std::string method{};
  std::vector<std::string> without{};  ///< methods that the tuner leaves out; any but isend
  /// Seconds for tuning; 0: NEARFAR_BUDGET or 0.1; negative: no_tuning.
  double budget_s = 0;
  std::string type_name{};  ///< what they are, of all parts

  /// Whether corners and edges are filled too; star moves less.
  nearfar::stencil stencil = nearfar::stencil::box;
};

/// One array of a halo plan: where it lies, which ghosts it has, which of them to fill.
struct halo_part {
  /// The grid that the array belongs to.
  grid cells;
  /// Where the elements lie on this rank.
  array_layout layout;
  ghosts widths;                 ///< ghost layers that the array has
  ghosts exchange;               ///< layers to fill (each at most the array's); 0 on a side: nothing comes from there
  std::shared_ptr<void> memory;  ///< keeps a field's elements alive as long as the plan; empty for the caller's arrays

  /// A field with all its ghosts.
  halo_part(const field_base& f) : halo_part(f, f.widths()) {}  // NOLINT: implicit by intent
  /// A field with some of its ghosts: `fill` layers per side, at most those that it has.
  halo_part(const field_base& f, const ghosts& fill)
      : cells(f.grid()), layout(f.layout()), widths(f.widths()), exchange(fill), memory(f.memory()) {}
  /// The caller's own array, which must outlive the plan: near ranks pay a copy through a shared buffer, all else is
  /// the same. It may be in GPU memory (CUDA), on any of the ranks (docs/halo.md). A rank that owns no cells may
  /// pass null data and any extents.
  halo_part(const grid& g, const array_layout& array, const ghosts& has) : halo_part(g, array, has, has) {}
  /// The same with `fill` of its layers to be filled.
  halo_part(const grid& g, const array_layout& array, const ghosts& has, const ghosts& fill)
      : cells(g), layout(array), widths(has), exchange(fill) {}
  /// The caller's own array of type T with `has` ghosts around this rank's tile.
  template <class T>
  halo_part(const grid& g, const array_view<T>& array, const ghosts& has) : halo_part(g, array, has, has) {}
  /// The same with `fill` of its layers to be filled.
  template <class T>
  halo_part(const grid& g, const array_view<T>& array, const ghosts& has, const ghosts& fill)
      : halo_part(g, layout_of(array), has, fill) {}

  /// Where the elements of the caller's array lie. @throws usage_error  strides that let elements overlap, extents
  /// below 0.
  template <class T>
  static array_layout layout_of(const array_view<T>& array) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "elements are moved as bytes");
    return make_layout(array.data, sizeof(T), array.extents, array.strides);
  }

 private:
  NEARFAR_API static array_layout make_layout(void* data, std::size_t element_bytes,
                                              const std::vector<index_t>& extents, const std::vector<index_t>& strides);
};

struct halo_state;  // internal

/// A plan that fills ghost cells, made once and run many times. Movable.
///
/// Fields of one plan share messages: at most one message per far neighbour. Several plans may be in flight at once.
class NEARFAR_API halo_plan {
 public:
  /// Makes and tunes the plan on these very arrays (only ghost cells are written). Collective over the team, same
  /// order of plans on every rank; parts must agree in number, grid, widths and element size across ranks.
  /// @throws usage_error  on every rank: stencil wider than a neighbouring tile, sizes that disagree (naming the
  /// ranks), an array that does not fit its tile, unknown method, grids of different teams
  explicit halo_plan(std::vector<halo_part> parts, halo_options options = {},
                     std::source_location where = std::source_location::current());
  /// A plan for all ghosts of one field.
  template <class T>
  explicit halo_plan(const field<T>& f, halo_options options = {},
                     std::source_location where = std::source_location::current())
      : halo_plan(std::vector<halo_part>{f}, std::move(options), where) {}
  /// A plan for all ghosts of one array of the caller's, which must outlive it.
  template <class T>
  halo_plan(const grid& g, const array_view<T>& array, const ghosts& has, halo_options options = {},
            std::source_location where = std::source_location::current())
      : halo_plan(std::vector<halo_part>{halo_part(g, array, has)}, std::move(options), where) {}

  ~halo_plan();
  halo_plan(halo_plan&&) noexcept;
  halo_plan& operator=(halo_plan&&) noexcept;

  /// Starts filling the ghost cells of all parts; returns before data has arrived. Collective over neighbours.
  /// Until finish() returns, own cells within the exchanged widths of a face must not be written, and the ghosts being
  /// filled neither read nor written. With NEARFAR_CHECK=paranoid those ghosts hold 0xFF bytes meanwhile.
  /// @throws usage_error      if this plan is already in flight
  /// @throws transport_error  if a peer does not answer within the watchdog's time (NEARFAR_WATCHDOG)
  /// @cost   at most one message per far neighbour; no message between near ranks
  void start();
  /// The same on other arrays, which the plan keeps to from now on: where the array of each part begins, all of the
  /// part's extents and strides, in near memory or GPU memory where those were that the plan was made with. A few
  /// microseconds where they change. The caller keeps them alive.
  /// @throws usage_error  on this rank, no array moves: in flight, wrong number of arrays, none, memory of another kind
  void start(std::span<void* const> data);
  /// Of a plan for one field: on another field of the same grid, ghosts and elements. @throws usage_error  it differs
  void start(const field_base& other);
  /// start(data) and finish().
  void run(std::span<void* const> data) { start(data), finish(); }
  /// start(other) and finish().
  void run(const field_base& other) { start(other), finish(); }
  bool test();  ///< true when finish() would not wait; makes progress; local
  /// Waits until all ghosts are filled and all arrays are the caller's again.
  /// @throws usage_error  if the plan is not in flight; with NEARFAR_CHECK=paranoid also if own cells that peers were
  ///                      reading have changed since start()
  void finish();
  /// start() and finish().
  void run() { start(), finish(); }

  const nearfar::team& team() const;  ///< whose ranks exchange
  std::string method() const;         ///< what was chosen, e.g. "near-mixed+persistent"
  std::string describe()
      const;  ///< what was tried and chosen, bytes, messages and times; local, same times on all ranks
  std::string describe_json() const;  ///< what was tried and chosen, as in plan_options.hpp; local
  /// Median seconds of one exchange as measured when the plan was tuned; 0 if it was pinned or came from wisdom without
  /// a time.
  double tuned_seconds() const noexcept;

 private:
  friend struct internals;

  std::unique_ptr<halo_state> state_;
};

}  // namespace nearfar
