// SPDX-License-Identifier: BSD-3-Clause
// What the disk takes: fio's pattern. Blocks of 8 MB past the page cache into reserved space, eight on their way, one
// synchronisation at the end; no computing, no sums, no journal.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>

#include "bench_output.hpp"

namespace bench {
namespace {

constexpr nearfar::index_t block_bytes = 8 << 20, page_bytes = 4096;
constexpr int in_transit = 8;

struct freed {
  void operator()(char* p) const noexcept { std::free(p); }
};

/// Writes blocks as long as there are some; the last one only up to its last page.
void write_blocks(int file, const char* from, nearfar::index_t bytes, std::atomic<nearfar::index_t>& next,
                  std::atomic<bool>& is_right) {
  for (;;) {
    const nearfar::index_t at = next.fetch_add(block_bytes);
    if (at >= bytes) return;
    const auto size = static_cast<std::size_t>(std::min(block_bytes, (bytes - at) / page_bytes * page_bytes));
    if (size > 0 && pwrite(file, from, size, at) != static_cast<ssize_t>(size)) is_right = false;
  }
}

output_result run(const output_experiment& e) {
  if (!e.who.is_root()) return {};
  const nearfar::index_t bytes = e.frames * e.bytes();
  const std::string path = e.raw_path();
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, 0666);
  if (file < 0) throw std::runtime_error(path + " cannot be made, or not for writing past the page cache");
  std::unique_ptr<char, freed> memory(static_cast<char*>(std::aligned_alloc(page_bytes, in_transit * block_bytes)));
  std::memset(memory.get(), 1, in_transit * block_bytes);
  std::atomic<nearfar::index_t> next = 0;
  std::atomic<bool> is_right = true;
  const double began = clock_s();
  if (fallocate(file, 0, 0, bytes) != 0) is_right = false;
  std::vector<std::thread> writing;
  for (int i = 0; i < in_transit; ++i)
    writing.emplace_back([&, i] { write_blocks(file, memory.get() + i * block_bytes, bytes, next, is_right); });
  for (std::thread& t : writing) t.join();
  if (fsync(file) != 0) is_right = false;
  const double seconds = clock_s() - began;
  close(file);
  if (!is_right) throw std::runtime_error(path + " cannot be written past the page cache");
  return {seconds, 0};
}

}  // namespace

std::vector<output_method> raw_output_methods() {
  return {{"raw", run, [](const auto& e) { return have_files(e, ".p.raw", e.frames * e.bytes()); }}};
}

}  // namespace bench
