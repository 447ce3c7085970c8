// SPDX-License-Identifier: BSD-3-Clause
// Finds CUDA's driver among the libraries of the process.
#include "cuda_driver.hpp"

#include <atomic>
#include <base/text.hpp>
#include <loader/shared_library.hpp>
#include <nearfar/error.hpp>

namespace nearfar::device {
namespace {

cuda_driver find_calls(shared_library library) {
  cuda_driver d;
  library.find("cuPointerGetAttribute", d.pointer_attribute);
  library.find("cuMemAlloc_v2", d.allocate);
  library.find("cuMemFree_v2", d.give_back);
  library.find("cuMemGetInfo_v2", d.free_memory);
  library.find("cuMemcpyDtoH_v2", d.copy_to_host);
  library.find("cuMemcpyHtoD_v2", d.copy_to_device);
  library.find("cuMemcpyDtoD_v2", d.copy_on_device);
  library.find("cuMemcpy2DUnaligned_v2", d.copy_rows);
  library.find("cuMemHostRegister_v2", d.pin);
  library.find("cuMemHostUnregister", d.unpin);
  library.find("cuStreamCreate", d.make_stream);
  library.find("cuStreamDestroy_v2", d.end_stream);
  library.find("cuStreamSynchronize", d.synchronize);
  library.find("cuMemcpyDtoHAsync_v2", d.start_copy_to_host);
  library.find("cuMemcpyHtoDAsync_v2", d.start_copy_to_device);
  library.find("cuModuleLoadData", d.load_module);
  library.find("cuModuleUnload", d.unload_module);
  library.find("cuModuleGetFunction", d.find_function);
  library.find("cuLaunchKernel", d.launch);
  library.find("cuGetErrorName", d.error_name);
  d.is_whole = library.has_all();
  return d;
}

std::string name_of(int code) {
  const char* name = nullptr;
  return driver().error_name(code, &name) == cuda_success && name ? name : text("CUDA error ", code);
}

}  // namespace

const cuda_driver* loaded_driver() noexcept {
  static std::atomic<const cuda_driver*> known = nullptr;  // a program may load it late: looked for until it is there
  if (const cuda_driver* d = known.load(std::memory_order_acquire)) return d;
  static std::atomic<unsigned long long> looked_among = 0;
  const unsigned long long loaded = libraries_loaded();
  if (looked_among.load(std::memory_order_relaxed) == loaded) return nullptr;
  const shared_library library({"libcuda.so.1"}, shared_library::copy::loaded);
  if (!library.is_found()) {
    looked_among.store(loaded, std::memory_order_relaxed);  // a hint alone: who misses it looks once more
    return nullptr;
  }
  static const cuda_driver driver = find_calls(library);
  if (!driver.is_whole) return nullptr;
  known.store(&driver, std::memory_order_release);  // each finder stores the same table
  return &driver;
}

const cuda_driver& driver() {
  const cuda_driver* d = loaded_driver();
  if (!d) throw usage_error("GPU memory was asked for, but this process has no CUDA driver (libcuda.so.1) loaded");
  return *d;
}

void check(int code, const std::string& what) {
  if (code != cuda_success) throw resource_error(text(what, ": ", name_of(code)));
}

}  // namespace nearfar::device
