// SPDX-License-Identifier: BSD-3-Clause
// Keys of settings said once, for the template of a file and for tables in Markdown.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace apps {

struct documented_key {
  std::string_view section, key;
  std::string_view value;  ///< as TOML: what it is if it is left out, or an example
  std::string_view words;
  bool is_example = false;  ///< commented out in the template: not what it is if it is left out
};

/// @param lists  names of sections that are lists of tables: [[sources]]
std::string template_of(std::span<const documented_key> keys, std::string opening,
                        std::span<const std::string_view> lists = {});
std::string tables_of(std::span<const documented_key> keys, std::span<const std::string_view> lists = {});

}  // namespace apps
