// SPDX-License-Identifier: BSD-3-Clause
// Random grids, arrays, widths and stencils, for every method, against the brute-force oracle.
#include "random_case.hpp"

namespace nearfar::test {
namespace {

class HaloRandom : public MpiTest {
 protected:
  // One plan over some random parts, run a few times with new data, with each method in turn.
  void check_seed(std::uint64_t seed) {
    const team members(comm());
    dice d(seed);
    std::vector<random_part> parts;
    const int count = d.flip() ? 1 : d.roll(2, 3);
    for (int i = 0; i < count; ++i) parts.emplace_back(d, members, i);
    const stencil shape = d.flip(3) ? stencil::star : stencil::box;
    for (const method_info& m : methods()) {
      std::vector<halo_part> list;
      for (const random_part& p : parts) list.push_back(p.part());
      halo plan(list, {.name = "random", .method = m.name, .shape = shape});
      for (int epoch = 0; epoch < 3 && agreed(!HasFailure()); ++epoch) check_epoch(plan, parts, epoch, shape, seed);
    }
  }

  static void check_epoch(halo& plan, std::vector<random_part>& parts, int epoch, stencil shape, std::uint64_t seed) {
    for (random_part& p : parts) p.refill(epoch);
    plan.start();
    if (epoch == 1) plan.test();
    plan.finish();
    std::string difference;
    for (const random_part& p : parts)
      EXPECT_TRUE(p.is_as_expected(shape, difference)) << "seed " << seed << ", method " << plan.method() << ", epoch "
                                                       << epoch << ": " << difference << "\n" << p.describe();
  }

  void check_seeds(std::uint64_t first, int count) {
    for (int i = 0; i < count && agreed(!HasFailure()); ++i) check_seed(first + static_cast<std::uint64_t>(i));
  }
};

constexpr int seeds = 12;

TEST_F(HaloRandom, first_batch) { check_seeds(1000, seeds); }
TEST_F(HaloRandom, second_batch) { check_seeds(2000, seeds); }
TEST_F(HaloRandom, third_batch) { check_seeds(3000, seeds); }

}  // namespace
}  // namespace nearfar::test
