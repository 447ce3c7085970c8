// SPDX-License-Identifier: BSD-3-Clause
// Each thread notes in a slot of its own which MPI call it is in; one thread, which sleeps most of the time, checks all
// slots.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <base/clock.hpp>
#include <base/env.hpp>
#include <base/log.hpp>
#include <base/watch_options.hpp>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <nearfar/mpi_watch.hpp>
#include <thread>

namespace nearfar {
namespace {

constexpr int exit_status = 3;
constexpr double longest_nap_s = 0.25, longest_silence_s = 60;
constexpr std::size_t most_threads = 64;  // further ones are not watched

struct alignas(64) slot {
  // Relaxed but for `call`, whose release the watcher's acquire pairs with: what it sees of `calls` is then as new.
  std::atomic<const char*> call{nullptr};
  std::atomic<std::uint64_t> calls{0};
  std::atomic<bool> is_taken{false};
};

/// Lives as long as the process: its thread may look at it while everything else is being taken down.
class watcher {
 public:
  static watcher& get() {
    static watcher* const one = new watcher;  // NOLINT
    return *one;
  }
  slot* take() {
    if (!start()) return nullptr;
    for (slot& s : slots_)
      if (!s.is_taken.exchange(true)) return &s;
    return nullptr;
  }

 private:
  /// How long a slot has been in one call, without the time in which this process was stopped.
  struct stay {
    std::uint64_t calls = 0;
    double seconds = 0;
    bool has_warned = false;
  };

  bool start() {
    const std::lock_guard lock(starting_);
    if (is_started_) return is_watching_;
    is_started_ = true;
    try {
      limit_s_ = env::limit_s("NEARFAR_WATCHDOG");
      std::thread([this] { watch(); }).detach();
      is_watching_ = true;
      stay_loaded();
    } catch (const std::exception& e) {
      log::info("no watchdog over calls of MPI: ", e.what());
    }
    return is_watching_;
  }

  /// The thread's code must not go away under it.
  static void stay_loaded() noexcept {
    Dl_info here{};
    if (dladdr(reinterpret_cast<void*>(&stay_loaded), &here) != 0 && here.dli_fname != nullptr)
      dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }

  void watch() {
    const double nap_s = limit_s_ > 0 ? std::min(longest_nap_s, limit_s_ / 8) : longest_nap_s;
    const watchdog_clock time = clock_of_watchdog();
    double last = time.now_s();
    for (;;) {
      time.sleep(nap_s);
      const double now = time.now_s(), passed = std::min(now - last, 2 * nap_s);
      last = now;
      for (std::size_t n = 0; n < slots_.size(); ++n) look_at(slots_[n], stays_[n], passed);
    }
  }

  void look_at(slot& s, stay& in, double passed) {
    const char* const call = s.call.load(std::memory_order_acquire);
    const std::uint64_t calls = s.calls.load(std::memory_order_relaxed);
    if (call == nullptr || calls != in.calls) {
      in = {calls, 0, false};
      return;
    }
    in.seconds += passed;
    const double warning_s = limit_s_ > 0 ? std::min(longest_silence_s, limit_s_ / 2) : longest_silence_s;
    if (limit_s_ > 0 && in.seconds > limit_s_) end(call);
    if (in.has_warned || in.seconds <= warning_s) return;
    in.has_warned = true;
    log::warning("MPI's own ", call, " has not returned since ", readable_time(in.seconds));
  }

  [[noreturn]] void end(const char* call) const {
    log::write(log::level::error,
               text("no answer from other ranks within ", readable_time(limit_s_), " in MPI's own ", call,
                    ", which cannot be called back: this process ends (NEARFAR_WATCHDOG, seconds; 0 "
                    "waits for ever)"));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // the launcher passes the words on
    _exit(exit_status);
  }

  std::mutex starting_;
  bool is_started_ = false, is_watching_ = false;
  double limit_s_ = 0;
  std::array<slot, most_threads> slots_;
  std::array<stay, most_threads> stays_;
};

slot nobodys;  // of threads that nobody looks at

/// A pointer that needs no constructor is found in an instruction or two, wherever this library was loaded.
thread_local slot* mine __attribute__((tls_model("initial-exec"))) = nullptr;

/// Gives the slot back when the thread ends.
struct slot_return {
  slot* taken = nullptr;
  ~slot_return() {
    if (taken != nullptr) taken->is_taken = false;
    mine = &nobodys;
  }
};

slot* take_slot() noexcept {
  thread_local slot_return at_end;
  try {
    at_end.taken = watcher::get().take();
  } catch (...) {
    at_end.taken = nullptr;
  }
  mine = at_end.taken != nullptr ? at_end.taken : &nobodys;
  return mine;
}

}  // namespace

watchdog_clock& clock_of_watchdog() noexcept {
  static watchdog_clock real{
      seconds_now, [](double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }};
  return real;
}

mpi_watch::mpi_watch(const char* call) noexcept {
  slot& s = mine != nullptr ? *mine : *take_slot();
  slot_ = &s;
  before_ = s.call.load(std::memory_order_relaxed);
  s.calls.store(s.calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  s.call.store(call, std::memory_order_release);
}

mpi_watch::~mpi_watch() { static_cast<slot*>(slot_)->call.store(before_, std::memory_order_release); }

}  // namespace nearfar
