// SPDX-License-Identifier: BSD-3-Clause
// Plain values in a byte buffer, for messages between ranks when a plan is made.
#pragma once

#include <cstddef>
#include <cstring>
#include <nearfar/error.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace nearfar {

class byte_writer {
 public:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const auto* p = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), p, p + sizeof(T));
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put_list(const std::vector<T>& values) {
    put(values.size());
    const auto* p = reinterpret_cast<const std::byte*>(values.data());
    bytes_.insert(bytes_.end(), p, p + values.size() * sizeof(T));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class byte_reader {
 public:
  explicit byte_reader(const std::vector<std::byte>& bytes) : bytes_(&bytes) {}
  template <class T>
    requires std::is_trivially_copyable_v<T> T get() {
      T value;
      std::memcpy(&value, advance(sizeof(T)), sizeof(T));
      return value;
    }
  template <class T>
    requires std::is_trivially_copyable_v<T> std::vector<T> get_list() {
      std::vector<T> values(get<std::size_t>());
      if (!values.empty()) std::memcpy(values.data(), advance(values.size() * sizeof(T)), values.size() * sizeof(T));
      return values;
    }
  bool at_end() const { return at_ == bytes_->size(); }

 private:
  const std::byte* advance(std::size_t count) {
    if (at_ + count > bytes_->size()) throw transport_error("a plan's description from a peer is cut short");
    const std::byte* p = bytes_->data() + at_;
    at_ += count;
    return p;
  }
  const std::vector<std::byte>* bytes_;
  std::size_t at_ = 0;
};

}  // namespace nearfar
