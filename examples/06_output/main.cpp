// SPDX-License-Identifier: BSD-3-Clause
// Heat along rods of a plate, every tenth state written while the next ones are computed; then the file is summed.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nearfar/nearfar.hpp>
#include <string>
#include <vector>

using nearfar::index_t;
constexpr index_t ny = 48, nx = 64, snapshots = 6, steps_between = 10;

/// One step of each rod (a row, contiguous), whose ends keep their values.
void warm(std::vector<std::int64_t>& t) {
  for (std::size_t row = 0; row < t.size(); row += nx) {
    std::int64_t before = t[row];
    for (std::size_t x = row + 1; x + 1 < row + nx; ++x) {
      const std::int64_t here = t[x];
      t[x] = (before + 2 * here + t[x + 1]) / 4;
      before = here;
    }
  }
}

int main(int argc, char** argv) {
  nearfar::runtime mpi{argc, argv};
  nearfar::team team = mpi.world();
  const int id = nearfar::allreduce(team, team.is_root() ? static_cast<int>(getpid()) : 0, nearfar::reduce_op::max);
  const std::string path = std::filesystem::temp_directory_path() / ("nearfar_plate." + std::to_string(id));

  const index_t first = ny * team.rank() / team.size(), last = ny * (team.rank() + 1) / team.size();
  std::vector<std::int64_t> t(static_cast<std::size_t>((last - first) * nx));
  for (index_t y = first; y < last; ++y)
    for (index_t x = 0; x < nx; ++x)
      t[static_cast<std::size_t>((y - first) * nx + x)] = (x * x * 7919 + y * 104729) % 1000003;

  // [stream]
  const nearfar::output_array heat{.name = "heat",
                                   .extents = {ny, nx},
                                   .own = {2, {first, 0}, {last, nx}},
                                   .type = nearfar::element_type::int64,
                                   .attributes = {{"label1", "x"}, {"label2", "y"}}};
  nearfar::output_stream out(team, path, {heat});
  for (index_t snapshot = 0; snapshot < snapshots; ++snapshot) {
    for (int step = 0; step < steps_between; ++step) warm(t);
    out.begin_step(0.01 * static_cast<double>(snapshot));  // waits only if the disk is far behind
    out.put("heat", t.data());                             // copied: t may change again
    out.end_step();
  }
  out.close();  // all is on disk
  // [stream]

  if (team.is_root()) {
    std::vector<std::int64_t> all(snapshots * ny * nx);
    std::ifstream(path + ".heat.raw", std::ios::binary)
        .read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(all.size() * sizeof all[0]));
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) sum += static_cast<std::int64_t>(1 + i % 97) * all[i];
    std::printf("plate: %zu steps, checksum %lld\n", nearfar::output_steps_at(path).size(),
                static_cast<long long>(sum));
    for (const char* ending : {".heat.raw", ".heat.rsf", ".journal", ".parts.json"})
      std::filesystem::remove(path + ending);
  }
}
