// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <gpu/bodies/shapes.hpp>
#include <gpu/launches.hpp>

namespace seismic::gpu {

namespace {

// So many blocks keep a large GPU busy to the end; but each loads the planes around its own again.
constexpr index_t enough_blocks = 1024, least_planes = 32;

unsigned blocks_along_z(const step_arguments& a, index_t blocks_of_plane) {
  const index_t planes = a.z_end - a.z_begin;
  return static_cast<unsigned>(
      std::clamp<index_t>(enough_blocks / blocks_of_plane, 1, std::max<index_t>(1, planes / least_planes)));
}

/// Blocks for rows of so many threads along x.
launch shaped(const char* kernel, const step_arguments& a, index_t columns, index_t threads_x, index_t threads_y) {
  const unsigned x = blocks_of(columns, threads_x), y = blocks_of(a.y_end - a.y_begin, threads_y);
  return {kernel,
          {x, y, blocks_along_z(a, static_cast<index_t>(x) * y)},
          {static_cast<unsigned>(threads_x), static_cast<unsigned>(threads_y), 1}};
}

template <class Shape>
launch packed(const char* kernel, const step_arguments& a) {
  const index_t packs = a.shape.padded_nx() / Shape::pack, most = Shape::threads / Shape::rows;
  // As many threads in each block of a row as can be: none idle.
  return shaped(kernel, a, packs, blocks_of(packs, blocks_of(packs, most)), Shape::rows);
}

template <class Shape>
launch tiled(const char* kernel, const step_arguments& a) {
  launch l = shaped(kernel, a, a.shape.padded_nx(), Shape::TX, Shape::TY);
  l.shared_bytes = sizeof(float) * static_cast<unsigned>(Shape::step::shared_floats);
  return l;
}

template <class Run>
void for_blocks(const launch& what, const Run& run) {
  place here{};
  here.blocks_z = static_cast<int>(what.blocks[2]);
  here.threads_x = static_cast<int>(what.threads[0]), here.threads_y = static_cast<int>(what.threads[1]);
  for (here.block_z = 0; here.block_z < here.blocks_z; ++here.block_z)
    for (here.block_y = 0; here.block_y < static_cast<int>(what.blocks[1]); ++here.block_y)
      for (here.block_x = 0; here.block_x < static_cast<int>(what.blocks[0]); ++here.block_x) run(here);
}

template <class Body>
void run_threads(const launch& what, const Body& body) {
  for_blocks(what, [&](place here) {
    for (here.thread_y = 0; here.thread_y < here.threads_y; ++here.thread_y)
      for (here.thread_x = 0; here.thread_x < here.threads_x; ++here.thread_x) body(here);
  });
}

template <class Shape>
void run_tiles(const launch& what, const step_arguments& a) {
  for_blocks(what, [&](const place& here) {
    host_block<typename Shape::thread> block(here, Shape::step::shared_floats);
    Shape::step::run(a, block);
  });
}

template <int R>
void run_step(system_kind system, const launch& what, const step_arguments& a) {
  switch (system) {
    case system_kind::isotropic:
      return run_threads(what, [&](const place& here) { isotropic_step<R, isotropic_shape::pack>(a, here); });
    case system_kind::fletcher_vti:
      return run_threads(what, [&](const place& here) { fletcher_vti_step<R, vti_shape::pack>(a, here); });
    case system_kind::fletcher_tti:
      return run_tiles<tilted_shape<R>>(what, a);
    case system_kind::self_adjoint:
      return run_tiles<self_adjoint_shape<R>>(what, a);
  }
}

template <int R>
launch step_of(system_kind system, const char* kernel, const step_arguments& a) {
  switch (system) {
    case system_kind::isotropic:
      return packed<isotropic_shape>(kernel, a);
    case system_kind::fletcher_vti:
      return packed<vti_shape>(kernel, a);
    case system_kind::fletcher_tti:
      return tiled<tilted_shape<R>>(kernel, a);
    case system_kind::self_adjoint:
      break;
  }
  return tiled<self_adjoint_shape<R>>(kernel, a);
}

/// By system and radius / 2 - 1.
constexpr const char* names[systems][3] = {{"isotropic_2", "isotropic_4", "isotropic_6"},
                                           {"fletcher_vti_2", "fletcher_vti_4", "fletcher_vti_6"},
                                           {"fletcher_tti_2", "fletcher_tti_4", "fletcher_tti_6"},
                                           {"self_adjoint_2", "self_adjoint_4", "self_adjoint_6"}};

}  // namespace

launch launch_of(system_kind system, const step_arguments& a) {
  const int radius = a.shape.radius;
  const char* const kernel = names[static_cast<int>(system)][radius / 2 - 1];
  return radius == 2   ? step_of<2>(system, kernel, a)
         : radius == 4 ? step_of<4>(system, kernel, a)
                       : step_of<6>(system, kernel, a);
}

void run_on_host(const launch& what, const void* argument) {
  const auto& a = *static_cast<const step_arguments*>(argument);
  for (std::size_t s = 0; s < systems; ++s)
    for (int r = 0; r < 3; ++r) {
      if (std::strcmp(names[s][r], what.kernel) != 0) continue;
      const auto system = static_cast<system_kind>(s);
      return r == 0   ? run_step<2>(system, what, a)
             : r == 1 ? run_step<4>(system, what, a)
                      : run_step<6>(system, what, a);
    }
}

}  // namespace seismic::gpu
