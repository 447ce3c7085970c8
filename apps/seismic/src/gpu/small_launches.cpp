// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/small_launches.hpp>
#include <nearfar/error.hpp>
#include <string_view>

namespace seismic::gpu {

namespace {

/// A thread per element of a box: x, y, z.
launch over(const char* kernel, index_t nx, index_t ny, index_t nz) {
  const unsigned wide = nx >= 64 ? 128 : 32, high = nx >= 64 ? 1 : 4;
  return {kernel, {blocks_of(nx, wide), blocks_of(ny, high), static_cast<unsigned>(nz)}, {wide, high, 1}};
}

template <class Arguments>
void run(const launch& what, const void* argument, void (*body)(const Arguments&, const thread_place&)) {
  const auto& a = *static_cast<const Arguments*>(argument);
  const auto along = [&](std::size_t d) { return static_cast<index_t>(what.blocks[d]) * what.threads[d]; };
  for (index_t k = 0; k < along(2); ++k)
    for (index_t j = 0; j < along(1); ++j)
      for (index_t i = 0; i < along(0); ++i) body(a, {i, j, k, along(0)});
}

struct known_kernel {
  small_kernel what;
  void (*run)(const launch&, const void*);
};

template <class Arguments, void (*body)(const Arguments&, const thread_place&)>
constexpr known_kernel known(const char* name) {
  return {{name, sizeof(Arguments)},
          [](const launch& what, const void* argument) { run<Arguments>(what, argument, body); }};
}

constexpr std::array<known_kernel, 8> all{known<ghost_arguments, mirror_body>("seismic_mirror"),
                                          known<ghost_arguments, repeat_body>("seismic_repeat"),
                                          known<slab_arguments, absorb_body>("seismic_absorb"),
                                          known<inject_arguments, inject_body>("seismic_inject"),
                                          known<gather_arguments, gather_body>("seismic_gather"),
                                          known<squares_arguments, squares_body>("seismic_squares"),
                                          known<difference_arguments, difference_body>("seismic_difference"),
                                          known<frame_arguments, frame_body>("seismic_frame")};

}  // namespace

launch mirror_launch(const ghost_arguments& a) {
  return over("seismic_mirror", a.shape.plane(), a.shape.ghosts + 1, 1);
}

launch repeat_launch(const ghost_arguments& a) {
  const index_t g = 2 * a.shape.ghosts;
  return over("seismic_repeat", a.d == 2 ? g : a.shape.row(), a.d == 1 ? g : a.shape.ny + g,
              a.d == 0 ? g : a.shape.nz + g);
}

launch absorb_launch(const slab_arguments& a) {
  return over("seismic_absorb", a.slab.nx, a.slab.ny + 2 * rim_along(a, 1), a.slab.nz + 2 * rim_along(a, 0));
}
launch inject_launch(const inject_arguments& a) {
  return {"seismic_inject", {blocks_of(a.cells, 64), 1, 1}, {64, 1, 1}};
}
launch gather_launch(const gather_arguments& a) {
  return {"seismic_gather", {blocks_of(a.count, 64), 1, 1}, {64, 1, 1}};
}
launch squares_launch() { return {"seismic_squares", {summing_threads / 256, 1, 1}, {256, 1, 1}}; }
launch difference_launch() { return {"seismic_difference", {2048, 1, 1}, {256, 1, 1}}; }
launch frame_launch(const frame_arguments& a) { return over("seismic_frame", a.counts[2], a.counts[1], a.counts[0]); }

std::array<small_kernel, 8> small_kernels() noexcept {
  std::array<small_kernel, 8> names{};
  for (std::size_t n = 0; n < all.size(); ++n) names[n] = all[n].what;
  return names;
}

void run_small_on_host(const launch& what, const void* argument) {
  for (const known_kernel& k : all)
    if (std::string_view(k.what.name) == what.kernel) return k.run(what, argument);
  throw nearfar::usage_error(std::string("there is no kernel ") + what.kernel);
}

}  // namespace seismic::gpu
