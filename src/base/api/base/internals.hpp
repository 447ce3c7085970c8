// SPDX-License-Identifier: BSD-3-Clause
// Access of the library's modules to public objects: the state behind an object, and objects made from a state.
#pragma once

#include <memory>
#include <utility>

namespace nearfar {

/// A friend of the interface's classes.
struct internals {
  template <class Object>
  static auto& state(const Object& object) noexcept {
    return *object.state_;
  }

  /// What points to the state, which an object that was moved from has not.
  template <class Object>
  static const auto& pointer(const Object& object) noexcept {
    return object.state_;
  }

  template <class Object, class State>
  static Object made_of(std::shared_ptr<State> state) {
    return Object(std::move(state));
  }

  /// The same object for what its state keeps, which would else keep the state alive for ever.
  template <class Object>
  static Object without_ownership(const Object& object) {
    const auto none = std::shared_ptr<void>();
    return Object(decltype(object.state_)(none, object.state_.get()));
  }
};

template <class Object>
auto& state_of(const Object& object) noexcept {
  return internals::state(object);
}

}  // namespace nearfar
