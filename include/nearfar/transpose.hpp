// SPDX-License-Identifier: BSD-3-Clause
// Transpositions: all elements of a global grid move from one distribution over the ranks, and order in memory, to
// another.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <nearfar/api.hpp>
#include <nearfar/box.hpp>
#include <nearfar/element_view.hpp>
#include <nearfar/plan_options.hpp>
#include <nearfar/team.hpp>
#include <nearfar/transpose_arrays.hpp>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearfar {

struct decomposition_state;  // internal: transpose/decomposition.hpp

/// How ranks are numbered over a process grid: the axis along which ranks follow each other. Ranks next to each other
/// are near ones where ranks fill node after node, so that it decides which transpositions stay on a node.
enum class rank_order { last_axis_first, first_axis_first };

/// Which rank owns which box of a global grid of 1 to 4 axes. Copies share one state.
///
/// Axes are cut into blocks as equal as possible, the larger ones first; where an axis is shorter than it has parts,
/// the last parts are empty and their ranks own nothing.
class NEARFAR_API decomposition {
 public:
  /// process_grid[d] parts along axis d. Collective; the same arguments on all ranks.
  /// @throws usage_error on every rank: 0 or more than 4 axes, extents below 1, parts that do not multiply to the ranks
  static decomposition blocks(const nearfar::team& members, std::vector<index_t> extents, std::vector<int> process_grid,
                              rank_order order = rank_order::last_axis_first);
  /// One axis cut over all ranks. Collective.
  static decomposition slab(const nearfar::team& members, std::vector<index_t> extents, int cut_axis);
  /// One axis whole. The other axes, in their order, are cut as process_grid says; empty: as square as the ranks allow.
  /// With one process grid for all pencils of three axes, moving the whole axis by one place involves the ranks of one
  /// row or one column only. nearfar/process_grid.hpp finds the best one.
  static decomposition pencil(const nearfar::team& members, std::vector<index_t> extents, int whole_axis,
                              std::vector<int> process_grid = {}, rank_order order = rank_order::last_axis_first);
  /// Any box per rank (empty ones too). Collective.
  /// @throws usage_error  on every rank, naming an element and its owners, unless each element has exactly one owner
  /// @cost   one all-gather; O(ranks) memory, O(ranks^2) comparisons
  static decomposition from_boxes(const nearfar::team& members, std::vector<index_t> extents, const box& own);

  const nearfar::team& team() const noexcept;  ///< the team whose ranks own the boxes
  int dimensions() const noexcept { return static_cast<int>(extents().size()); }    ///< 1 to 4
  const std::vector<index_t>& extents() const noexcept { return cells_->extents; }  ///< per axis, slowest first
  const box& own() const noexcept { return cells_->own; }  ///< of this rank; all bounds zero if it owns nothing
  box of(int rank) const;  ///< the box of any rank; computed, or looked up for from_boxes; local
  const std::vector<int>& process_grid() const noexcept;  ///< empty for from_boxes
  rank_order order() const noexcept;                      ///< how ranks are numbered over the process grid
  std::string describe() const;  ///< extents, process grid and this rank's box, in a line; local

 private:
  friend struct internals;
  explicit decomposition(std::shared_ptr<const decomposition_state> state) noexcept;
  std::shared_ptr<const decomposition_state> state_;
  const owned_cells* cells_;  ///< in the state
};

/// One side of a transposition: who owns what, and how a rank's part lies in the array of a field.
struct transpose_side {
  decomposition parts;  ///< who owns what
  std::vector<int>
      memory_order{};  ///< axes from slowest to fastest; empty: 0, 1, 2 …, so that the last axis is contiguous
  ghosts padding =
      0;  ///< elements below and above the own part along each axis: in the array, but never read or written
  index_t field_stride =
      0;  ///< elements from one field to the next in one array; 0: each field has an array of its own
};

/// The array of one field on this rank: own part and padding. A rank that owns nothing has no elements.
struct array_shape {
  box held;                                       ///< global indices, padding included
  std::array<index_t, max_dimensions> strides{};  ///< in elements, per axis of the grid, whatever the order in memory
  index_t elements = 0;                           ///< of the whole array; 0 on a rank that owns nothing

  /// Elements from the start of the array to the one at these global indices.
  index_t offset(const std::array<index_t, max_dimensions>& at) const noexcept {
    index_t sum = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(held.dimensions); ++d)
      sum += (at[d] - held.lower[d]) * strides[d];
    return sum;
  }
};
/// @throws usage_error  an order that is no permutation of the axes, negative padding. Local.
NEARFAR_API array_shape shape_of(const transpose_side& side);
/// Elements of the array of a field, or of all fields where the side has a field_stride. @throws usage_error as
/// shape_of. Local.
NEARFAR_API index_t elements_of(const transpose_side& side, index_t fields = 1);

/// Near memory for `fields` fields of a side (and of a second one that uses the same memory, in place), set to zero
/// bytes: what near ranks read where it is. Ordinary memory where near ranks cannot share any. Collective over the
/// team.
/// @throws resource_error on every rank, naming the bytes that were asked for and those that are free
NEARFAR_API std::shared_ptr<void> allocate_near(const std::vector<transpose_side>& sides, index_t fields,
                                                std::size_t element_bytes, std::vector<void*>& starts);

/// Arrays for the fields of a side in near memory. Copies share the memory. The axis that is last in the side's
/// memory_order is contiguous; operator() takes global indices in the order of the axes, whatever the order in memory.
template <class T>
class transpose_array {
 public:
  /// One array per field, all zero. Collective over the team. @throws resource_error  as allocate_near().
  explicit transpose_array(const transpose_side& side, index_t fields = 1)
      : transpose_array(std::vector<transpose_side>{side}, fields) {}
  /// Large enough for each of the sides, whose shapes it takes in turn; element access is that of the first.
  explicit transpose_array(const std::vector<transpose_side>& sides, index_t fields = 1) {
    std::vector<void*> starts;
    memory_ = allocate_near(sides, fields, sizeof(T), starts);
    take(sides, fields, starts);
  }
  /// In the memory that allocate_near() has given for these fields of elements of this size. Local.
  transpose_array(const transpose_side& side, index_t fields, std::shared_ptr<void> memory,
                  const std::vector<void*>& starts)
      : memory_(std::move(memory)) {
    take({side}, fields, starts);
  }
  /// The first element of a field's array, padding included; null on a rank that owns nothing.
  T* data(std::size_t field = 0) const { return fields_.at(field); }
  /// Where the elements of a field's array lie.
  const array_shape& shape() const noexcept { return shape_; }
  /// How many it has.
  std::size_t fields() const noexcept { return fields_.size(); }
  index_t elements() const noexcept {
    return elements_;
  }  ///< of the array of a field: as many as any of its sides needs
  /// The array of a field as a span.
  std::span<T> field(std::size_t i = 0) const { return {data(i), static_cast<std::size_t>(elements_)}; }
  /// The element at global indices (padding included).
  template <class... Index>
  T& operator()(Index... i) const noexcept {
    return elements_of_first_(i...);
  }
  /// The same access for functions with loops, which take it by value. @throws usage_error  the last axis is not
  /// contiguous (memory_order says so): any_view() has any order
  element_view<T> view(std::size_t field = 0) const { return {data(field), shape_.held, shape_.strides}; }
  /// Of any memory_order.
  element_view<T, layout_stride> any_view(std::size_t field = 0) const {
    return {data(field), shape_.held, shape_.strides};
  }

 private:
  void take(const std::vector<transpose_side>& sides, index_t fields, const std::vector<void*>& starts) {
    shape_ = shape_of(sides.front());
    for (const transpose_side& s : sides)
      if (const index_t needed = elements_of(s, fields); needed > elements_) elements_ = needed;
    for (void* start : starts) fields_.push_back(static_cast<T*>(start));
    elements_of_first_ = any_view();
  }

  array_shape shape_;
  std::shared_ptr<void> memory_;
  std::vector<T*> fields_;
  element_view<T, layout_stride> elements_of_first_;
  index_t elements_ = 0;
  friend class transpose_arrays;
};

template <class T>
transpose_arrays::transpose_arrays(const transpose_array<T>& each)
    : list_(each.fields_.data()), elements_(each.elements_), count_(each.fields_.size()), element_bytes_(sizeof(T)) {
  at_ = [](const transpose_arrays& a, std::size_t i) { return place{static_cast<T* const*>(a.list_)[i], a.elements_}; };
}
template <class T>
writable_transpose_arrays::writable_transpose_arrays(const transpose_array<T>& each) : transpose_arrays(each) {}

/// Refers to something that can be called, which must live as long as it is used. Lighter than std::function, whose
/// header is a quarter of all that programs would include by ours.
class borrowed_call {
 public:
  borrowed_call() = default;
  /// Of a function object, which must outlive this one.
  template <class Callable>
    requires(!std::is_same_v<Callable, borrowed_call>)
  borrowed_call(const Callable& what)  // NOLINT: implicit by intent
      : what_(&what), call_([](const void* w) { (*static_cast<const Callable*>(w))(); }) {}
  /// Whether there is anything to call.
  explicit operator bool() const noexcept { return call_ != nullptr; }
  /// Calls it.
  void operator()() const { call_(what_); }

 private:
  const void* what_ = nullptr;
  void (*call_)(const void* what) = nullptr;
};

/// How a transposition is planned; the same on all ranks, but for `rewrite`.
struct transpose_options {
  // as in plan_options
  std::string name = "transpose";      ///< shown in reports and errors, compared across ranks
  std::string method{};                ///< empty: NEARFAR_METHOD, or tuned; else one of methods("transpose")
  std::vector<std::string> without{};  ///< methods that the tuner leaves out; any but isend
  double budget_s = 0;                 ///< seconds for tuning; 0: NEARFAR_BUDGET or 0.1; negative: no_tuning
  std::string type_name{};             ///< what they are, compared across the ranks that say it

  index_t fields = 1;  ///< that move together, in one message per peer
  /// Tuning counts the time in which `in` is taken back from the caches of ranks that have read it: what a program pays
  /// that writes `in` anew before each operation. Parts beyond 512 kB have left those caches, and it is not counted.
  /// False: `in` stays as it is between operations.
  bool counts_rewriting = true;
  /// Instead, what writes `in` between operations, the same numbers again; local. Tuning calls it before each trial and
  /// counts its time.
  borrowed_call rewrite{};
};

struct transpose_state;  // internal

/// A plan that moves each element of the grid from its place on one side to its place on the other. Movable. All
/// methods give the same bits.
class NEARFAR_API transpose_plan {
 public:
  /// Makes and tunes the plan on these very arrays; `out` has its contents back afterwards. Collective over the team,
  /// plans in one order on all ranks. Where arrays of a field start at the same address in `in` and `out`, the rank's
  /// part goes through a staging of the size of the part (one more copy); any other overlap is refused. Ranks that own
  /// nothing may pass null.
  /// @throws usage_error on every rank: sides of different teams or grids, orders, paddings, fields or element sizes
  ///         that are wrong or differ between ranks, arrays that overlap, a missing array, unknown methods
  /// @throws resource_error on every rank: memory that does not suffice, and how much was asked for
  transpose_plan(const transpose_side& from, const transpose_side& to, const transpose_arrays& in,
                 const writable_transpose_arrays& out, transpose_options options = {},
                 std::source_location where = std::source_location::current());
  ~transpose_plan();
  transpose_plan(transpose_plan&&) noexcept;
  transpose_plan& operator=(transpose_plan&&) noexcept;

  /// Starts to move; returns before all data has arrived. Collective. Until finish() returns, `in` must not be written
  /// and `out` neither read nor written. Other arrays than those before cost a few microseconds; no allocation
  /// otherwise.
  /// @throws usage_error on this rank, nothing changes: in flight; a wrong number or size of elements; overlap where
  ///         the plan was not made in place; arrays outside near memory for a plan that was made with near memory
  void start(const transpose_arrays& in, const writable_transpose_arrays& out);
  void start();   ///< the arrays of the last start, or those that the plan was made with
  bool test();    ///< true when finish() would not wait; makes progress; local
  void finish();  ///< waits until `out` is complete and both are the caller's again
  /// start(in, out) and finish().
  void run(const transpose_arrays& in, const writable_transpose_arrays& out) { start(in, out), finish(); }
  /// start() and finish().
  void run() { start(), finish(); }

  const nearfar::team& team() const;      ///< whose ranks exchange
  std::string method() const;             ///< what was chosen, e.g. "near-direct+isend"
  double tuned_seconds() const noexcept;  ///< of one transposition when the plan was tuned; 0 if the method was pinned
  /// Sides, bytes, method, times, and the fraction that is reached of one read and one write per element at the speed
  /// of memcpy, which is measured now (some milliseconds). Local.
  std::string describe() const;
  std::string describe_json() const;  ///< what was tried and chosen, as in plan_options.hpp; local

 private:
  friend struct internals;

  std::unique_ptr<transpose_state> state_;
};

}  // namespace nearfar
