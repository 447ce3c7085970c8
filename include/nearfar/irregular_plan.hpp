// SPDX-License-Identifier: BSD-3-Clause
// Irregular gather and scatter: out[k] = x[indices[k]] and x[indices[k]] += in[k] on an array that is spread over
// ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nearfar/detail/combiner.hpp>
#include <nearfar/distribution.hpp>
#include <nearfar/index_map.hpp>
#include <nearfar/irregular_array.hpp>
#include <nearfar/plan_options.hpp>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nearfar {

/// In which order contributions to one element are combined. Every method keeps to it: results never depend on the
/// method.
enum class scatter_order {
  /// x op own contributions in the order of the references, op the partial results of the other ranks in ascending
  /// order, each of which is its contributions in the order of its references. The cheapest; repeatable for a given
  /// number of ranks.
  plan,
  /// x op all contributions in the order of the references of rank 0, 1, 2 …: what a serial loop over all references
  /// does. The result does not depend on how consecutive references are cut into ranks. Every reference to another
  /// rank's element travels.
  canonical,
};

/// How an irregular plan is made; the same on all ranks, but for `threads`.
struct irregular_options {
  // as in plan_options; of two near ones that gather and scatter "GATHERS/SCATTERS" is a method, too
  /// Shown in reports and errors, compared across ranks.
  std::string name = "irregular";
  /// Empty: NEARFAR_METHOD, or tuned; else one of methods("irregular").
  std::string method{};
  /// Methods that the tuner leaves out.
  std::vector<std::string> without{};
  /// Seconds for tuning; 0: NEARFAR_BUDGET or 0.1; negative: no_tuning.
  double budget_s = 0;
  /// What they are, compared across the ranks that say it.
  std::string type_name{};

  /// Of contributions to one element.
  scatter_order order = scatter_order::plan;
  std::size_t element_bytes = 8;  ///< what the tuning is for; any other size works too
  /// OpenMP threads of this rank for loops over references and ghosts, but that of scatter() over references, whose
  /// order is the result's. Results are the same bits. A custom_op is then called by several threads at once, and must
  /// not throw. In a build without OpenMP 1 is used, whatever is asked for; so it is for short loops.
  int threads = 1;
};

struct irregular_plan_state;  // internal

/// An array x and the values of the references to it, for the operations on several arrays at once.
struct irregular_item {
  /// X by local indices, values by references; the operation says which of the two it uses.
  irregular_array x, values;
};

/// The operations; irregular_plan has a function of the same name for each.
enum class irregular_kind : std::uint8_t { gather_ghosts, scatter_ghosts, assemble_ghosts, gather, scatter, assemble };

/// One of the operations below on up to irregular_plan::max_arrays arrays at once, without types: what language
/// interfaces make.
struct irregular_call {
  /// Which operation.
  irregular_kind kind = irregular_kind::gather_ghosts;
  /// The arrays x of operations on ghosts, x and values of gather and scatter, values of assemble. Values of all have
  /// one size.
  std::span<const irregular_item> items{};
  detail::combiner how{};  ///< of scatter and assemble
};

/// Inspector and executor: made from the references of each rank, run many times, on arrays of any trivially copyable
/// type.
///
/// Arrays called x have an element per local index, plan.map().total() of them, ghosts last: irregular_vector makes
/// them in near memory, where near ranks read in place; the caller's own memory works too (near ranks then pay a copy).
/// The operations on references also take an x of owned elements only; ghosts then live in the plan. Arrays of values
/// have an element per reference. Arrays may be in GPU memory (CUDA; docs/irregular.md) if the process had CUDA's
/// driver when the plan was made. An array of another length is a usage_error on this rank, for which the others then
/// wait: a plan that is used with the wrong array says so. So are x and values of different types, and arithmetic on
/// others than it is for: numbers of one type are not taken for another's, but element_type::bytes may be anything.
///
/// All operations are collective over the team, in the same order and with elements of the same size on every rank;
/// ranks with no references or elements take part. The first operation on elements of a new size sets up messages where
/// there are far ranks. After finish() (or the blocking call) all arrays are the caller's again. No operation allocates
/// once it has been used with a size of elements (but one that is started with a custom_op of more than 64 bytes or not
/// trivially copyable: it keeps a copy). Names in other libraries: gather_ghosts = PetscSFBcast, VecScatter forward,
/// update_ghost_values; scatter_ghosts = PetscSFReduce, VecScatter reverse, compress, Tpetra Export; assemble = gslib's
/// gs.
class NEARFAR_API irregular_plan {
 public:
  /// Inspects the references: numbers own and remote elements, and lets owners know who refers to what. Tunes.
  /// Collective.
  /// @throws usage_error  on every rank: an index out of range (naming it and the range), unknown method, options that
  /// differ
  /// @throws resource_error  on every rank: one has no memory for what its references need
  /// @cost   two passes over the indices; memory of 4 bytes per reference and 4 per remote element (12 if the
  /// distribution is by lists), and 4 at its owner; no messages between near ranks, one to each far owner and a
  /// nonblocking barrier; some reductions of a number
  irregular_plan(const distribution& where, std::span<const index_t> indices, irregular_options options = {},
                 std::source_location place = std::source_location::current());
  ~irregular_plan();
  irregular_plan(irregular_plan&&) noexcept;
  irregular_plan& operator=(irregular_plan&&) noexcept;

  /// The same for other references: what a new plan would be, bit for bit, but shared memory, signals and the choice of
  /// the method are kept. Collective. @throws usage_error as above, and if an operation is in flight; the plan is then
  /// as it was
  void update(std::span<const index_t> indices);
  /// The same with another distribution.
  void update(const distribution& where, std::span<const index_t> indices);

  /// How this rank numbers its elements and ghosts; valid until the next update().
  const index_map& map() const noexcept { return *map_; }
  /// The references in local numbering, in their order: out[k] = x[local_indices()[k]] after gather_ghosts(x).
  std::span<const std::int32_t> local_indices() const noexcept { return local_indices_; }
  /// Number of indices that this rank has given.
  index_t references() const noexcept { return static_cast<index_t>(local_indices().size()); }
  std::vector<index_t> ghost_indices() const;  ///< global indices of the ghosts, in their order; local, made anew
  /// The distribution that the indices are of.
  const distribution& where() const noexcept;
  /// The team of the distribution.
  const nearfar::team& team() const noexcept;

  // ---- One operation of a plan is in flight at a time; several plans may be. Until finish() returns the arrays must
  // not be touched. ----

  /// Starts; does not wait. @throws usage_error  on this rank: in flight already, arrays of another length than the
  /// plan's
  void start(const irregular_call& call);
  bool
  test();  ///< true when finish() would not wait; makes progress, which may be the second half of an assembly; local
  void finish();  ///< waits until all arrays are the caller's again. @throws usage_error  nothing is in flight
  /// start() and finish().
  void run(const irregular_call& call) { start(call), finish(); }
  /// The same for a list of arrays at once, which lives until finish().
  void start(irregular_kind kind, std::span<const irregular_item> items, reduce_op how = reduce_op::sum);
  /// start() and finish().
  void run(irregular_kind kind, std::span<const irregular_item> items, reduce_op how = reduce_op::sum) {
    start(kind, items, how), finish();
  }

  // ---- ghosts only: the caller loops over local_indices() ----

  /// The ghost elements of x = the owners' elements. Any number of arrays travel together.
  template <class... X>
  void gather_ghosts(X&&... x) {
    start_gather_ghosts(x...), finish();
  }
  /// Own elements of x = op(own element, ghost element of each rank that has one). Ghosts keep their values.
  template <class X, class Op = reduce_op>
  void scatter_ghosts(X&& x, const Op& how = reduce_op::sum) {
    const irregular_item item{written(x, 1), {}};
    run({irregular_kind::scatter_ghosts, {&item, 1}, combiner_during(how, item.x)});
  }
  /// scatter_ghosts, then gather_ghosts: every copy of an element has the combined value, the same bits on all ranks.
  template <class X, class Op = reduce_op>
  void assemble_ghosts(X&& x, const Op& how = reduce_op::sum) {
    const irregular_item item{written(x, 1), {}};
    run({irregular_kind::assemble_ghosts, {&item, 1}, combiner_during(how, item.x)});
  }

  // ---- on references ----

  /// out[k] = x[indices[k]]. If x has ghosts (and is writable) they are filled as well.
  template <class X, class Out>
  void gather(X&& x, Out&& out, index_t components = 1) {
    start_gather(x, out, components), finish();
  }
  /// x[indices[k]] = op(x[indices[k]], in[k]) for all references of all ranks, in the plan's order. If x has ghosts
  /// they are scratch.
  template <class In, class X, class Op = reduce_op>
  void scatter(const In& in, X&& x, const Op& how = reduce_op::sum, index_t components = 1) {
    const irregular_item item{written(x, components), array_with(in, components)};
    run({irregular_kind::scatter, {&item, 1}, combiner_during(how, item.x)});
  }
  /// values[k] = op over the values of all references to the same element, the same bits wherever it is referred to:
  /// gslib's gs. With `replace` the last one in the plan's order.
  template <class Values, class Op = reduce_op>
  void assemble(Values&& values, const Op& how = reduce_op::sum, index_t components = 1) {
    const irregular_item item{{}, written(values, components)};
    run({irregular_kind::assemble, {&item, 1}, combiner_during(how, item.values)});
  }

  // ---- the same, to be finished with finish() ----

  /// As gather_ghosts(); until finish() the arrays x must not be touched.
  template <class... X>
  void start_gather_ghosts(X&&... x) {
    const irregular_item items[] = {irregular_item{written(x, 1), {}}...};
    start({irregular_kind::gather_ghosts, items});
  }
  /// As scatter_ghosts(); until finish() x must not be touched.
  template <class X, class Op = reduce_op>
  void start_scatter_ghosts(X&& x, const Op& how = reduce_op::sum) {
    const irregular_item item{written(x, 1), {}};
    start({irregular_kind::scatter_ghosts, {&item, 1}, combiner_for(how, item.x)});
  }
  /// As assemble_ghosts(); until finish() x must not be touched.
  template <class X, class Op = reduce_op>
  void start_assemble_ghosts(X&& x, const Op& how = reduce_op::sum) {
    const irregular_item item{written(x, 1), {}};
    start({irregular_kind::assemble_ghosts, {&item, 1}, combiner_for(how, item.x)});
  }
  /// As gather(); until finish() x must not be written and `out` not be touched.
  template <class X, class Out>
  void start_gather(X&& x, Out&& out, index_t components = 1) {
    const irregular_item item{array_with(x, components), written(out, components)};
    start({irregular_kind::gather, {&item, 1}});
  }
  /// As scatter(); until finish() `in` must not be written and x not be touched.
  template <class In, class X, class Op = reduce_op>
  void start_scatter(const In& in, X&& x, const Op& how = reduce_op::sum, index_t components = 1) {
    const irregular_item item{written(x, components), array_with(in, components)};
    start({irregular_kind::scatter, {&item, 1}, combiner_for(how, item.x)});
  }
  /// As assemble(); until finish() the values must not be touched.
  template <class Values, class Op = reduce_op>
  void start_assemble(Values&& values, const Op& how = reduce_op::sum, index_t components = 1) {
    const irregular_item item{{}, written(values, components)};
    start({irregular_kind::assemble, {&item, 1}, combiner_for(how, item.values)});
  }

  /// That one operation takes at most.
  static constexpr int max_arrays = 16;

  std::string method() const;             ///< what is in use now, e.g. "near-direct+isend"
  double tuned_seconds() const noexcept;  ///< median of one gather_ghosts (near: and a scatter_ghosts); 0 if not tuned
  std::string describe() const;           ///< sizes, traffic, what was tried and chosen; local
  std::string describe_json() const;      ///< what was tried and chosen, as in plan_options.hpp; local

 private:
  // An irregular_vector knows its components; other ranges are told.
  template <class X>
  static irregular_array array_with(X&& x, index_t components) {
    if constexpr (requires { x.components(); })
      return array_of(x);
    else if constexpr (std::is_same_v<std::remove_cvref_t<X>, irregular_array>)
      return x;
    else
      return array_of(x, components);
  }
  /// Of what an operation writes: nothing that is const.
  template <class X>
  static irregular_array written(X&& x, index_t components) {
    if constexpr (!std::is_same_v<std::remove_cvref_t<X>, irregular_array>)
      static_assert(!std::is_const_v<std::remove_pointer_t<decltype(std::data(x))>>,
                    "what an operation writes must not be const");
    return array_with(x, components);
  }
  static detail::combiner combiner_for(reduce_op how, const irregular_array& a) {
    return detail::combiner_of(how, a.type, a.value_bytes);
  }
  template <class T, class F>
  static detail::combiner combiner_for(const custom_op<T, F>& how, const irregular_array&) {
    return detail::combiner_of(how);
  }

  /// Of a call that blocks: the operation stays where it is.
  static detail::combiner combiner_during(reduce_op how, const irregular_array& a) { return combiner_for(how, a); }
  template <class T, class F>
  static detail::combiner combiner_during(const custom_op<T, F>& how, const irregular_array&) {
    return detail::combiner_at(&how);
  }

  void remember_lists() noexcept;

  std::unique_ptr<irregular_plan_state> state_;
  // The state's: loops ask for them.
  const index_map* map_ = nullptr;
  std::span<const std::int32_t> local_indices_;
};

}  // namespace nearfar
