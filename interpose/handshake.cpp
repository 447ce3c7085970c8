// SPDX-License-Identifier: BSD-3-Clause
// The question must not disturb ranks that do not know of it: no collective call over MPI_COMM_WORLD, since theirs
// would answer it, and no message that they could receive. MPI_Comm_create_group alone is called by the members of a
// group and nobody else.
#include "handshake.hpp"

#include <array>
#include <base/env.hpp>
#include <base/log.hpp>
#include <base/text.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <nearfar/mpi.hpp>
#include <system_error>
#include <thread>

#include "settings.hpp"

namespace nearfar::interpose {

namespace {

constexpr int tag = 0x6e65;
// What ranks must agree on for the sequence of what they do to be the same.
constexpr std::array shared_settings{
    "NEARFAR",        "NEARFAR_PRELOAD",    "NEARFAR_PRELOAD_AFTER", "NEARFAR_PRELOAD_ENGINES",
    "NEARFAR_METHOD", "NEARFAR_TUNE_AFTER", "NEARFAR_TUNE_AGAIN",    "NEARFAR_REPRODUCIBLE"};

/// Ends the process unless it is destroyed in time: the thread that waits is inside the MPI and cannot look at a clock.
class deadline {
 public:
  deadline(long seconds, int rank) : watch_([=, this] { wait(seconds, rank); }) {}
  ~deadline() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_one();
    watch_.join();
  }
  deadline(const deadline&) = delete;
  deadline& operator=(const deadline&) = delete;

 private:
  void wait(long seconds, int rank) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::seconds(seconds), [this] { return is_over_; })) return;
    log::write(log::level::error,
               text("rank ", rank, " waited ", seconds,
                    " s after MPI_Init for the other ranks to say that they have the preloaded library: not"
                    " all of them do. 'nearfar-run' before the program gives it to all; NEARFAR_PRELOAD_HANDSHAKE sets "
                    "the seconds"));
    std::_Exit(EXIT_FAILURE);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread watch_;  // the last: it uses the others
};

MPI_Comm everyone_who_comes() {
  MPI_Group all;
  MPI_Comm met = MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_create_group(MPI_COMM_WORLD, all, tag, &met);
  MPI_Group_free(&all);
  return met;
}

// Hashes are compared as lowest value and lowest complement, that is, highest value. A report adds up all ranks; where
// only some want one they would wait for the others at the end.
agreement compared(MPI_Comm comm) {
  constexpr std::size_t count = shared_settings.size() + 1;
  std::array<std::int64_t, 2 * count> mine{}, lowest{};
  for (std::size_t i = 0; i < count; ++i) {
    mine[i] = i < shared_settings.size()
                  ? static_cast<std::int64_t>(std::hash<std::string>{}(env::string_or(shared_settings[i], "")))
                  : wanted().is_reporting();
    mine[count + i] = ~mine[i];
  }
  MPI_Allreduce(mine.data(), lowest.data(), 2 * count, MPI_INT64_T, MPI_MIN, comm);
  const auto differs = [&](std::size_t i) { return lowest[i] != ~lowest[count + i]; };
  agreement all{"", lowest[count - 1] != 0};
  for (std::size_t i = 0; i < shared_settings.size() && all.difference.empty(); ++i)
    if (differs(i)) all.difference = text(shared_settings[i], " is not the same on all ranks");
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (differs(count - 1) && rank == 0) log::warning("there is no report: NEARFAR_REPORT is not set on all ranks");
  return all;
}

// Where no thread can be had the others are waited for without a limit: to stay away would be worse.
std::unique_ptr<deadline> limit_of(long seconds, int rank) {
  if (seconds == 0) return nullptr;
  try {
    return std::make_unique<deadline>(seconds, rank);
  } catch (const std::system_error&) {
    return nullptr;
  }
}

}  // namespace

agreement meet_everyone() noexcept {
  int ranks = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (ranks < 2) return {"", wanted().is_reporting()};
  MPI_Comm met = MPI_COMM_NULL;
  {
    const auto limit = limit_of(wanted().handshake_s, rank);
    met = everyone_who_comes();
  }
  if (met == MPI_COMM_NULL) return {"the ranks could not meet"};
  const agreement all = compared(met);
  MPI_Comm_free(&met);
  if (!all.difference.empty() && rank == 0) log::warning("collective calls are left to plain MPI: ", all.difference);
  return all;
}

}  // namespace nearfar::interpose
