// SPDX-License-Identifier: BSD-3-Clause
// Streams, events and kernels of the stand-in. What is given to a stream is done when somebody waits for it, and not a moment earlier: who
// forgets to wait gets what was there before. Kernels are functions of the host that a test has registered by their names.
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mock_cuda.hpp"

extern "C" {
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes);
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes);
int cuMemcpyDtoD_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes);
int cuMemcpy2DUnaligned_v2(const mock_rows_copy* c);
}

namespace {

constexpr int success = 0, invalid_value = 1, not_found = 500, not_ready = 600;

struct mock_stream {
  std::deque<std::function<int()>> left;
  std::uint64_t given = 0, done = 0;
};
/// The place in a stream's work that it was recorded at.
struct mock_event {
  mock_stream* in = nullptr;
  std::uint64_t place = 0;
};
/// What a test says of kernels by their names: the bytes of their argument (0: there is no such kernel), and how they run, with three numbers
/// of blocks, three of threads, and the bytes of shared memory.
std::size_t (*argument_bytes_of)(const char* name) = nullptr;
void (*run_kernel)(const char* name, const void* argument, const unsigned* shape) = nullptr;

std::set<mock_stream*>& streams() {
  static std::set<mock_stream*> all;
  return all;
}
/// Functions that have been asked for: their names and the bytes of their arguments.
std::map<std::string, std::size_t>& functions() {
  static std::map<std::string, std::size_t> all;
  return all;
}
int failed = success;  // of what was done late; told by the next wait

int do_until(mock_stream& s, std::uint64_t place) {
  while (s.done < place) {
    const std::function<int()> next = std::move(s.left.front());
    s.left.pop_front();
    ++s.done;
    if (const int code = next(); code != success) failed = code;
  }
  return failed;
}

/// As far as they still exist.
int do_until(const mock_event& e) {
  return e.in != nullptr && streams().count(e.in) == 1 ? do_until(*e.in, e.place) : failed;
}

int give(void* stream, std::function<int()> work) {
  auto* const s = static_cast<mock_stream*>(stream);
  if (streams().count(s) == 0) return invalid_value;
  s->left.push_back(std::move(work));
  ++s->given;
  return success;
}

}  // namespace

void mock_cuda_finish_streams() {
  for (mock_stream* s : streams()) do_until(*s, s->given);
}

extern "C" {

/// For tests: the kernels of all modules.
void mock_cuda_kernels(std::size_t (*argument_bytes)(const char*),
                       void (*run)(const char*, const void*, const unsigned*)) {
  argument_bytes_of = argument_bytes, run_kernel = run;
}

int cuStreamCreate(void** stream, unsigned) {
  auto* const made = new mock_stream;
  streams().insert(made);
  return *stream = made, success;
}
int cuStreamDestroy_v2(void* stream) {
  auto* const s = static_cast<mock_stream*>(stream);
  if (streams().count(s) == 0) return invalid_value;
  do_until(*s, s->given);
  streams().erase(s);
  delete s;
  return success;
}
int cuStreamSynchronize(void* stream) {
  auto* const s = static_cast<mock_stream*>(stream);
  if (s == nullptr) return success;  // the default stream, which other streams do not wait for
  return streams().count(s) == 1 ? do_until(*s, s->given) : invalid_value;
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  return give(stream, [e = *static_cast<mock_event*>(event)] { return do_until(e); });
}

int cuEventCreate(void** event, unsigned) { return *event = new mock_event, success; }
int cuEventDestroy_v2(void* event) { return delete static_cast<mock_event*>(event), success; }
int cuEventRecord(void* event, void* stream) {
  auto* const s = static_cast<mock_stream*>(stream);
  if (streams().count(s) == 0) return invalid_value;
  *static_cast<mock_event*>(event) = {s, s->given};
  return success;
}
int cuEventSynchronize(void* event) { return do_until(*static_cast<mock_event*>(event)); }
/// Something has been done since the last question.
int cuEventQuery(void* event) {
  const mock_event& e = *static_cast<mock_event*>(event);
  if (e.in == nullptr || streams().count(e.in) == 0 || e.in->done >= e.place) return success;
  do_until(*e.in, e.in->done + 1);
  return e.in->done >= e.place ? success : not_ready;
}

int cuModuleLoadData(void** module, const void* image) {
  return *module = const_cast<void*>(image), image != nullptr ? success : invalid_value;
}
int cuModuleUnload(void*) { return success; }
int cuModuleGetFunction(void** function, void*, const char* name) {
  const std::size_t bytes = argument_bytes_of != nullptr ? argument_bytes_of(name) : 0;
  if (bytes == 0) return not_found;
  return *function = &*functions().insert({name, bytes}).first, success;
}
int cuFuncSetAttribute(void*, int, int) { return success; }
int cuLaunchKernel(void* function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x,
                   unsigned threads_y, unsigned threads_z, unsigned shared_bytes, void* stream, void** arguments,
                   void** extra) {
  const auto& [name, bytes] = *static_cast<const std::pair<const std::string, std::size_t>*>(function);
  if (extra != nullptr || blocks_x * blocks_y * blocks_z == 0 || threads_x * threads_y * threads_z == 0 ||
      threads_x * threads_y * threads_z > 1024)
    return invalid_value;
  std::vector<char> argument(bytes);
  std::memcpy(argument.data(), arguments[0], argument.size());
  return give(stream, [=, text = name.c_str(), argument = std::move(argument)] {
    const unsigned shape[] = {blocks_x, blocks_y, blocks_z, threads_x, threads_y, threads_z, shared_bytes};
    const mock_cuda_access_to_all open;
    run_kernel(text, argument.data(), shape);
    return success;
  });
}

int cuMemsetD32Async(std::uint64_t to, unsigned value, std::size_t count, void* stream) {
  return give(stream, [=] {
    const mock_cuda_access target(reinterpret_cast<void*>(to));
    if (!target.is_device()) return invalid_value;
    for (std::size_t i = 0; i < count; ++i) reinterpret_cast<unsigned*>(to)[i] = value;
    return success;
  });
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
  return give(stream, [=] { return cuMemcpyDtoH_v2(to, from, bytes); });
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
  return give(stream, [=] { return cuMemcpyHtoD_v2(to, from, bytes); });
}
int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
  return give(stream, [=] { return cuMemcpyDtoD_v2(to, from, bytes); });
}
int cuMemcpy2DAsync_v2(const mock_rows_copy* c, void* stream) {
  return give(stream, [copy = *c] { return cuMemcpy2DUnaligned_v2(&copy); });
}

}  // extern "C"
