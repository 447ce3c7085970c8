// SPDX-License-Identifier: BSD-3-Clause
// Who runs on which processor, and how the others sleep.
#include "bench_threads_crowd.hpp"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

namespace bench {
namespace {

constexpr int wake_tag = 3;
constexpr auto nap = std::chrono::microseconds(500);
// Longer than an OpenMP thread polls for work with the number of polls that let_idle_threads_sleep() asks for.
constexpr auto until_threads_sleep = std::chrono::milliseconds(2);
constexpr const char* polls_before_sleep = "10000";

MPI_Comm split(MPI_Comm comm, int colour) {
  MPI_Comm made = MPI_COMM_NULL;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_split(comm, colour, rank, &made);
  return made;
}

std::vector<int> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> list;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return list;
  for (int p = 0; p < CPU_SETSIZE; ++p)
    if (CPU_ISSET(p, &set)) list.push_back(p);
  return list;
}

}  // namespace

crowd::crowd(int threads) : ranks_(MPI_COMM_WORLD), processors_(allowed_processors()) {
  threads_ = threads > 0 ? threads : ranks_.near_size();
  if (ranks_.near_size() % threads_ != 0)
    throw std::invalid_argument("a node has " + std::to_string(ranks_.near_size()) +
                                " ranks, which is no multiple of " + std::to_string(threads_) +
                                " threads (NEARFAR_BENCH_THREADS)");
  place_ = ranks_.near_rank() % threads_;
  group_ = split(MPI_COMM_WORLD, ranks_.rank() - place_);
  MPI_Comm hosts = split(MPI_COMM_WORLD, place_ == 0 ? 0 : MPI_UNDEFINED);
  if (place_ == 0) {
    hosts_ = std::make_unique<nearfar::team>(hosts);
    all_threads_ = std::make_unique<nearfar::thread_team>(*hosts_, threads_);
    MPI_Comm_free(&hosts);
  }
  pin(0);
}

crowd::~crowd() { MPI_Comm_free(&group_); }

// With fewer processors than ranks nobody is pinned: the system knows better.
void crowd::pin(int thread) const {
  if (static_cast<int>(processors_.size()) < ranks_.near_size()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processors_[static_cast<std::size_t>(ranks_.near_rank() + thread)]), &set);
  sched_setaffinity(0, sizeof set, &set);
}

void crowd::sleep_until_host_is_done() const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(nullptr, 0, MPI_BYTE, 0, wake_tag, group_, &request);
  for (int is_done = 0; is_done == 0; MPI_Test(&request, &is_done, MPI_STATUS_IGNORE)) std::this_thread::sleep_for(nap);
}

void crowd::wake_the_others() const {
  for (int other = 1; other < threads_; ++other) MPI_Send(nullptr, 0, MPI_BYTE, other, wake_tag, group_);
}

double crowd::run_mixed(runtime_kind how, const std::function<double(int)>& body) const {
  if (!is_host()) {
    sleep_until_host_is_done();
    return 0;
  }
  std::vector<double> seconds(static_cast<std::size_t>(threads_));
  const auto run = [&](int thread) {
    if (thread > 0) pin(thread);
    seconds[static_cast<std::size_t>(thread)] = body(thread);
  };
  if (how == runtime_kind::openmp) {
#pragma omp parallel num_threads(threads_)
    run(omp_get_thread_num());
    if (threads_ > 1) std::this_thread::sleep_for(until_threads_sleep);
  } else {
    std::vector<std::thread> others;
    for (int t = 1; t < threads_; ++t) others.emplace_back(run, t);
    run(0);
    for (auto& t : others) t.join();
  }
  wake_the_others();
  return *std::max_element(seconds.begin(), seconds.end());
}

void let_idle_threads_sleep(char** argv) {
  if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("GOMP_SPINCOUNT", polls_before_sleep, 1);
  setenv("OMP_DYNAMIC", "false", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace bench
