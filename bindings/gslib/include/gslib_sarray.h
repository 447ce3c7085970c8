/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of structures: sorted by their fields, sent to the ranks that a field or a list names. Part of gslib.h, which
 * includes it. */
#ifndef NEARFAR_GSLIB_SARRAY_H
#define NEARFAR_GSLIB_SARRAY_H

/** A[0] = A[perm[0]] and so on; work has room for one element. */
NEARFAR_GSLIB void sarray_permute_(size_t size, void* a, size_t n, uint* perm, void* work);
/** The same with the permutation at the start of buf. */
NEARFAR_GSLIB void sarray_permute_buf_(size_t align, size_t size, void* a, size_t n, buffer* buf);
#define sarray_permute(T, A, n, perm, work) sarray_permute_(sizeof(T), A, n, perm, work)
#define sarray_permute_buf(T, A, n, buf) sarray_permute_buf_(ALIGNOF(T), sizeof(T), A, n, buf)

/** kind of a field: 0 uint, 1 ulong, 2 float, 3 double. keep: the permutation in buf is where sorting starts. */
static inline void gslib_sort_field_(const void* field, size_t n, size_t size, int kind, buffer* buf, int keep) {
  const uint count = (uint)n;
  const unsigned stride = (unsigned)size;
  if (kind == 0) sortp(buf, keep, (const uint*)field, count, stride);
  if (kind == 1) sortp_long(buf, keep, (const ulong*)field, count, stride);
  if (kind == 2) sortp_float(buf, keep, (const float*)field, count, stride);
  if (kind == 3) sortp_double(buf, keep, (const double*)field, count, stride);
}
#define sarray_sort_field(T, A, n, field, kind, buf, keep) \
  gslib_sort_field_((const char*)(A) + offsetof(T, field), n, sizeof(T), kind, buf, keep)

/* Sorts A by one field, or by the first, then the second … */
#define sarray_sort(T, A, n, field, kind, buf)       \
  do {                                               \
    sarray_sort_field(T, A, n, field, kind, buf, 0); \
    sarray_permute_buf(T, A, n, buf);                \
  } while (0)
#define sarray_sort_2(T, A, n, field1, kind1, field2, kind2, buf) \
  do {                                                            \
    sarray_sort_field(T, A, n, field2, kind2, buf, 0);            \
    sarray_sort_field(T, A, n, field1, kind1, buf, 1);            \
    sarray_permute_buf(T, A, n, buf);                             \
  } while (0)
#define sarray_sort_3(T, A, n, field1, kind1, field2, kind2, field3, kind3, buf) \
  do {                                                                           \
    sarray_sort_field(T, A, n, field3, kind3, buf, 0);                           \
    sarray_sort_field(T, A, n, field2, kind2, buf, 1);                           \
    sarray_sort_field(T, A, n, field1, kind1, buf, 1);                           \
    sarray_permute_buf(T, A, n, buf);                                            \
  } while (0)
#define sarray_sort_4(T, A, n, field1, kind1, field2, kind2, field3, kind3, field4, kind4, buf) \
  do {                                                                                          \
    sarray_sort_field(T, A, n, field4, kind4, buf, 0);                                          \
    sarray_sort_field(T, A, n, field3, kind3, buf, 1);                                          \
    sarray_sort_field(T, A, n, field2, kind2, buf, 1);                                          \
    sarray_sort_field(T, A, n, field1, kind1, buf, 1);                                          \
    sarray_permute_buf(T, A, n, buf);                                                           \
  } while (0)
static inline void sarray_perm_invert(uint* inverse, const uint* perm, uint n) {
  for (uint i = 0; i < n; ++i) inverse[perm[i]] = i;
}

/** Element i of all `arrays` together (element sizes in bytes) goes to the rank proc[i] (proc_stride in bytes); the
 * order of what arrives is by no rule. fixed: arrays are not made longer, what exceeds `max` is lost. ext: proc is a
 * list apart, else a field of the first array, p_off bytes into it, which becomes the source if set_src. Returns how
 * many arrived. Collective. */
NEARFAR_GSLIB uint sarray_transfer_many(struct array* const* arrays, const unsigned* sizes, unsigned count, int fixed,
                                        int ext, int set_src, unsigned p_off, const uint* proc, unsigned proc_stride,
                                        struct crystal* cr);
NEARFAR_GSLIB void sarray_transfer_(struct array* a, unsigned size, unsigned p_off, int set_src, struct crystal* cr);
NEARFAR_GSLIB void sarray_transfer_ext_(struct array* a, unsigned size, const uint* proc, unsigned proc_stride,
                                        struct crystal* cr);
#define sarray_transfer(T, A, field, set_src, cr) \
  sarray_transfer_(A, (unsigned)sizeof(T), (unsigned)offsetof(T, field), set_src, cr)
#define sarray_transfer_ext(T, A, proc, proc_stride, cr) \
  sarray_transfer_ext_(A, (unsigned)sizeof(T), proc, proc_stride, cr)

#endif
