// SPDX-License-Identifier: BSD-3-Clause
// Streams for readers_of_output.py:  write_matrix FOLDER. For each format, number of dimensions and type one of three
// steps, FORMAT.DIMENSIONS.TYPE, where the format has it; with attributes whose kinds readers are to find again.
// Element `place` of step s is (100 s + place) % 120, the first -99, which _FillValue is.
#include <cstdio>
#include <nearfar/nearfar.hpp>

namespace {

using nearfar::element_type;
using nearfar::index_t;

constexpr index_t steps = 3;

template <class T>
std::vector<std::byte> bytes_of_values(index_t cells, index_t step, bool is_complex) {
  std::vector<T> values;
  for (index_t i = 0; i < cells; ++i) {
    values.push_back(static_cast<T>(i == 0 ? -99 : (100 * step + i) % 120));
    if (is_complex) values.push_back(static_cast<T>(i % 7));
  }
  const auto* first = reinterpret_cast<const std::byte*>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

std::vector<std::byte> values_of(element_type type, index_t cells, index_t step) {
  switch (type) {
    case element_type::int8:
      return bytes_of_values<std::int8_t>(cells, step, false);
    case element_type::int16:
      return bytes_of_values<std::int16_t>(cells, step, false);
    case element_type::int32:
      return bytes_of_values<std::int32_t>(cells, step, false);
    case element_type::int64:
      return bytes_of_values<std::int64_t>(cells, step, false);
    case element_type::float32:
      return bytes_of_values<float>(cells, step, false);
    case element_type::float64:
      return bytes_of_values<double>(cells, step, false);
    case element_type::complex64:
      return bytes_of_values<float>(cells, step, true);
    case element_type::complex128:
      return bytes_of_values<double>(cells, step, true);
    default:
      return {};
  }
}

void write(const nearfar::team& alone, const std::string& folder, const std::string& format, std::size_t dimensions,
           element_type type) {
  const std::vector<index_t> all{3, 4, 5, 2};
  nearfar::output_array p{
      .name = "p", .extents = {all.begin(), all.begin() + static_cast<index_t>(dimensions)}, .type = type};
  p.own = {static_cast<int>(dimensions), {}, {}};
  index_t cells = 1;
  for (std::size_t d = 0; d < dimensions; ++d) p.own.upper[d] = p.extents[d], cells *= p.extents[d];
  p.attributes = {
      {"units", "Pa"}, {"revision", "7e12345"}, {"build", "0012345"}, {"run", "123456789012345678"}, {"level", "2.5"}};
  if (format != "rsf") p.attributes.emplace_back("_FillValue", "-99");
  nearfar::output_options o{.format = format, .policy = nearfar::output_policy::synchronous};
  o.durability = nearfar::output_durability::none;
  if (format == "netcdf" || format == "hdf5") o.expected_steps = steps;
  const std::string path = folder + "/" + format + "." + std::to_string(dimensions) + "." + name_of(type);
  try {
    nearfar::output_stream out(alone, path, {p}, o);
    for (index_t s = 0; s < steps; ++s) {
      out.begin_step(0.25 * static_cast<double>(s));
      out.put("p", values_of(type, cells, s).data());
      out.end_step();
    }
    out.close();
  } catch (const nearfar::usage_error& e) {
    std::printf("%s: %s\n", path.c_str(), e.what());  // the format has no such type
  }
}

}  // namespace

int main(int argc, char** argv) {
  const nearfar::runtime mpi{argc, argv};
  const nearfar::team alone = mpi.world();
  for (const auto& [format, words] : nearfar::output_formats())
    for (std::size_t dimensions = 1; dimensions <= 4; ++dimensions)
      for (auto type = static_cast<int>(element_type::int8); type <= static_cast<int>(element_type::complex128); ++type)
        write(alone, argc > 1 ? argv[1] : ".", format, dimensions, static_cast<element_type>(type));
}
