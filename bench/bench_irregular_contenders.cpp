// SPDX-License-Identifier: BSD-3-Clause
// Data that is other for each operation, whole numbers so that every sum is exact, and the truth about the results.
#include "bench_irregular_contenders.hpp"

#include <malloc.h>

#include <algorithm>
#include <new>

namespace bench {
namespace {

constexpr double nothing = -1e300;  ///< what no result can be
constexpr std::size_t sparse = 61;  ///< of a full gather each so manieth value is looked at in every round

/// Writes what one act reads, and knows what it must make of it.
class data {
 public:
  data(const share& mine, irregular_arrays arrays, act what) : mine_(mine), to_(arrays), what_(what) {}

  /// What the operation's neighbours would see of a time step: written before every operation.
  void write(int turn) {
    turn_ = turn & 1023;
    switch (what_) {
      case act::ghost_gather:
        return write_shared();
      case act::ghost_scatter:
        return write_shared(), write_ghosts();
      case act::full_gather:
        return write_owned();
      case act::full_scatter:
        return write_owned(), write_refs();
      case act::plan:
        return;
    }
  }

  /// Everything, and what is to come wiped out.
  void write_all(int turn) {
    if (what_ == act::plan) return;
    turn_ = turn & 1023;
    write_owned();
    if (what_ == act::ghost_gather) std::fill_n(to_.ghosts, mine_.ghosts.size(), nothing);
    if (what_ == act::full_gather) std::fill_n(to_.refs, mine_.references.size(), nothing);
    write(turn);
  }

  bool looks_right() const { return is_right(sparse); }

  bool is_right(std::size_t step = 1) const {
    switch (what_) {
      case act::ghost_gather:
        return ghosts_are_right();
      case act::ghost_scatter:
        return shared_is_right();
      case act::full_gather:
        return refs_are_right(step);
      case act::full_scatter:
        return owned_is_right();
      case act::plan:
        return true;
    }
    return false;
  }

  /// Elements that the operation has no business with.
  bool is_rest_untouched() const {
    if (what_ == act::plan || what_ == act::full_scatter) return true;
    std::vector<bool> is_shared(static_cast<std::size_t>(mine_.owned()));
    for (const auto& s : mine_.shared) is_shared[static_cast<std::size_t>(s.place)] = true;
    for (int i = 0; i < mine_.owned(); ++i)
      if (!(is_shared[static_cast<std::size_t>(i)] && what_ == act::ghost_scatter) &&
          to_.owned[i] != value(mine_.begin + i))
        return false;
    return true;
  }

 private:
  double value(id_type id) const { return static_cast<double>(id) + 1e6 * turn_; }
  double contribution(id_type id, int rank) const { return static_cast<double>((id & 1023) + rank + turn_); }

  void write_shared() {
    for (const auto& s : mine_.shared) to_.owned[s.place] = value(mine_.begin + s.place);
  }
  void write_owned() {
    for (int i = 0; i < mine_.owned(); ++i) to_.owned[i] = value(mine_.begin + i);
  }
  void write_ghosts() {
    for (std::size_t g = 0; g < mine_.ghosts.size(); ++g) to_.ghosts[g] = contribution(mine_.ghosts[g], mine_.rank);
  }
  void write_refs() {
    for (std::size_t k = 0; k < mine_.references.size(); ++k)
      to_.refs[k] = ref_weight(mine_.first_reference + static_cast<id_type>(k)) + turn_;
  }

  bool ghosts_are_right() const {
    bool is_right = true;
    for (std::size_t g = 0; g < mine_.ghosts.size(); ++g) is_right &= to_.ghosts[g] == value(mine_.ghosts[g]);
    return is_right;
  }
  bool shared_is_right() const {
    bool is_right = true;
    for (const auto& s : mine_.shared) {
      const id_type id = mine_.begin + s.place;
      is_right &= to_.owned[s.place] == value(id) + s.readers * contribution(id, 0) + s.sum_of_ranks;
    }
    return is_right;
  }
  bool refs_are_right(std::size_t step) const {
    bool is_right = true;
    for (std::size_t k = 0; k < mine_.references.size(); k += step)
      is_right &= to_.refs[k] == value(mine_.references[k]);
    return is_right;
  }
  bool owned_is_right() const {
    bool is_right = true;
    for (int i = 0; i < mine_.owned(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      is_right &=
          to_.owned[i] == value(mine_.begin + i) + mine_.weights[at] + mine_.uses[at] * static_cast<double>(turn_);
    }
    return is_right;
  }

  const share& mine_;
  irregular_arrays to_;
  act what_;
  int turn_ = 0;
};

/// A method, its data, and the loop that is timed.
class contest {
 public:
  contest(const irregular_site& here, act what, irregular_method_ptr with, irregular_arrays arrays)
      : comm_(here.comm),
        has_clock_(here.how.clock == timing::parts || what == act::plan),
        method_(std::move(with)),
        data_(here.mine, arrays, what) {}

  /// A clock around each operation, after a barrier: what ranks do in between takes them different times, which is not
  /// the operation's doing. Or whole iterations, with no barrier.
  double run(int n) { return has_clock_ ? run_parts(n) : run_whole(n); }

  /// The same without the operation.
  double run_floor(int n) {
    double inside_s = 0;
    const double begin = now_s();
    for (int i = 0; i < n; ++i) {
      if (has_clock_) {
        const double before = now_s();
        inside_s += now_s() - before;
      } else {
        data_.write(++turn_);
        seen_ = seen_ + (data_.looks_right() ? 1 : 0);
      }
    }
    return has_clock_ ? inside_s : now_s() - begin;
  }

  bool check() {
    data_.write_all(++turn_);
    MPI_Barrier(comm_);  // near peers may read early; this rank's data must be there
    method_->operate();
    const bool is_right = data_.is_right() && data_.is_rest_untouched() && is_fresh_;
    MPI_Barrier(comm_);  // the next one to write has the same memory
    return is_right;
  }

 private:
  double run_parts(int n) {
    double inside_s = 0;
    for (int i = 0; i < n; ++i) {
      data_.write(++turn_);
      MPI_Barrier(comm_);
      const double before = now_s();
      method_->operate();
      inside_s += now_s() - before;
      is_fresh_ &= data_.looks_right();
    }
    return inside_s;
  }
  double run_whole(int n) {
    const double begin = now_s();
    for (int i = 0; i < n; ++i) {
      data_.write(++turn_);
      method_->operate();
      is_fresh_ &= data_.looks_right();
    }
    return now_s() - begin;
  }

  MPI_Comm comm_;
  bool has_clock_;
  irregular_method_ptr method_;
  data data_;
  int turn_ = 0;
  bool is_fresh_ = true;
  volatile int seen_ = 0;  // keeps the floor's looking from being left out
};

long long heap_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<long long>(now.uordblks + now.hblkhd);
}

long long held_by(const plan_method& from) {
  const long long before = heap_bytes();
  const auto held = from.make();
  return std::max(0LL, heap_bytes() - before);
}

}  // namespace

caller_memory::memory caller_memory::allocate(std::size_t length) {
  constexpr std::size_t page = 4096;
  const std::size_t bytes = (std::max<std::size_t>(length, 1) * sizeof(double) + page - 1) / page * page;
  memory made(static_cast<double*>(std::aligned_alloc(page, bytes)), &std::free);
  if (!made) throw std::bad_alloc();
  std::fill_n(made.get(), bytes / sizeof(double), 0.0);
  return made;
}

bool add_contender(const irregular_site& here, act what, const irregular_method_maker& from,
                   std::vector<contender>& to) {
  contender c;
  irregular_method_ptr made;
  c.name = from.name;
  c.is_tuned = from.is_tuned;
  c.setup_ms = timed_ms(here.comm, [&] { made = from.make(what); });
  if (!made) return false;
  if (const auto* plan = dynamic_cast<const plan_method*>(made.get())) c.heap_bytes = held_by(*plan);
  c.choice = [name = made->choice()] { return name; };
  const irregular_arrays arrays = made->arrays();
  const auto run = std::make_shared<contest>(here, what, std::move(made), arrays);
  c.burst = [run](int n) { return run->run(n); };
  c.check = [run] { return run->check(); };
  to.push_back(std::move(c));
  return true;
}

std::function<double(int)> make_floor(const irregular_site& here, act what) {
  const auto run = std::make_shared<contest>(here, what, nullptr, here.memory.with_ghosts());
  return [run](int n) { return run->run_floor(n); };
}

}  // namespace bench
