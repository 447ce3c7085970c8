// SPDX-License-Identifier: BSD-3-Clause
// Whatever is read from a file that may be damaged is checked before it is used as a size.
#include <algorithm>
#include <array>
#include <common/own_file.hpp>
#include <cstddef>
#include <nearfar/error.hpp>
#include <output/seal.hpp>
#include <vector>

namespace adaptive_heat {
namespace {

constexpr std::uint64_t mark = 0x6c6165737261656e;  // "nearseal"
constexpr std::int64_t word = sizeof(std::uint64_t), most_ranges = 64, most_headers = std::int64_t{1} << 24;

class fnv_sum {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte b : bytes) sum_ = (sum_ ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3U;
  }
  std::uint64_t value() const noexcept { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325U;
};

/// @pre ranges lie in the first `end` bytes, one behind the other
std::uint64_t sum_of(const apps::own_file& file, std::int64_t end, std::span<const byte_range> ranges) {
  fnv_sum sum;
  std::int64_t at = 0;
  const auto add_up_to = [&](std::int64_t next) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(next - at));
    file.read(at, bytes);
    sum.add(bytes);
  };
  for (const byte_range& r : ranges) {
    add_up_to(r.begin);
    at = r.begin + r.bytes;
  }
  add_up_to(end);
  sum.add(std::as_bytes(ranges));
  const auto count = static_cast<std::uint64_t>(ranges.size());
  sum.add(std::as_bytes(std::span(&count, 1)));
  return sum.value();
}

bool lie_in_order(std::span<const byte_range> ranges, std::int64_t end) {
  std::int64_t at = 0, between = end;
  for (const byte_range& r : ranges) {
    if (r.begin < at || r.bytes < 0 || r.begin > end || r.bytes > end - r.begin) return false;
    at = r.begin + r.bytes;
    between -= r.bytes;
  }
  return between <= most_headers;
}

}  // namespace

void seal(const std::string& path, std::span<const byte_range> values) {
  std::vector<byte_range> ranges(values.begin(), values.end());
  std::sort(ranges.begin(), ranges.end(), [](const byte_range& a, const byte_range& b) { return a.begin < b.begin; });
  const std::int64_t end = apps::own_file::to_read(path).size();
  const std::array<std::uint64_t, 3> last{ranges.size(), sum_of(apps::own_file::to_read(path), end, ranges), mark};
  apps::own_file file = apps::own_file::to_write(path);
  const auto bytes = std::as_bytes(std::span<const byte_range>(ranges));
  file.write(end, bytes);
  file.write(end + static_cast<std::int64_t>(bytes.size()), std::as_bytes(std::span(last)));
  file.close();
}

bool is_sealed(const std::string& path) {
  const apps::own_file file = apps::own_file::to_read(path);
  std::array<std::uint64_t, 3> last{};
  const std::int64_t tail = file.size() - static_cast<std::int64_t>(sizeof last);
  if (tail < 0) return false;
  file.read(tail, std::as_writable_bytes(std::span(last)));
  const auto [count, sum, found_mark] = last;
  if (found_mark != mark) return false;
  const auto damaged = [&] { return nearfar::io_error(path + " is damaged: its check sum is another one"); };
  const std::int64_t end = tail - 2 * word * static_cast<std::int64_t>(std::min<std::uint64_t>(count, most_ranges));
  if (count > most_ranges || end < 0) throw damaged();
  std::vector<byte_range> ranges(static_cast<std::size_t>(count));
  file.read(end, std::as_writable_bytes(std::span(ranges)));
  if (!lie_in_order(ranges, end) || sum_of(file, end, ranges) != sum) throw damaged();
  return true;
}

}  // namespace adaptive_heat
