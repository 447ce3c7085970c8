// SPDX-License-Identifier: BSD-3-Clause
// A GPU and what lives on it: kernels, memory, streams, events. Errors are nearfar::resource_error with what was tried.
#pragma once

#include <gpu/driver.hpp>
#include <gpu/launches.hpp>
#include <map>
#include <string>
#include <utility>

namespace seismic::gpu {

/// Why no GPU can be used by this process: no driver, no device, a program built without nvcc, a card that is older
/// than its kernels. "": one can. Local.
std::string fault_of_gpu();

/// A handle of the driver, ended once.
template <class Handle>
class owned {
 public:
  using ending = int (*)(Handle);
  owned() = default;
  owned(Handle handle, ending end) : handle_(handle), end_(end) {}
  owned(owned&& other) noexcept : handle_(std::exchange(other.handle_, {})), end_(other.end_) {}
  owned& operator=(owned&& other) noexcept {
    std::swap(handle_, other.handle_), std::swap(end_, other.end_);
    return *this;
  }
  ~owned() {
    if (handle_ != Handle{}) end_(handle_);
  }
  Handle get() const noexcept { return handle_; }

 private:
  Handle handle_{};
  ending end_ = nullptr;
};

/// Work is done in the order in which it was given to the stream; streams go their own ways.
class stream {
 public:
  stream();
  void wait() const;  ///< the host, until all is done
  void* get() const noexcept { return handle_.get(); }

 private:
  owned<void*> handle_;
};

/// A place in a stream's work.
class event {
 public:
  event();
  void record(const stream& in);
  void wait() const;                        ///< the host; does nothing before the first record()
  void hold_up(const stream& other) const;  ///< what it is given from now on waits
  bool is_done() const;

 private:
  owned<void*> handle_;
};

/// Numbers in the GPU's memory, zeros at first.
class array {
 public:
  array() = default;
  /// @throws nearfar::resource_error  naming the bytes asked for and those free
  explicit array(std::size_t bytes);
  array(const void* from, std::size_t bytes);  ///< a copy; returns when it is made
  address at(std::size_t byte = 0) const noexcept { return handle_.get() + byte; }
  /// As the kernels see it; this processor cannot follow it.
  template <class T>
  T* data() const noexcept {
    return reinterpret_cast<T*>(handle_.get());
  }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  owned<address> handle_;
  std::size_t bytes_ = 0;
};

/// Memory of this processor that the GPU reads and writes directly while this lives; where the driver refuses, copies
/// are slower.
class pinned {
 public:
  pinned() = default;
  pinned(void* begin, std::size_t bytes) noexcept;
  bool is_pinned() const noexcept { return handle_.get() != nullptr; }

 private:
  owned<void*> handle_;
};

/// A GPU of this process, with its kernels. Current on the thread that has made it.
class device {
 public:
  /// @param number  counts all GPUs again and again
  /// @throws nearfar::usage_error     fault_of_gpu()
  explicit device(int number);
  ~device();
  device(const device&) = delete;
  device& operator=(const device&) = delete;

  const std::string& name() const noexcept { return name_; }
  /// Starts a kernel, whose argument is copied.
  void launch(const gpu::launch& what, const void* argument, const stream& in);

 private:
  void* function(const gpu::launch& what);

  int device_ = 0;
  std::string name_;
  owned<void*> module_;
  std::map<std::string, void*> functions_;
};

void copy_to_host(void* to, address from, std::size_t bytes, const stream& in);
void copy_to_device(address to, const void* from, std::size_t bytes, const stream& in);
void copy_on_device(address to, address from, std::size_t bytes, const stream& in);
void clear(const array& a, const stream& in);

/// Rows of bytes at equal distances.
struct rows {
  std::size_t bytes = 0, count = 0, host_pitch = 0, device_pitch = 0;
};
void copy_rows_to_host(void* to, address from, const rows& what, const stream& in);
void copy_rows_to_device(address to, const void* from, const rows& what, const stream& in);

}  // namespace seismic::gpu
