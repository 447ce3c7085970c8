// SPDX-License-Identifier: BSD-3-Clause
// An array with room for own elements and ghosts, in memory that near ranks share: gathers read it in place.
#pragma once

#include <cstddef>
#include <memory>
#include <nearfar/irregular_plan.hpp>
#include <type_traits>

namespace nearfar {

/// Near memory of a number of bytes, zeroed. Collective over the team.
/// @throws resource_error  on every rank, naming the node, /dev/shm's free space and the bytes asked
NEARFAR_API std::shared_ptr<void> allocate_near_memory(const team& members, std::size_t bytes);

/// [owned | ghosts] elements of `components` values each. Copies share the memory. Where near ranks cannot share memory
/// it is ordinary memory, and all works as with the caller's own arrays.
template <class T>
class irregular_vector {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "elements are moved as bytes");

 public:
  /// Room for what the plan numbers now, all bytes zero. Collective over the plan's team.
  explicit irregular_vector(const irregular_plan& plan, index_t components = 1)
      : irregular_vector(plan.team(), plan.map(), components) {}
  /// The same for an index map by itself. Collective over `members`.
  irregular_vector(const team& members, const index_map& map, index_t components = 1)
      : memory_(allocate_near_memory(members, sizeof(T) * static_cast<std::size_t>(map.total() * components))),
        owned_(map.owned()),
        total_(map.total()),
        components_(components) {}

  /// The first value of the first own element.
  T* data() noexcept { return static_cast<T*>(memory_.get()); }
  /// The same, only to be read.
  const T* data() const noexcept { return static_cast<const T*>(memory_.get()); }
  std::size_t size() const noexcept {
    return static_cast<std::size_t>(total_ * components_);
  }  ///< values, ghosts included
  /// So that algorithms and loops go over all values, ghosts included.
  T* begin() noexcept { return data(); }
  /// Behind the last value.
  T* end() noexcept { return data() + size(); }
  /// The same, only to be read.
  const T* begin() const noexcept { return data(); }
  /// The same, only to be read.
  const T* end() const noexcept { return data() + size(); }
  /// Value i: component i % components() of the element with local index i / components().
  T& operator[](index_t i) noexcept { return data()[i]; }
  /// The same, only to be read.
  const T& operator[](index_t i) const noexcept { return data()[i]; }
  index_t owned() const noexcept { return owned_; }  ///< elements
  /// Values per element.
  index_t components() const noexcept { return components_; }
  /// The values of the own elements, without the ghosts.
  std::span<T> own() noexcept { return {data(), static_cast<std::size_t>(owned_ * components_)}; }

  /// After plan.update(): room for the new number of ghosts. Own values are kept if the number of own elements is the
  /// same, ghosts are not. Collective, on every rank alike.
  void fit(const irregular_plan& plan) {
    irregular_vector fresh(plan, components_);
    if (fresh.owned_ == owned_)
      for (index_t i = 0; i < owned_ * components_; ++i) fresh[i] = (*this)[i];
    *this = fresh;
  }

 private:
  std::shared_ptr<void> memory_;
  index_t owned_ = 0, total_ = 0, components_ = 1;
};

/// In a plan's calls an irregular_vector is an array of its own number of components.
template <class T>
irregular_array array_of(irregular_vector<T>& x) {
  return array_of(std::span<T>(x.data(), x.size()), x.components());
}
/// The same of one that is only read.
template <class T>
irregular_array array_of(const irregular_vector<T>& x) {
  return array_of(std::span<const T>(x.data(), x.size()), x.components());
}

}  // namespace nearfar
