// SPDX-License-Identifier: BSD-3-Clause
// Cases and bars of the collective benchmarks, their buffers, and the loop that is timed.
#include "bench_collective_case.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

namespace bench {
namespace {

constexpr long long kib = 1024, mib = 1024 * kib;
constexpr int pattern = 16;  // period of the values along a block
constexpr int rounds = 64;   // period of the values along time

std::string readable(long long bytes) {
  if (bytes >= mib && bytes % mib == 0) return std::to_string(bytes / mib) + "m";
  if (bytes >= kib && bytes % kib == 0) return std::to_string(bytes / kib) + "k";
  return std::to_string(bytes);
}

bool is_rooted_at_receiver(act what) { return what == act::reduce || what == act::gather; }

struct bar {
  long long least_bytes, most_bytes;
  double open_mpi, mpich, intel;
};

// Issue text: medians, two ranks of one node with private buffers.
constexpr bar near_bars[] = {{0, 104, 2.5, 3, 1.8},
                             {512, 4 * kib - 1, 1.6, 1.6, 0.97},
                             {4 * kib, 64 * kib, 2.2, 2.2, 1.15},
                             {128 * kib, 4 * mib, 1.4, 1.4, 0.97}};
constexpr bar far_bars[] = {{512, 64 * kib, 1.5, 1.5, 1.5}, {mib, 4 * mib, 1.3, 1.3, 1.3}};
constexpr bar short_bars[] = {{0, 4 * kib, 1.5, 50, 1.5}};

double of_mpi(const bar& b, const std::string& mpi) {
  if (mpi.rfind("Open MPI", 0) == 0) return b.open_mpi;
  return mpi.rfind("MPICH", 0) == 0 ? b.mpich : b.intel;
}

template <std::size_t n>
double find_bar(const bar (&bars)[n], long long bytes, const std::string& mpi) {
  for (const bar& b : bars)
    if (bytes >= b.least_bytes && bytes <= b.most_bytes) return of_mpi(b, mpi);
  return 0.97;
}

}  // namespace

const char* name_of(act what) {
  constexpr std::array names{"allreduce", "bcast",      "reduce",
                             "allgather", "alltoall",   "barrier",
                             "gather",    "scatter",    "reduce_scatter_block",
                             "scan",      "allgatherv", "gatherv",
                             "scatterv",  "alltoallv",  "reduce_scatter"};
  return names[static_cast<std::size_t>(what)];
}

act without_lists(act what) {
  switch (what) {
    case act::allgatherv:
      return act::allgather;
    case act::gatherv:
      return act::gather;
    case act::scatterv:
      return act::scatter;
    case act::alltoallv:
      return act::alltoall;
    case act::reduce_scatter:
      return act::reduce_scatter_block;
    default:
      return what;
  }
}

std::vector<collective_case> collective_cases() {
  const std::vector<long long> every{8,         16,        32,        64,      104,      128,      256,      512,
                                     kib,       2 * kib,   4 * kib,   8 * kib, 16 * kib, 24 * kib, 32 * kib, 64 * kib,
                                     128 * kib, 256 * kib, 512 * kib, mib,     2 * mib,  4 * mib};
  const std::vector<long long> some{8,        104,       512,       2 * kib, 8 * kib, 24 * kib,
                                    64 * kib, 128 * kib, 512 * kib, mib,     4 * mib};
  std::vector<collective_case> cases;
  const auto add = [&](act what, const std::vector<long long>& sizes) {
    for (const long long bytes : sizes)
      cases.push_back({std::string(name_of(what)) + "-" + readable(bytes), what, bytes});
  };
  add(act::allreduce, every);
  for (const act what : {act::bcast, act::reduce, act::allgather, act::alltoall}) add(what, some);
  cases.push_back({"barrier", act::barrier, 0});
  for (const act what : {act::gather, act::scatter, act::reduce_scatter_block, act::scan}) add(what, some);
  for (const act what : {act::allgatherv, act::gatherv, act::scatterv, act::alltoallv, act::reduce_scatter})
    add(what, {8, 512, 4 * kib, 32 * kib, 256 * kib});
  return cases;
}

bool are_short_of_cores(MPI_Comm comm) {
  MPI_Comm node;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  cpu_set_t mine, all;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  MPI_Allreduce(&mine, &all, static_cast<int>(sizeof mine), MPI_BYTE, MPI_BOR, node);
  int ranks = 0, verdict = 0;
  MPI_Comm_size(node, &ranks);
  const int is_short = ranks > CPU_COUNT(&all) ? 1 : 0;
  MPI_Allreduce(&is_short, &verdict, 1, MPI_INT, MPI_MAX, comm);
  MPI_Comm_free(&node);
  return verdict != 0;
}

double least_ratio(const collective_case& c, const bar_setting& where) {
  if (c.what != act::allreduce) return 0.97;
  if (where.nodes > 1) return find_bar(far_bars, c.bytes, where.mpi);
  if (where.is_short_of_cores) return find_bar(short_bars, c.bytes, where.mpi);
  return where.ranks == 2 ? find_bar(near_bars, c.bytes, where.mpi) : 0.97;
}

buffers::buffers(const collective_case& c, int rank, int ranks, double* in, double* out)
    : what_(without_lists(c.what)),
      rank_(rank),
      ranks_(ranks),
      count_(static_cast<std::size_t>(c.bytes) / sizeof(double)),
      in_(in),
      out_(out),
      counts_(static_cast<std::size_t>(ranks), count()),
      places_(static_cast<std::size_t>(ranks)) {
  for (std::size_t r = 0; r < places_.size(); ++r) places_[r] = static_cast<int>(r) * count();
}

std::size_t buffers::in_length(const collective_case& c, int ranks) {
  const act what = without_lists(c.what);
  const bool is_wide = what == act::alltoall || what == act::scatter || what == act::reduce_scatter_block;
  return static_cast<std::size_t>(c.bytes) / sizeof(double) * static_cast<std::size_t>(is_wide ? ranks : 1);
}

std::size_t buffers::out_length(const collective_case& c, int ranks) {
  const act what = without_lists(c.what);
  const bool is_wide = what == act::alltoall || what == act::allgather || what == act::gather;
  return static_cast<std::size_t>(c.bytes) / sizeof(double) * static_cast<std::size_t>(is_wide ? ranks : 1);
}

double buffers::value(int from, std::size_t block, std::size_t at, int round) const {
  return static_cast<double>(from + 1) + 100 * static_cast<double>(block) + static_cast<double>(round % rounds) +
         static_cast<double>(at % pattern);
}

double buffers::sum(int ranks, std::size_t block, std::size_t at, int round) const {
  return ranks * (ranks + 1) / 2.0 + ranks * (value(-1, block, at, round));
}

void buffers::fill(int round) {
  if (what_ == act::barrier || ((what_ == act::bcast || what_ == act::scatter) && rank_ != 0)) return;
  const bool is_wide = what_ == act::alltoall || what_ == act::scatter || what_ == act::reduce_scatter_block;
  double* to = what_ == act::bcast ? out_ : in_;
  for (std::size_t block = 0; block < static_cast<std::size_t>(is_wide ? ranks_ : 1); ++block, to += count_) {
    const double base = value(rank_, block, 0, round);
    std::size_t i = 0;
    for (; i + pattern <= count_; i += pattern)
      for (std::size_t k = 0; k < pattern; ++k) to[i + k] = base + static_cast<double>(k);
    for (; i < count_; ++i) to[i] = base + static_cast<double>(i % pattern);
  }
}

std::size_t buffers::length() const {
  if (what_ == act::barrier || (is_rooted_at_receiver(what_) && rank_ != 0)) return 0;
  const bool is_wide = what_ == act::alltoall || what_ == act::allgather || what_ == act::gather;
  return count_ * static_cast<std::size_t>(is_wide ? ranks_ : 1);
}

void buffers::wipe() {
  if (what_ != act::bcast || rank_ != 0) std::fill(out_, out_ + length(), -1.0);
}

double buffers::expected(std::size_t at, int round) const {
  const std::size_t block = at / count_, i = at % count_;
  switch (what_) {
    case act::allreduce:
    case act::reduce:
      return sum(ranks_, 0, i, round);
    case act::scan:
      return sum(rank_ + 1, 0, i, round);
    case act::bcast:
      return value(0, 0, i, round);
    case act::allgather:
    case act::gather:
      return value(static_cast<int>(block), 0, i, round);
    case act::alltoall:
      return value(static_cast<int>(block), static_cast<std::size_t>(rank_), i, round);
    case act::scatter:
      return value(0, static_cast<std::size_t>(rank_), i, round);
    case act::reduce_scatter_block:
      return sum(ranks_, static_cast<std::size_t>(rank_), i, round);
    default:
      break;
  }
  return 0;
}

bool buffers::is_right(int round) const {
  for (std::size_t i = 0; i < length(); ++i)
    if (out_[i] != expected(i, round)) return false;
  return true;
}

bool buffers::looks_right(int round) const {
  const std::size_t n = length();
  return n == 0 || (out_[0] == expected(0, round) && out_[n - 1] == expected(n - 1, round));
}

int mpi_functions::run(act what, const buffers& b, MPI_Comm comm) const {
  const int n = b.count();
  switch (what) {
    case act::allreduce:
      return allreduce(b.in(), b.out(), n, MPI_DOUBLE, MPI_SUM, comm);
    case act::bcast:
      return bcast(b.out(), n, MPI_DOUBLE, 0, comm);
    case act::reduce:
      return reduce(b.in(), b.out(), n, MPI_DOUBLE, MPI_SUM, 0, comm);
    case act::allgather:
      return allgather(b.in(), n, MPI_DOUBLE, b.out(), n, MPI_DOUBLE, comm);
    case act::alltoall:
      return alltoall(b.in(), n, MPI_DOUBLE, b.out(), n, MPI_DOUBLE, comm);
    case act::barrier:
      return barrier(comm);
    case act::gather:
      return gather(b.in(), n, MPI_DOUBLE, b.out(), n, MPI_DOUBLE, 0, comm);
    case act::scatter:
      return scatter(b.in(), n, MPI_DOUBLE, b.out(), n, MPI_DOUBLE, 0, comm);
    case act::reduce_scatter_block:
      return reduce_scatter_block(b.in(), b.out(), n, MPI_DOUBLE, MPI_SUM, comm);
    case act::scan:
      return scan(b.in(), b.out(), n, MPI_DOUBLE, MPI_SUM, comm);
    case act::allgatherv:
      return allgatherv(b.in(), n, MPI_DOUBLE, b.out(), b.counts(), b.places(), MPI_DOUBLE, comm);
    case act::gatherv:
      return gatherv(b.in(), n, MPI_DOUBLE, b.out(), b.counts(), b.places(), MPI_DOUBLE, 0, comm);
    case act::scatterv:
      return scatterv(b.in(), b.counts(), b.places(), MPI_DOUBLE, b.out(), n, MPI_DOUBLE, 0, comm);
    case act::alltoallv:
      return alltoallv(b.in(), b.counts(), b.places(), MPI_DOUBLE, b.out(), b.counts(), b.places(), MPI_DOUBLE, comm);
    case act::reduce_scatter:
      return reduce_scatter(b.in(), b.out(), b.counts(), MPI_DOUBLE, MPI_SUM, comm);
  }
  return MPI_SUCCESS;
}

namespace {

// One contender's loop: write, operate, look. Only the operation is timed, unless whole iterations are.
template <class Operate>
double burst(int iterations, const options& how, buffers& data, bool& is_right, int& round, Operate operate) {
  const bool is_fresh = !how.is_reused, is_whole = how.clock == timing::loop;
  double total = 0;
  const double begin = now_s();
  for (int i = 0; i < iterations; ++i) {
    if (is_fresh) data.fill(++round);
    const double start = is_whole ? 0 : now_s();
    operate();
    if (!is_whole) total += now_s() - start;
    is_right = is_right && data.looks_right(round);
  }
  return is_whole ? now_s() - begin : total;
}

}  // namespace

contender make_contender(const std::string& name, const options& how, std::shared_ptr<buffers> data,
                         std::function<void(const buffers&)> operate) {
  struct memory {
    bool is_right = true;
    int round = 0;
  };
  const auto kept = std::make_shared<memory>();
  contender made;
  made.name = name;
  made.burst = [=](int iterations) {
    return burst(iterations, how, *data, kept->is_right, kept->round, [&] { operate(*data); });
  };
  made.check = [=] {
    data->fill(++kept->round);
    data->wipe();
    operate(*data);
    return data->is_right(kept->round) && kept->is_right;
  };
  return made;
}

std::function<double(int)> make_floor(const options& how, std::shared_ptr<buffers> data) {
  return [=, round = 0](int iterations) mutable {
    bool ignored = true;
    return burst(iterations, how, *data, ignored, round, [] {});
  };
}

std::shared_ptr<double> private_memory(std::size_t length) {
  constexpr std::size_t page = 4096;
  const std::size_t bytes = std::max<std::size_t>(page, (length * sizeof(double) + page - 1) / page * page);
  auto* memory = static_cast<double*>(std::aligned_alloc(page, bytes));
  if (!memory) throw std::bad_alloc();
  std::fill(memory, memory + bytes / sizeof(double), 0.0);
  return {memory, std::free};
}

std::shared_ptr<buffers> private_buffers(const collective_case& c, int rank, int ranks) {
  struct owner {
    std::shared_ptr<double> in, out;
    buffers data;
  };
  const auto in = private_memory(buffers::in_length(c, ranks)), out = private_memory(buffers::out_length(c, ranks));
  const auto made = std::make_shared<owner>(owner{in, out, buffers(c, rank, ranks, in.get(), out.get())});
  return {made, &made->data};
}

std::string labelled_mpi(const options& how) { return how.label.empty() ? mpi_name() : mpi_name() + ", " + how.label; }

int measure_cases(const options& how, const setting& head, MPI_Comm comm,
                  const std::function<std::vector<contender>(const collective_case&)>& contend) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const bar_setting where{mpi_name(), head.ranks, head.nodes, are_short_of_cores(comm)};
  report out(head, how);
  for (const auto& c : collective_cases()) {
    if (!how.wants_case(c.name)) continue;
    const subject what{.name = c.name,
                       .bytes = c.bytes,
                       .bar = least_ratio(c, where),
                       .floor = make_floor(how, private_buffers(c, rank, head.ranks)),
                       .has_clock_floor = true};
    std::vector<contender> contenders = contend(c);
    out.add(measure(comm, how, what, contenders));
  }
  out.finish();
  return out.exit_code();
}

namespace {

// False: end with `code`.
bool begin(int argc, char** argv, const char* description, options& how, int& code) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  how.clock = timing::parts;
  if (!read_options(argc, argv, description, rank == 0, how, code)) return false;
  if (!how.is_list) return true;
  if (rank == 0)
    for (const auto& c : collective_cases()) std::printf("%-24s %lld bytes\n", c.name.c_str(), c.bytes);
  return false;
}

}  // namespace

int collective_main(int argc, char** argv, const char* description, int (*run)(const options& how, MPI_Comm comm)) {
  setenv("NEARFAR_WISDOM", "off", 0);  // every run tunes afresh, unless the caller names a file
  MPI_Init(&argc, &argv);
  int code = 0;
  options how;
  try {
    if (begin(argc, argv, description, how, code)) {
      MPI_Comm comm;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      code = run(how, comm);
      MPI_Comm_free(&comm);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}

}  // namespace bench
