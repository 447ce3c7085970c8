// SPDX-License-Identifier: BSD-3-Clause
// Sets up the arrays of a case, every exchanger on them, the iteration that is measured and the check of its result.
#include "bench_halo_contenders.hpp"

#include <algorithm>
#include <list>

namespace bench {
namespace {

// Plain MPI as most programs have it: the next field's exchange starts when the last one's is finished.
class one_by_one : public exchanger {
 public:
  explicit one_by_one(std::vector<exchanger_ptr> fields) : fields_(std::move(fields)) {}
  void exchange() override {
    for (auto& f : fields_) f->exchange();
  }

 private:
  std::vector<exchanger_ptr> fields_;
};

/// out = in after a step of diffusion; both with ghosts, k fastest and of stride 1.
template <class T>
void diffuse(const T* __restrict in, T* __restrict out, const std::vector<index_t>& own, const std::vector<int>& ghosts,
             const std::vector<index_t>& strides) {
  const index_t sj = strides[0], si = strides[1], nk = own[2];
  for (index_t j = ghosts[0]; j < ghosts[0] + own[0]; ++j)
    for (index_t i = ghosts[1]; i < ghosts[1] + own[1]; ++i) {
      const T* __restrict c = in + j * sj + i * si;
      T* __restrict to = out + j * sj + i * si;
      for (index_t k = 0; k < nk; ++k) to[k] = T(0.6) * c[k] + T(0.1) * (c[k - si] + c[k + si] + c[k - sj] + c[k + sj]);
    }
}

/// A set of fields, wherever it lies.
template <class T>
struct array_set {
  array_set(const geometry& where, std::vector<T*> data, const std::vector<index_t>& strides)
      : fields(std::move(data)),
        memory(std::make_unique<layout>(where, strides)),
        truth(std::make_unique<oracle<T>>(where, *memory)) {}
  std::vector<T*> fields;
  std::unique_ptr<layout> memory;
  std::unique_ptr<oracle<T>> truth;
};

template <class T>
class halo_bench : public prepared_case {
 public:
  halo_bench(const surroundings& here, const halo_case& c)
      : here_(here),
        case_(c),
        where_(c, here.members.rank(), here.members.size()),
        cells_(make_nearfar_grid(here.members, c, where_)) {
    what.name = c.name;
    what.bytes = where_.bytes_to_a_neighbour;
    what.bar = bar();
    for (int set = 0; set < sets(); ++set) {
      plain_.push_back(std::make_unique<plain_arrays<T>>(where_, c.fields));
      own_.emplace_back(where_, plain_.back()->fields, dense_strides(where_.with_ghosts));
    }
    if (c.kind != halo_kind::step) what.floor = [this](int n) { return floor(n); };
    for (const auto& name : mpi_variants())
      if (here_.how.wants_method(name)) add_mpi(name);
    for (const auto& choice : nearfar_choices(here_.members))
      if (here_.how.wants_method(choice.name)) add_nearfar(choice);
  }

 private:
  int sets() const { return case_.kind == halo_kind::step ? 2 : 1; }

  double bar() const {
    if (here_.members.nodes() > 1) return case_.kind == halo_kind::each ? 1.5 : 0.97;
    return here_.members.size() == 2 ? case_.near_bar : 0.97;
  }

  void add_mpi(const std::string& name) {
    std::vector<exchanger_ptr> made;
    const double ms = timed_ms(here_.comm, [&] {
      for (const auto& arrays : own_) made.push_back(make_mpi(name, arrays));
    });
    add(name, std::move(made), own_, ms);
  }

  exchanger_ptr make_mpi(const std::string& name, const array_set<T>& arrays) const {
    if (case_.kind != halo_kind::each || name == "mpi-per-field")
      return make_mpi_exchanger<T>(name, here_.comm, *arrays.memory, arrays.fields);
    std::vector<exchanger_ptr> each;
    for (T* f : arrays.fields)
      each.push_back(make_mpi_exchanger<T>(name, here_.comm, *arrays.memory, std::vector<T*>{f}));
    return std::make_unique<one_by_one>(std::move(each));
  }

  void add_nearfar(const nearfar_choice& choice) {
    if (!choice.is_own) make_near_sets();
    std::vector<exchanger_ptr> made;
    double ms = 0;
    try {
      ms = timed_ms(here_.comm, [&] {
        for (std::size_t set = 0; set < own_.size(); ++set)
          made.push_back(make_nearfar_exchanger(
              case_,
              choice.is_own ? own_parts(cells_, case_, where_, own_[set].fields) : near_parts(*near_memory_[set]),
              choice.method, here_.how.tune_s));
      });
    } catch (const nearfar::usage_error&) {
      if (choice.method.empty()) throw;
      return;  // this method cannot serve this case or memory: the same verdict on every rank
    }
    add(choice.name, std::move(made), choice.is_own ? own_ : near_, ms);
    contenders.back().is_tuned = choice.method.empty();
  }

  void make_near_sets() {
    while (near_.size() < own_.size()) {
      near_memory_.push_back(std::make_unique<near_arrays<T>>(cells_, case_));
      const auto& made = *near_memory_.back();
      near_.emplace_back(where_, made.fields, made.strides);
    }
  }

  void add(const std::string& name, std::vector<exchanger_ptr> made, const std::vector<array_set<T>>& sets, double ms) {
    contender c;
    c.name = name;
    c.choice = [name = made.front()->choice()] { return name; };
    c.setup_ms = ms;
    exchangers_.push_back(std::move(made));
    auto* methods = &exchangers_.back();
    if (case_.kind == halo_kind::step) {
      c.burst = [this, methods, &sets](int n) { return steps(*methods, sets, n); };
      c.check = [this, methods, &sets] { return steps_are_right(*methods, sets); };
    } else {
      are_fresh_.push_back(true);
      auto* fresh = &are_fresh_.back();
      c.burst = [this, methods, &sets, fresh](int n) { return exchanges(*methods->front(), sets.front(), n, *fresh); };
      c.check = [this, methods, &sets, fresh] { return is_right(*methods->front(), sets.front()) && *fresh; };
    }
    contenders.push_back(std::move(c));
  }

  // The measured iteration. Owners write their faces, so that the lines are theirs again, and read all ghosts
  // afterwards: a method that leaves cold lines behind pays for them.
  double exchanges(exchanger& method, const array_set<T>& arrays, int n, bool& fresh) {
    const bool has_clock = here_.how.clock == timing::parts;
    double inside_s = 0;
    const double begin = now_s();
    for (int i = 0; i < n; ++i) {
      write_faces(*arrays.memory, arrays.fields, ++turn_);
      if (has_clock) inside_s -= now_s();
      method.exchange();
      if (has_clock) inside_s += now_s();
      fresh &= ghosts_are_fresh(*arrays.memory, arrays.fields, turn_);
    }
    return has_clock ? inside_s : now_s() - begin;
  }

  double floor(int n) {
    const auto& arrays = own_.front();
    const double begin = now_s();
    for (int i = 0; i < n; ++i) {
      write_faces(*arrays.memory, arrays.fields, ++turn_);
      floor_reads_ = floor_reads_ + (ghosts_are_fresh(*arrays.memory, arrays.fields, turn_) ? 1 : 0);
    }
    return now_s() - begin;
  }

  bool is_right(exchanger& method, const array_set<T>& arrays) {
    arrays.truth->fill(arrays.fields);
    MPI_Barrier(here_.comm);  // near peers may read early; this rank's data must be there
    method.exchange();
    return arrays.truth->is_filled(arrays.fields);
  }

  // Seconds for n steps with one exchange each; sets alternate as time levels do.
  double steps(std::vector<exchanger_ptr>& methods, const std::vector<array_set<T>>& sets, int n) {
    const double begin = now_s();
    for (int i = 0; i < n; ++i) {
      double_step(methods, sets);
    }
    return (now_s() - begin) / 2;
  }

  void double_step(std::vector<exchanger_ptr>& methods, const std::vector<array_set<T>>& sets) {
    for (std::size_t from = 0; from < 2; ++from) {
      methods[from]->exchange();
      const auto &in = sets[from], &out = sets[1 - from];
      for (std::size_t f = 0; f < in.fields.size(); ++f)
        diffuse(in.fields[f], out.fields[f], where_.own, where_.ghosts, in.memory->strides);
    }
  }

  // The oracle: the same kernel on the whole grid in one array, its ghosts filled by wrapping around.
  bool steps_are_right(std::vector<exchanger_ptr>& methods, const std::vector<array_set<T>>& sets) {
    constexpr int double_steps = 2;
    sets.front().truth->fill(sets.front().fields);
    MPI_Barrier(here_.comm);
    for (int i = 0; i < double_steps; ++i) double_step(methods, sets);
    if (whole_.empty()) whole_ = whole_grid(2 * double_steps);
    bool is_same = true;
    const auto& strides = sets.front().memory->strides;
    for_cells(where_.own_cells(), [&](const auto& at) {
      is_same &=
          sets.front().fields[0][offset_of(at, strides)] == whole_[static_cast<std::size_t>(where_.global_cell(at))];
    });
    return is_same;
  }

  std::vector<T> whole_grid(int count) const {
    halo_case alone = case_;
    alone.tile = where_.global;
    const geometry all(alone, 0, 1);
    const auto strides = dense_strides(all.with_ghosts);
    const cell_box box{std::vector<index_t>(3, 0), all.with_ghosts};
    std::vector<T> now(static_cast<std::size_t>(all.with_ghosts[0] * strides[0])), next = now;
    std::vector<T> cells(static_cast<std::size_t>(all.global[0] * all.global[1] * all.global[2]));
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = cell_value<T>(static_cast<index_t>(i));
    for (int step = 0; step < count; ++step) {
      for_cells(box, [&](const auto& at) {
        now[static_cast<std::size_t>(offset_of(at, strides))] = cells[static_cast<std::size_t>(all.global_cell(at))];
      });
      diffuse(now.data(), next.data(), all.own, all.ghosts, strides);
      for_cells(all.own_cells(), [&](const auto& at) {
        cells[static_cast<std::size_t>(all.global_cell(at))] = next[static_cast<std::size_t>(offset_of(at, strides))];
      });
    }
    return cells;
  }

  const surroundings& here_;
  halo_case case_;
  geometry where_;
  nearfar::grid cells_;
  std::vector<std::unique_ptr<plain_arrays<T>>> plain_;
  std::vector<std::unique_ptr<near_arrays<T>>> near_memory_;
  std::vector<array_set<T>> own_, near_;
  std::list<std::vector<exchanger_ptr>> exchangers_;
  std::list<bool> are_fresh_;
  std::vector<T> whole_;
  int turn_ = 0;
  volatile int floor_reads_ = 0;  // keeps the floor's reading from being left out
};

}  // namespace

std::unique_ptr<prepared_case> prepare(const surroundings& here, const halo_case& c) {
  if (c.element_bytes == 8) return std::make_unique<halo_bench<double>>(here, c);
  return std::make_unique<halo_bench<float>>(here, c);
}

}  // namespace bench
