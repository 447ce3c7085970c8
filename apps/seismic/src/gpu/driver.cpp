// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <gpu/driver.hpp>
#include <nearfar/error.hpp>

namespace seismic::gpu {

namespace {

/// Sets calls to functions of the library, and remembers whether all were there.
class finder {
 public:
  explicit finder(void* library) : library_(library) {}
  template <class Function>
  void operator()(const char* name, Function& call) {
    call = reinterpret_cast<Function>(dlsym(library_, name));
    has_all_ = has_all_ && call != nullptr;
  }
  bool has_all() const { return has_all_; }

 private:
  void* library_;
  bool has_all_ = true;
};

bool find_calls(void* library, driver& d) {
  finder find(library);
  find("cuInit", d.init);
  find("cuDeviceGetCount", d.device_count);
  find("cuDeviceGet", d.device);
  find("cuDeviceGetName", d.device_name);
  find("cuDeviceGetAttribute", d.device_attribute);
  find("cuDevicePrimaryCtxRetain", d.retain_context);
  find("cuDevicePrimaryCtxRelease_v2", d.release_context);
  find("cuCtxSetCurrent", d.set_context);
  find("cuModuleLoadData", d.load_module);
  find("cuModuleUnload", d.unload_module);
  find("cuModuleGetFunction", d.find_function);
  find("cuFuncSetAttribute", d.set_function);
  find("cuLaunchKernel", d.launch);
  find("cuStreamCreate", d.make_stream);
  find("cuStreamDestroy_v2", d.end_stream);
  find("cuStreamSynchronize", d.wait_for_stream);
  find("cuStreamWaitEvent", d.stream_waits);
  find("cuEventCreate", d.make_event);
  find("cuEventDestroy_v2", d.end_event);
  find("cuEventRecord", d.record_event);
  find("cuEventSynchronize", d.wait_for_event);
  find("cuEventQuery", d.query_event);
  find("cuMemAlloc_v2", d.allocate);
  find("cuMemFree_v2", d.give_back);
  find("cuMemGetInfo_v2", d.free_memory);
  find("cuMemsetD32Async", d.set_words);
  find("cuMemcpyDtoHAsync_v2", d.copy_to_host);
  find("cuMemcpyHtoDAsync_v2", d.copy_to_device);
  find("cuMemcpyDtoDAsync_v2", d.copy_on_device);
  find("cuMemcpy2DAsync_v2", d.copy_rows);
  find("cuMemHostRegister_v2", d.pin);
  find("cuMemHostUnregister", d.unpin);
  find("cuGetErrorName", d.error_name);
  return find.has_all();
}

}  // namespace

const driver* loaded_driver() noexcept {
  static const driver* const found = []() -> const driver* {
    static driver calls;
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library != nullptr && find_calls(library, calls) ? &calls : nullptr;
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
