/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow, and allocation that ends the job instead of returning NULL: part of gslib.h, which includes it. */
#ifndef NEARFAR_GSLIB_MEMORY_H
#define NEARFAR_GSLIB_MEMORY_H

static inline void* gslib_checked_(void* p, size_t bytes, const char* file, unsigned line) {
  if (p == NULL && bytes != 0) fail(1, file, line, "allocation of %zu bytes failed", bytes);
  return p;
}
static inline void* smalloc(size_t bytes, const char* file, unsigned line) {
  return gslib_checked_(malloc(bytes), bytes, file, line);
}
static inline void* scalloc(size_t count, size_t bytes, const char* file, unsigned line) {
  return gslib_checked_(calloc(count, bytes), count * bytes, file, line);
}
static inline void* srealloc(void* p, size_t bytes, const char* file, unsigned line) {
  return gslib_checked_(realloc(p, bytes), bytes, file, line);
}
#define tmalloc(type, count) ((type*)smalloc((count) * sizeof(type), __FILE__, __LINE__))
#define tcalloc(type, count) ((type*)scalloc((count), sizeof(type), __FILE__, __LINE__))
#define trealloc(type, ptr, count) ((type*)srealloc((ptr), (count) * sizeof(type), __FILE__, __LINE__))

/* n elements in room for max of them. */
struct array {
  void* ptr;
  size_t n, max;
};
typedef struct array buffer; /* of char */
/* clang-format off */
#define null_array {0, 0, 0}
/* clang-format on */
#define null_buffer null_array

static inline void array_init_(struct array* a, size_t max, size_t size, const char* file, unsigned line) {
  a->n = 0, a->max = max, a->ptr = smalloc(max * size, file, line);
}
static inline void array_resize_(struct array* a, size_t max, size_t size, const char* file, unsigned line) {
  a->max = max, a->ptr = srealloc(a->ptr, max * size, file, line);
}
static inline void* array_reserve_(struct array* a, size_t least, size_t size, const char* file, unsigned line) {
  if (a->max < least) {
    const size_t more = a->max + a->max / 2 + 1;
    array_resize_(a, more < least ? least : more, size, file, line);
  }
  return a->ptr;
}
static inline void array_cat_(size_t size, struct array* a, const void* s, size_t n, const char* file, unsigned line) {
  char* const out = (char*)array_reserve_(a, a->n + n, size, file, line);
  if (n != 0) memcpy(out + a->n * size, s, n * size);
  a->n += n;
}
#define array_free(a) (free((a)->ptr))
#define array_init(T, a, max) array_init_(a, max, sizeof(T), __FILE__, __LINE__)
#define array_resize(T, a, max) array_resize_(a, max, sizeof(T), __FILE__, __LINE__)
#define array_reserve(T, a, least) array_reserve_(a, least, sizeof(T), __FILE__, __LINE__)
#define array_cat(T, a, s, n) array_cat_(sizeof(T), a, s, n, __FILE__, __LINE__)
#define buffer_init(b, max) array_init(char, b, max)
#define buffer_resize(b, max) array_resize(char, b, max)
#define buffer_reserve(b, least) array_reserve(char, b, least)
#define buffer_free(b) array_free(b)

#ifdef __cplusplus
#define ALIGNOF(T) alignof(T)
#else
#define ALIGNOF(T) _Alignof(T)
#endif
static inline size_t align_as_(size_t a, size_t n) { return (n + a - 1) / a * a; }
#define align_as(T, n) align_as_(ALIGNOF(T), n)
#define align_ptr(T, base, offset) ((T*)((char*)(base) + align_as(T, offset)))

#endif
