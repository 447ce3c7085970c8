// SPDX-License-Identifier: BSD-3-Clause
// The engine of one communicator: chooses for each collective call the fastest algorithm, or the MPI's own call.
#pragma once

#include <array>
#include <bit>
#include <collective/algorithm.hpp>
#include <collective/call.hpp>
#include <memory>
#include <nearfar/team.hpp>
#include <string>
#include <tune/ranking.hpp>

namespace nearfar::collective {

struct engine_options {
  std::string name = "collective";
  /// Calls of one kind and size class before its algorithms are raced against each other (NEARFAR_TUNE_AFTER);
  /// negative: never, the table of defaults holds. 0: after as many calls as take, by a rough guess, as long as a race.
  int tune_after = 0;
  double budget_s = 0.1;      ///< for one race
  double overhead_s = 10e-9;  ///< of a call that is not left to the MPI: it comes to an algorithm's time
  /// Are races repeated now and then, since machines change while programs run (NEARFAR_TUNE_AGAIN)? At first after as
  /// much time as one takes, in the end for 1.5 % of the time.
  bool tunes_again = true;
  bool is_short_of_cores =
      false;  ///< waits give the core away at once, though ranks alone have cores enough; same on all ranks
};

/// Sizes are classed by the bits of job::bytes: class 0 is 0 B, class k is 2^(k-1) … 2^k - 1 B.
inline constexpr std::size_t size_classes = 48;
constexpr std::size_t class_of(index_t bytes) noexcept {
  const auto bits = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes)));
  return bits < size_classes ? bits : size_classes - 1;
}

/// Has the MPI refused arguments? Such a call has not happened: a rank may be alone with it. Local.
bool is_refusal(int code);

/// Makes the process's own communicator for packing now, which else is made when it is first needed. Local.
void make_packing_comm();

/// What became of the calls of one kind and size class.
struct record {
  const algorithm* chosen = nullptr;  ///< null: the MPI's own
  bool goes_direct = true;            ///< where all buffers turn out to be near memory
  bool is_decided = false;
  bool is_fixed = false;  ///< by a pin, or by the order of ranks
  std::int64_t calls = 0, bytes = 0;
  std::int64_t tune_at = -1;    ///< number of the call at which the next race is held
  std::int64_t left_until = 0;  ///< calls before this one are the MPI's own whatever their arguments
  /// Of the fastest rounds, which a busy machine disturbs least, of the latest race or that of wisdom; 0: not known.
  double chosen_s = 0, native_s = 0;
  std::unique_ptr<tune::ranking> races;
  reduction::executions of_operation;  ///< of a call that was measured
  double spent_s = 0;                  ///< for callers that take the time of calls
};

/// The records of one communicator, by kind, kind of reduction and size class. A kind that is not used takes two
/// pointers.
class record_table {
 public:
  record& at(kind what, bool is_generic, std::size_t size_class) {
    auto& records = all_[static_cast<std::size_t>(what)][is_generic ? 1 : 0];
    if (records == nullptr) records = std::make_unique<by_size>();
    return (*records)[size_class];
  }
  const record* find(kind what, bool is_generic, std::size_t size_class) const noexcept {
    const auto& records = all_[static_cast<std::size_t>(what)][is_generic ? 1 : 0];
    return records != nullptr ? &(*records)[size_class] : nullptr;
  }

 private:
  using by_size = std::array<record, size_classes>;
  std::array<std::array<std::unique_ptr<by_size>, 2>, kinds> all_;
};

class engine {
 public:
  /// Collective over the team. @throws resource_error, usage_error on every rank or on none: use plain MPI then
  explicit engine(const nearfar::team& members, engine_options options = {});
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// Carries out one call; `native` runs MPI's own with the same arguments and returns its code. Arguments that MPI
  /// would refuse go to `native`, which refuses them. Collective over the team, same kinds in the same order on every
  /// rank, as MPI demands; one thread at a time.
  /// @return MPI_SUCCESS, or what `native` returned  @throws transport_error  a peer died or does not answer
  template <class Native>
  int run(const call& c, Native&& native) {
    if (leaves(c.what)) return run_unseen(c.what, native);
    const algorithm* chosen = choose(c);
    while (chosen != nullptr) {
      workspace_.is_declined = false;
      carry_out(*chosen);
      if (!workspace_.is_declined) return finish(c);
      chosen = next_;
      next_ = nullptr;
    }
    const int code = native();
    if (is_refusal(code)) forget_call();
    return code;
  }

  /// Is the next call of this kind the MPI's own whatever its arguments are, so that they need not even be put
  /// together? Local.
  bool leaves(kind what) const noexcept {
    const record* r = records_.find(what, false, 0);
    return r != nullptr && r->calls + 1 < r->left_until && !is_broken_;
  }
  /// Such a call. Collective like `run`.
  template <class Native>
  int run_unseen(kind what, Native&& native) {
    leave(what);
    const int code = native();
    if (code != MPI_SUCCESS && is_refusal(code)) forget_call();
    return code;
  }

  /// The record of the latest call.
  record& latest() noexcept { return *latest_; }
  /// True if the latest call was carried out by an algorithm of ours.
  bool was_accelerated() const noexcept { return was_accelerated_; }

  /// Calls visit(kind, size class, is_generic, record) for every record with calls. Generic: reductions without a
  /// kernel of ours.
  template <class Visit>
  void for_records(Visit visit) const {
    for (std::size_t k = 0; k < kinds; ++k)
      for (const bool is_generic : {false, true})
        for (std::size_t s = 0; s < size_classes; ++s)
          if (const record* r = records_.find(static_cast<kind>(k), is_generic, s); r != nullptr && r->calls > 0)
            visit(static_cast<kind>(k), s, is_generic, *r);
  }

  /// One line per kind and size class that was used: calls, what is taken, what the race said. Local.
  std::string describe() const;
  const nearfar::team& team() const noexcept { return workspace_.members; }
  const setting& surroundings() const noexcept { return setting_; }
  workspace& inside() noexcept { return workspace_; }  ///< for the modules that stand on this one

  /// This rank makes no further call: whoever waits for it hears of that. Local.
  void give_up() noexcept { node_segment_->give_up(); }

  /// Says that callers' buffers may lie in near memory, so that it pays to ask. Same on every rank.
  void expect_near_buffers() noexcept {
    may_be_near_ = true;
    is_repeatable_ = false;
  }

 private:
  struct choice {
    bool is_made = false;
    const algorithm* first = nullptr;  ///< null: the MPI's own
    const algorithm* then = nullptr;   ///< if the first declines
  };
  const algorithm* choose(const call& c);
  const algorithm* look_up(const call& c);
  void forget_call();
  void carry_out(const algorithm& chosen) {
    is_broken_ = true;  // an exception leaves ranks at different points of the call: no later one could succeed
    try {
      chosen.run(workspace_, job_);
    } catch (...) {
      node_segment_->give_up();
      throw;
    }
    is_broken_ = false;
  }
  bool is_repeated(const call& c);
  void leave(kind what) noexcept;
  bool bind_buffers(const call& c);
  bool understand(const call& c);
  choice pick(const record& r, kind what);
  const algorithm* with_ring(const algorithm* a);
  void decide(record& r, const call& c, const setting& s);
  void take(record& r, kind what, const std::string& name);
  void tune(record& r, const call& c, const setting& s);
  bool make_ring();
  bool is_measured(const record& r) const noexcept;
  void weigh_operation(record& r, kind what);
  int finish(const call& c);

  engine_options options_;
  workspace workspace_;
  std::unique_ptr<node_segment> node_segment_;
  std::shared_ptr<inter_node> inter_node_;
  setting setting_;
  record_table records_;
  job job_;
  call_claim claim_;
  call last_;
  choice choice_;
  record before_any_;
  record* latest_ = &before_any_;
  const algorithm* next_ = nullptr;
  bool is_counted_ = false;   ///< the latest call, in its record
  bool is_measured_ = false;  ///< the latest call's operation, into of_operation_
  reduction::executions of_operation_;
  bool is_repeatable_ = false, can_rebind_ = false, was_accelerated_ = false, may_be_near_ = false,
       has_ring_failed_ = false, is_broken_ = false, is_reproducible_ = false;
  struct details;
  std::unique_ptr<details> details_;
};

}  // namespace nearfar::collective
