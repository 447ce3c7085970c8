// SPDX-License-Identifier: BSD-3-Clause
// The names that the preloaded library takes over: MPI_X and PMPI_X of every blocking collective, and their large-count
// forms.
//
// Fortran's routines of both MPIs end in one of these with handles and sentinels already translated, so that no Fortran
// name is needed.
#include "comm_state.hpp"
#include "near_memory.hpp"

namespace {

using nearfar::collective::call;
using nearfar::collective::kind;
using nearfar::collective::number_list;
using nearfar::collective::side;
using nearfar::interpose::conduct;
namespace real = nearfar::real;
namespace interpose = nearfar::interpose;

number_list list(const int* values) { return number_list(values); }
number_list addresses(const int* values) { return number_list(values); }
#ifdef NEARFAR_HAVE_LARGE_COUNTS
number_list list(const MPI_Count* values) { return number_list(values); }
number_list addresses(const MPI_Aint* values) { return number_list::of_addresses(values); }
#endif

// What is sent is never written to; MPI_IN_PLACE has to fit in too.
side one(const void* data, MPI_Count count, MPI_Datatype type) { return {const_cast<void*>(data), count, type}; }

template <class Count, class Place>
side many(const void* data, const Count* counts, const Place* displs, MPI_Datatype type) {
  return {const_cast<void*>(data), 0, type, list(counts), addresses(displs)};
}

template <class Count, class Place>
side many(const void* data, const Count* counts, const Place* displs, const MPI_Datatype* types) {
  return {const_cast<void*>(data), 0, {}, list(counts), addresses(displs), types};
}

}  // namespace

#define NEARFAR_EXPORT extern "C" __attribute__((visibility("default")))

// MPI_NAME and PMPI_NAME do the same: Open MPI's Fortran layer calls the latter, everyone else the former. A profiling
// tool behind this library is called between the two, as the program would call it without this library: what it calls
// in turn is PMPI_NAME.
#define NEARFAR_BOTH_NAMES(NAME, PARAMETERS, ARGUMENTS)                               \
  NEARFAR_EXPORT int PMPI_##NAME PARAMETERS { return ours_##NAME ARGUMENTS; }         \
  NEARFAR_EXPORT int MPI_##NAME PARAMETERS {                                          \
    static constinit real::tool_function<decltype(&::MPI_##NAME)> tool("MPI_" #NAME); \
    const auto of_tool = tool.get();                                                  \
    return of_tool != nullptr ? of_tool ARGUMENTS : ours_##NAME ARGUMENTS;            \
  }

#define NEARFAR_ENTRY(NAME, KIND, PARAMETERS, ARGUMENTS, ...)              \
  static __attribute__((noinline)) int ours_##NAME PARAMETERS {            \
    return conduct(                                                        \
        comm, KIND, [&] { return call{KIND __VA_OPT__(, ) __VA_ARGS__}; }, \
        [&] { return real::MPI_##NAME ARGUMENTS; });                       \
  }                                                                        \
  NEARFAR_BOTH_NAMES(NAME, PARAMETERS, ARGUMENTS)

#define NEARFAR_BCAST(NAME, COUNT)                                                                        \
  NEARFAR_ENTRY(NAME, kind::bcast, (void* data, COUNT count, MPI_Datatype type, int root, MPI_Comm comm), \
                (data, count, type, root, comm), {}, one(data, count, type), {}, root)

#define NEARFAR_REDUCE(NAME, COUNT)                                                                              \
  NEARFAR_ENTRY(NAME, kind::reduce,                                                                              \
                (const void* in, void* out, COUNT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), \
                (in, out, count, type, op, root, comm), one(in, count, type), one(out, count, type), op, root)

// allreduce, scan, exscan, reduce_scatter_block
#define NEARFAR_REDUCE_TO_ALL(NAME, KIND, COUNT)                                                                   \
  NEARFAR_ENTRY(NAME, KIND, (const void* in, void* out, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
                (in, out, count, type, op, comm), one(in, count, type), one(out, count, type), op)

#define NEARFAR_REDUCE_SCATTER(NAME, COUNT)                                                                     \
  NEARFAR_ENTRY(NAME, kind::reduce_scatter,                                                                     \
                (const void* in, void* out, const COUNT counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
                (in, out, counts, type, op, comm), one(in, 0, type), {out, 0, type, list(counts)}, op)

// gather, scatter
#define NEARFAR_ROOTED(NAME, KIND, COUNT)                                                                  \
  NEARFAR_ENTRY(NAME, KIND,                                                                                \
                (const void* in, COUNT in_count, MPI_Datatype in_type, void* out, COUNT out_count,         \
                 MPI_Datatype out_type, int root, MPI_Comm comm),                                          \
                (in, in_count, in_type, out, out_count, out_type, root, comm), one(in, in_count, in_type), \
                one(out, out_count, out_type), {}, root)

#define NEARFAR_GATHERV(NAME, COUNT, PLACE)                                                                     \
  NEARFAR_ENTRY(NAME, kind::gatherv,                                                                            \
                (const void* in, COUNT in_count, MPI_Datatype in_type, void* out, const COUNT counts[],         \
                 const PLACE displs[], MPI_Datatype out_type, int root, MPI_Comm comm),                         \
                (in, in_count, in_type, out, counts, displs, out_type, root, comm), one(in, in_count, in_type), \
                many(out, counts, displs, out_type), {}, root)

#define NEARFAR_SCATTERV(NAME, COUNT, PLACE)                                                                  \
  NEARFAR_ENTRY(NAME, kind::scatterv,                                                                         \
                (const void* in, const COUNT counts[], const PLACE displs[], MPI_Datatype in_type, void* out, \
                 COUNT out_count, MPI_Datatype out_type, int root, MPI_Comm comm),                            \
                (in, counts, displs, in_type, out, out_count, out_type, root, comm),                          \
                many(in, counts, displs, in_type), one(out, out_count, out_type), {}, root)

// allgather, alltoall
#define NEARFAR_TO_ALL(NAME, KIND, COUNT)                                                            \
  NEARFAR_ENTRY(NAME, KIND,                                                                          \
                (const void* in, COUNT in_count, MPI_Datatype in_type, void* out, COUNT out_count,   \
                 MPI_Datatype out_type, MPI_Comm comm),                                              \
                (in, in_count, in_type, out, out_count, out_type, comm), one(in, in_count, in_type), \
                one(out, out_count, out_type))

#define NEARFAR_ALLGATHERV(NAME, COUNT, PLACE)                                                            \
  NEARFAR_ENTRY(NAME, kind::allgatherv,                                                                   \
                (const void* in, COUNT in_count, MPI_Datatype in_type, void* out, const COUNT counts[],   \
                 const PLACE displs[], MPI_Datatype out_type, MPI_Comm comm),                             \
                (in, in_count, in_type, out, counts, displs, out_type, comm), one(in, in_count, in_type), \
                many(out, counts, displs, out_type))

#define NEARFAR_ALLTOALLV(NAME, COUNT, PLACE)                                                                       \
  NEARFAR_ENTRY(NAME, kind::alltoallv,                                                                              \
                (const void* in, const COUNT in_counts[], const PLACE in_displs[], MPI_Datatype in_type, void* out, \
                 const COUNT out_counts[], const PLACE out_displs[], MPI_Datatype out_type, MPI_Comm comm),         \
                (in, in_counts, in_displs, in_type, out, out_counts, out_displs, out_type, comm),                   \
                many(in, in_counts, in_displs, in_type), many(out, out_counts, out_displs, out_type))

#define NEARFAR_ALLTOALLW(NAME, COUNT, PLACE)                                                                      \
  NEARFAR_ENTRY(                                                                                                   \
      NAME, kind::alltoallw,                                                                                       \
      (const void* in, const COUNT in_counts[], const PLACE in_displs[], const MPI_Datatype in_types[], void* out, \
       const COUNT out_counts[], const PLACE out_displs[], const MPI_Datatype out_types[], MPI_Comm comm),         \
      (in, in_counts, in_displs, in_types, out, out_counts, out_displs, out_types, comm),                          \
      many(in, in_counts, in_displs, in_types), many(out, out_counts, out_displs, out_types))

NEARFAR_ENTRY(Barrier, kind::barrier, (MPI_Comm comm), (comm))

#define NEARFAR_ALL_ENTRIES(SUFFIX, COUNT, PLACE)                                        \
  NEARFAR_BCAST(Bcast##SUFFIX, COUNT)                                                    \
  NEARFAR_REDUCE(Reduce##SUFFIX, COUNT)                                                  \
  NEARFAR_REDUCE_TO_ALL(Allreduce##SUFFIX, kind::allreduce, COUNT)                       \
  NEARFAR_REDUCE_TO_ALL(Scan##SUFFIX, kind::scan, COUNT)                                 \
  NEARFAR_REDUCE_TO_ALL(Exscan##SUFFIX, kind::exscan, COUNT)                             \
  NEARFAR_REDUCE_TO_ALL(Reduce_scatter_block##SUFFIX, kind::reduce_scatter_block, COUNT) \
  NEARFAR_REDUCE_SCATTER(Reduce_scatter##SUFFIX, COUNT)                                  \
  NEARFAR_ROOTED(Gather##SUFFIX, kind::gather, COUNT)                                    \
  NEARFAR_ROOTED(Scatter##SUFFIX, kind::scatter, COUNT)                                  \
  NEARFAR_GATHERV(Gatherv##SUFFIX, COUNT, PLACE)                                         \
  NEARFAR_SCATTERV(Scatterv##SUFFIX, COUNT, PLACE)                                       \
  NEARFAR_TO_ALL(Allgather##SUFFIX, kind::allgather, COUNT)                              \
  NEARFAR_TO_ALL(Alltoall##SUFFIX, kind::alltoall, COUNT)                                \
  NEARFAR_ALLGATHERV(Allgatherv##SUFFIX, COUNT, PLACE)                                   \
  NEARFAR_ALLTOALLV(Alltoallv##SUFFIX, COUNT, PLACE)                                     \
  NEARFAR_ALLTOALLW(Alltoallw##SUFFIX, COUNT, PLACE)

NEARFAR_ALL_ENTRIES(, int, int)
#ifdef NEARFAR_HAVE_LARGE_COUNTS
NEARFAR_ALL_ENTRIES(_c, MPI_Count, MPI_Aint)
#endif

// Taken over for one reason: what is hung on MPI_COMM_SELF here hangs there on every rank, so that the report may use
// all of them.
static int ours_Init(int* argc, char*** argv) {
  interpose::find_mpi();
  const int code = real::MPI_Init(argc, argv);
  if (code == MPI_SUCCESS) interpose::start_with_everyone();
  return code;
}
NEARFAR_BOTH_NAMES(Init, (int* argc, char*** argv), (argc, argv))

static int ours_Init_thread(int* argc, char*** argv, int required, int* provided) {
  interpose::find_mpi();
  const int code = real::MPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) interpose::start_with_everyone();
  return code;
}
NEARFAR_BOTH_NAMES(Init_thread, (int* argc, char*** argv, int required, int* provided),
                   (argc, argv, required, provided))

// Taken over to know which communicator is dying.
template <class Native>
int end_of(MPI_Comm* comm, Native native) {
  interpose::find_mpi();
  const MPI_Comm before = interpose::here.dying;
  if (comm != nullptr) interpose::here.dying = *comm;
  const int code = native();
  interpose::here.dying = before;
  return code;
}
static int ours_Comm_free(MPI_Comm* comm) {
  return end_of(comm, [=] { return real::MPI_Comm_free(comm); });
}
NEARFAR_BOTH_NAMES(Comm_free, (MPI_Comm * comm), (comm))
static int ours_Comm_disconnect(MPI_Comm* comm) {
  return end_of(comm, [=] { return real::MPI_Comm_disconnect(comm); });
}
NEARFAR_BOTH_NAMES(Comm_disconnect, (MPI_Comm * comm), (comm))

// Taken over to know which communicators have a handler that might not come back.
static int ours_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  interpose::find_mpi();
  const int code = real::MPI_Comm_set_errhandler(comm, handler);
  if (code == MPI_SUCCESS)
    if (auto* who = interpose::known_state(comm)) who->look_at_handler();
  return code;
}
NEARFAR_BOTH_NAMES(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))

// The older name, which Open MPI's header has as a macro that complains.
#undef MPI_Errhandler_set
NEARFAR_EXPORT int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler);
static int ours_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler) {
  return ours_Comm_set_errhandler(comm, handler);
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
NEARFAR_BOTH_NAMES(Errhandler_set, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))
#pragma GCC diagnostic pop

// Window memory is the MPI's own affair: MPI_Win_allocate is left alone, and windows may be made of any memory.
static int ours_Alloc_mem(MPI_Aint bytes, MPI_Info info, void* to) {
  interpose::find_mpi();
  if (interpose::is_on()) {
    if (void* at = interpose::give_near_memory(bytes, info)) {
      std::memcpy(to, &at, sizeof at);
      return MPI_SUCCESS;
    }
  }
  return real::MPI_Alloc_mem(bytes, info, to);
}
NEARFAR_BOTH_NAMES(Alloc_mem, (MPI_Aint bytes, MPI_Info info, void* to), (bytes, info, to))

static int ours_Free_mem(void* at) {
  if (interpose::take_near_memory_back(at)) return MPI_SUCCESS;
  interpose::find_mpi();
  return real::MPI_Free_mem(at);
}
NEARFAR_BOTH_NAMES(Free_mem, (void* at), (at))
