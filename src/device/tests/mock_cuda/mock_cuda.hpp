// SPDX-License-Identifier: BSD-3-Clause
// What the stand-ins for CUDA's libraries share.
#pragma once

#include <cstddef>
#include <cstdint>

/// Opens the GPU memory that an address lies in, while it lives; does nothing for other memory.
class mock_cuda_access {
 public:
  explicit mock_cuda_access(const void* p);
  ~mock_cuda_access();
  mock_cuda_access(const mock_cuda_access&) = delete;
  mock_cuda_access& operator=(const mock_cuda_access&) = delete;
  bool is_device() const { return is_device_; }

 private:
  std::uint64_t address_;
  bool is_device_ = false;
};

/// As CUDA_MEMCPY2D.
struct mock_rows_copy {
  std::size_t from_x, from_y;
  unsigned from_type;
  const void* from_host;
  std::uint64_t from_device;
  void* from_array;
  std::size_t from_pitch;
  std::size_t to_x, to_y;
  unsigned to_type;
  void* to_host;
  std::uint64_t to_device;
  void* to_array;
  std::size_t to_pitch;
  std::size_t width_bytes, height;
};

/// Opens all GPU memory, while it lives: for a kernel.
class mock_cuda_access_to_all {
 public:
  mock_cuda_access_to_all();
  ~mock_cuda_access_to_all();
  mock_cuda_access_to_all(const mock_cuda_access_to_all&) = delete;
  mock_cuda_access_to_all& operator=(const mock_cuda_access_to_all&) = delete;
};

/// Does what all streams still have to do (streams.cpp): as a driver before memory goes.
void mock_cuda_finish_streams();
