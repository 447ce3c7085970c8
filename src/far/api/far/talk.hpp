// SPDX-License-Identifier: BSD-3-Clause
// An exchange of bytes with each neighbour, when a plan is made.
#pragma once

#include <cstddef>
#include <cstring>
#include <nearfar/team.hpp>
#include <type_traits>
#include <vector>

namespace nearfar::far {

/// Sends out[i] to peers[i] and returns what peers[i] sent. Every pair must name each other; peers are team ranks
/// without this one, without repetition. Collective over the neighbourhoods.
std::vector<std::vector<std::byte>> talk(const team& members, const std::vector<int>& peers,
                                         const std::vector<std::vector<std::byte>>& out);

/// What all near ranks have, one after the other by near rank. Collective over the node.
std::vector<std::byte> all_of_node(const team& members, const std::byte* mine, std::size_t bytes);

template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> all_of_node(const team& members, const std::vector<T>& mine) {
    const auto bytes = all_of_node(members, reinterpret_cast<const std::byte*>(mine.data()), mine.size() * sizeof(T));
    std::vector<T> all(bytes.size() / sizeof(T));
    if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }

}  // namespace nearfar::far
