// SPDX-License-Identifier: BSD-3-Clause
// Line kernels: eight words for every machine, 64-byte stores where the processor has them.
#include <algorithm>
#include <atomic>
#include <base/clock.hpp>
#include <cstring>
#include <near/line.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nearfar::near {

namespace {

std::atomic_ref<std::uint64_t> epoch_of(line& l) { return std::atomic_ref<std::uint64_t>(l.words[7]); }

std::uint64_t load_epoch(const line& l) {
  // Acquire: pairs with the release in write_words, so the data words read afterwards are those of this epoch.
  return std::atomic_ref<std::uint64_t>(const_cast<std::uint64_t&>(l.words[7])).load(std::memory_order_acquire);
}

void write_words(line* to, const std::byte* from, index_t bytes, std::uint64_t epoch) {
  for (; bytes > 0; ++to, from += line_payload_bytes, bytes -= line_payload_bytes) {
    std::memcpy(to->words, from, as_size(std::min(bytes, line_payload_bytes)));
    epoch_of(*to).store(epoch, std::memory_order_release);
  }
}

index_t read_words(const line* from, std::byte* to, index_t bytes, std::uint64_t epoch, index_t next) {
  const index_t count = lines_for(bytes);
  for (; next < count && load_epoch(from[next]) == epoch; ++next) {
    const index_t at = next * line_payload_bytes;
    std::memcpy(to + at, from[next].words, as_size(std::min(bytes - at, line_payload_bytes)));
  }
  return next;
}

constexpr line_kernel words_kernel{"8-byte words", write_words, read_words};

#if defined(__x86_64__)

constexpr __mmask8 payload_words = 0x7f;

[[gnu::target("avx512f,avx512bw")]] void write_wide(line* to, const std::byte* from, index_t bytes,
                                                    std::uint64_t epoch) {
  const __m512i epochs = _mm512_set1_epi64(static_cast<long long>(epoch));
  for (; bytes >= line_payload_bytes; ++to, from += line_payload_bytes, bytes -= line_payload_bytes)
    _mm512_store_si512(to, _mm512_mask_loadu_epi64(epochs, payload_words, from));
  if (bytes > 0) _mm512_store_si512(to, _mm512_mask_loadu_epi8(epochs, (1ULL << bytes) - 1, from));
}

[[gnu::target("avx512f,avx512bw")]] index_t read_wide(const line* from, std::byte* to, index_t bytes,
                                                      std::uint64_t epoch, index_t next) {
  const __m512i epochs = _mm512_set1_epi64(static_cast<long long>(epoch));
  const index_t count = lines_for(bytes);
  for (; next < count; ++next) {
    const __m512i seen = _mm512_load_si512(from + next);
    // The compiler must load the line anew at each call; what follows in program order stays behind the load on x86.
    asm volatile("" ::: "memory");
    if ((_mm512_cmpeq_epi64_mask(seen, epochs) & 0x80) == 0) break;
    const index_t at = next * line_payload_bytes;
    if (bytes - at >= line_payload_bytes)
      _mm512_mask_storeu_epi64(to + at, payload_words, seen);
    else
      _mm512_mask_storeu_epi8(to + at, (1ULL << (bytes - at)) - 1, seen);
  }
  return next;
}

[[gnu::target("avx512f")]] void store_wide(line* to, std::uint64_t value) {
  _mm512_store_si512(to, _mm512_set1_epi64(static_cast<long long>(value)));
  asm volatile("" ::: "memory");
}

[[gnu::target("avx512f")]] bool load_is_whole(const line* from, std::uint64_t& value) {
  alignas(64) std::uint64_t words[8];
  _mm512_store_si512(words, _mm512_load_si512(from));
  asm volatile("" ::: "memory");
  value = words[0];
  return std::all_of(words, words + 8, [&](std::uint64_t w) { return w == value; });
}

constexpr line_kernel wide_kernel{"64-byte stores", write_wide, read_wide};

#endif

}  // namespace

const line_kernel& word_lines() { return words_kernel; }

const line_kernel* wide_lines() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return &wide_kernel;
#endif
  return nullptr;
}

void write_test_lines([[maybe_unused]] line* shared, [[maybe_unused]] std::uint64_t rounds,
                      [[maybe_unused]] double limit_s) {
#if defined(__x86_64__)
  const double end = seconds_now() + limit_s;
  for (std::uint64_t i = 1; i < rounds && ((i & 255) != 0 || seconds_now() < end); ++i) store_wide(shared, i);
  store_wide(shared, rounds);
#endif
}

bool are_lines_whole([[maybe_unused]] const line* shared, [[maybe_unused]] std::uint64_t rounds,
                     [[maybe_unused]] double limit_s) {
#if defined(__x86_64__)
  const double end = seconds_now() + limit_s;
  std::uint64_t value = 0;
  for (std::uint64_t i = 1; value != rounds && ((i & 255) != 0 || seconds_now() < end); ++i)
    if (!load_is_whole(shared, value)) return false;
  return true;
#else
  return false;
#endif
}

}  // namespace nearfar::near
