// SPDX-License-Identifier: BSD-3-Clause
// The calls of CUDA's driver that are used, by their names in its documentation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace nearfar::device {

using cuda_address = std::uint64_t;
constexpr int cuda_success = 0;
enum class memory_type : unsigned { host = 1, device = 2 };

/// As CUDA_MEMCPY2D.
struct cuda_rows_copy {
  std::size_t from_x, from_y;
  memory_type from_type;
  const void* from_host;
  cuda_address from_device;
  void* from_array;
  std::size_t from_pitch;
  std::size_t to_x, to_y;
  memory_type to_type;
  void* to_host;
  cuda_address to_device;
  void* to_array;
  std::size_t to_pitch;
  std::size_t width_bytes, height;
};

struct cuda_driver {
  int (*pointer_attribute)(void* value, int attribute, cuda_address) = nullptr;         ///< cuPointerGetAttribute
  int (*allocate)(cuda_address*, std::size_t) = nullptr;                                ///< cuMemAlloc_v2
  int (*give_back)(cuda_address) = nullptr;                                             ///< cuMemFree_v2
  int (*free_memory)(std::size_t* free, std::size_t* total) = nullptr;                  ///< cuMemGetInfo_v2
  int (*copy_to_host)(void*, cuda_address, std::size_t) = nullptr;                      ///< cuMemcpyDtoH_v2
  int (*copy_to_device)(cuda_address, const void*, std::size_t) = nullptr;              ///< cuMemcpyHtoD_v2
  int (*copy_on_device)(cuda_address, cuda_address, std::size_t) = nullptr;             ///< cuMemcpyDtoD_v2
  int (*copy_rows)(const cuda_rows_copy*) = nullptr;                                    ///< cuMemcpy2DUnaligned_v2
  int (*pin)(void*, std::size_t, unsigned flags) = nullptr;                             ///< cuMemHostRegister_v2
  int (*unpin)(void*) = nullptr;                                                        ///< cuMemHostUnregister
  int (*make_stream)(void** stream, unsigned flags) = nullptr;                          ///< cuStreamCreate
  int (*end_stream)(void* stream) = nullptr;                                            ///< cuStreamDestroy_v2
  int (*synchronize)(void* stream) = nullptr;                                           ///< cuStreamSynchronize
  int (*start_copy_to_host)(void*, cuda_address, std::size_t, void* stream) = nullptr;  ///< cuMemcpyDtoHAsync_v2
  int (*start_copy_to_device)(cuda_address, const void*, std::size_t,
                              void* stream) = nullptr;                              ///< cuMemcpyHtoDAsync_v2
  int (*load_module)(void** module, const void* image) = nullptr;                   ///< cuModuleLoadData
  int (*unload_module)(void* module) = nullptr;                                     ///< cuModuleUnload
  int (*find_function)(void** function, void* module, const char* name) = nullptr;  ///< cuModuleGetFunction
  int (*launch)(void* function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x,
                unsigned threads_y, unsigned threads_z, unsigned shared_bytes, void* stream, void** arguments,
                void** extra) = nullptr;           ///< cuLaunchKernel
  int (*error_name)(int, const char**) = nullptr;  ///< cuGetErrorName
  bool is_whole = false;
};

/// The driver that this process has loaded, or null: who has GPU memory has the driver. Never loads it.
const cuda_driver* loaded_driver() noexcept;
/// The same where there must be one. @throws usage_error  there is none
const cuda_driver& driver();

/// @throws resource_error  `code` is not cuda_success: what was tried and CUDA's name of the error
void check(int code, const std::string& what);

inline cuda_address address_of(const void* p) noexcept { return reinterpret_cast<cuda_address>(p); }

}  // namespace nearfar::device
