// SPDX-License-Identifier: BSD-3-Clause
// Ping-pongs, copies and loops of known length.
#include "fit.hpp"

#include <algorithm>
#include <base/clock.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>
#include <near/shared_segment.hpp>
#include <nearfar/nearfar.hpp>
#include <numeric>
#include <topology/team_state.hpp>

namespace nearfar::command {

namespace {

/// Rows of fields: of some hundred points, and of a thousand. No multiples of a page, which would share few cache sets.
constexpr std::size_t row_bytes = 3200, long_row_bytes = 8016;

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// Half the times of round trips between two ranks; the others wait. Collective.
std::vector<double> hops_us(const team& t, int first, int second, int bytes, int rounds) {
  std::vector<char> data(static_cast<std::size_t>(bytes));
  std::vector<double> times(static_cast<std::size_t>(rounds));
  MPI_Barrier(t.comm());
  for (double& us : times) {
    const double begin = seconds_now();
    if (t.rank() == first) {
      MPI_Send(data.data(), bytes, MPI_BYTE, second, 0, t.comm());
      MPI_Recv(data.data(), bytes, MPI_BYTE, second, 0, t.comm(), MPI_STATUS_IGNORE);
    } else if (t.rank() == second) {
      MPI_Recv(data.data(), bytes, MPI_BYTE, first, 0, t.comm(), MPI_STATUS_IGNORE);
      MPI_Send(data.data(), bytes, MPI_BYTE, first, 0, t.comm());
    }
    us = 0.5e6 * (seconds_now() - begin);
  }
  MPI_Bcast(times.data(), rounds, MPI_DOUBLE, first, t.comm());
  return times;
}

struct link {
  double latency_us, gb_s, sigma, eager_bytes;
};

/// Above how many bytes a message takes two hops more than its bytes explain, or `most` where none does: MPIs ask the
/// receiver first.
double eager_bytes_between(const team& t, int first, int second, double latency_us, double gb_s, double most) {
  constexpr int least = 1 << 10, largest = 1 << 19;
  double eager = most;
  for (int bytes = largest; bytes >= least; bytes /= 2) {
    const double us = quantile(hops_us(t, first, second, bytes, 20), 0.25);
    if (us - 1e-3 * bytes / gb_s < 2 * latency_us) break;
    eager = bytes / 2;
  }
  return eager;
}

link link_between(const team& t, int first, int second) {
  constexpr int small = 8, large = 1 << 20;
  const auto hops = hops_us(t, first, second, small, 2000);
  const double latency_us = quantile(hops, 0.5), half_us = quantile(hops_us(t, first, second, large / 2, 100), 0.1),
               long_us = quantile(hops_us(t, first, second, large, 100), 0.1);
  const double gb_s = 1e-3 * large / 2 / std::max(long_us - half_us, 1.0);
  return {latency_us, gb_s, std::clamp(std::log(quantile(hops, 0.84) / latency_us), 0.01, 2.0),
          eager_bytes_between(t, first, second, latency_us, gb_s, model::machine{}.far.eager_bytes)};
}

/// Of this thread, however many others have its core.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// GB/s of copies of so many bytes, as the quickest tenth of them goes: others may use the machine. The least of the
/// ranks.
double copy_gb_s(const team& t, std::size_t bytes, bool all_at_once) {
  constexpr double total_bytes = 512e6;
  // At equal places of their pages some processors copy many times more slowly: not what arrays of programs do.
  constexpr std::size_t apart = 1088;
  std::vector<char> from(bytes, 1), room(bytes + apart, 2);
  char* const to = room.data() + apart;
  const int times = std::max(11, static_cast<int>(total_bytes / static_cast<double>(bytes)));
  double speed = std::numeric_limits<double>::max();
  MPI_Barrier(t.comm());
  if (all_at_once || t.is_root()) {
    std::vector<double> seconds;
    for (int i = 0; i < times; ++i) {
      const double begin = cpu_seconds();
      from[static_cast<std::size_t>(i) % bytes] = static_cast<char>(i);
      std::memcpy(to, from.data(), bytes);
      const volatile char seen = to[bytes / 2];
      (void)seen;
      seconds.push_back(cpu_seconds() - begin);
    }
    speed = 1e-9 * static_cast<double>(bytes) / quantile(seconds, 0.1);
  }
  double least = 0;
  MPI_Allreduce(&speed, &least, 1, MPI_DOUBLE, MPI_MIN, t.comm());
  return least;
}

/// A halo of one double between near ranks takes a line and the time until it is seen; the quickest tenth.
double notice_us(const team& all) {
  const team t(state_of(all).node_comm);
  const grid cells(t, {t.size()}, {.periodic = {true}});
  const field<double> f(cells, {.ghosts = 1});
  halo_plan plan(f, {.method = "near-line"});
  constexpr int burst = 20;  // the clock itself takes as long as a notice
  std::vector<double> times(500);
  for (double& us : times) {
    const double begin = seconds_now();
    for (int i = 0; i < burst; ++i) plan.run();
    us = 1e6 * (seconds_now() - begin) / burst;
  }
  return quantile(times, 0.1);
}

double barrier_us(const team& t) {
  std::vector<double> times(500);
  for (double& us : times) {
    const double begin = seconds_now();
    MPI_Barrier(state_of(t).node_comm);
    us = 1e6 * (seconds_now() - begin);
  }
  return quantile(times, 0.5);
}

/// Seconds per contiguous piece of 8 bytes that is packed, beyond the bytes themselves.
double run_ns() {
  constexpr std::size_t pieces = 4096, stride = 16;
  std::vector<double> from(pieces * stride, 1), to(pieces);
  std::vector<double> times;
  for (int trial = 0; trial < 101; ++trial) {
    const double begin = seconds_now();
    for (std::size_t i = 0; i < pieces; ++i) to[i] = from[i * stride];
    const volatile double seen = to[pieces / 2];
    (void)seen;
    times.push_back(1e9 * (seconds_now() - begin) / pieces);
  }
  return quantile(times, 0.5);
}

/// Pieces that are far apart, as the columns of a field are: out of one column into another.
struct scattered {
  std::size_t pieces = 1, doubles = 1, stride = 2;  ///< the length of one, and from one to the next
  std::size_t reach() const { return pieces * stride; }
  void copy(const double* from, double* to) const {
    for (std::size_t p = 0; p < pieces; ++p)
      for (std::size_t i = 0; i < doubles; ++i) to[p * stride + i] = from[p * stride + i];
  }
};

/// Nanoseconds per piece of one double, a stride of a few cache lines or pages apart, over so many bytes.
double jump_ns(std::size_t reach_bytes, std::size_t stride_bytes) {
  const scattered s{reach_bytes / stride_bytes, 1, stride_bytes / sizeof(double)};
  std::vector<double> row(s.reach(), 1), times;
  const auto repeats = std::max<std::size_t>(1, 4096 / s.pieces);
  for (int trial = 0; trial < 101; ++trial) {
    const double begin = seconds_now();
    for (std::size_t i = 0; i < repeats; ++i) s.copy(row.data(), row.data() + s.stride / 2);
    times.push_back(1e9 * (seconds_now() - begin) / static_cast<double>(repeats * s.pieces));
  }
  return quantile(times, 0.5);
}

/// Microseconds until a rank has copied what another one has just written, into its own memory beside what that one
/// reads, while it does the same: as ghosts lie beside the cells that a neighbour reads. Collective.
double peer_copy_us(const team& t, const scattered& s) {
  near::shared_segment memory;
  memory.make(t, [&] { return as_index(s.reach() * sizeof(double)); });
  const int peer = t.near_rank() ^ 1;
  const bool has_peer = peer < t.near_size();
  std::vector<double> times(300);
  for (double& us : times) {
    auto* const own = reinterpret_cast<double*>(memory.own());
    if (has_peer) s.copy(own + s.doubles, own);
    MPI_Barrier(t.comm());
    const double begin = seconds_now();
    if (has_peer) s.copy(reinterpret_cast<const double*>(memory.of(peer)), own + s.doubles);
    us = 1e6 * (seconds_now() - begin);
    MPI_Barrier(t.comm());
  }
  return quantile(times, 0.25);
}

struct detours {
  double hz = 0, mean_us = 0;
};

/// Of a loop that does nothing but look at the clock: whatever takes longer than `least_us` was something else.
detours detours_here() {
  constexpr double least_us = 20, length_s = 1;
  double lost_us = 0;
  int count = 0;
  const double begin = seconds_now();
  for (double last = begin, now = begin; now < begin + length_s; last = now) {
    now = seconds_now();
    if (1e6 * (now - last) > least_us) ++count, lost_us += 1e6 * (now - last);
  }
  return {count / length_s, count == 0 ? 0 : lost_us / count};
}

}  // namespace

model::machine fitted_machine(const team& t) {
  const team_state& s = state_of(t);
  model::machine m;
  m.name = s.host, m.source = text("measured on ", t.size(), " ranks, ", s.processor);
  m.variation.cores = s.cores;
  const int neighbour = s.near_size > 1 ? 1 : 0;
  const int has_neighbour = t.is_root() ? neighbour : 0;
  int near_pair = has_neighbour;
  MPI_Bcast(&near_pair, 1, MPI_INT, 0, t.comm());
  int second = near_pair != 0 && t.is_root() ? s.near_ranks[1] : 0;
  MPI_Bcast(&second, 1, MPI_INT, 0, t.comm());
  if (near_pair != 0) {
    const link l = link_between(t, 0, second);
    m.near.message_us = l.latency_us, m.near.message_gb_s = l.gb_s;
    m.variation.message_sigma = l.sigma;
    m.near.notice_us = notice_us(t);
    m.near.barrier_round_us = barrier_us(t) / std::max(1.0, std::log2(s.near_size));
    constexpr scattered block{1, 8192, 2 * 8192}, column{256, 1, row_bytes / sizeof(double)};
    m.near.peer_gb_s = 1e-3 * static_cast<double>(block.doubles * sizeof(double)) / peer_copy_us(t, block);
    m.near.peer_jump_ns = 1e3 * peer_copy_us(t, column) / static_cast<double>(column.pieces);
  }
  if (t.nodes() > 1) {
    const int mine = t.node() == 1 && t.near_rank() == 0 ? t.rank() : -1;
    int other = 0;
    MPI_Allreduce(&mine, &other, 1, MPI_INT, MPI_MAX, t.comm());
    const link l = link_between(t, 0, other);
    m.far.overhead_us = std::min(m.far.overhead_us, l.latency_us / 4);
    m.far.latency_us = l.latency_us - 2 * m.far.overhead_us;
    m.far.rank_gb_s = m.far.node_gb_s = l.gb_s, m.far.eager_bytes = l.eager_bytes;
    m.variation.message_sigma = l.sigma;
  }
  constexpr std::size_t beyond = 64 << 20;
  const auto cached = static_cast<std::size_t>(s.core_cache_bytes) / 4;  // both arrays: half of the cache
  m.near.cache_bytes = static_cast<double>(s.core_cache_bytes);
  m.near.copy_cached_gb_s = copy_gb_s(t, cached, false);
  if (const auto share = static_cast<std::size_t>(s.cache_share_bytes); share > 4 * cached) {
    m.near.shared_cache_bytes = static_cast<double>(share);
    m.near.copy_shared_gb_s = copy_gb_s(t, share / 4, true);
  }
  m.near.copy_memory_gb_s = copy_gb_s(t, beyond, false);
  m.near.node_memory_gb_s = copy_gb_s(t, beyond, true) * s.near_size;
  m.near.run_ns = run_ns();
  m.near.jump_ns = jump_ns(2 * cached, row_bytes), m.near.jump_memory_ns = jump_ns(beyond / 2, long_row_bytes);
  const detours d = detours_here();
  m.variation.detour_hz = d.hz, m.variation.detour_us = d.mean_us;
  return m;
}

}  // namespace nearfar::command
