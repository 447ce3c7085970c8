// SPDX-License-Identifier: BSD-3-Clause
// The calls of CUDA's driver that are used, by their names in its documentation; found when the program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace seismic::gpu {

using address = std::uint64_t;
enum class memory_type : unsigned { host = 1, device = 2 };

/// As CUDA_MEMCPY2D.
struct rows_copy {
  std::size_t from_x, from_y;
  memory_type from_type;
  const void* from_host;
  address from_device;
  void* from_array;
  std::size_t from_pitch;
  std::size_t to_x, to_y;
  memory_type to_type;
  void* to_host;
  address to_device;
  void* to_array;
  std::size_t to_pitch;
  std::size_t width_bytes, height;
};

struct driver {
  int (*init)(unsigned flags) = nullptr;                                            ///< cuInit
  int (*device_count)(int*) = nullptr;                                              ///< cuDeviceGetCount
  int (*device)(int* device, int number) = nullptr;                                 ///< cuDeviceGet
  int (*device_name)(char*, int length, int device) = nullptr;                      ///< cuDeviceGetName
  int (*device_attribute)(int* value, int attribute, int device) = nullptr;         ///< cuDeviceGetAttribute
  int (*retain_context)(void** context, int device) = nullptr;                      ///< cuDevicePrimaryCtxRetain
  int (*release_context)(int device) = nullptr;                                     ///< cuDevicePrimaryCtxRelease_v2
  int (*set_context)(void* context) = nullptr;                                      ///< cuCtxSetCurrent
  int (*load_module)(void** module, const void* image) = nullptr;                   ///< cuModuleLoadData
  int (*unload_module)(void* module) = nullptr;                                     ///< cuModuleUnload
  int (*find_function)(void** function, void* module, const char* name) = nullptr;  ///< cuModuleGetFunction
  int (*set_function)(void* function, int attribute, int value) = nullptr;          ///< cuFuncSetAttribute
  int (*launch)(void* function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x,
                unsigned threads_y, unsigned threads_z, unsigned shared_bytes, void* stream, void** arguments,
                void** extra) = nullptr;                                                 ///< cuLaunchKernel
  int (*make_stream)(void** stream, unsigned flags) = nullptr;                           ///< cuStreamCreate
  int (*end_stream)(void* stream) = nullptr;                                             ///< cuStreamDestroy_v2
  int (*wait_for_stream)(void* stream) = nullptr;                                        ///< cuStreamSynchronize
  int (*stream_waits)(void* stream, void* event, unsigned flags) = nullptr;              ///< cuStreamWaitEvent
  int (*make_event)(void** event, unsigned flags) = nullptr;                             ///< cuEventCreate
  int (*end_event)(void* event) = nullptr;                                               ///< cuEventDestroy_v2
  int (*record_event)(void* event, void* stream) = nullptr;                              ///< cuEventRecord
  int (*wait_for_event)(void* event) = nullptr;                                          ///< cuEventSynchronize
  int (*query_event)(void* event) = nullptr;                                             ///< cuEventQuery
  int (*allocate)(address*, std::size_t) = nullptr;                                      ///< cuMemAlloc_v2
  int (*give_back)(address) = nullptr;                                                   ///< cuMemFree_v2
  int (*free_memory)(std::size_t* free, std::size_t* total) = nullptr;                   ///< cuMemGetInfo_v2
  int (*set_words)(address, unsigned value, std::size_t count, void* stream) = nullptr;  ///< cuMemsetD32Async
  int (*copy_to_host)(void*, address, std::size_t, void* stream) = nullptr;              ///< cuMemcpyDtoHAsync_v2
  int (*copy_to_device)(address, const void*, std::size_t, void* stream) = nullptr;      ///< cuMemcpyHtoDAsync_v2
  int (*copy_on_device)(address, address, std::size_t, void* stream) = nullptr;          ///< cuMemcpyDtoDAsync_v2
  int (*copy_rows)(const rows_copy*, void* stream) = nullptr;                            ///< cuMemcpy2DAsync_v2
  int (*pin)(void*, std::size_t, unsigned flags) = nullptr;                              ///< cuMemHostRegister_v2
  int (*unpin)(void*) = nullptr;                                                         ///< cuMemHostUnregister
  int (*error_name)(int, const char**) = nullptr;                                        ///< cuGetErrorName
};

/// Loads the driver if it is there. Null: there is none, or one without a call that is needed.
const driver* loaded_driver() noexcept;

/// "CUDA_ERROR_OUT_OF_MEMORY". There is a driver.
std::string error_name(int code);

/// @throws nearfar::resource_error  code is not 0: what was tried and what the driver says
void check(int code, const std::string& what);

}  // namespace seismic::gpu
