// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/driver.hpp>
#include <loader/shared_library.hpp>
#include <nearfar/error.hpp>

namespace seismic::gpu {

namespace {

bool find_calls(nearfar::shared_library library, driver& d) {
  library.find("cuInit", d.init);
  library.find("cuDeviceGetCount", d.device_count);
  library.find("cuDeviceGet", d.device);
  library.find("cuDeviceGetName", d.device_name);
  library.find("cuDeviceGetAttribute", d.device_attribute);
  library.find("cuDevicePrimaryCtxRetain", d.retain_context);
  library.find("cuDevicePrimaryCtxRelease_v2", d.release_context);
  library.find("cuCtxSetCurrent", d.set_context);
  library.find("cuModuleLoadData", d.load_module);
  library.find("cuModuleUnload", d.unload_module);
  library.find("cuModuleGetFunction", d.find_function);
  library.find("cuFuncSetAttribute", d.set_function);
  library.find("cuLaunchKernel", d.launch);
  library.find("cuStreamCreate", d.make_stream);
  library.find("cuStreamDestroy_v2", d.end_stream);
  library.find("cuStreamSynchronize", d.wait_for_stream);
  library.find("cuStreamWaitEvent", d.stream_waits);
  library.find("cuEventCreate", d.make_event);
  library.find("cuEventDestroy_v2", d.end_event);
  library.find("cuEventRecord", d.record_event);
  library.find("cuEventSynchronize", d.wait_for_event);
  library.find("cuEventQuery", d.query_event);
  library.find("cuMemAlloc_v2", d.allocate);
  library.find("cuMemFree_v2", d.give_back);
  library.find("cuMemGetInfo_v2", d.free_memory);
  library.find("cuMemsetD32Async", d.set_words);
  library.find("cuMemcpyDtoHAsync_v2", d.copy_to_host);
  library.find("cuMemcpyHtoDAsync_v2", d.copy_to_device);
  library.find("cuMemcpyDtoDAsync_v2", d.copy_on_device);
  library.find("cuMemcpy2DAsync_v2", d.copy_rows);
  library.find("cuMemHostRegister_v2", d.pin);
  library.find("cuMemHostUnregister", d.unpin);
  library.find("cuGetErrorName", d.error_name);
  return library.has_all();
}

}  // namespace

const driver* loaded_driver() noexcept {
  static const driver* const found = []() -> const driver* {
    static driver calls;
    return find_calls(nearfar::shared_library({"libcuda.so.1"}), calls) ? &calls : nullptr;
  }();
  return found;
}

std::string error_name(int code) {
  const char* name = nullptr;
  return loaded_driver()->error_name(code, &name) == 0 && name != nullptr ? name : "CUDA error " + std::to_string(code);
}

void check(int code, const std::string& what) {
  if (code != 0) throw nearfar::resource_error("GPU: " + what + ": " + error_name(code));
}

}  // namespace seismic::gpu
