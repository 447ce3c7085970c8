// SPDX-License-Identifier: BSD-3-Clause
// CRC-32C eight bytes at a time, in three interleaved streams, since the instruction has a latency of three.
#include "crc32c.hpp"

#include <array>
#include <cstring>

namespace nearfar::output {
namespace {

constexpr std::uint32_t polynomial = 0x82f63b78;

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? (c >> 1) ^ polynomial : c >> 1;
    table[i] = c;
  }
  return table;
}
constexpr auto table = make_table();

/// The product of two polynomials modulo that of the sum, the highest power of x in the lowest bit.
std::uint32_t product(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t sum = 0;
  for (std::uint32_t bit = 1U << 31; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) sum ^= b;
    b = (b & 1) != 0 ? (b >> 1) ^ polynomial : b >> 1;
  }
  return sum;
}

}  // namespace

// A sum is linear: so many bytes behind it multiply it by that power of x^8.
std::uint32_t joined_crc32c(std::uint32_t first, std::uint32_t second, std::uint64_t bytes) noexcept {
  std::uint32_t power = 1U << 31, square = 1U << 23;  // x^0, x^8
  for (; bytes > 0; bytes >>= 1, square = product(square, square))
    if ((bytes & 1) != 0) power = product(power, square);
  return product(power, first) ^ second;
}

std::uint32_t crc32c_by_table(std::uint32_t crc, const std::byte* data, std::size_t bytes) noexcept {
  std::uint32_t c = ~crc;
  for (std::size_t i = 0; i < bytes; ++i) c = table[(c ^ static_cast<std::uint32_t>(data[i])) & 0xff] ^ (c >> 8);
  return ~c;
}

#if defined(__x86_64__)

namespace {

constexpr std::size_t stream_bytes = 4096;

/// What a register becomes when `stream_bytes` zero bytes follow: linear, so four tables of 256 say it.
struct shift_tables {
  std::array<std::array<std::uint32_t, 256>, 4> by_byte{};
  shift_tables() {
    for (std::size_t byte = 0; byte < 4; ++byte)
      for (std::uint32_t value = 0; value < 256; ++value) {
        std::uint32_t c = value << (8 * byte);
        for (std::size_t i = 0; i < stream_bytes; ++i) c = table[c & 0xff] ^ (c >> 8);
        by_byte[byte][value] = c;
      }
  }
  std::uint32_t operator()(std::uint32_t c) const noexcept {
    return by_byte[0][c & 0xff] ^ by_byte[1][(c >> 8) & 0xff] ^ by_byte[2][(c >> 16) & 0xff] ^ by_byte[3][c >> 24];
  }
};

std::uint64_t word_at(const std::byte* p) noexcept {
  std::uint64_t w = 0;
  std::memcpy(&w, p, sizeof w);
  return w;
}

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::uint32_t crc, const std::byte* p,
                                                               std::size_t bytes) noexcept {
  static const shift_tables shift;
  std::uint64_t c = ~crc;
  for (; bytes >= 3 * stream_bytes; p += 3 * stream_bytes, bytes -= 3 * stream_bytes) {
    std::uint64_t second = 0, third = 0;
    for (std::size_t i = 0; i < stream_bytes; i += 8) {
      c = __builtin_ia32_crc32di(c, word_at(p + i));
      second = __builtin_ia32_crc32di(second, word_at(p + stream_bytes + i));
      third = __builtin_ia32_crc32di(third, word_at(p + 2 * stream_bytes + i));
    }
    c = shift(static_cast<std::uint32_t>(c)) ^ second;
    c = shift(static_cast<std::uint32_t>(c)) ^ third;
  }
  for (; bytes >= 8; p += 8, bytes -= 8) c = __builtin_ia32_crc32di(c, word_at(p));
  return crc32c_by_table(~static_cast<std::uint32_t>(c), p, bytes);
}

}  // namespace

std::uint32_t crc32c(std::uint32_t crc, const std::byte* data, std::size_t bytes) noexcept {
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  return has_instruction ? by_instruction(crc, data, bytes) : crc32c_by_table(crc, data, bytes);
}

#else

std::uint32_t crc32c(std::uint32_t crc, const std::byte* data, std::size_t bytes) noexcept {
  return crc32c_by_table(crc, data, bytes);
}

#endif

}  // namespace nearfar::output
