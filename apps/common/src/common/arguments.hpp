// SPDX-License-Identifier: BSD-3-Clause
// A command line's arguments one after the other: --name=value or --name value.
#pragma once

#include <cstddef>
#include <nearfar/error.hpp>
#include <span>
#include <string>
#include <string_view>

namespace apps {

/// One argument after the other, with the values that stand behind them.
class argument_list {
 public:
  explicit argument_list(std::span<const char* const> all) : all_(all) {}
  bool is_done() const { return next_ == all_.size(); }
  std::string_view take() { return all_[next_++]; }
  /// What is behind "=" or in the next argument. @throws nearfar::usage_error  nothing is; `what` says what is needed
  std::string value_of(std::string_view argument, const std::string& what) {
    const auto equals = argument.find('=');
    const std::string name(argument.substr(0, equals));
    std::string value;
    if (equals != std::string_view::npos) value = argument.substr(equals + 1);
    if (equals == std::string_view::npos && !is_done()) value = take();
    if (value.empty()) throw nearfar::usage_error(name + " needs " + what + ": " + name + "=…");
    return value;
  }

 private:
  std::span<const char* const> all_;
  std::size_t next_ = 0;
};

}  // namespace apps
