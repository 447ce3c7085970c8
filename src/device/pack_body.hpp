// SPDX-License-Identifier: BSD-3-Clause
// Packing on a GPU, thread by thread: compiled by nvcc as a kernel, and for the host by tests that run it there.
#pragma once

#include <cstddef>
#include <limits>
#include <nearfar/index.hpp>

#ifdef __CUDACC__
#define NEARFAR_GPU __host__ __device__ __forceinline__
#else
#define NEARFAR_GPU inline
#endif

namespace nearfar::device {

struct pack_arguments {
  std::byte* packed = nullptr;
  std::byte* array = nullptr;
  const std::byte* rest = nullptr;  ///< when packing, of places from `limit` on: elements from here on
  const index_t* places = nullptr;
  index_t count = 0, element_bytes = 0;
  index_t limit = std::numeric_limits<index_t>::max();
  int word_bytes = 1;      ///< 1, 2, 4, 8 or 16: of what a thread moves at once; divides addresses and elements
  bool is_unpack = false;  ///< from `packed` to `array`
};

/// Two words of 8 bytes that are loaded and stored as one.
struct alignas(16) long_word {
  unsigned long long low, high;
};

template <class Word>
NEARFAR_GPU void move_words(const pack_arguments& a, index_t thread, index_t threads) {
  const index_t words = a.element_bytes / static_cast<index_t>(sizeof(Word));
  for (index_t t = thread; t < a.count * words; t += threads) {
    const index_t place = a.places[t / words], word = t % words;
    Word* const in_array = reinterpret_cast<Word*>(a.array + place * a.element_bytes) + word;
    Word* const in_packed = reinterpret_cast<Word*>(a.packed) + t;
    if (a.is_unpack)
      *in_array = *in_packed;
    else if (place < a.limit)
      *in_packed = *in_array;
    else
      *in_packed = reinterpret_cast<const Word*>(a.rest + (place - a.limit) * a.element_bytes)[word];
  }
}

/// What one of `threads` threads does.
NEARFAR_GPU void pack_body(const pack_arguments& a, index_t thread, index_t threads) {
  switch (a.word_bytes) {
    case 16:
      return move_words<long_word>(a, thread, threads);
    case 8:
      return move_words<unsigned long long>(a, thread, threads);
    case 4:
      return move_words<unsigned>(a, thread, threads);
    case 2:
      return move_words<unsigned short>(a, thread, threads);
    default:
      return move_words<unsigned char>(a, thread, threads);
  }
}

}  // namespace nearfar::device
