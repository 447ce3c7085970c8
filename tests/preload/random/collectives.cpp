// SPDX-License-Identifier: BSD-3-Clause
// Random collective calls, right ones and wrong ones: blocking, non-blocking and persistent, by both names, with large
// counts.
#include <algorithm>
#include <numeric>

#include "world.hpp"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#define PERSISTENT(NAME) MPIX_##NAME##_init
#else
#define PERSISTENT(NAME) MPI_##NAME##_init
#endif

namespace random_program {

namespace {

enum class form { blocking, profiling, large, nonblocking, persistent };
enum class kind {
  barrier,
  bcast,
  reduce,
  allreduce,
  scan,
  exscan,
  reduce_scatter_block,
  reduce_scatter,
  gather,
  scatter,
  allgather,
  alltoall,
  gatherv,
  scatterv,
  allgatherv,
  alltoallv,
  alltoallw,
  count
};

struct side {
  void* data = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_INT;
  std::vector<int> counts, places;
  std::vector<MPI_Datatype> types;
};

struct call {
  kind what = kind::barrier;
  form how = form::blocking;
  side in, out;
  MPI_Op op = MPI_SUM;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

#define IN c.in.data, c.in.count, c.in.type
#define OUT c.out.data, c.out.count, c.out.type
#define IN_MANY c.in.data, c.in.counts.data(), c.in.places.data(), c.in.type
#define OUT_MANY c.out.data, c.out.counts.data(), c.out.places.data(), c.out.type
#define BY_NAME(NAME, LOWER, ...)                                                                                    \
  if (c.how == form::profiling) return PMPI_##NAME(__VA_ARGS__ __VA_OPT__(, ) c.comm);                               \
  if (c.how == form::nonblocking) return MPI_I##LOWER(__VA_ARGS__ __VA_OPT__(, ) c.comm, request);                   \
  if (c.how == form::persistent) return PERSISTENT(NAME)(__VA_ARGS__ __VA_OPT__(, ) c.comm, MPI_INFO_NULL, request); \
  return MPI_##NAME(__VA_ARGS__ __VA_OPT__(, ) c.comm);

#if MPI_VERSION >= 4
#define BY_LARGE_NAME(NAME, ...) \
  if (c.how == form::large) return MPI_##NAME##_c(__VA_ARGS__, c.comm);
#else
#define BY_LARGE_NAME(NAME, ...)
#endif
#define ISSUE(NAME, LOWER, ...)    \
  BY_LARGE_NAME(NAME, __VA_ARGS__) \
  BY_NAME(NAME, LOWER, __VA_ARGS__)

int issue_reduction(call& c, MPI_Request* request) {
  const int* counts = c.in.counts.data();
  switch (c.what) {
    case kind::reduce:
      ISSUE(Reduce, reduce, c.in.data, c.out.data, c.in.count, c.in.type, c.op, c.root)
    case kind::allreduce:
      ISSUE(Allreduce, allreduce, c.in.data, c.out.data, c.in.count, c.in.type, c.op)
    case kind::scan:
      ISSUE(Scan, scan, c.in.data, c.out.data, c.in.count, c.in.type, c.op)
    case kind::exscan:
      ISSUE(Exscan, exscan, c.in.data, c.out.data, c.in.count, c.in.type, c.op)
    case kind::reduce_scatter:
      BY_NAME(Reduce_scatter, reduce_scatter, c.in.data, c.out.data, counts, c.in.type, c.op)
    default:
      ISSUE(Reduce_scatter_block, reduce_scatter_block, c.in.data, c.out.data, c.in.count, c.in.type, c.op)
  }
}

int issue(call& c, MPI_Request* request) {
  switch (c.what) {
    case kind::barrier:
      BY_NAME(Barrier, barrier)
    case kind::bcast:
      ISSUE(Bcast, bcast, IN, c.root)
    case kind::gather:
      ISSUE(Gather, gather, IN, OUT, c.root)
    case kind::scatter:
      ISSUE(Scatter, scatter, IN, OUT, c.root)
    case kind::allgather:
      ISSUE(Allgather, allgather, IN, OUT)
    case kind::alltoall:
      ISSUE(Alltoall, alltoall, IN, OUT)
    case kind::gatherv:
      BY_NAME(Gatherv, gatherv, IN, OUT_MANY, c.root)
    case kind::scatterv:
      BY_NAME(Scatterv, scatterv, IN_MANY, OUT, c.root)
    case kind::allgatherv:
      BY_NAME(Allgatherv, allgatherv, IN, OUT_MANY)
    case kind::alltoallv:
      BY_NAME(Alltoallv, alltoallv, IN_MANY, OUT_MANY)
    case kind::alltoallw:
      BY_NAME(Alltoallw, alltoallw, c.in.data, c.in.counts.data(), c.in.places.data(), c.in.types.data(), c.out.data,
              c.out.counts.data(), c.out.places.data(), c.out.types.data())
    default:
      return issue_reduction(c, request);
  }
}

constexpr const char* names[] = {
    "barrier",        "bcast",     "reduce",   "allreduce", "scan",     "exscan",  "reduce_scatter_block",
    "reduce_scatter", "gather",    "scatter",  "allgather", "alltoall", "gatherv", "scatterv",
    "allgatherv",     "alltoallv", "alltoallw"};

const char* name_of(kind what) { return names[static_cast<int>(what)]; }
bool is_reduction(kind what) { return what >= kind::reduce && what <= kind::reduce_scatter; }
bool has_root(kind what) {
  return what == kind::bcast || what == kind::reduce || what == kind::gather || what == kind::scatter ||
         what == kind::gatherv || what == kind::scatterv;
}

/// A call in the making: its arguments, and what must live until it has ended.
struct prepared {
  std::shared_ptr<call> arguments = std::make_shared<call>();
  operation keeps;
  bool in_place = false;  // on some rank
};

int any_count(draw& d, int most) {
  const int counts[] = {0, 1, 1, 2, 3, 7, 16, 33, 100, 513, 1024, 4000};
  const int bound = d.one_in(12) ? 60000 : counts[d.below(12)];
  return std::min(bound, most);
}

form any_form(draw& d) {
  const form forms[] = {form::blocking, form::blocking,    form::blocking,    form::blocking,  form::profiling,
                        form::large,    form::nonblocking, form::nonblocking, form::persistent};
  return forms[d.below(9)];
}

std::shared_ptr<memory> keep(operation& keeps, std::shared_ptr<memory> one) {
  keeps.memories.push_back(one);
  return one;
}

void fill(char* at, std::int64_t count, const arithmetic& a, draw& content) {
  for (std::int64_t i = 0; i < count; ++i) a.fill(at + static_cast<std::size_t>(i) * a.extent, content);
}

void look_at(digest& seen, const memory& m, std::int64_t count, const arithmetic& a) {
  for (std::int64_t i = 0; i < count; ++i) seen.add(m.data() + static_cast<std::size_t>(i) * a.extent, a.significant);
  const std::size_t used = static_cast<std::size_t>(count) * a.extent;
  seen.add(m.data() + used, m.bytes() - used);
}

prepared prepare_reduction(world& w, kind what, communicator& on, int me) {
  prepared p;
  call& c = *p.arguments;
  draw own = w.own();
  const arithmetic& a = arithmetic_at(w.shared.below(count_of_arithmetics()));
  const bool is_scattered = what == kind::reduce_scatter || what == kind::reduce_scatter_block;
  c.in.count = any_count(w.shared, is_scattered ? 4000 : 60000);
  const std::uint64_t counts_from = w.shared.next();
  c.root = w.shared.below(on.size());
  p.in_place = w.shared.one_in(4);
#ifndef OPEN_MPI
  p.in_place = p.in_place && (what != kind::reduce || c.root == 0);  // MPICH 4.0 ends with a root of another rank
#endif
  const bool in_place = p.in_place;
  for (int r = 0; r < on.size(); ++r)
    c.in.counts.push_back(
        what == kind::reduce_scatter
            ? static_cast<int>(mixed(counts_from + static_cast<unsigned>(r)) % static_cast<unsigned>(c.in.count + 1))
            : c.in.count);
  const std::int64_t sent =
      is_scattered ? std::accumulate(c.in.counts.begin(), c.in.counts.end(), std::int64_t{0}) : c.in.count;
  const std::size_t bytes = static_cast<std::size_t>(sent) * a.extent;
  auto in = keep(p.keeps, std::make_shared<memory>(bytes, own)),
       out = keep(p.keeps, std::make_shared<memory>(bytes, own));
  fill(in->data(), sent, a, own);
  fill(out->data(), sent, a, own);
  c.in.type = a.type;
  c.op = a.op;
  const bool at_root = what != kind::reduce || me == c.root;
  c.in.data = in_place && at_root ? MPI_IN_PLACE : in->data();
  c.out.data = out->data();
  // What exscan leaves on rank 0, and scattered sums in place behind the result, the standard does not say.
  const std::int64_t received = !is_scattered ? sent : me >= 0 ? c.in.counts[static_cast<std::size_t>(me)] : 0;
  const bool is_open = (what == kind::exscan && me == 0) || (what == kind::reduce && me != c.root);
  if (!is_open && !(is_scattered && in_place))
    p.keeps.look = [&w, in, out, sent, received, &a] {
      look_at(w.seen, *in, sent, a);
      look_at(w.seen, *out, received, a);
    };
  else if (is_scattered)
    p.keeps.look = [&w, out, received, &a] {
      for (std::int64_t i = 0; i < received; ++i)
        w.seen.add(out->data() + static_cast<std::size_t>(i) * a.extent, a.significant);
    };
  return p;
}

/// One side of a call that moves data: memory for as many blocks as `counts` says, in a layout of this rank's choice.
struct blocks {
  std::shared_ptr<layout> of;
  std::shared_ptr<memory> at;
  std::vector<int> counts, places;
  std::int64_t elements = 0;
};

blocks blocks_of(std::vector<int> counts, bool has_gaps, std::shared_ptr<layout> of, draw& own) {
  blocks b;
  b.of = std::move(of);
  b.counts = std::move(counts);
  for (const int count : b.counts) {
    if (has_gaps) b.elements += own.below(3);
    b.places.push_back(static_cast<int>(b.elements));
    b.elements += count;
  }
  b.at = std::make_shared<memory>(*b.of, b.elements, own);
  return b;
}

void use(side& s, const blocks& b, int count) {
  s.data = b.at->data();
  s.count = count;
  s.type = b.of->type;
  s.counts = b.counts;
  s.places = b.places;
  s.types.assign(b.counts.size(), b.of->type);
}

/// Whether a rank's layouts may differ from another's, as MPI allows: with MPICH's allgatherv they hang or fail.
bool has_layouts_of_its_own([[maybe_unused]] kind what) {
#ifdef OPEN_MPI
  return true;
#else
  return what != kind::allgatherv;
#endif
}

bool is_vector_kind(kind what) { return what >= kind::gatherv; }

/// What rank `from` sends to rank `to`, in elements.
int block_count(kind what, std::uint64_t drawn, int most, int from, int to) {
  if (!is_vector_kind(what)) return most;
  const int a = what == kind::scatterv ? 0 : from, b = what == kind::gatherv || what == kind::allgatherv ? 0 : to;
  return static_cast<int>(mixed(drawn + static_cast<unsigned>(100 * a + b)) % static_cast<unsigned>(most + 1));
}

bool sends_many(kind what) {
  return what == kind::scatter || what == kind::scatterv || what == kind::alltoall || what >= kind::alltoallv;
}
bool receives_many(kind what) {
  return what == kind::gather || what == kind::gatherv || what == kind::allgather || what == kind::allgatherv ||
         what == kind::alltoall || what >= kind::alltoallv;
}

prepared prepare_movement(world& w, kind what, communicator& on, int me) {
  prepared p;
  call& c = *p.arguments;
  draw own = w.own();
  const int n = on.size(), signature = w.shared.below(signatures);
  const int most = any_count(w.shared, what == kind::bcast ? 60000 : 4000);
  const std::uint64_t drawn = w.shared.next();
  const bool in_place = p.in_place = w.shared.one_in(4);
  c.root = w.shared.below(n);
  std::vector<int> sent, received;
  for (int r = 0; r < n; ++r) {
    sent.push_back(block_count(what, drawn, most, me, r));
    received.push_back(block_count(what, drawn, most, r, me));
  }
  const auto mine = static_cast<std::size_t>(me);
  const bool is_vector = is_vector_kind(what);
  // In place all send what they receive: symmetric counts.
  for (int r = 0; r < n && in_place && what >= kind::alltoallv; ++r)
    sent[static_cast<std::size_t>(r)] = received[static_cast<std::size_t>(r)] =
        block_count(what, drawn, most, std::min(me, r), std::max(me, r));
  draw layouts = has_layouts_of_its_own(what) ? own : draw(drawn);
  const blocks in =
      blocks_of(sends_many(what) ? sent : std::vector<int>{sent[0]}, is_vector, layout_of(signature, layouts), own);
  const blocks out = blocks_of(receives_many(what) ? received : std::vector<int>{received[mine]}, is_vector,
                               layout_of(signature, layouts), own);
  const int own_count = receives_many(what) && !sends_many(what) ? sent[mine] : received[mine];
  use(c.in, in, what == kind::bcast ? most : sends_many(what) ? most : own_count);
  use(c.out, out, receives_many(what) ? most : own_count);
  if (what == kind::alltoallw) {
    for (int& place : c.in.places) place = static_cast<int>(place * in.of->extent);
    for (int& place : c.out.places) place = static_cast<int>(place * out.of->extent);
  }
  const bool at_root = me == c.root;
  if (in_place && what != kind::bcast) {
    if ((what == kind::gather || what == kind::gatherv) && at_root) c.in.data = MPI_IN_PLACE;
    if ((what == kind::scatter || what == kind::scatterv) && at_root) c.out.data = MPI_IN_PLACE;
    if (!has_root(what)) c.in.data = MPI_IN_PLACE;
  }
  p.keeps.memories = {in.at, out.at};
  p.keeps.layouts = {in.of, out.of};
  p.keeps.look = [&w, in, out] {
    in.at->digest_into(w.seen);
    out.at->digest_into(w.seen);
  };
  return p;
}

prepared prepare(world& w, kind what, communicator& on, int me) {
  if (is_reduction(what)) return prepare_reduction(w, what, on, me);
  if (what == kind::barrier) return {};
  return prepare_movement(w, what, on, me);
}

void finish_blocking(world& w, prepared& p, int code, const char* name) {
  if (code == MPI_SUCCESS && p.keeps.look) p.keeps.look();
  w.seen.mark(name, code);
}

void keep_in_flight(world& w, prepared& p, communicator& on, bool is_persistent, int starts) {
  p.keeps.on = &on;
  p.keeps.is_persistent = is_persistent;
  p.keeps.starts_left = starts;
  if (is_persistent) MPI_Start(&p.keeps.request);
  // The arguments' arrays must live as long.
  auto look = std::move(p.keeps.look);
  p.keeps.look = [look, arguments = p.arguments] {
    if (look) look();
  };
  w.in_flight.push_back(std::move(p.keeps));
}

int class_of(int code) {
  int found = code;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &found);
  return found;
}

using mistake = void (*)(call&, int size);
constexpr mistake mistakes[] = {
    [](call& c, int) { c.in.count = c.out.count = -1; },
    [](call& c, int size) { c.root = size; },
    [](call& c, int) { c.root = -7; },
    [](call& c, int) { c.in.type = c.out.type = MPI_DATATYPE_NULL; },
    [](call& c, int) { c.op = MPI_OP_NULL; },
};

/// Kinds that this mistake is one of, whatever else is in the call.
kind kind_for(int number, draw& d) {
  constexpr kind counted[] = {kind::bcast, kind::allreduce, kind::reduce,
                              kind::scan,  kind::exscan,    kind::reduce_scatter_block};
  constexpr kind rooted[] = {kind::bcast, kind::reduce, kind::gather, kind::scatter};
  constexpr kind reduced[] = {kind::allreduce, kind::reduce, kind::scan, kind::exscan};
  const int drawn = d.below(12);
  if (number == 0) return kind::bcast;  // MPICH does not look at the counts of others
  if (number == 3) return counted[drawn % 6];
  return number < 3 ? rooted[drawn % 4] : reduced[drawn % 4];
}

#ifdef OPEN_MPI
constexpr bool can_start_again = true;
#else
constexpr bool can_start_again = false;  // with MPICH 4.0 a second start among other operations hangs
#endif

/// What the MPI itself does not do right unless it is blocking: Open MPI's libnbc mistakes the types of
/// in-place calls.
bool is_wrong_in_the_mpi([[maybe_unused]] kind what, [[maybe_unused]] bool in_place) {
#ifdef OPEN_MPI
  return what == kind::alltoallw || (what >= kind::alltoallv && in_place) || (what == kind::alltoall && in_place);
#else
  return false;
#endif
}

}  // namespace

void call_collective(world& w) {
  communicator& on = w.any_intra();
  auto what = static_cast<kind>(w.shared.below(static_cast<int>(kind::count)));
#ifdef OPEN_MPI
  if (what == kind::alltoallw && on.size() == 1) what = kind::alltoallv;  // it writes out of bounds
#endif
  form how = any_form(w.shared);
  const int starts_drawn = w.shared.below(4), repeats_drawn = w.shared.one_in(4) ? 1 + w.shared.below(8) : 1;
  int me = 0;
  if (on.handle != MPI_COMM_NULL) MPI_Comm_rank(on.handle, &me);
  prepared p = prepare(w, what, on, me);
  if (is_wrong_in_the_mpi(what, p.in_place)) how = form::blocking;
  // In place the result is what the next call sends: sums would run over.
  const bool is_once = is_reduction(what) && p.in_place;
  const int starts = how != form::persistent || is_once || !can_start_again ? 0 : starts_drawn,
            repeats = is_once ? 1 : repeats_drawn;
  const bool is_flying = how == form::nonblocking || how == form::persistent;
  if (is_flying) ++on.waits;
  if (on.handle == MPI_COMM_NULL) {
    if (is_flying) keep_in_flight(w, p, on, false, starts);
    return;
  }
  p.arguments->how = how;
  p.arguments->what = what;
  p.arguments->comm = on.handle;
  if (is_flying) {
    const int code = issue(*p.arguments, &p.keeps.request);
    w.seen.mark(name_of(what), class_of(code));
    return keep_in_flight(w, p, on, how == form::persistent, starts);
  }
  int code = MPI_SUCCESS;
  for (int i = 0; i < repeats; ++i) code = issue(*p.arguments, nullptr);
  finish_blocking(w, p, class_of(code), name_of(what));
}

void call_wrongly(world& w) {
  if (!w.makes_mistakes) return;
  communicator& on = w.any_intra();
  const int number = w.shared.below(5);
  const kind what = kind_for(number, w.shared);
  const form how = w.shared.one_in(3) ? form::profiling : form::blocking;
  int me = 0;
  if (on.handle != MPI_COMM_NULL) MPI_Comm_rank(on.handle, &me);
  prepared p = prepare(w, what, on, me);
  if (on.handle == MPI_COMM_NULL) return;
  call& c = *p.arguments;
  c.how = how;
  c.what = what;
  c.comm = on.handle;
  // In place only some ranks would look at what is wrong.
  if (c.in.data == MPI_IN_PLACE) c.in.data = p.keeps.memories[0]->data();
  if (c.out.data == MPI_IN_PLACE) c.out.data = p.keeps.memories[1]->data();
  mistakes[number](c, on.size());
  const int code = class_of(issue(c, nullptr));
  // An MPI that does not notice one goes on to undefined results.
  w.seen.mark("wrong call", code);
}

void wait_for_one(world& w) {
  if (w.in_flight.empty()) return;
  auto it = w.in_flight.begin();
  std::advance(it, w.shared.below(static_cast<int>(w.in_flight.size())));
  const bool is_tested = w.shared.one_in(2);
  if (it->request != MPI_REQUEST_NULL || it->on->handle != MPI_COMM_NULL) {
    int code = MPI_SUCCESS, has_ended = 0;
    if (is_tested)
      while (has_ended == 0 && code == MPI_SUCCESS) code = MPI_Test(&it->request, &has_ended, MPI_STATUS_IGNORE);
    else
      code = MPI_Wait(&it->request, MPI_STATUS_IGNORE);
    if (it->look) it->look();
    w.seen.mark("wait", class_of(code));
  }
  if (it->starts_left > 0) {
    --it->starts_left;
    if (it->is_persistent) MPI_Start(&it->request);
    return;
  }
  if (it->is_persistent) MPI_Request_free(&it->request);
  --it->on->waits;
  w.in_flight.erase(it);
}

void wait_for_all(world& w, const communicator* only) {
  for (auto it = w.in_flight.begin(); it != w.in_flight.end();) {
    if (only != nullptr && it->on != only) {
      ++it;
      continue;
    }
    const int code = MPI_Wait(&it->request, MPI_STATUS_IGNORE);
    if (it->look && it->on->handle != MPI_COMM_NULL) it->look();
    if (it->on->handle != MPI_COMM_NULL) w.seen.mark("wait", class_of(code));
    if (it->is_persistent) MPI_Request_free(&it->request);
    --it->on->waits;
    it = w.in_flight.erase(it);
  }
}

}  // namespace random_program
