// SPDX-License-Identifier: BSD-3-Clause
// Collective calls as plans: made once for given buffers, tuned on them, run or started and finished many times.
#pragma once

#include <memory>
#include <nearfar/collective_call.hpp>
#include <nearfar/plan_options.hpp>
#include <nearfar/team.hpp>
#include <source_location>
#include <string>

namespace nearfar {

struct plan_state;  // internal

/// A collective call that is made once and carried out many times, on the same buffers. Movable.
///
/// Several plans may be in flight at once. They may be started, tested and finished in any order, other orders on other
/// ranks; each has memory, signals and communicators of its own, which it borrows from the team and gives back. run()
/// is as ordered as a one-shot call: same plans in the same order on every rank.
///
/// Two things are chosen: how run() works and how start() … finish() work. "plan-slots" copies into near memory of the
/// plan ("plan-slots-streamed" past the caches: faster where the ranks share none), "plan-buffers" reads the callers'
/// buffers in place where all lie in near memory (shared_array), "mpi" is MPI's own (nonblocking) call. As with MPI's
/// nonblocking calls, peers can finish once this rank has started, whatever it waits for then. Two ways need more and
/// are taken for start() only when pinned: with "plan-buffers", and with "plan-slots" on several nodes, peers wait
/// until this rank is in test() or finish() of any plan, or in run().
class NEARFAR_API collective_plan {
 public:
  /// Makes and tunes the plan. Lists of counts are copied; buffers must stay where they are. While it is tuned the
  /// result buffer is written with results of the call, input and in-place buffers keep what they hold (user-defined
  /// operations are called on it). Collective over the team, same order of plans on every rank.
  /// @throws usage_error  on every rank, naming the guilty ones: sizes or roots that disagree, unknown method
  collective_plan(const nearfar::team& members, const collective_call& call, plan_options options = {},
                  std::source_location where = std::source_location::current());
  ~collective_plan();  ///< finishes a plan in flight, and waits for that; does nothing after MPI_Finalize
  collective_plan(collective_plan&&) noexcept;
  collective_plan& operator=(collective_plan&&) noexcept;  ///< finishes the old plan as its destructor does

  /// Carries the call out. Collective over the team. @throws usage_error if the plan is in flight; transport_error
  void run();

  /// Starts; does not wait. Until finish() returns the buffers belong to the plan: input must not be written, the
  /// result not touched.
  /// @throws usage_error if the plan is already in flight
  void start();
  bool test();  ///< true when finish() would not wait; makes progress; local
  /// Waits until this rank's result is there and its buffers are the caller's again.
  /// @throws usage_error if the plan is not in flight; transport_error if a peer does not answer (NEARFAR_WATCHDOG)
  void finish();

  const nearfar::team& team() const;      ///< whose ranks make the call
  std::string method() const;             ///< of run()
  std::string start_method() const;       ///< of start() and finish()
  std::string describe() const;           ///< what was tried and chosen, with times; local, same times on all ranks
  std::string describe_json() const;      ///< the same of run(), as in plan_options.hpp; local
  double tuned_seconds() const noexcept;  ///< of run(), as measured when the plan was tuned; 0 if it was not

 private:
  std::unique_ptr<plan_state> state_;
};

/// A plan per kind, for arrays; arguments as in nearfar::calls. For MPI's own arguments make a collective_plan from a
/// call.
namespace plans {

/// A plan of calls::barrier(). Returns when every rank has called it.
struct barrier : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  explicit barrier(const nearfar::team& members, plan_options options = {},
                   std::source_location where = std::source_location::current())
      : collective_plan(members, calls::barrier(), std::move(options), where) {}
};

/// A plan of calls::bcast(). The root's data on every rank.
struct bcast : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::writable_buffer Range>
  bcast(const nearfar::team& members, Range&& data, int root, plan_options options = {},
        std::source_location where = std::source_location::current())
      : collective_plan(members, calls::bcast(data, root), std::move(options), where) {}
};

/// A plan of calls::reduce(). All inputs combined, element by element, on the root.
struct reduce : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::send_numbers In, concepts::writable_numbers Out>
  reduce(const nearfar::team& members, In&& in, Out&& out, any_reduce_op how, int root, plan_options options = {},
         std::source_location where = std::source_location::current())
      : collective_plan(members, calls::reduce(in, out, how, root), std::move(options), where) {}
};

/// A plan of calls::allreduce(). All inputs combined, element by element, on every rank.
struct allreduce : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::send_numbers In, concepts::writable_numbers Out>
  allreduce(const nearfar::team& members, In&& in, Out&& out, any_reduce_op how, plan_options options = {},
            std::source_location where = std::source_location::current())
      : collective_plan(members, calls::allreduce(in, out, how), std::move(options), where) {}
  /// In place: `both` is the input and gets the result.
  template <concepts::writable_numbers InOut>
  allreduce(const nearfar::team& members, InOut&& both, any_reduce_op how, plan_options options = {},
            std::source_location where = std::source_location::current())
      : collective_plan(members, calls::allreduce(both, how), std::move(options), where) {}
};

/// A plan of calls::scan(). The inputs of ranks 0 … this one combined.
struct scan : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::send_numbers In, concepts::writable_numbers Out>
  scan(const nearfar::team& members, In&& in, Out&& out, any_reduce_op how, plan_options options = {},
       std::source_location where = std::source_location::current())
      : collective_plan(members, calls::scan(in, out, how), std::move(options), where) {}
};

/// A plan of calls::exscan(). The inputs of the ranks below this one combined; not defined on rank 0.
struct exscan : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::send_numbers In, concepts::writable_numbers Out>
  exscan(const nearfar::team& members, In&& in, Out&& out, any_reduce_op how, plan_options options = {},
         std::source_location where = std::source_location::current())
      : collective_plan(members, calls::exscan(in, out, how), std::move(options), where) {}
};

/// A plan of calls::reduce_scatter(). All inputs combined; rank r gets counts[r] elements of the result.
struct reduce_scatter : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::send_numbers In, concepts::writable_numbers Out>
  reduce_scatter(const nearfar::team& members, In&& in, Out&& out, rank_counts counts, any_reduce_op how,
                 plan_options options = {}, std::source_location where = std::source_location::current())
      : collective_plan(members, calls::reduce_scatter(in, out, counts, how), std::move(options), where) {}
};

/// A plan of calls::reduce_scatter_block(). All inputs combined; every rank gets an equal block of the result.
struct reduce_scatter_block : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::send_numbers In, concepts::writable_numbers Out>
  reduce_scatter_block(const nearfar::team& members, In&& in, Out&& out, any_reduce_op how, plan_options options = {},
                       std::source_location where = std::source_location::current())
      : collective_plan(members, calls::reduce_scatter_block(in, out, how), std::move(options), where) {}
};

/// A plan of calls::gather(). Everybody's block, in the order of ranks, on the root.
struct gather : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::send_buffer In, concepts::writable_buffer Out>
  gather(const nearfar::team& members, In&& in, Out&& out, int root, plan_options options = {},
         std::source_location where = std::source_location::current())
      : collective_plan(members, calls::gather(in, out, root), std::move(options), where) {}
};

/// A plan of calls::gatherv(). Everybody's block on the root, where counts and displs say; both matter there only.
struct gatherv : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::send_numbers In, concepts::writable_numbers Out>
  gatherv(const nearfar::team& members, In&& in, Out&& out, rank_counts counts, rank_counts displs, int root,
          plan_options options = {}, std::source_location where = std::source_location::current())
      : collective_plan(members, calls::gatherv(in, out, counts, displs, root), std::move(options), where) {}
};

/// A plan of calls::scatter(). A block of the root's for each rank, in the order of ranks.
struct scatter : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::buffer In, concepts::receive_buffer Out>
  scatter(const nearfar::team& members, In&& in, Out&& out, int root, plan_options options = {},
          std::source_location where = std::source_location::current())
      : collective_plan(members, calls::scatter(in, out, root), std::move(options), where) {}
};

/// A plan of calls::scatterv(). A block of the root's for each rank, which counts and displs describe; both matter
/// there only.
struct scatterv : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::number_buffer In, concepts::receive_numbers Out>
  scatterv(const nearfar::team& members, In&& in, rank_counts counts, rank_counts displs, Out&& out, int root,
           plan_options options = {}, std::source_location where = std::source_location::current())
      : collective_plan(members, calls::scatterv(in, counts, displs, out, root), std::move(options), where) {}
};

/// A plan of calls::allgather(). Everybody's block, in the order of ranks, on every rank.
struct allgather : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::send_buffer In, concepts::writable_buffer Out>
  allgather(const nearfar::team& members, In&& in, Out&& out, plan_options options = {},
            std::source_location where = std::source_location::current())
      : collective_plan(members, calls::allgather(in, out), std::move(options), where) {}
};

/// A plan of calls::allgatherv(). Everybody's block on every rank, where counts and displs say.
struct allgatherv : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::send_numbers In, concepts::writable_numbers Out>
  allgatherv(const nearfar::team& members, In&& in, Out&& out, rank_counts counts, rank_counts displs,
             plan_options options = {}, std::source_location where = std::source_location::current())
      : collective_plan(members, calls::allgatherv(in, out, counts, displs), std::move(options), where) {}
};

/// A plan of calls::alltoall(). A block from every rank to every rank, in the order of ranks.
struct alltoall : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::send_buffer In, concepts::writable_buffer Out>
  alltoall(const nearfar::team& members, In&& in, Out&& out, plan_options options = {},
           std::source_location where = std::source_location::current())
      : collective_plan(members, calls::alltoall(in, out), std::move(options), where) {}
};

/// A plan of calls::alltoallv(). A block from every rank to every rank, where counts and displs say.
struct alltoallv : collective_plan {
  /// Makes and tunes it. Collective; buffers stay where they are. @throws usage_error  as collective_plan.
  template <concepts::send_numbers In, concepts::writable_numbers Out>
  alltoallv(const nearfar::team& members, In&& in, rank_counts send_counts, rank_counts send_displs, Out&& out,
            rank_counts receive_counts, rank_counts receive_displs, plan_options options = {},
            std::source_location where = std::source_location::current())
      : collective_plan(members, calls::alltoallv(in, send_counts, send_displs, out, receive_counts, receive_displs),
                        std::move(options), where) {}
};

}  // namespace plans
}  // namespace nearfar
