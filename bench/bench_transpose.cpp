// SPDX-License-Identifier: BSD-3-Clause
// Transpositions of a grid of double complex numbers: the plain methods of MPI, copies, and Nearfar with and without
// change of order.
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <exchange/exchange.hpp>
#include <exchange/overlap.hpp>
#include <list>

#include "bench_transpose_case.hpp"
#include "harness/hop.hpp"
#include "harness/program.hpp"
#include "harness/report.hpp"
#include "peers/transpose_peers.hpp"

namespace bench {

using nearfar::index_t;

namespace {

/// Small ones first, for what nodes do to short messages.
std::vector<transpose_case> all_cases() {
  std::vector<transpose_case> all;
  for (const index_t n : {8, 16, 32}) all.push_back({"slab-" + std::to_string(n), n, false});
  for (const bool is_pencil : {false, true})
    for (const index_t n : {64, 128, 256})
      all.push_back({(is_pencil ? "pencil-" : "slab-") + std::to_string(n), n, is_pencil});
  return all;
}

element value_at(index_t number) { return {static_cast<double>(number), -1.0 - static_cast<double>(number)}; }

class nearfar_method : public transpose_method {
 public:
  nearfar_method(const transpose_sides& sides, const std::string& method, bool is_own, bool is_permuted,
                 const options& how)
      : transpose_method(sides.from, is_permuted ? sides.to : sides.natural_to) {
    if (is_own) {
      own_in_.resize(own_elements_of(from()));
      own_out_.resize(own_elements_of(to()));
      in_ = own_in_.data(), out_ = own_out_.data();
    } else {
      near_.emplace_back(from()), near_.emplace_back(to());
      in_ = near_[0].data(), out_ = near_[1].data();
    }
    plan_ = std::make_unique<nearfar::transpose_plan>(
        from(), to(), std::span(in_, own_elements_of(from())), std::span(out_, own_elements_of(to())),
        nearfar::transpose_options{.method = method, .budget_s = how.tune_s, .counts_rewriting = how.is_rewritten});
  }
  void run() override { plan_->run(); }
  element* in() override { return in_; }
  element* out() override { return out_; }
  std::string choice() const override { return plan_->method(); }

 private:
  std::vector<nearfar::transpose_array<element>> near_;
  std::vector<element> own_in_, own_out_;
  element *in_ = nullptr, *out_ = nullptr;
  std::unique_ptr<nearfar::transpose_plan> plan_;
};

std::vector<transpose_peer> peers([[maybe_unused]] const transpose_case& c) {
  std::vector<transpose_peer> all;
  [[maybe_unused]] const auto append = [&all](const std::vector<transpose_peer>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
#ifdef NEARFAR_BENCH_DECOMP2D
  append(decomp2d_peers());
#endif
#ifdef NEARFAR_BENCH_FFTW_MPI
  append(fftw_peers(c));
#endif
#ifdef NEARFAR_BENCH_DTFFT
  append(dtfft_peers());
#endif
  return all;
}

/// mpi-alltoallw is what mpi4py-fft does. The copy is the bound: the ratio to it is the share that is reached.
std::vector<rival> rivals_of(const transpose_case& c, const nearfar::team& members, long long block_bytes) {
  const std::vector<std::string> all{"peer-", "mpi-alltoallw"};
  if (members.nodes() > 1) return {{"all peers", all, bar_between_nodes(block_bytes)}};
  if (c.points < 64) return {};
  return {{"2DECOMP&FFT", {"peer-2decomp"}, 1.8},
          {"all peers", all, c.points == 64 ? 1.4 : 1.15},
          {"copies past caches", {"copy-near-past-caches"}, 0.6}};
}

template <class Body>
void for_elements(const nearfar::transpose_side& side, Body body) {
  const nearfar::array_shape shape = shape_of(side);
  const nearfar::box& b = side.parts.own();
  const auto& n = side.parts.extents();
  for (index_t i = b.lower[0]; i < b.upper[0]; ++i)
    for (index_t j = b.lower[1]; j < b.upper[1]; ++j)
      for (index_t k = b.lower[2]; k < b.upper[2]; ++k) body(shape.offset({i, j, k, 0}), (i * n[1] + j) * n[2] + k);
}

nearfar::team near_ranks(const nearfar::team& members) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, members.node(), members.rank(), &node);
  nearfar::team found(node);
  MPI_Comm_free(&node);
  return found;
}

class transpose_bench {
 public:
  transpose_bench(MPI_Comm comm, const nearfar::team& members, const options& how, const transpose_case& c)
      : comm_(comm), members_(members), case_(c), near_team_(near_ranks(members)), how_(how), sides_(members, c) {
    what.name = c.name;
    what.bytes = shape_of(sides_.from).elements * static_cast<index_t>(sizeof(element)) / members.size();
    what.rivals = rivals_of(c, members, what.bytes);
    if (how.is_rewritten) what.floor = [this](int n) { return floor(n); };
    for (const std::string& name : plain_methods()) add(name, false, [&] { return make_plain(name, comm_, sides_); });
    for (const std::string& name : bounds()) add(name, false, [&] { return make_bound(name, sides_); });
    for (const transpose_peer& peer : peers(c)) add(peer.name, false, [&] { return peer.make(members_, c); });
    add_nearfar("nearfar", "", false, true);
    add_nearfar("nearfar-own", "", true, true);
    add_nearfar("nearfar:natural", "", false, false);
    for (const auto& m : nearfar::exchange::methods()) {
      const bool serves = (m.near && members.near_size() > 1) || (m.far && members.nodes() > 1);
      if (serves && (m.is_candidate || m.name == "near-direct" || m.name == "leaders") && m.name != "near-cma")
        add_nearfar("nearfar:" + m.name, m.name, false, true);
      if (serves && m.is_candidate && m.name != "near-cma" && m.name != "near-mixed")
        add_nearfar("nearfar-own:" + m.name, m.name, true, true);
    }
    if (members.size() == 2 && members.nodes() == 1 && how.wants_method("hop")) contenders.push_back(make_hop(comm));
    if (members.near_size() > 1 && members.nodes() > 1) {
      for (const std::string far : {"isend", "parts", "lanes", "own-lanes", "own-lanes-in-parts"})
        add_nearfar("nearfar:near-direct+" + far, "near-direct+" + far, false, true);
      add_overlap("near-direct+parts");
    }
  }

  subject what;
  std::vector<contender> contenders;

 private:
  void add_nearfar(const std::string& name, const std::string& method, bool is_own, bool is_permuted) {
    add(name, method.empty() && is_permuted,
        [&] { return std::make_unique<nearfar_method>(sides_, method, is_own, is_permuted, how_); });
  }

  /// By how much longer the same plan takes if its near work waits for the far messages, and how long the near work
  /// takes then. In turn, so that slow changes of the wire's or the machine's speed cancel.
  void add_overlap(const std::string& method) {
    if (!how_.wants_method("part:hidden")) return;
    const auto made = [&](bool overlaps) -> transpose_method& {
      nearfar::exchange::overlap().is_off = !overlaps;
      methods_.push_back(std::make_unique<nearfar_method>(sides_, method, false, true, how_));
      nearfar::exchange::overlap().is_off = false;
      return *methods_.back();
    };
    transpose_method &beside = made(true), &after = made(false);
    add_part("part:near", after, [this, &after] { return alone(after).near_s; });
    add_part("part:hidden", beside, [this, &beside, &after] {
      const bool is_first = ++pairs_ % 2 == 0;
      const double one = alone(is_first ? beside : after).whole_s, other = alone(is_first ? after : beside).whole_s;
      return is_first ? other - one : one - other;
    });
  }

  template <class Once>
  void add_part(const std::string& name, transpose_method& method, Once once) {
    contender c;
    c.name = name;
    c.burst = [once](int n) {
      constexpr int times = 4;
      double seconds = 0;
      for (int i = 0; i < times; ++i) seconds += once();
      return n * seconds / times;
    };
    c.check = [this, &method] { return is_right(method); };
    contenders.push_back(std::move(c));
  }

  struct lone_times {
    double whole_s;  ///< the longest of any rank
    double near_s;  ///< of the near work that was put off, on the node that ends last, by its rank that waits least for
                    ///< others
  };

  /// One operation when nothing has travelled for a while: back to back, a link whose rate a token bucket limits gives
  /// back what it has idled.
  lone_times alone(transpose_method& method) {
    constexpr double pause_s = 1e-3;  // 125 kB at 1 Gbit/s, more than a bucket of tools/cluster holds
    MPI_Barrier(comm_);
    for (const double end = now_s() + pause_s; now_s() < end;) sched_yield();
    lone_times t{burst(method, 1), nearfar::exchange::overlap().near_s};
    MPI_Allreduce(MPI_IN_PLACE, &t.near_s, 1, MPI_DOUBLE, MPI_MIN, near_team_.comm());
    struct {
      double whole_s;
      int rank;
    } last{t.whole_s, members_.rank()};
    MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm_);
    MPI_Bcast(&t.near_s, 1, MPI_DOUBLE, last.rank, comm_);
    t.whole_s = last.whole_s;
    return t;
  }

  template <class Make>
  void add(const std::string& name, bool is_tuned, Make make) {
    if (!how_.wants_method(name)) return;
    transpose_method_ptr made;
    contender c;
    try {
      c.setup_ms = timed_ms(comm_, [&] { made = make(); });
    } catch (const nearfar::usage_error&) {
      if (is_tuned) throw;
      return;  // cannot be had here: the same verdict on every rank
    }
    c.name = name;
    c.is_tuned = is_tuned;
    methods_.push_back(std::move(made));
    transpose_method* method = methods_.back().get();
    c.choice = [method] { return method->choice(); };
    c.burst = [this, method](int n) { return burst(*method, n); };
    c.check = [this, method] { return is_right(*method); };
    contenders.push_back(std::move(c));
  }

  /// What a program does between transpositions is left out unless --rewritten: both arrays are larger than a rank's
  /// caches, or fit as a whole. But lines that nobody writes stay with who has read them in place, which no program has
  /// of it.
  double burst(transpose_method& method, int n) {
    const double begin = now_s();
    for (int i = 0; i < n; ++i) {
      if (how_.is_rewritten) write(method);
      method.run();
      if (how_.is_rewritten) read(method);
    }
    return now_s() - begin;
  }

  double floor(int n) {
    transpose_method& method = *methods_.front();
    const double begin = now_s();
    for (int i = 0; i < n; ++i) write(method), read(method);
    return now_s() - begin;
  }

  static constexpr std::size_t elements_of_line = 64 / sizeof(element);
  static void write(transpose_method& method) {
    auto* const all = reinterpret_cast<volatile double*>(method.in());
    for (std::size_t i = 0; i < own_elements_of(method.from()); i += elements_of_line) all[2 * i] = all[2 * i];
  }
  static void read(transpose_method& method) {
    const auto* const all = reinterpret_cast<const volatile double*>(method.out());
    for (std::size_t i = 0; i < own_elements_of(method.to()); i += elements_of_line) static_cast<void>(all[2 * i]);
  }

  bool is_right(transpose_method& method) {
    const nearfar::transpose_side& to = method.to();
    for_elements(method.from(), [&](index_t at, index_t number) { method.in()[at] = value_at(number); });
    for_elements(to, [&](index_t at, index_t) { method.out()[at] = {}; });
    MPI_Barrier(comm_);
    method.run();
    if (!method.is_transposed()) return method.is_copied();
    bool is_same = true;
    for_elements(to, [&](index_t at, index_t number) { is_same &= method.out()[at] == value_at(number); });
    return is_same;
  }

  MPI_Comm comm_;
  const nearfar::team& members_;
  transpose_case case_;
  nearfar::team near_team_;  ///< the ranks of this node
  const options& how_;
  transpose_sides sides_;
  std::list<transpose_method_ptr> methods_;
  int pairs_ = 0;  ///< of operations with and without overlap; each other one begins with the latter
};

void list() {
  for (const auto& c : all_cases()) std::printf("%s\n", c.name.c_str());
}

int run(const options& how) {
  const nearfar::team members(MPI_COMM_WORLD);
  setting where{"transpose", mpi_name(), members.size(), members.nodes(), members.is_root()};
  report table(where, how);
  for (const auto& c : all_cases()) {
    if (!how.wants_case(c.name)) continue;
    transpose_bench made(MPI_COMM_WORLD, members, how, c);
    table.add(measure(MPI_COMM_WORLD, how, made.what, made.contenders));
  }
  table.finish();
  return table.exit_code();
}

}  // namespace

namespace {

nearfar::decomposition cut(const nearfar::team& members, const transpose_case& c, int axis) {
  const std::vector<index_t> extents(3, c.points);
  if (!c.is_pencil) return nearfar::decomposition::slab(members, extents, axis == 2 ? 0 : 2);
  const auto [rows, columns] = process_grid(members.size());
  return nearfar::decomposition::pencil(members, extents, axis, {rows, columns});
}

}  // namespace

std::array<int, 2> process_grid(int ranks) {
  int rows = 1;
  for (int r = 1; r * r <= ranks; ++r)
    if (ranks % r == 0) rows = r;
  return {rows, ranks / rows};
}

transpose_sides::transpose_sides(nearfar::transpose_side before, nearfar::transpose_side after)
    : from(std::move(before)), to(std::move(after)), natural_to{to.parts} {}

transpose_sides::transpose_sides(const nearfar::team& members, const transpose_case& c)
    : from{cut(members, c, 2)},
      to{cut(members, c, 1), c.is_pencil ? std::vector{0, 2, 1} : std::vector{2, 1, 0}},
      natural_to{to.parts} {}

}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, "Transpositions of double complex grids between slabs and between pencils.", {},
                            bench::list, bench::run);
}
