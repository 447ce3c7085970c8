// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <gpu/device.hpp>
#include <gpu/kernel_image.hpp>
#include <nearfar/error.hpp>

namespace seismic::gpu {

namespace {

constexpr int attribute_major = 75, attribute_minor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_…
constexpr int no_binary = 209;                             // CUDA_ERROR_NO_BINARY_FOR_GPU
constexpr int most_dynamic_shared = 8;                     // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
constexpr unsigned usual_shared_bytes = 48 << 10;
constexpr unsigned apart_from_default = 1;        // CU_STREAM_NON_BLOCKING
constexpr unsigned sleeps_without_times = 1 | 2;  // CU_EVENT_BLOCKING_SYNC, CU_EVENT_DISABLE_TIMING
constexpr unsigned for_all_contexts = 1;          // CU_MEMHOSTREGISTER_PORTABLE

const driver& calls() { return *loaded_driver(); }

int devices() {
  int count = 0;
  return calls().device_count(&count) == 0 ? count : 0;
}

int capability(int device) {
  int major = 0, minor = 0;
  calls().device_attribute(&major, attribute_major, device);
  calls().device_attribute(&minor, attribute_minor, device);
  return 10 * major + minor;
}

std::string name_of(int device) {
  std::array<char, 128> name{};
  calls().device_name(name.data(), static_cast<int>(name.size()) - 1, device);
  return name.data();
}

void* made_stream() {
  void* made = nullptr;
  check(calls().make_stream(&made, apart_from_default), "making a stream");
  return made;
}

void* made_event() {
  void* made = nullptr;
  check(calls().make_event(&made, sleeps_without_times), "making an event");
  return made;
}

address made_memory(std::size_t bytes) {
  address at = 0;
  const int code = calls().allocate(&at, bytes);
  std::size_t left = 0, total = 0;
  if (code != 0) calls().free_memory(&left, &total);
  check(code, "no memory for an array of " + std::to_string(bytes >> 20) + " MiB (" + std::to_string(left >> 20) +
                  " of " + std::to_string(total >> 20) + " MiB are free)");
  return at;
}

void* made_module(int device) {
  void* made = nullptr;
  const int code = calls().load_module(&made, kernel_image());
  if (code == no_binary)
    throw nearfar::usage_error("the GPU " + name_of(device) + " is of capability " +
                               std::to_string(capability(device)) +
                               ", and this program has no kernels for it; build it with an nvcc that has");
  check(code, "loading the kernels");
  return made;
}

rows_copy rows_between(const rows& what) {
  rows_copy c{};
  c.width_bytes = what.bytes, c.height = what.count;
  return c;
}

}  // namespace

std::string fault_of_gpu() {
  if (kernel_image() == nullptr) return "this program was built without nvcc: it has no kernels for GPUs";
  if (loaded_driver() == nullptr) return "there is no driver of CUDA (libcuda.so.1) that has all calls needed";
  if (const int code = calls().init(0); code != 0) return "the driver of CUDA finds no GPU: " + error_name(code);
  if (devices() == 0) return "the driver of CUDA finds no GPU";
  return "";
}

stream::stream() : handle_(made_stream(), calls().end_stream) {}
void stream::wait() const { check(calls().wait_for_stream(get()), "waiting for a stream"); }

event::event() : handle_(made_event(), calls().end_event) {}
void event::record(const stream& in) { check(calls().record_event(handle_.get(), in.get()), "recording an event"); }
void event::wait() const { check(calls().wait_for_event(handle_.get()), "waiting for an event"); }
void event::hold_up(const stream& other) const {
  check(calls().stream_waits(other.get(), handle_.get(), 0), "making a stream wait");
}
bool event::is_done() const {
  constexpr int not_ready = 600;  // CUDA_ERROR_NOT_READY
  const int code = calls().query_event(handle_.get());
  if (code != not_ready) check(code, "asking an event");
  return code == 0;
}

array::array(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  handle_ = {made_memory(bytes), calls().give_back};
  const stream now;
  clear(*this, now);
  now.wait();
}
array::array(const void* from, std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  handle_ = {made_memory(bytes), calls().give_back};
  const stream now;
  copy_to_device(at(), from, bytes, now);
  now.wait();
}

pinned::pinned(void* begin, std::size_t bytes) noexcept {
  if (bytes > 0 && calls().pin(begin, bytes, for_all_contexts) == 0) handle_ = {begin, calls().unpin};
}

device::device(int number) {
  if (const std::string fault = fault_of_gpu(); !fault.empty()) throw nearfar::usage_error(fault);
  check(calls().device(&device_, number % devices()), "finding it");
  name_ = name_of(device_);
  void* context = nullptr;
  check(calls().retain_context(&context, device_), "making its context");
  check(calls().set_context(context), "making its context current");
  module_ = {made_module(device_), calls().unload_module};
}
device::~device() {
  module_ = {};
  calls().release_context(device_);
}

void* device::function(const gpu::launch& what) {
  void*& found = functions_[what.kernel];
  if (found != nullptr) return found;
  check(calls().find_function(&found, module_.get(), what.kernel), std::string("finding the kernel ") + what.kernel);
  return found;
}

void device::launch(const gpu::launch& what, const void* argument, const stream& in) {
  void* const kernel = function(what);
  if (what.shared_bytes > usual_shared_bytes)
    check(calls().set_function(kernel, most_dynamic_shared, static_cast<int>(what.shared_bytes)),
          "shared memory of " + std::to_string(what.shared_bytes) + " bytes for the kernel " + what.kernel);
  std::array<void*, 1> arguments{const_cast<void*>(argument)};
  const auto& b = what.blocks;
  const auto& t = what.threads;
  check(calls().launch(kernel, b[0], b[1], b[2], t[0], t[1], t[2], what.shared_bytes, in.get(), arguments.data(),
                       nullptr),
        std::string("starting the kernel ") + what.kernel);
}

void copy_to_host(void* to, address from, std::size_t bytes, const stream& in) {
  check(calls().copy_to_host(to, from, bytes, in.get()), "copying to the host");
}
void copy_to_device(address to, const void* from, std::size_t bytes, const stream& in) {
  check(calls().copy_to_device(to, from, bytes, in.get()), "copying from the host");
}
void copy_on_device(address to, address from, std::size_t bytes, const stream& in) {
  check(calls().copy_on_device(to, from, bytes, in.get()), "copying in its memory");
}
void clear(const array& a, const stream& in) {
  check(calls().set_words(a.at(), 0, a.bytes() / 4, in.get()), "clearing its memory");
}

void copy_rows_to_host(void* to, address from, const rows& what, const stream& in) {
  rows_copy c = rows_between(what);
  c.from_type = memory_type::device, c.from_device = from, c.from_pitch = what.device_pitch;
  c.to_type = memory_type::host, c.to_host = to, c.to_pitch = what.host_pitch;
  check(calls().copy_rows(&c, in.get()), "copying rows to the host");
}
void copy_rows_to_device(address to, const void* from, const rows& what, const stream& in) {
  rows_copy c = rows_between(what);
  c.from_type = memory_type::host, c.from_host = from, c.from_pitch = what.host_pitch;
  c.to_type = memory_type::device, c.to_device = to, c.to_pitch = what.device_pitch;
  check(calls().copy_rows(&c, in.get()), "copying rows from the host");
}

}  // namespace seismic::gpu
