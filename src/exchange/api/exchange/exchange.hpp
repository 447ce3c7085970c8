// SPDX-License-Identifier: BSD-3-Clause
// An exchange: a pattern bound to buffers and to the method that won.
#pragma once

#include <exchange/lending.hpp>
#include <exchange/pattern.hpp>
#include <functional>
#include <memory>
#include <nearfar/plan_options.hpp>
#include <nearfar/team.hpp>
#include <span>
#include <string>
#include <vector>

namespace nearfar::exchange {

/// More than that has left the caches of its readers when it is written again.
constexpr index_t most_rewritten_bytes = index_t{512} << 10;

/// Least share of the budget for races of what is tuned once and runs often.
constexpr double deliberate_share = 0.25;

struct exchange_options {
  std::string name = "exchange";  ///< shown in reports and in the watchdog's message
  std::string method{};           ///< empty: what NEARFAR_METHOD says of `front`, or tuned
  double budget_s = 0;            ///< as in plan_options
  const char* front = "halo";     ///< whose methods these are
  /// The caller has agreed on the pattern and on `method` with the peers already. Nothing is checked then; methods that
  /// need to know nothing of peers (isend, persistent, parts) are made without communication.
  bool is_agreed = false;
  /// Names of methods that the tuner tries although they are no candidates by themselves, and of those that it leaves
  /// out.
  std::vector<std::string> also{}, without{};
  /// Tuning counts the time in which this rank takes back what it sends from caches of ranks that have read it in
  /// place.
  bool counts_rewriting = false;
  /// What writes the sending regions between exchanges, the same numbers again. Tuning calls it before each run and
  /// counts its time, in place of storing a byte of every line: how much of that is hidden only the writer itself
  /// shows. Local.
  std::function<void()> rewrite = nullptr;
  /// What this rank sends lies in memory that may not be written, not even with what it holds: tuning leaves it alone.
  /// Of no method that peers read in place.
  bool are_sources_constant = false;
  double least_share = 0;  ///< of the budget that is spent however clear a lead is (tune::race_options)
  /// Reads what arrives instead of the exchange's copying it, which is then of boxes only, of copies, and of equal
  /// extents at both ends. Regions of receives are memory of the exchange's own: what is in them counts for nothing but
  /// during read(). Tuning calls it, too.
  box_reader* reader = nullptr;
  std::string shape{};  ///< what the bytes and runs of regions do not show and makes another method the best: part of
                        ///< the wisdom's key
};

/// A buffer of the pattern, and where it is from now on.
struct moved_buffer {
  int buffer = 0;
  void* base = nullptr;
};

/// A pattern made ready to run. Movable.
class exchange {
 public:
  /// Agrees on the pattern with the peers, chooses the method. Collective over the team, plans in one order on all
  /// ranks. While it is tuned the receiving regions are written; their contents are restored afterwards.
  /// @throws usage_error  on every rank: regions outside buffers, sends that do not meet receives, unknown method
  exchange(const team& members, pattern what, exchange_options options);
  ~exchange();
  exchange(exchange&&) noexcept;
  exchange& operator=(exchange&&) noexcept;

  void start();  ///< local checks only; throws usage_error if already in flight
  bool test();
  void finish();
  void run() { start(), finish(); }
  std::string awaited()
      const;  ///< while in flight: the ranks that are missing, and what of them; for callers that wait

  /// Other addresses for buffers of the pattern, each at most once, of the same sizes and kinds (all of it near memory,
  /// or none). All of them move or none: false if the method is bound to addresses, and nothing has changed then.
  /// Local; not while in flight.
  bool rebind(std::span<const moved_buffer> moves);
  /// Whether it would. Local; not while in flight.
  bool can_rebind(std::span<const moved_buffer> moves) const;

  const std::string& method() const noexcept;
  double tuned_seconds() const noexcept;
  std::string describe() const;
  std::string describe_json(const std::string& plan) const;  ///< `plan`: the front's name

 private:
  struct plan;
  std::unique_ptr<plan> plan_;
};

/// All methods, by name. "A+B" means A for near peers and B for far ones; a single name serves both where it can, else
/// isend serves the rest.
const std::vector<method_info>& methods();
/// The same for fronts that stand on exchanges, as tune::front_methods takes them.
std::vector<method_info> methods_of(const std::string& front);
/// A near rank passes on what goes to far ranks by this method. @throws usage_error  there is no such method
bool is_through_near_ranks(const std::string& method);

/// Names of the methods that can be had in this team. Collective over the team at its first call.
std::vector<std::string> methods_here(const team& members);

}  // namespace nearfar::exchange
