// SPDX-License-Identifier: BSD-3-Clause
// changed_plans HOW: plans of all fronts, made before the process changes (changes.h; main-ends: its first thread ends
// while another one goes on) and after, are used until the end; their results are those of plain arithmetic.
#include <pthread.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nearfar/nearfar.hpp>
#include <string>
#include <vector>

#include "changes.h"

namespace {

using nearfar::index_t;
constexpr index_t rows = 12, columns = 16, elements = 1000, steps = 2;

struct fronts {
  const nearfar::team& team;
  std::string path;
  nearfar::grid grid{team, {rows, columns}, {.periodic = {true, true}}};
  nearfar::field<double> t{grid, {.ghosts = 1}};
  nearfar::halo_plan halo{t};
  std::vector<index_t> references = references_of(team.rank());
  nearfar::irregular_plan gather{nearfar::distribution::block_sizes(team, elements / team.size()), references};
  nearfar::shared_array<double> sum{team, columns};
  nearfar::plans::allreduce reduction{team, sum, nearfar::reduce_op::sum};
  nearfar::output_stream out{team,
                             path,
                             {{.name = "t",
                               .extents = {team.size(), columns},
                               .own = {2, {team.rank(), 0}, {team.rank() + 1, columns}},
                               .type = nearfar::element_type::float64}}};
  int wrong = 0;

  std::vector<index_t> references_of(int rank) const {
    std::vector<index_t> all;
    for (index_t k = 0; k < elements; ++k)
      all.push_back((7 * k + 11 * rank + 3) % (elements / team.size() * team.size()));
    return all;
  }
  void expect(bool is_right, const char* what) {
    if (!is_right && wrong++ < 3) std::printf("WRONG: rank %d, %s\n", team.rank(), what);
  }

  void exchange(double shift) {
    const nearfar::box& own = grid.own();
    const auto value = [&](index_t k, index_t j) {
      return shift + static_cast<double>((k + rows) % rows * 100 + (j + columns) % columns);
    };
    for (index_t k = own.lower[0]; k < own.upper[0]; ++k)
      for (index_t j = own.lower[1]; j < own.upper[1]; ++j) t(k, j) = value(k, j);
    halo.run();
    for (index_t k = own.lower[0] - 1; k <= own.upper[0]; ++k)
      for (index_t j = own.lower[1] - 1; j <= own.upper[1]; ++j) expect(t(k, j) == value(k, j), "halo");
  }

  /// More components in a later call: packing space grows.
  void collect(index_t components, double shift) {
    std::vector<double> x(static_cast<std::size_t>(gather.map().owned() * components)), got;
    const index_t first = team.rank() * (elements / team.size()) * components;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = shift + static_cast<double>(first + static_cast<index_t>(i));
    got.resize(references.size() * static_cast<std::size_t>(components));
    gather.gather(x, got, components);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto c = static_cast<std::size_t>(components);
      const index_t element = references[i / c] * components + static_cast<index_t>(i % c);
      expect(got[i] == shift + static_cast<double>(element), "gather");
    }
  }

  void reduce(double shift) {
    for (index_t i = 0; i < columns; ++i) sum[i] = shift + static_cast<double>(i + team.rank());
    reduction.run();
    const double ranks = team.size();
    for (index_t i = 0; i < columns; ++i)
      expect(sum[i] == ranks * (shift + static_cast<double>(i)) + ranks * (ranks - 1) / 2, "allreduce");
  }

  void use(double shift) {
    for (index_t s = 0; s < steps; ++s) {
      exchange(shift + static_cast<double>(s));
      for (const index_t components : {1, 3, 200}) collect(components + static_cast<index_t>(shift), shift);
      reduce(shift);
    }
  }

  void end(double shift) {
    const std::vector<double> mine(columns, shift + team.rank());
    for (index_t s = 0; s < steps; ++s) {
      out.begin_step(static_cast<double>(s));
      out.put("t", mine.data());
      out.end_step();
    }
    out.close();
    if (!team.is_root()) return;
    std::vector<double> all(static_cast<std::size_t>(steps * team.size() * columns));
    std::ifstream(path + ".t.raw", std::ios::binary)
        .read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(all.size() * sizeof all[0]));
    expect(all.front() == shift && all.back() == shift + team.size() - 1, "output");
  }
};

const char* how = "";
bool has_begun = false;
pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t begun = PTHREAD_COND_INITIALIZER;

/// The first thread of a process is left as a zombie until the others have ended.
bool has_first_thread_ended() {
  std::ifstream status("/proc/self/task/" + std::to_string(getpid()) + "/stat");
  std::string word;
  for (int i = 0; i < 3 && status >> word;) ++i;
  return word == "Z";
}

bool change() {
  if (std::string(how) != "main-ends") return change_process(how) == 0;
  pthread_mutex_lock(&beginning);
  has_begun = true;
  pthread_cond_signal(&begun);
  pthread_mutex_unlock(&beginning);
  while (!has_first_thread_ended()) sched_yield();
  return true;
}

/// Of files of its own, which plans alone do not need.
bool may_have_more_files() { return std::string(how) == "unreadable" || std::string(how) == "main-ends"; }

int run(const nearfar::team& team, const std::string& folder) {
  fronts before{team, folder + "/before"};
  before.use(0);
  before.end(0);
  if (!change()) return 77;
  MPI_Barrier(team.comm());
  before.use(1);
  int wrong = before.wrong;
  if (may_have_more_files()) {
    fronts after{team, folder + "/after"};
    after.use(2);
    after.end(2);
    wrong += after.wrong;
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, team.comm());
  if (team.is_root()) std::puts(wrong == 0 ? "all is right" : "WRONG");
  return wrong == 0 ? 0 : 1;
}

void* work(void*) {
  int code = 0;
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &given);
  {
    const nearfar::team team(MPI_COMM_WORLD);
    char folder[64] = "/tmp/nearfar_changed.XXXXXX";
    if (team.is_root() && mkdtemp(folder) == nullptr) std::perror(folder);
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, team.comm());
    if (team.is_root()) std::filesystem::permissions(folder, std::filesystem::perms::all);
    MPI_Barrier(team.comm());
    code = run(team, folder);
    restore_process();
    MPI_Barrier(team.comm());
    if (team.is_root()) std::filesystem::remove_all(folder);
  }
  MPI_Finalize();
  std::fflush(stdout);
  std::_Exit(code);
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  how = words[1];
  if (std::string(how) != "main-ends") work(nullptr);
  pthread_t worker;
  pthread_create(&worker, nullptr, work, nullptr);
  pthread_mutex_lock(&beginning);
  while (!has_begun) pthread_cond_wait(&begun, &beginning);
  pthread_mutex_unlock(&beginning);
  pthread_exit(nullptr);
}
