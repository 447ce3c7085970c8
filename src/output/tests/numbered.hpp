// SPDX-License-Identifier: BSD-3-Clause
// Arrays whose elements say which array, step and place they are of, and files of such.
#pragma once

#include <nearfar/error.hpp>
#include <nearfar/output.hpp>
#include <string>
#include <vector>

namespace nearfar::test {

/// What element `place` (counted in C order over the global array) of array `which` holds in a step.
inline std::int64_t number_of(index_t step, std::size_t which, index_t place) {
  return (step * 8 + static_cast<index_t>(which)) * 1'000'000 + place;
}

inline box cut(const std::vector<index_t>& extents, std::array<int, 2> parts, int rank) {
  box b{static_cast<int>(extents.size()), {}, {}};
  for (std::size_t d = 0; d < extents.size(); ++d) b.upper[d] = extents[d];
  const std::array<int, 2> at{rank / parts[1], rank % parts[1]};
  for (std::size_t d = 0; d < 2; ++d) {
    b.lower[d] = extents[d] * at[d] / parts[d];
    b.upper[d] = extents[d] * (at[d] + 1) / parts[d];
  }
  return b.is_empty() ? box{} : b;
}

/// Calls fill(place in the global array, coordinates from the box's lower corner) for each element of a box of three
/// dimensions.
template <class Fill>
void for_each_of(const std::vector<index_t>& extents, const box& own, Fill fill) {
  if (own.is_empty()) return;
  for (index_t z = own.lower[0]; z < own.upper[0]; ++z)
    for (index_t y = own.lower[1]; y < own.upper[1]; ++y)
      for (index_t x = own.lower[2]; x < own.upper[2]; ++x)
        fill((z * extents[1] + y) * extents[2] + x, z - own.lower[0], y - own.lower[1], x - own.lower[2]);
}

/// Puts a step by copies out of a padded array.
template <class T>
void put_numbers(output_stream& out, const output_array& a, std::size_t which, index_t step) {
  const auto& w = a.padding;
  index_t n[3], first = 0;
  for (int d = 0; d < 3; ++d) n[d] = a.own.extent(d) + w.low(d) + w.high(d);
  std::vector<T> values(static_cast<std::size_t>(n[0] * n[1] * n[2]), T(-1));
  first = (w.low(0) * n[1] + w.low(1)) * n[2] + w.low(2);
  for_each_of(a.extents, a.own, [&](index_t place, index_t z, index_t y, index_t x) {
    values[static_cast<std::size_t>(first + (z * n[1] + y) * n[2] + x)] = static_cast<T>(number_of(step, which, place));
  });
  out.put(a.name, values.data());
}

/// The same, straight into the frame.
template <class T>
void fill_numbers(output_stream& out, const output_array& a, std::size_t which, index_t step) {
  const output_slot s = out.slot(a.name);
  for_each_of(a.extents, a.own, [&](index_t place, index_t z, index_t y, index_t x) {
    auto* at =
        static_cast<std::byte*>(s.data) + z * s.strides_bytes[0] + y * s.strides_bytes[1] + x * s.strides_bytes[2];
    *reinterpret_cast<T*>(at) = static_cast<T>(number_of(step, which, place));
  });
}

/// Words on the first element of the file's first `steps` frames that is not what it should be, or on a wrong size; ""
/// if all is well.
template <class T>
std::string fault_in(const std::string& path, const std::vector<index_t>& extents, std::size_t which, index_t steps,
                     bool is_exact_size = true);

}  // namespace nearfar::test

#include <filesystem>
#include <fstream>

namespace nearfar::test {

template <class T>
std::string fault_in(const std::string& path, const std::vector<index_t>& extents, std::size_t which, index_t steps,
                     bool is_exact_size) {
  index_t cells = 1;
  for (const index_t e : extents) cells *= e;
  const auto wanted = static_cast<std::uintmax_t>(cells * steps) * sizeof(T);
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  if (missing || size < wanted || (is_exact_size && size != wanted))
    return path + " has " + std::to_string(missing ? -1 : static_cast<long>(size)) + " bytes, not " +
           std::to_string(wanted);
  std::ifstream in(path, std::ios::binary);
  std::vector<T> frame(static_cast<std::size_t>(cells));
  for (index_t s = 0; s < steps; ++s) {
    in.read(reinterpret_cast<char*>(frame.data()), static_cast<std::streamsize>(frame.size() * sizeof(T)));
    for (index_t c = 0; c < cells; ++c)
      if (frame[static_cast<std::size_t>(c)] != static_cast<T>(number_of(s, which, c)))
        return path + ": element " + std::to_string(c) + " of step " + std::to_string(s) + " is wrong";
  }
  return "";
}

/// What the library says against a step; "" where it has nothing against it.
template <class Step>
std::string refusal(Step step) {
  try {
    step();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

}  // namespace nearfar::test
