// SPDX-License-Identifier: BSD-3-Clause
// Packs elements of arrays in GPU memory into contiguous memory of the host, and unpacks them.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <memory>
#include <span>

namespace nearfar::device {

/// A list of places that is used again and again, with arrays of any element size. Kernels on the GPU pack into memory
/// of the GPU, and all elements cross the bus in one copy; where there are no kernels (a build without nvcc, a card
/// that is older than they are) runs of elements cross one by one. On the GPU that is current on the thread that makes
/// it, which must be current where it is used, too.
class packer {
 public:
  packer();  ///< of no elements
  /// `places`: numbers of elements, counted from the address that an array is given by; they may lie before it.
  /// @throws resource_error  no GPU memory for the list, or what CUDA says
  explicit packer(std::span<const index_t> places);
  ~packer();
  packer(packer&&) noexcept;
  packer& operator=(packer&&) noexcept;

  /// Element k of `packed`, in memory of the host, becomes that of place k. Begins when the GPU's default stream has
  /// done what it had to do before, and is done when wait() has returned. @throws resource_error  no GPU memory to pack
  /// in, or what CUDA says
  void start_pack(std::byte* packed, const std::byte* array, index_t element_bytes);
  /// The other way; places that occur twice get any of theirs.
  void start_unpack(std::byte* array, const std::byte* packed, index_t element_bytes);
  /// On the GPU alone, and with kernels: `to`, `array` and `rest` are in its memory. Places from `limit` on are
  /// elements of `rest`.
  void start_pick(std::byte* to, const std::byte* array, const std::byte* rest, index_t limit, index_t element_bytes);
  /// Waits for all that was started. @throws resource_error  what CUDA says
  void wait();

  index_t count() const noexcept;
  bool has_kernels() const noexcept;  ///< true without elements

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace nearfar::device
