// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <common/documented_key.hpp>

namespace apps {
namespace {

std::string heading(std::string_view section, std::span<const std::string_view> lists) {
  const std::string name(section);
  const bool is_list = std::find(lists.begin(), lists.end(), section) != lists.end();
  return is_list ? "\n[[" + name + "]]\n" : "\n[" + name + "]\n";
}

/// A section of examples alone is one.
bool is_example(std::span<const documented_key> keys, std::string_view section) {
  return std::all_of(keys.begin(), keys.end(),
                     [&](const documented_key& k) { return k.section != section || k.is_example; });
}

}  // namespace

std::string template_of(std::span<const documented_key> keys, std::string all,
                        std::span<const std::string_view> lists) {
  std::string_view section;
  for (const documented_key& k : keys) {
    if (k.section != section) {
      section = k.section;
      const std::string words = heading(section, lists);
      all += is_example(keys, section) ? "\n# " + words.substr(1) : words;
    }
    all += "# " + std::string(k.words) + '\n';
    all += (k.is_example ? "# " : "") + std::string(k.key) + " = " + std::string(k.value) + '\n';
  }
  return all;
}

std::string tables_of(std::span<const documented_key> keys, std::span<const std::string_view> lists) {
  std::string all;
  std::string_view section;
  for (const documented_key& k : keys) {
    if (k.section != section) all += heading(section = k.section, lists) + "\n| key | left out | |\n|---|---|---|\n";
    const std::string value = k.is_example ? "" : '`' + std::string(k.value) + '`';
    all += "| `" + std::string(k.key) + "` | " + value + " | " + std::string(k.words) + " |\n";
  }
  return all;
}

}  // namespace apps
