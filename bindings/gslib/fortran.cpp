// SPDX-License-Identifier: BSD-3-Clause
// The calls of Fortran programs, as gslib's own build names them: fgslib_…, with an underscore behind. Handles are
// numbers; arrays of tuples are columns.
#include <memory>
#include <vector>

#include "domains.hpp"

#define FORTRAN(name) NEARFAR_GSLIB fgslib_##name##_

namespace {

std::vector<gs_data*> handles;
std::vector<std::unique_ptr<crystal>> routers;

gs_data*& handle_of(sint h, const char* call) {
  if (h < 0 || static_cast<std::size_t>(h) >= handles.size() || handles[static_cast<std::size_t>(h)] == nullptr)
    fail(1, __FILE__, __LINE__, "%s: there is no handle %d", call, h);
  return handles[static_cast<std::size_t>(h)];
}

std::unique_ptr<crystal>& router_of(sint h, const char* call) {
  if (h < 0 || static_cast<std::size_t>(h) >= routers.size() || !routers[static_cast<std::size_t>(h)])
    fail(1, __FILE__, __LINE__, "%s: there is no handle %d", call, h);
  return routers[static_cast<std::size_t>(h)];
}

gs_dom domain(sint number, const char* call) {
  if (number < 1 || number > 3)
    fail(1, __FILE__, __LINE__, "%s: there is no type %d; there are 1 (real*8), 2 (integer), 3 (integer*8)", call,
         number);
  const gs_dom all[] = {gs_double, gs_sint, gs_slong};
  return all[number - 1];
}

gs_op operation(sint number, const char* call) {
  if (number < 1 || number > 4)
    fail(1, __FILE__, __LINE__, "%s: there is no operation %d; there are 1 (+), 2 (*), 3 (min), 4 (max)", call, number);
  return static_cast<gs_op>(number - 1);
}

/// A communicator for the length of a call.
class communicator {
 public:
  communicator(MPI_Fint from, sint ranks) { comm_init_check(&comm_, from, static_cast<uint>(ranks)); }
  ~communicator() { comm_free(&comm_); }
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  const comm* get() const { return &comm_; }

 private:
  comm comm_;
};

template <class T>
struct tuples {
  T* first;
  sint rows;
  unsigned bytes() const { return static_cast<unsigned>(rows) * static_cast<unsigned>(sizeof(T)); }
  array columns(sint n, sint max) const { return {first, static_cast<std::size_t>(n), static_cast<std::size_t>(max)}; }
  void permute(sint n, buffer* by) const {
    if (rows > 0) sarray_permute_buf_(alignof(T), bytes(), first, static_cast<std::size_t>(n), by);
  }
};

/// The permutation that sorts n columns by the rows in keys, the first of them first.
void sort_columns(buffer* by, sint n, tuples<sint> i, tuples<slong> l, const sint* keys, sint count) {
  for (sint k = count - 1; k >= 0; --k) {
    const sint row = keys[k] - 1;
    const int keep = k + 1 < count;
    if (row < 0 || row >= i.rows + l.rows)
      fail(1, __FILE__, __LINE__, "crystal_tuple_sort: there is no row %d; there are 1 to %d", row + 1,
           i.rows + l.rows);
    if (row < i.rows)
      sortp(by, keep, reinterpret_cast<const uint*>(i.first + row), static_cast<uint>(n), i.bytes());
    else
      sortp_long(by, keep, reinterpret_cast<const ulong*>(l.first + (row - i.rows)), static_cast<uint>(n), l.bytes());
  }
}

sint transfer(crystal* cr, sint n, sint max, tuples<sint> i, tuples<slong> l, tuples<double> d, sint row) {
  if (row < 1 || row > i.rows)
    fail(1, __FILE__, __LINE__, "crystal_tuple_transfer: there is no row %d; there are 1 to %d", row, i.rows);
  array columns[] = {i.columns(n, max), l.columns(n, max), d.columns(n, max)};
  array* const all[] = {&columns[0], &columns[1], &columns[2]};
  const unsigned sizes[] = {i.bytes(), l.bytes(), d.bytes()};
  const sint* const proc = i.first + (row - 1);
  return static_cast<sint>(sarray_transfer_many(all, sizes, 3, 1, 0, 1,
                                                static_cast<unsigned>(row - 1) * static_cast<unsigned>(sizeof(sint)),
                                                reinterpret_cast<const uint*>(proc), sizes[0], cr));
}

}  // namespace

extern "C" {

struct gs_data* gs_hf2c(sint handle) {
  return handle_of(handle, "gs_hf2c");
}

void FORTRAN(gs_setup_pick)(sint* handle, const slong* id, const sint* n, const MPI_Fint* comm, const sint* np,
                            const sint* method) {
  const communicator members(*comm, *np);
  *handle = static_cast<sint>(handles.size());
  handles.push_back(gslib_gs_setup(id, static_cast<uint>(*n), members.get(), 0, static_cast<gs_method>(*method), 1));
}
void FORTRAN(gs_setup)(sint* handle, const slong* id, const sint* n, const MPI_Fint* comm, const sint* np) {
  const sint method = gs_auto;
  fgslib_gs_setup_pick_(handle, id, n, comm, np, &method);
}
void FORTRAN(gs_free)(const sint* handle) {
  gs_data*& g = handle_of(*handle, "gs_free");
  gslib_gs_free(g);
  g = nullptr;
}
void FORTRAN(gs_unique)(slong* id, const sint* n, const MPI_Fint* comm, const sint* np) {
  const communicator members(*comm, *np);
  gslib_gs_unique(id, static_cast<uint>(*n), members.get());
}

void FORTRAN(gs_op)(const sint* handle, void* u, const sint* dom, const sint* op, const sint* transpose) {
  gslib_gs(u, domain(*dom, "gs_op"), operation(*op, "gs_op"), *transpose != 0, handle_of(*handle, "gs_op"), nullptr);
}
void FORTRAN(igs_op)(const sint* handle, void* u, const sint* dom, const sint* op, const sint* transpose, int* wait) {
  gslib_igs(u, domain(*dom, "igs_op"), operation(*op, "igs_op"), *transpose != 0, handle_of(*handle, "igs_op"), nullptr,
            wait);
}
void FORTRAN(gs_op_vec)(const sint* handle, void* u, const sint* k, const sint* dom, const sint* op,
                        const sint* transpose) {
  gslib_gs_vec(u, static_cast<unsigned>(*k), domain(*dom, "gs_op_vec"), operation(*op, "gs_op_vec"), *transpose != 0,
               handle_of(*handle, "gs_op_vec"), nullptr);
}
void FORTRAN(igs_op_vec)(const sint* handle, void* u, const sint* k, const sint* dom, const sint* op,
                         const sint* transpose, int* wait) {
  gslib_igs_vec(u, static_cast<unsigned>(*k), domain(*dom, "igs_op_vec"), operation(*op, "igs_op_vec"), *transpose != 0,
                handle_of(*handle, "igs_op_vec"), nullptr, wait);
}
void FORTRAN(gs_op_many)(const sint* handle, void* u1, void* u2, void* u3, void* u4, void* u5, void* u6, const sint* k,
                         const sint* dom, const sint* op, const sint* transpose) {
  void* const all[] = {u1, u2, u3, u4, u5, u6};
  gslib_gs_many(all, static_cast<unsigned>(*k), domain(*dom, "gs_op_many"), operation(*op, "gs_op_many"),
                *transpose != 0, handle_of(*handle, "gs_op_many"), nullptr);
}
void FORTRAN(igs_op_many)(const sint* handle, void* u1, void* u2, void* u3, void* u4, void* u5, void* u6, const sint* k,
                          const sint* dom, const sint* op, const sint* transpose, int* wait) {
  void* const all[] = {u1, u2, u3, u4, u5, u6};
  gslib_igs_many(all, static_cast<unsigned>(*k), domain(*dom, "igs_op_many"), operation(*op, "igs_op_many"),
                 *transpose != 0, handle_of(*handle, "igs_op_many"), nullptr, wait);
}
/* n arrays, `stride` elements apart. */
void FORTRAN(gs_op_fields)(const sint* handle, void* u, const sint* stride, const sint* n, const sint* dom,
                           const sint* op, const sint* transpose) {
  const gs_dom d = domain(*dom, "gs_op_fields");
  std::vector<void*> all;
  for (sint k = 0; k < *n; ++k)
    all.push_back(static_cast<char*>(u) +
                  static_cast<std::size_t>(k) * static_cast<std::size_t>(*stride) * nearfar_gslib::bytes_of(d));
  if (all.empty()) return;
  gslib_gs_many(all.data(), static_cast<unsigned>(all.size()), d, operation(*op, "gs_op_fields"), *transpose != 0,
                handle_of(*handle, "gs_op_fields"), nullptr);
}
void FORTRAN(gs_op_wait)(const int* wait) { gslib_gs_wait(*wait); }

void FORTRAN(crystal_setup)(sint* handle, const MPI_Fint* comm, const sint* np) {
  const communicator members(*comm, *np);
  *handle = static_cast<sint>(routers.size());
  routers.push_back(std::make_unique<crystal>());
  gslib_crystal_init(routers.back().get(), members.get());
}
void FORTRAN(crystal_free)(const sint* handle) {
  auto& cr = router_of(*handle, "crystal_free");
  gslib_crystal_free(cr.get());
  cr.reset();
}
void FORTRAN(crystal_ituple_sort)(const sint* handle, sint* a, const sint* m, const sint* n, const sint* keys,
                                  const sint* count) {
  const tuples<sint> i = {a, *m};
  buffer* const by = &router_of(*handle, "crystal_ituple_sort")->data;
  if (*count <= 0) return;
  sort_columns(by, *n, i, {nullptr, 0}, keys, *count);
  i.permute(*n, by);
}
void FORTRAN(crystal_tuple_sort)(const sint* handle, const sint* n, sint* ai, const sint* mi, slong* al, const sint* ml,
                                 double* ad, const sint* md, const sint* keys, const sint* count) {
  const tuples<sint> i = {ai, *mi};
  const tuples<slong> l = {al, *ml};
  const tuples<double> d = {ad, *md};
  buffer* const by = &router_of(*handle, "crystal_tuple_sort")->data;
  if (*count <= 0) return;
  sort_columns(by, *n, i, l, keys, *count);
  i.permute(*n, by), l.permute(*n, by), d.permute(*n, by);
}
void FORTRAN(crystal_ituple_transfer)(const sint* handle, sint* a, const sint* m, sint* n, const sint* max,
                                      const sint* row) {
  crystal* const cr = router_of(*handle, "crystal_ituple_transfer").get();
  *n = transfer(cr, *n, *max, {a, *m}, {nullptr, 0}, {nullptr, 0}, *row);
}
void FORTRAN(crystal_tuple_transfer)(const sint* handle, sint* n, const sint* max, sint* ai, const sint* mi, slong* al,
                                     const sint* ml, double* ad, const sint* md, const sint* row) {
  crystal* const cr = router_of(*handle, "crystal_tuple_transfer").get();
  *n = transfer(cr, *n, *max, {ai, *mi}, {al, *ml}, {ad, *md}, *row);
}

}  // extern "C"
