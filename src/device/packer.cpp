// SPDX-License-Identifier: BSD-3-Clause
// Packing by a kernel into GPU memory and one copy over the bus, or, without kernels, by copies of rows.
#include <algorithm>
#include <device/device.hpp>
#include <device/kernel_image.hpp>
#include <device/packer.hpp>
#include <vector>

#include "cuda_driver.hpp"
#include "pack_body.hpp"

namespace nearfar::device {
namespace {

constexpr unsigned threads_of_block = 256, most_blocks = 4096;

/// A stream that waits for the default stream's work, and the kernel; none where the driver does not take it.
class kernel_stream {
 public:
  kernel_stream() {
    const void* const image = kernel_image();
    if (!image || driver().load_module(&module_, image) != cuda_success) return;
    if (driver().find_function(&pack_, module_, "nearfar_pack") != cuda_success) pack_ = nullptr;
    if (pack_) check(driver().make_stream(&stream_, 0), "a stream for packing");
  }
  ~kernel_stream() {
    if (stream_) driver().end_stream(stream_);
    if (module_) driver().unload_module(module_);
  }
  kernel_stream(const kernel_stream&) = delete;
  kernel_stream& operator=(const kernel_stream&) = delete;

  bool is_there() const noexcept { return stream_ != nullptr; }
  void launch(pack_arguments a) {
    const index_t words = a.count * (a.element_bytes / a.word_bytes);
    const index_t blocks = std::min<index_t>((words + threads_of_block - 1) / threads_of_block, most_blocks);
    void* arguments[] = {&a};
    check(driver().launch(pack_, static_cast<unsigned>(blocks), 1, 1, threads_of_block, 1, 1, 0, stream_, arguments,
                          nullptr),
          "the kernel that packs");
  }
  void start_to_host(std::byte* to, const std::byte* from, index_t bytes) {
    check(driver().start_copy_to_host(to, address_of(from), as_size(bytes), stream_), "copy of packed elements");
  }
  void start_to_device(std::byte* to, const std::byte* from, index_t bytes) {
    check(driver().start_copy_to_device(address_of(to), from, as_size(bytes), stream_), "copy of packed elements");
  }
  void wait() { check(driver().synchronize(stream_), "waiting for packed elements"); }

 private:
  void *module_ = nullptr, *pack_ = nullptr, *stream_ = nullptr;
};

/// Rows of neighbouring elements at equal distances.
struct run_rows {
  index_t first = 0, length = 1, count = 1, stride = 1;  ///< elements; `count` rows
};

std::vector<run_rows> rows_of(std::span<const index_t> places) {
  std::vector<run_rows> all;
  for (std::size_t k = 0; k < places.size();) {
    run_rows r{places[k]};
    for (++k; k < places.size() && places[k] == r.first + r.length; ++k) ++r.length;
    r.stride = r.length;
    if (!all.empty()) {
      run_rows& before = all.back();
      const index_t apart = r.first - (before.first + (before.count - 1) * before.stride);
      if (r.length == before.length && apart >= r.length && (before.count == 1 || apart == before.stride)) {
        before.stride = apart, ++before.count;
        continue;
      }
    }
    all.push_back(r);
  }
  return all;
}

/// The longest word that divides elements and addresses, whose bits are `addresses`.
int word_of(cuda_address addresses, index_t element_bytes) {
  int word = 16;
  const cuda_address all = addresses | static_cast<cuda_address>(element_bytes);
  while (all % static_cast<std::uint64_t>(word) != 0) word /= 2;
  return word;
}

}  // namespace

struct packer::state {
  kernel_stream kernels;
  index_t count = 0;
  memory places, packed;  ///< with kernels
  index_t packed_bytes = 0;
  std::vector<run_rows> rows;  ///< without

  explicit state(std::span<const index_t> all) : count(as_index(all.size())) {
    if (!kernels.is_there()) {
      rows = rows_of(all);
      return;
    }
    const index_t bytes = count * index_t{sizeof(index_t)};
    places = memory(bytes);
    copy(places.data(), all.data(), {1, bytes, bytes, bytes}, direction::to_device);
  }

  /// Of a kernel between an array and the memory that elements are packed in.
  pack_arguments arguments(const std::byte* array, index_t element_bytes) {
    if (packed_bytes < count * element_bytes) {
      kernels.wait();
      packed = {}, packed = memory(count * element_bytes);
      packed_bytes = count * element_bytes;
    }
    return between(packed.data(), array, element_bytes);
  }
  pack_arguments between(std::byte* elements, const std::byte* array, index_t element_bytes) const {
    pack_arguments a;
    a.packed = elements, a.array = const_cast<std::byte*>(array);
    a.places = reinterpret_cast<const index_t*>(places.data());
    a.count = count, a.element_bytes = element_bytes;
    a.word_bytes = word_of(address_of(elements) | address_of(array), element_bytes);
    return a;
  }

  template <class Copy>
  void for_rows(index_t element_bytes, Copy copy_rows) const {
    index_t at = 0;
    for (const run_rows& r : rows) {
      copy_rows(at * element_bytes, r.first * element_bytes,
                device::rows{r.count, r.length * element_bytes, r.stride * element_bytes, r.length * element_bytes});
      at += r.count * r.length;
    }
  }
};

packer::packer() = default;
packer::packer(std::span<const index_t> places) {
  if (!places.empty()) state_ = std::make_unique<state>(places);
}
packer::~packer() = default;
packer::packer(packer&&) noexcept = default;
packer& packer::operator=(packer&&) noexcept = default;

void packer::start_pack(std::byte* to, const std::byte* array, index_t element_bytes) {
  if (!state_) return;
  state& s = *state_;
  if (!s.kernels.is_there())
    return s.for_rows(element_bytes, [&](index_t on_host, index_t on_gpu, const device::rows& r) {
      copy(to + on_host, array + on_gpu, r, direction::to_host);
    });
  s.kernels.launch(s.arguments(array, element_bytes));
  s.kernels.start_to_host(to, s.packed.data(), s.count * element_bytes);
}

void packer::start_unpack(std::byte* array, const std::byte* from, index_t element_bytes) {
  if (!state_) return;
  state& s = *state_;
  if (!s.kernels.is_there())
    return s.for_rows(element_bytes, [&](index_t on_host, index_t on_gpu, device::rows r) {
      std::swap(r.from_stride, r.to_stride);
      copy(array + on_gpu, from + on_host, r, direction::to_device);
    });
  pack_arguments a = s.arguments(array, element_bytes);
  a.is_unpack = true;
  s.kernels.start_to_device(a.packed, from, s.count * element_bytes);
  s.kernels.launch(a);
}

void packer::start_pick(std::byte* to, const std::byte* array, const std::byte* rest, index_t limit,
                        index_t element_bytes) {
  if (!state_) return;
  pack_arguments a = state_->between(to, array, element_bytes);
  a.word_bytes = word_of(address_of(to) | address_of(array) | address_of(rest), element_bytes);
  a.rest = rest, a.limit = limit;
  state_->kernels.launch(a);
}

void packer::wait() {
  if (state_ && state_->kernels.is_there()) state_->kernels.wait();
}

index_t packer::count() const noexcept { return state_ ? state_->count : 0; }
bool packer::has_kernels() const noexcept { return !state_ || state_->kernels.is_there(); }

}  // namespace nearfar::device
