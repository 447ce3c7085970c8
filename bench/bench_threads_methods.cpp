// SPDX-License-Identifier: BSD-3-Clause
// Plain MPI, two stages by sub-communicators, threads with a critical section as in 2003, and Nearfar.
#include "bench_threads_methods.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace bench {
namespace {

struct free_memory {
  void operator()(double* p) const { std::free(p); }
};
using array = std::unique_ptr<double[], free_memory>;

array new_array(long long count) {
  constexpr std::size_t page = 4096;
  const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(double) + page - 1) / page * page;
  auto* at = static_cast<double*>(std::aligned_alloc(page, bytes));
  if (at == nullptr) throw std::bad_alloc();
  return array(at);
}

// Whole numbers, so that every order of summing gives the same.
double element(long long i, long long number, int iteration) {
  return static_cast<double>(i % 8 + number + iteration % 1000);
}

void write_new(double* data, long long count, long long number, int iteration) {
  for (long long i = 0; i < count; ++i) data[i] = element(i, number, iteration);
}

/// Reads all of the result; without one there is nothing to be wrong. The sum of `all` arrays' elements i is all * (i %
/// 8 + iteration) + 0 + 1 + … + (all - 1).
bool is_right(const double* result, long long count, long long all, int iteration) {
  if (result == nullptr) return true;
  double worst = 0;
  const double offset = static_cast<double>(all * (all - 1) / 2);
  for (long long i = 0; i < count; ++i) {
    const double off = result[i] - (static_cast<double>(all) * element(i, 0, iteration) + offset);
    worst = off * off > worst ? off * off : worst;
  }
  return worst == 0;
}

}  // namespace

struct thread_sums::arrays {
  std::vector<array> in, out;  ///< one of each per thread of a host; other ranks have one
  array of_threads, of_ranks;  ///< what the threads of a mixed program share
  MPI_Comm node = MPI_COMM_NULL, leaders = MPI_COMM_NULL;
  std::atomic<bool> is_wrong{false};
};

thread_sums::thread_sums(const crowd& everyone, const options& how, long long count)
    : everyone_(everyone), how_(how), count_(count), data_(std::make_unique<arrays>()) {
  what.bytes = count * static_cast<long long>(sizeof(double));
  const int slots = everyone.is_host() ? everyone.threads() : 1;
  for (int t = 0; t < slots; ++t) {
    data_->in.push_back(new_array(count));
    data_->out.push_back(new_array(count));
  }
  data_->of_threads = new_array(count);
  data_->of_ranks = new_array(count);
  const nearfar::team& ranks = everyone.ranks();
  MPI_Comm_split(ranks.comm(), ranks.node(), ranks.rank(), &data_->node);
  MPI_Comm_split(ranks.comm(), ranks.near_rank() == 0 ? 0 : MPI_UNDEFINED, ranks.rank(), &data_->leaders);
  what.floor = [this](int times) {
    const auto nothing = [this] { return out(0); };
    const double seconds = iterate(0, times, 0, nothing);
    data_->is_wrong = false;
    return seconds;
  };
  add_plain_mpi();
  add_openmp_by_hand();
  add_nearfar();
  for (auto& c : contenders) add_check(c);
}

thread_sums::~thread_sums() {
  MPI_Comm_free(&data_->node);
  if (data_->leaders != MPI_COMM_NULL) MPI_Comm_free(&data_->leaders);
}

double* thread_sums::in(int thread) const { return data_->in[static_cast<std::size_t>(thread)].get(); }
double* thread_sums::out(int thread) const { return data_->out[static_cast<std::size_t>(thread)].get(); }

// One thread's part of `times` iterations; the seconds of all of it, or of the sums alone. With reused data the burst's
// first sum is not counted, and only its last is read.
double thread_sums::iterate(int thread, int times, int burst, const one_sum& sum) {
  const long long all = everyone_.ranks().size(), number = everyone_.ranks().rank() + thread;
  const bool is_parts = how_.clock == timing::parts, is_fresh = !how_.is_reused;
  if (!is_fresh) write_new(in(thread), count_, number, burst), sum();
  double in_sums = 0;
  const double* result = nullptr;
  const double begin = now_s();
  for (int i = 0; i < times; ++i) {
    if (is_fresh) write_new(in(thread), count_, number, burst + i);
    const double before = is_parts && is_fresh ? now_s() : 0;
    result = sum();
    if (is_parts && is_fresh) in_sums += now_s() - before;
    if (is_fresh && !is_right(result, count_, all, burst + i)) data_->is_wrong = true;
  }
  const double seconds = is_parts && is_fresh ? in_sums : now_s() - begin;
  if (!is_fresh && !is_right(result, count_, all, burst)) data_->is_wrong = true;
  return seconds;
}

void thread_sums::add_plain(const char* name, const std::function<void()>& sum) {
  if (!how_.wants_method(name)) return;
  contender c;
  c.name = name;
  c.burst = [this, sum, burst = 0](int times) mutable {
    return iterate(0, times, ++burst, [&] {
      sum();
      return out(0);
    });
  };
  contenders.push_back(std::move(c));
}

void thread_sums::add_mixed(
    const char* name, runtime_kind how,
    const std::function<double(int thread, const std::function<double(const one_sum&)>& iterate)>& take_part) {
  if (!how_.wants_method(name)) return;
  contender c;
  c.name = name;
  c.is_tuned = c.name == "nearfar";
  c.burst = [this, how, take_part, burst = 0](int times) mutable {
    ++burst;
    return everyone_.run_mixed(how, [&](int thread) {
      return take_part(thread, [&](const one_sum& sum) {
        sum();  // threads start one after the other: from here on they are in step
        return iterate(thread, times, burst, sum);
      });
    });
  };
  contenders.push_back(std::move(c));
}

// All iterations read and check the whole result; that a burst went wrong shows here.
void thread_sums::add_check(contender& c) {
  c.check = [this, burst = c.burst]() mutable {
    burst(3);
    return !data_->is_wrong.exchange(false);
  };
}

void thread_sums::add_plain_mpi() {
  const int count = static_cast<int>(count_);
  add_plain("mpi-allreduce",
            [this, count] { MPI_Allreduce(in(0), out(0), count, MPI_DOUBLE, MPI_SUM, everyone_.ranks().comm()); });
  add_plain("mpi-two-stage", [this, count] {
    const bool is_leader = data_->leaders != MPI_COMM_NULL;
    MPI_Reduce(in(0), data_->of_threads.get(), count, MPI_DOUBLE, MPI_SUM, 0, data_->node);
    if (is_leader) MPI_Allreduce(data_->of_threads.get(), out(0), count, MPI_DOUBLE, MPI_SUM, data_->leaders);
    MPI_Bcast(out(0), count, MPI_DOUBLE, 0, data_->node);
  });
}

// As in 2003: the threads add into one array, one after the other, and the master goes on with MPI. And as one would do
// it by hand today: each thread sums a part of all arrays.
void thread_sums::add_openmp_by_hand() {
  const auto over_ranks = [this] {
    MPI_Allreduce(data_->of_threads.get(), data_->of_ranks.get(), static_cast<int>(count_), MPI_DOUBLE, MPI_SUM,
                  everyone_.hosts().comm());
  };
  const auto copy_out = [this](int thread) {
    std::copy_n(data_->of_ranks.get(), count_, out(thread));
    return out(thread);
  };
  add_mixed("mixed-critical", runtime_kind::openmp, [=, this](int thread, const auto& iterate) {
    return iterate([&]() -> const double* {
      double* sum = data_->of_threads.get();
      const double* mine = in(thread);
      if (thread == 0) std::fill_n(sum, count_, 0.0);
#pragma omp barrier
#pragma omp critical(bench_threads_sum)
      for (long long i = 0; i < count_; ++i) sum[i] += mine[i];
#pragma omp barrier
      if (thread == 0) over_ranks();
#pragma omp barrier
      return copy_out(thread);
    });
  });
  add_mixed("mixed-parts", runtime_kind::openmp, [=, this](int thread, const auto& iterate) {
    return iterate([&]() -> const double* {
      double* sum = data_->of_threads.get();
#pragma omp barrier
#pragma omp for schedule(static)
      for (long long i = 0; i < count_; ++i) {
        double whole = in(0)[i];
        for (int t = 1; t < everyone_.threads(); ++t) whole += in(t)[i];
        sum[i] = whole;
      }
      if (thread == 0) over_ranks();
#pragma omp barrier
      return copy_out(thread);
    });
  });
}

// What no way of sharing the work can do without: its part of all arrays is read by each thread, after all have come.
void thread_sums::read_part_of_all(int thread) const {
  const long long first = count_ * thread / everyone_.threads(), last = count_ * (thread + 1) / everyone_.threads();
  double sum = 0;
  for (int t = 0; t < everyone_.threads(); ++t) {
    const double* at = in(t);
#pragma omp simd reduction(+ : sum)
    for (long long i = first; i < last; ++i) sum += at[i];
  }
  static std::atomic<double> kept;
  if (sum == 0.1) kept = sum;  // never, since the numbers are whole; the compiler does not know that
}

void thread_sums::add_nearfar() {
  const auto copied = [this](int thread, const auto& iterate) {
    nearfar::thread_rank me(everyone_.all_threads(), thread);
    return iterate([&]() -> const double* {
      me.allreduce(in(thread), out(thread), count_, MPI_DOUBLE, MPI_SUM);
      return out(thread);
    });
  };
  add_mixed("floor", runtime_kind::openmp, [this](int thread, const auto& iterate) {
    nearfar::thread_rank me(everyone_.all_threads(), thread);
    return iterate([&]() -> const double* {
      me.barrier();
      read_part_of_all(thread);
      me.barrier();
      return nullptr;
    });
  });
  add_mixed("nearfar", runtime_kind::openmp, copied);
  add_mixed("nearfar:plain-threads", runtime_kind::plain, copied);
  add_mixed("nearfar:view", runtime_kind::openmp, [this](int thread, const auto& iterate) {
    nearfar::thread_rank me(everyone_.all_threads(), thread);
    return iterate([&]() -> const double* {
      return static_cast<const double*>(me.allreduce_view(in(thread), count_, MPI_DOUBLE, MPI_SUM));
    });
  });
}

}  // namespace bench
