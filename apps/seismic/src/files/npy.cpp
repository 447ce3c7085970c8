// SPDX-License-Identifier: BSD-3-Clause
// The header is a Python dictionary that NumPy writes in one way only; more of Python is not understood.
#include <algorithm>
#include <charconv>
#include <files/bytes.hpp>
#include <files/npy.hpp>
#include <nearfar/error.hpp>
#include <string_view>

namespace seismic {
namespace {

constexpr std::size_t most_header_bytes = 1 << 16;

[[noreturn]] void refuse_npy(const std::string& path, const std::string& why) {
  throw nearfar::io_error(path + " cannot be read as NPY: " + why);
}

struct npy_header {
  std::string text;
  std::int64_t end = 0;
};

npy_header header_of(const std::string& path) {
  const apps::own_file file = apps::own_file::to_read(path);
  std::array<std::byte, 12> start{};
  if (file.size() < 12) refuse_npy(path, "it has " + std::to_string(file.size()) + " bytes");
  file.read(0, start);
  constexpr std::string_view magic = "\x93NUMPY";
  if (!std::equal(magic.begin(), magic.end(), start.begin(),
                  [](char a, std::byte b) { return static_cast<std::byte>(a) == b; }))
    refuse_npy(path, "it does not begin with \\x93NUMPY");
  const int version = std::to_integer<int>(start[6]);
  if (version < 1 || version > 3) refuse_npy(path, "version " + std::to_string(version) + "; 1 to 3 are known");
  const std::size_t from = version == 1 ? 10 : 12;
  const std::size_t bytes =
      version == 1 ? integer_in<std::uint16_t>(start, 8, false) : integer_in<std::uint32_t>(start, 8, false);
  if (bytes > most_header_bytes || static_cast<std::int64_t>(from + bytes) > file.size())
    refuse_npy(path, "a header of " + std::to_string(bytes) + " bytes");
  npy_header header{std::string(bytes, '\0'), static_cast<std::int64_t>(from + bytes)};
  file.read(static_cast<std::int64_t>(from), std::as_writable_bytes(std::span(header.text)));
  return header;
}

/// What follows 'key': in the dictionary.
std::string_view entry(const std::string& path, std::string_view text, const std::string& key) {
  const auto at = text.find('\'' + key + "':");
  if (at == std::string_view::npos) refuse_npy(path, "its header has no '" + key + "'");
  text.remove_prefix(at + key.size() + 3);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

std::vector<index_t> shape_in(const std::string& path, std::string_view text) {
  const auto end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) refuse_npy(path, "its header has no shape");
  std::vector<index_t> extents;
  for (text = text.substr(1, end - 1); !text.empty();) {
    const auto from = text.find_first_not_of(" ,");
    if (from == std::string_view::npos) break;
    text.remove_prefix(from);
    index_t n = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc()) refuse_npy(path, "its shape is not of numbers");
    extents.push_back(n);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
  if (extents.empty() || extents.size() > 4)
    refuse_npy(path, "it has " + std::to_string(extents.size()) + " dimensions; 1 to 4 are taken");
  return extents;
}

void set_type(const std::string& path, std::string_view text, array_layout& layout) {
  const std::string_view type = text.substr(0, 5);
  const bool is_float = type == "'<f4'" || type == "'<f8'" || type == "'>f4'" || type == "'>f8'";
  if (!is_float)
    refuse_npy(path, "its numbers are " + std::string(text.substr(0, 12)) +
                         "; float32 and float64 ('<f4', '<f8', '>f4', '>f8') are taken");
  layout.type = type[3] == '4' ? element_type::float32 : element_type::float64;
  layout.is_big_endian = type[1] == '>';
}

}  // namespace

array_layout npy_layout(const std::string& path) {
  const npy_header header = header_of(path);
  array_layout layout;
  layout.path = path, layout.offset_bytes = header.end;
  set_type(path, entry(path, header.text, "descr"), layout);
  if (!entry(path, header.text, "fortran_order").starts_with("False"))
    refuse_npy(path, "its array is in Fortran order; numpy.ascontiguousarray makes it C order");
  layout.extents = shape_in(path, entry(path, header.text, "shape"));
  return layout;
}

std::vector<double> npy_vector(const std::string& path, index_t most) {
  const array_file file(npy_layout(path));
  const std::vector<index_t>& extents = file.extents();
  if (extents.size() != 1 || extents[0] > most)
    refuse_npy(
        path, "an array of " + shown(extents) + "; wanted is a vector of at most " + std::to_string(most) + " numbers");
  std::vector<double> values(static_cast<std::size_t>(extents[0]));
  file.read_doubles(0, values);
  return values;
}

}  // namespace seismic
