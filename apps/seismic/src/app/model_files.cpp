// SPDX-License-Identifier: BSD-3-Clause
#include <app/model_files.hpp>
#include <common/agreement.hpp>
#include <common/own_file.hpp>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <span>
#include <vector>

namespace seismic {

namespace {

constexpr std::array<const char*, 6> property_names{"vp", "vs", "epsilon", "delta", "tilt", "azimuth"};

std::string header_of(const grid& g, const std::string& data, const char* unit) {
  std::string words;
  for (const dimension d : {x, y, z}) {
    char text[200];
    const int n = 3 - d;
    std::snprintf(text, sizeof text, "n%d=%lld d%d=%.9g o%d=%.9g label%d=\"%c\" unit%d=\"m\"\n", n,
                  static_cast<long long>(g.points[d]), n, g.spacing_m[d], n, g.origin_m[d], n, "zyx"[d], n);
    words += text;
  }
  return words + "unit=\"" + unit + "\"\nesize=4 data_format=\"native_float\"\nin=\"" + data + "\"\n";
}

void write_property(const property& of, const ground& on, const std::string& path, double factor, const char* unit) {
  const std::string partial = path + "@.partial";
  apps::own_file file = apps::own_file::made_anew(partial);
  const std::array<index_t, 3> from{on.layers.low(0), on.layers.low(1), on.layers.low(2)}, &points = on.inner.points;
  std::vector<float> plane(static_cast<std::size_t>(points[1] * points[2]));
  std::int64_t at = 0;
  for (index_t k = from[0]; k < from[0] + points[0]; ++k) {
    of.read({3, {k, from[1], from[2]}, {k + 1, from[1] + points[1], from[2] + points[2]}}, plane);
    for (float& value : plane) value = static_cast<float>(value * factor);
    const auto bytes = std::as_bytes(std::span(plane));
    file.write(at, bytes);
    at += static_cast<std::int64_t>(bytes.size());
  }
  file.close();
  apps::rename_file(partial, path + "@");
  apps::write_whole(path, header_of(on.inner, std::filesystem::path(path).filename().string() + "@", unit));
}

}  // namespace

void write_model(const nearfar::team& team, const ground& on, const std::string& path) {
  apps::agree_after(team, [&] {
    if (!team.is_root()) return;
    constexpr double degree = 180 / std::numbers::pi;
    constexpr std::array<double, 6> factors{1, 1, 1, 1, degree, degree};
    constexpr std::array<const char*, 6> units{"m/s", "m/s", "", "", "degrees", "degrees"};
    for (std::size_t p = 0; p < property_names.size(); ++p)
      if (on.of.properties[p] != nullptr)
        write_property(*on.of.properties[p], on, path + "_" + property_names[p] + ".rsf", factors[p], units[p]);
  });
}

}  // namespace seismic
