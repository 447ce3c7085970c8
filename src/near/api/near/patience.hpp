// SPDX-License-Identifier: BSD-3-Clause
// How a rank waits: it polls with pauses, then yields its core, and after a minute reports whom it waits for.
#pragma once

#include <base/long_wait.hpp>
#include <cstdint>
#include <functional>
#include <nearfar/mpi.hpp>
#include <string>
#include <vector>

namespace nearfar {
struct team_state;
}

namespace nearfar::near {

/// Fixed for a team: chosen from ranks against cores and the environment.
struct wait_policy : wait_limits {
  int spins = 0;         ///< polls with a pause before the first yield
  int spins_in_mpi = 0;  ///< the same for polls of MPI, which may themselves give the core away
  int rank = 0;
  std::vector<int>
      processes{};  ///< ids of the near ranks' processes: a wait ends with transport_error when one is gone
  std::function<void()> look_around{};  ///< called a few times a second in long waits; may throw. Empty: nothing
  /// Looked at in waits that do not call MPI, which lets it progress; null: this thread may not call MPI.
  MPI_Comm comm = MPI_COMM_NULL;
  static wait_policy of(const team_state& members);
};

/// Lets MPI progress during a wait, since others may need it: one-sided accesses, long messages of the program. Local.
void let_mpi_progress(const wait_policy& policy);

/// One wait. Call idle() after each poll that found nothing.
class patience {
 public:
  /// `whom` is asked only when the wait has become long.
  patience(const wait_policy& policy, const std::string& plan, const std::function<std::string()>& whom) noexcept
      : policy_(&policy), plan_(&plan), whom_(&whom) {}

  /// After a poll of near memory.
  void idle() {
    if (++polls_ > policy_->spins) return give_up_the_core(false);
    pause();
    if (polls_ % polls_per_probe == 0 && polls_ > polls_before_probes) move_others_on(false);
  }

  /// After a poll and a sleep that nobody ended (near/doorbells.hpp).
  void idle_after_nap();

  /// After a poll that asked MPI: that took long enough, no pause, and MPI has progressed. An MPI that knows of the
  /// shortage of cores gives the core away in each poll by itself: doing so a second time costs messages between four
  /// ranks on two cores a tenth.
  void idle_in_mpi() {
    if (++polls_ % mpi_polls_per_yield != 0) return;
    polls_ > policy_->spins_in_mpi ? give_up_the_core(true) : move_others_on(true);
  }

 private:
  static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  static constexpr std::int64_t mpi_polls_per_yield = 8;
  // Some 3 us, in which small operations are over, and then each time as long as a look at MPI takes.
  static constexpr std::int64_t polls_before_probes = 64, polls_per_probe = 8;
  void move_others_on(bool has_mpi_progressed);
  void give_up_the_core(bool has_mpi_progressed);
  void look_at_clock();
  void require_living_peers();

  const wait_policy* policy_;
  const std::string* plan_;
  const std::function<std::string()>* whom_;
  std::int64_t polls_ = 0;
  double roll_call_ = 0;
  long_wait wait_;
};

}  // namespace nearfar::near
