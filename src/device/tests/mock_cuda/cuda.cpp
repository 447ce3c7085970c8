// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for CUDA's driver, whose GPU memory cannot be loaded from or stored to except in its own calls: what a GPU
// would refuse ends with a signal here.
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>

#include "mock_cuda.hpp"

namespace {

constexpr int success = 0, invalid_value = 1, out_of_memory = 2;
constexpr std::size_t page = 4096, capacity = std::size_t{1} << 30;

struct area {
  std::size_t bytes;
  int opened = 0;
};
std::map<std::uint64_t, area>& areas() {
  static std::map<std::uint64_t, area> all;
  return all;
}
std::size_t used = 0;

/// Memory of the host that is pinned: address and bytes.
std::map<std::uint64_t, std::size_t>& pins() {
  static std::map<std::uint64_t, std::size_t> all;
  return all;
}

std::size_t rounded(std::size_t bytes) { return (bytes + page - 1) / page * page; }

std::map<std::uint64_t, area>::iterator find(std::uint64_t address) {
  auto after = areas().upper_bound(address);
  if (after == areas().begin()) return areas().end();
  --after;
  return address < after->first + after->second.bytes ? after : areas().end();
}

bool is_pinned(std::uint64_t begin, std::size_t bytes) {
  for (const auto& [first, size] : pins())
    if (begin >= first && begin + bytes <= first + size) return true;
  return false;
}

void* memory(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

mock_cuda_access::mock_cuda_access(const void* p) : address_(reinterpret_cast<std::uint64_t>(p)) {
  const auto a = find(address_);
  is_device_ = a != areas().end();
  if (is_device_ && a->second.opened++ == 0) mprotect(memory(a->first), a->second.bytes, PROT_READ | PROT_WRITE);
}
mock_cuda_access::~mock_cuda_access() {
  const auto a = find(address_);
  if (is_device_ && --a->second.opened == 0) mprotect(memory(a->first), a->second.bytes, PROT_NONE);
}

mock_cuda_access_to_all::mock_cuda_access_to_all() {
  for (auto& [address, a] : areas())
    if (a.opened++ == 0) mprotect(memory(address), a.bytes, PROT_READ | PROT_WRITE);
}
mock_cuda_access_to_all::~mock_cuda_access_to_all() {
  for (auto& [address, a] : areas())
    if (--a.opened == 0) mprotect(memory(address), a.bytes, PROT_NONE);
}

extern "C" {

std::size_t mock_cuda_bytes_left = capacity;  // tests may lessen it
int mock_cuda_devices = 1;                    // tests may take it away
int mock_cuda_capability = 9;                 // major and minor
int mock_cuda_refuses_pins = 0;
std::size_t mock_cuda_pins_made = 0;       // so far
std::size_t mock_cuda_pageable_bytes = 0;  // copied to memory of the host that is not pinned

int cuInit(unsigned) { return success; }
int cuDeviceGetCount(int* count) { return *count = mock_cuda_devices, success; }
int cuDeviceGetName(char* name, int length, int) {
  return std::strncpy(name, "stand-in", static_cast<std::size_t>(length)), success;
}
int cuDeviceGetAttribute(int* value, int, int) { return *value = mock_cuda_capability, success; }
int cuDevicePrimaryCtxRelease_v2(int) { return success; }
int cuDeviceGet(int* device, int number) { return *device = number, number == 0 ? success : invalid_value; }
int cuDevicePrimaryCtxRetain(void** context, int) { return *context = &used, success; }
int cuCtxSetCurrent(void*) { return success; }

int cuPointerGetAttribute(void* value, int attribute, std::uint64_t address) {
  if (find(address) == areas().end()) return invalid_value;
  *static_cast<unsigned*>(value) = attribute == 2 ? 2 : 0;
  return success;
}
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  if (bytes == 0) return invalid_value;
  if (used + rounded(bytes) > std::min(capacity, mock_cuda_bytes_left)) return out_of_memory;
  void* const p = mmap(nullptr, rounded(bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return out_of_memory;
  *address = reinterpret_cast<std::uint64_t>(p);
  areas()[*address] = {rounded(bytes)};
  used += rounded(bytes);
  return success;
}
int cuMemFree_v2(std::uint64_t address) {
  mock_cuda_finish_streams();
  const auto a = areas().find(address);
  if (a == areas().end()) return invalid_value;
  used -= a->second.bytes;
  munmap(memory(address), a->second.bytes);
  areas().erase(a);
  return success;
}
int cuMemGetInfo_v2(std::size_t* left, std::size_t* total) {
  return *left = capacity - used, *total = capacity, success;
}

static void note_copy_to_host(const void* to, std::size_t bytes) {
  if (!is_pinned(reinterpret_cast<std::uint64_t>(to), bytes)) mock_cuda_pageable_bytes += bytes;
}

int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  const mock_cuda_access source(memory(from)), target(to);
  if (!source.is_device() || target.is_device()) return invalid_value;
  std::memcpy(to, memory(from), bytes);
  note_copy_to_host(to, bytes);
  return success;
}
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  const mock_cuda_access target(memory(to)), source(from);
  if (!target.is_device() || source.is_device()) return invalid_value;
  std::memcpy(memory(to), from, bytes);
  return success;
}
int cuMemcpyDtoD_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  const mock_cuda_access target(memory(to)), source(memory(from));
  if (!target.is_device() || !source.is_device()) return invalid_value;
  std::memmove(memory(to), memory(from), bytes);
  return success;
}
int cuMemcpy2DUnaligned_v2(const mock_rows_copy* c) {
  const bool is_from_host = c->from_type == 1, is_to_host = c->to_type == 1;
  const auto* from = static_cast<const char*>(is_from_host ? c->from_host : memory(c->from_device));
  auto* to = static_cast<char*>(is_to_host ? c->to_host : memory(c->to_device));
  const mock_cuda_access source(from), target(to);
  if (source.is_device() == is_from_host || target.is_device() == is_to_host) return invalid_value;
  if (c->from_pitch < c->width_bytes || c->to_pitch < c->width_bytes) return invalid_value;
  for (std::size_t i = 0; i < c->height; ++i)
    std::memcpy(to + i * c->to_pitch, from + i * c->from_pitch, c->width_bytes);
  if (is_to_host) note_copy_to_host(to, (c->height - 1) * c->to_pitch + c->width_bytes);
  return success;
}
// As CUDA does, refuses what is pinned already in part, and by order of the test whatever comes.
int cuMemHostRegister_v2(void* address, std::size_t bytes, unsigned) {
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  if (mock_cuda_refuses_pins || bytes == 0 || find(begin) != areas().end()) return out_of_memory;
  for (const auto& [first, size] : pins())
    if (begin < first + size && first < begin + bytes) return invalid_value;
  pins()[begin] = bytes, ++mock_cuda_pins_made;
  return success;
}
int cuMemHostUnregister(void* address) {
  mock_cuda_finish_streams();
  return pins().erase(reinterpret_cast<std::uint64_t>(address)) == 1 ? success : invalid_value;
}
std::size_t mock_cuda_pinned_bytes() {
  std::size_t sum = 0;
  for (const auto& [first, size] : pins()) sum += size;
  return sum;
}
int cuGetErrorName(int code, const char** name) {
  return *name = code == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_INVALID_VALUE", success;
}

}  // extern "C"
