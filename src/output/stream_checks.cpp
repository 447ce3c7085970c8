// SPDX-License-Identifier: BSD-3-Clause
// Checks of arrays and options before anything of a stream is made.
#include "stream_checks.hpp"

#include <algorithm>
#include <base/numbers.hpp>
#include <cctype>
#include <set>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "formats/format.hpp"
#include "parts.hpp"

namespace nearfar::output {

namespace {

constexpr index_t most_file_bytes = index_t{1} << 60;

bool is_good_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

void check_array(const output_array& a) {
  if (!is_good_name(a.name))
    throw usage_error(text("an array's name is '", a.name, "'; names have letters, digits, '_' and '-'"));
  if (a.extents.empty() || a.extents.size() > max_dimensions)
    throw usage_error(text("array ", a.name, " has ", a.extents.size(), " dimensions; 1 to 4 are possible"));
  if (a.type < element_type::int8 || a.type > element_type::complex128)
    throw usage_error(text("array ", a.name, " has the type ", static_cast<int>(a.type), "; streams have int8 (",
                           static_cast<int>(element_type::int8), ") to complex128 (",
                           static_cast<int>(element_type::complex128), ")"));
  for (std::size_t d = 0; d < a.extents.size(); ++d) {
    const int i = static_cast<int>(d);
    if (a.extents[d] < 1 && !(a.is_varying && d == 0))
      throw usage_error(text("array ", a.name, " has extent ", a.extents[d], "; 1 is the least"));
    if (a.padding.low(i) < 0 || a.padding.high(i) < 0)
      throw usage_error(text("array ", a.name, " has a negative padding in dimension ", d));
  }
}

void check_varying(const output_array& a, const output_options& o) {
  if (!a.is_varying) return;
  const format& f = format_of(o.format);
  if (!f.has_varying())
    throw usage_error(text("array ", a.name, " has another extent in each step, which format ", f.name(),
                           " has not; hdf5 and vtkhdf have it"));
  if (o.expected_steps > 0)
    throw usage_error(text("expected_steps is ", o.expected_steps, ", but array ", a.name,
                           " has another extent in each step, so that each has a file of its own; 0 is possible"));
  if (codec_of(compression_of(a, o), a.type).kind != codec_kind::none)
    throw usage_error(text("array ", a.name, " has another extent in each step and cannot be compressed"));
  for (std::size_t d = 0; d < a.extents.size() && !a.own.is_empty(); ++d)
    if (a.own.lower[d] != 0 || (d > 0 && a.own.upper[d] != a.extents[d]))
      throw usage_error(text("array ", a.name, " varies: its own box begins at 0 and has whole rows; in dimension ", d,
                             " it is from ", a.own.lower[d], " to ", a.own.upper[d]));
}

void check_constant(const output_array& a, const output_options& o) {
  if (!a.is_constant) return;
  if (!format_of(o.format).has_constant(o))
    throw usage_error(text("array ", a.name, " is constant, which needs files of all steps; format ", o.format,
                           " has none here; rsf and zarr have, netcdf and hdf5 with expected_steps"));
  if (a.is_varying) throw usage_error(text("array ", a.name, " is constant and varies; one of both is possible"));
  if (!a.compression.empty())
    throw usage_error(
        text("array ", a.name, " is constant and has compression '", a.compression, "'; none is possible"));
}

void check_options(const output_options& o) {
  if (o.depth < 1 || o.depth > 1024) throw usage_error(text("depth is ", o.depth, "; 1 to 1024 are possible"));
  if (o.most_bytes < 0) throw usage_error(text("most_bytes is ", o.most_bytes, "; 0 means no limit"));
  if (o.writers_per_node < 0)
    throw usage_error(text("writers_per_node is ", o.writers_per_node, "; 0 (tried) or more are possible"));
  if (o.expected_steps < 0) throw usage_error(text("expected_steps is ", o.expected_steps, "; 0 means unknown"));
  if (!(o.throttle_bytes_per_s >= 0)) throw usage_error("throttle_bytes_per_s is negative; 0 means none");
  if (!(o.linger_s >= 0)) throw usage_error("linger_s is negative; 0 means not at all");
  if (o.policy == output_policy::writer && o.writers == nullptr)
    throw usage_error("output_policy::writer needs output_options::writers, whose computing() is the team");
}

void check_words(const std::vector<output_array>& arrays, const output_options& o) {
  for (const output_array& a : arrays) require_attributes("array " + a.name, a.attributes, &a.type);
  for (const output_axis& x : o.axes) require_attributes("the axis " + x.name, x.attributes, nullptr);
  require_attributes("the stream", o.attributes, nullptr);
}

/// What no file could hold, whatever the disk.
void check_sizes(const std::vector<output_array>& arrays, const output_options& o) {
  index_t all = 0;
  for (const output_array& a : arrays) {
    index_t bytes = bytes_of(a.type);
    bool is_too_large = __builtin_mul_overflow(bytes, std::max<index_t>(o.expected_steps, 1), &bytes);
    for (std::size_t d = 0; d < a.extents.size(); ++d)
      is_too_large = is_too_large || __builtin_mul_overflow(bytes, std::max<index_t>(a.extents[d], 1), &bytes);
    if (is_too_large || __builtin_add_overflow(all, bytes, &all) || all > most_file_bytes)
      throw usage_error(text("array ", a.name, " has more bytes in ", std::max<index_t>(o.expected_steps, 1),
                             " steps than a file can hold; ", most_file_bytes, " are possible for all arrays"));
  }
}

}  // namespace

const std::string& compression_of(const output_array& a, const output_options& o) {
  return a.compression.empty() && !a.is_constant ? o.compression : a.compression;
}

void check_stream(const std::string& path, const std::vector<output_array>& arrays, const output_options& options) {
  if (path.empty()) throw usage_error("a stream needs a path");
  if (arrays.empty()) throw usage_error(text("the stream ", path, " has no arrays; 1 or more are possible"));
  std::set<std::string> names;
  for (const output_array& a : arrays) {
    check_array(a);
    if (!names.insert(a.name).second) throw usage_error(text("two arrays of ", path, " have the name ", a.name));
  }
  check_options(options);
  check_words(arrays, options);
  check_sizes(arrays, options);
  const format& f = format_of(options.format);
  f.check(arrays, options);
  for (const output_array& a : arrays) check_varying(a, options), check_constant(a, options);
  for (const output_array& a : arrays)
    if (codec_of(compression_of(a, options), a.type).kind != codec_kind::none && !f.has_compression())
      throw usage_error(text("array ", a.name, " has compression '", compression_of(a, options), "', which format ",
                             f.name(), " has not; 'zarr' has it"));
}

void require_alike(const team& members, const std::string& path, const std::vector<output_array>& arrays,
                   const output_options& o) {
  require_same(members, {{"path of an output stream", {static_cast<index_t>(hash64().add(path).value())}},
                         {"arrays (names, extents, types), format and compression of an output stream",
                          {static_cast<index_t>(signature_of(o.format, arrays))}},
                         {"options of an output stream",
                          {static_cast<index_t>(o.policy), o.depth, o.most_bytes, o.writers_per_node,
                           static_cast<index_t>(o.durability), static_cast<index_t>(o.opening), o.expected_steps,
                           o.direct ? 1 : 0, o.checksum ? 1 : 0, o.writers != nullptr ? 1 : 0}}});
}

void require_covered(const team& members, const std::string& path, const std::vector<output_array>& arrays) {
  const std::size_t count = arrays.size();
  const bool is_root = members.is_root();
  std::vector<box> mine, all(is_root ? count * as_size(members.size()) : 0);
  for (const output_array& a : arrays) mine.push_back(a.own.is_empty() ? box{} : a.own);
  const int bytes = checked_int(as_index(count * sizeof(box)), "bytes of an output stream's boxes");
  watched_mpi("MPI_Gather",
              [&] { return MPI_Gather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, members.comm()); });
  agree(members, [&] {
    for (std::size_t a = 0; is_root && a < count; ++a) {
      std::vector<box> boxes;
      for (std::size_t r = 0; r < as_size(members.size()); ++r) boxes.push_back(all[r * count + a]);
      require_cover(text("array ", arrays[a].name, " of ", path), shape_of(arrays[a]), boxes);
    }
  });
}

}  // namespace nearfar::output
