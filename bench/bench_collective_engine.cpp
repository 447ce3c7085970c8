// SPDX-License-Identifier: BSD-3-Clause
// Makes an engine per contender: one that tunes, one that knows of near memory, one per pinned algorithm.
#include "bench_collective_engine.hpp"

#include <collective/engine.hpp>
#include <cstdlib>
#include <near/arena.hpp>
#include <string>

namespace bench {
namespace {

using nearfar::collective::algorithm;
using nearfar::collective::call;
using nearfar::collective::engine;
using nearfar::collective::engine_options;
using nearfar::collective::kind;

kind kind_of(act what) {
  switch (what) {
    case act::allreduce:
      return kind::allreduce;
    case act::bcast:
      return kind::bcast;
    case act::reduce:
      return kind::reduce;
    case act::allgather:
      return kind::allgather;
    case act::alltoall:
      return kind::alltoall;
    case act::barrier:
      return kind::barrier;
    case act::gather:
      return kind::gather;
    case act::scatter:
      return kind::scatter;
    case act::reduce_scatter_block:
      return kind::reduce_scatter_block;
    case act::allgatherv:
      return kind::allgatherv;
    case act::gatherv:
      return kind::gatherv;
    case act::scatterv:
      return kind::scatterv;
    case act::alltoallv:
      return kind::alltoallv;
    case act::reduce_scatter:
      return kind::reduce_scatter;
    case act::scan:
      break;
  }
  return kind::scan;
}

call call_of(act what, const buffers& b) {
  call made;
  made.what = kind_of(what);
  made.send = {.data = b.in(), .count = b.count(), .type = MPI_DOUBLE};
  made.receive = {.data = b.out(), .count = b.count(), .type = MPI_DOUBLE};
  made.op = MPI_SUM;
  if (what == without_lists(what)) return made;
  made.send.counts = made.receive.counts = nearfar::collective::number_list(b.counts());
  made.send.displs = made.receive.displs = nearfar::collective::number_list(b.places());
  return made;
}

std::shared_ptr<buffers> near_buffers(const nearfar::team& members, const collective_case& c) {
  struct owner {
    nearfar::near::block in, out;
    std::unique_ptr<buffers> data;
  };
  auto& arena = nearfar::near::arena::of(members);
  const auto allocate = [&](std::size_t length) {
    return arena.allocate(static_cast<nearfar::index_t>(std::max<std::size_t>(length, 1) * sizeof(double)));
  };
  const auto made = std::make_shared<owner>();
  made->in = allocate(buffers::in_length(c, members.size()));
  made->out = allocate(buffers::out_length(c, members.size()));
  made->data = std::make_unique<buffers>(c, members.rank(), members.size(), reinterpret_cast<double*>(made->in.data()),
                                         reinterpret_cast<double*>(made->out.data()));
  return {made, made->data.get()};
}

/// The engines' constructors read the pin from the environment.
class pinned {
 public:
  explicit pinned(const std::string& name) : is_set_(!name.empty()) {
    if (is_set_) setenv("NEARFAR_METHOD", name.c_str(), 1);
  }
  ~pinned() {
    if (is_set_) unsetenv("NEARFAR_METHOD");
  }
  pinned(const pinned&) = delete;
  pinned& operator=(const pinned&) = delete;

 private:
  bool is_set_;
};

class maker {
 public:
  maker(const nearfar::team& members, const options& how, const collective_case& c, const mpi_functions& own,
        std::vector<contender>& to)
      : members_(members), how_(how), case_(c), own_(own), to_(to) {}

  void add(const std::string& name, const std::string& pin, bool is_near) {
    if (!how_.wants_method(name)) return;
    std::shared_ptr<engine> e;
    const auto data =
        is_near ? near_buffers(members_, case_) : private_buffers(case_, members_.rank(), members_.size());
    const act what = case_.what;
    const mpi_functions own = own_;
    const MPI_Comm comm = members_.comm();
    const double setup_ms = timed_ms(comm, [&] {
      const pinned now(pin);
      e = std::make_shared<engine>(members_, engine_options{.name = name, .tune_after = pin.empty() ? 1 : -1});
      if (is_near) e->expect_near_buffers();
      run(*e, what, *data, own, comm);
    });
    contender made =
        make_contender(name, how_, data, [e, what, own, comm](const buffers& b) { run(*e, what, b, own, comm); });
    made.is_tuned = pin.empty();
    made.choice = [e, is_near] {
      const bool is_long = e->surroundings().bytes >= nearfar::collective::direct_from_bytes;
      if (is_near && is_long && e->latest().goes_direct) return std::string("near-direct");
      const algorithm* chosen = e->latest().chosen;
      return std::string(chosen ? chosen->name : "mpi");
    };
    made.setup_ms = setup_ms;
    to_.push_back(std::move(made));
  }

  void add_all() {
    const engine probe(members_, {.name = "probe", .tune_after = -1});
    auto here = probe.surroundings();
    here.bytes = bytes_of_class(here.ranks);
    for (const algorithm& a : nearfar::collective::algorithms_of(kind_of(case_.what))) {
      const std::string pin = std::string(name_of(case_.what)) + ":" + a.name;
      if (a.serves(here) && a.is_candidate) add(std::string("nearfar:") + a.name, pin, false);
    }
  }

 private:
  // As algorithms are chosen by: job::bytes.
  long long bytes_of_class(int ranks) const {
    switch (case_.what) {
      case act::gatherv:
      case act::scatterv:
      case act::alltoallv:
        return 0;
      case act::allgatherv:
      case act::reduce_scatter:
      case act::reduce_scatter_block:
        return case_.bytes * ranks;
      default:
        return case_.bytes;
    }
  }

  static void run(engine& e, act what, const buffers& b, const mpi_functions& own, MPI_Comm comm) {
    e.run(call_of(what, b), [&] { return own.run(what, b, comm); });
  }

  const nearfar::team& members_;
  const options& how_;
  const collective_case& case_;
  const mpi_functions& own_;
  std::vector<contender>& to_;
};

}  // namespace

void add_nearfar(const nearfar::team& members, const options& how, const collective_case& c, const mpi_functions& own,
                 std::vector<contender>& to) {
  maker make(members, how, c, own, to);
  make.add("nearfar", "", false);
  if (c.what != act::barrier) make.add("nearfar-shared", "", true);
  make.add_all();
}

}  // namespace bench
