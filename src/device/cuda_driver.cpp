// SPDX-License-Identifier: BSD-3-Clause
// Finds the driver among the libraries of the process.
#include "cuda_driver.hpp"

#include <atomic>
#include <base/shared_library.hpp>

namespace nearfar::device {
namespace {

cuda_driver find_calls(void* library) {
  cuda_driver d;
  find_call(library, "cuPointerGetAttribute", d.pointer_attribute);
  find_call(library, "cuMemAlloc_v2", d.allocate);
  find_call(library, "cuMemFree_v2", d.give_back);
  find_call(library, "cuMemGetInfo_v2", d.free_memory);
  find_call(library, "cuMemcpyDtoH_v2", d.copy_to_host);
  find_call(library, "cuMemcpyHtoD_v2", d.copy_to_device);
  find_call(library, "cuMemcpyDtoD_v2", d.copy_on_device);
  find_call(library, "cuMemcpy2DUnaligned_v2", d.copy_rows);
  find_call(library, "cuMemHostRegister_v2", d.pin);
  find_call(library, "cuMemHostUnregister", d.unpin);
  find_call(library, "cuStreamSynchronize", d.synchronize);
  find_call(library, "cuGetErrorName", d.error_name);
  return d;
}

bool is_whole(const cuda_driver& d) {
  return d.pointer_attribute && d.allocate && d.give_back && d.free_memory && d.copy_to_host && d.copy_to_device &&
         d.copy_on_device && d.copy_rows && d.pin && d.unpin && d.synchronize && d.error_name;
}

}  // namespace

const cuda_driver* loaded_driver() noexcept {
  static std::atomic<void*> library = nullptr;  // a program may load it late: looked for until it is there
  if (!library.load(std::memory_order_acquire)) {
    void* const found = open_first_library({"libcuda.so.1"}, true);
    if (!found) return nullptr;
    library.store(found, std::memory_order_release);  // each finder stores the same handle
  }
  static const cuda_driver driver = find_calls(library.load(std::memory_order_acquire));
  return is_whole(driver) ? &driver : nullptr;
}

}  // namespace nearfar::device
