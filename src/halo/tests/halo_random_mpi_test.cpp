// SPDX-License-Identifier: BSD-3-Clause
// Random grids, arrays, widths and stencils, for every method, against the brute-force oracle.
#include "methods_here.hpp"
#include "random_case.hpp"

namespace nearfar::test {
namespace {

class HaloRandom : public MpiTest {
 protected:
  // One plan over some random parts, run a few times with new data, with each of the methods in turn.
  void check_seed(const team& members, std::uint64_t seed, const std::vector<std::string>& names) {
    dice d(seed);
    std::vector<random_part> parts;
    const int count = d.flip() ? 1 : d.roll(2, 3);
    for (int i = 0; i < count; ++i) parts.emplace_back(d, members, i);
    const stencil shape = d.flip(3) ? stencil::star : stencil::box;
    for (const std::string& name : names) {
      std::vector<halo_part> list;
      for (const random_part& p : parts) list.push_back(p.part());
      halo_plan plan(list, {.name = "random", .method = name, .stencil = shape});
      for (int epoch = 0; epoch < 3; ++epoch) check_epoch(plan, parts, epoch, shape, seed);
      if (!agreed(!HasFailure())) return;
    }
  }

  static void check_epoch(halo_plan& plan, std::vector<random_part>& parts, int epoch, stencil shape,
                          std::uint64_t seed) {
    for (random_part& p : parts) p.refill(epoch);
    plan.start();
    if (epoch == 1) plan.test();
    plan.finish();
    std::string difference;
    for (const random_part& p : parts)
      EXPECT_TRUE(p.is_as_expected(shape, difference))
          << "seed " << seed << ", method " << plan.method() << ", epoch " << epoch << ": " << difference << "\n"
          << p.describe();
  }
};

TEST_F(HaloRandom, every_method_gives_what_arithmetic_says) {
  const team members(comm());
  const std::vector<std::string> names = methods_here(members);
  for (std::uint64_t seed = 1000; seed < 1012 && agreed(!HasFailure()); ++seed) check_seed(members, seed, names);
}

TEST_F(HaloRandom, many_cases_with_methods_in_turn) {
  const team members(comm());
  const std::vector<std::string> names = methods_here(members);
  for (std::uint64_t seed = 2000; seed < 2080 && agreed(!HasFailure()); ++seed)
    check_seed(members, seed, {names[seed % names.size()]});
}

}  // namespace
}  // namespace nearfar::test
