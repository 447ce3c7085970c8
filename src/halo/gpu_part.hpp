// SPDX-License-Identifier: BSD-3-Clause
// A part of a halo plan whose array is in GPU memory: what it sends and receives is packed in near memory of the host.
#pragma once

#include <device/device.hpp>
#include <device/packer.hpp>
#include <exchange/pattern.hpp>
#include <near/arena.hpp>
#include <string>
#include <vector>

namespace nearfar {

class gpu_part {
 public:
  /// The boxes, of an array in GPU memory, become those of the packed elements, in sent() and received(). Local.
  /// @throws resource_error  no near memory or GPU memory, or what CUDA says
  gpu_part(near::arena& arena, index_t element_bytes, std::vector<exchange::transfer>& sends,
           std::vector<exchange::transfer>& receives);

  exchange::buffer sent() const noexcept { return sent_.bytes(); }
  exchange::buffer received() const noexcept { return received_.bytes(); }

  void start_pack(const std::byte* array) { sent_.elements.start_pack(sent_.memory.data(), array, element_bytes_); }
  void start_unpack(std::byte* array) {
    received_.elements.start_unpack(array, received_.memory.data(), element_bytes_);
  }
  void wait() { sent_.elements.wait(), received_.elements.wait(); }

  std::string describe() const;  ///< "GPU memory, packed by kernels, through pinned near memory"

 private:
  /// Elements of one direction, one transfer after the other.
  struct side {
    near::block memory;
    index_t size = 0;
    device::pinned pinned;
    device::packer elements;
    side(near::arena& arena, index_t element_bytes, std::vector<exchange::transfer>& transfers);
    exchange::buffer bytes() const noexcept { return {memory.data(), size}; }
  };
  index_t element_bytes_;
  side sent_, received_;
};

}  // namespace nearfar
