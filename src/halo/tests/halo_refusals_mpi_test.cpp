// SPDX-License-Identifier: BSD-3-Clause
// Halo plans that cannot be: every rank gets the same error, which names what is wrong.
#include <cstdlib>
#include <functional>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>

#include "methods_here.hpp"

namespace nearfar::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class HaloRefusal : public MpiTest {
 protected:
  bool is_last() const { return rank() == size() - 1; }

  // The message that rank 0 got, if every rank got a usage_error.
  std::string refusal(const std::vector<halo_part>& parts,
                      const halo_options& options = {.name = "h", .method = "isend"}) {
    std::string message = "accepted";
    try {
      halo_plan(parts, options);
    } catch (const usage_error& e) {
      message = e.what();
    }
    return agreed(message != "accepted")   ? message
           : agreed(message == "accepted") ? "accepted"
                                           : "only some ranks: " + message;
  }
};

TEST_F(HaloRefusal, stencil_wider_than_a_neighbouring_tile) {
  const team members(comm());
  std::vector<index_t> widths(static_cast<std::size_t>(size()), 5);
  widths.back() = 2;
  const grid g(members, {5 * (size() - 1) + 2}, {.periodic = {true}, .tile_extents = {widths}});
  const field<int> wide(g, {.ghosts = 3}), just(g, {.ghosts = 2});
  EXPECT_THAT(refusal({wide}),
              AllOf(HasSubstr("3 ghost layers on the low side of dimension 0"),
                    HasSubstr("the tile of rank " + std::to_string(size() - 1)), HasSubstr("at most 2")));
  EXPECT_EQ(refusal({just}), "accepted") << "a tile as narrow as the stencil";
  EXPECT_EQ(refusal({{wide, ghosts{{2, 2}}}}), "accepted") << "fewer layers than the array has";
}

TEST_F(HaloRefusal, narrow_tile_at_the_end_only_matters_to_those_who_read_from_it) {
  if (size() == 1) return;
  const team members(comm());
  for (const index_t narrow : {1, 2}) {
    std::vector<index_t> widths(static_cast<std::size_t>(size()), 5);
    widths.back() = narrow;
    const grid g(members, {5 * (size() - 1) + narrow}, {.tile_extents = {widths}});
    const field<int> f(g, {.ghosts = 3});
    EXPECT_EQ(refusal({{f, ghosts{{3, 0}}}}), "accepted") << "nobody has the last tile on its low side";
    EXPECT_THAT(refusal({{f, ghosts{{0, 3}}}}),
                AllOf(HasSubstr("high side of dimension 0"), HasSubstr("at most " + std::to_string(narrow))));
  }
}

TEST_F(HaloRefusal, periodic_tile_narrower_than_its_own_ghosts) {
  const team members(comm());
  const grid g(members, {3, 10 * size()}, {.periodic = {true, true}, .process_grid = {1}});
  const field<int> f(g, {.ghosts = 4});
  EXPECT_THAT(refusal({f}), AllOf(HasSubstr("4 ghost layers"), HasSubstr("dimension 0"), HasSubstr("at most 3")));
}

TEST_F(HaloRefusal, widths) {
  const team members(comm());
  const grid g(members, {20 * size()});
  const field<int> f(g, {.ghosts = 1});
  EXPECT_THAT(refusal({{f, is_last() ? 2 : 1}}),
              HasSubstr("to fill (2, 2) ghost layers in dimension 0; the array has (1, 1)"));
  EXPECT_THAT(refusal({{f, ghosts{{-1, 0}}}}), HasSubstr("ghost widths (-1, 0) in dimension 0"));
  EXPECT_THAT(refusal({{g, f.layout(), -1}}), HasSubstr("ghost widths (-1, -1)"));
  EXPECT_THAT(refusal({f}, {.name = "mine", .method = "isend"}), "accepted");
  EXPECT_THAT(refusal({f, {f, 3}}, {.name = "mine"}), HasSubstr("halo \"mine\", part 1"));
}

TEST_F(HaloRefusal, arrays) {
  const team members(comm());
  const grid g(members, {10 * size(), 4}, {.process_grid = {0, 1}});
  std::vector<double> memory(12 * 6);
  const auto with = [&](std::vector<index_t> extents, std::vector<index_t> strides = {}) {
    return halo_part(g, array_view<double>{memory.data(), extents, strides}, 1);
  };
  EXPECT_EQ(refusal({with({12, 6})}), "accepted");
  EXPECT_THAT(refusal({with({12, is_last() ? 5 : 6})}),
              HasSubstr("5 elements in dimension 1; own cells and ghosts make 6"));
  EXPECT_THAT(refusal({with({12, 6}, {5, 1})}), HasSubstr("lets elements overlap"));
  EXPECT_THAT(refusal({halo_part(g, array_view<double>{nullptr, {12, 6}, {}}, 1)}), HasSubstr("null pointer"));
  array_layout a = with({12, 6}).layout;
  a.element_bytes = 65537;
  EXPECT_THAT(refusal({{g, a, 1}}), HasSubstr("elements of 65537 bytes"));
  EXPECT_THROW(with({1, 2, 3, 4, 5}), usage_error);
  EXPECT_THROW(with({12, 6}, {1}), usage_error);
}

TEST_F(HaloRefusal, plans_that_differ_across_ranks) {
  if (size() == 1) return;
  const team members(comm());
  const grid g(members, {20 * size()}), same(members, {20 * size()}), other(members, {20 * size() + 1});
  const field<double> f(g, {.ghosts = 2}), on_same(same, {.ghosts = 2}), on_other(other, {.ghosts = 2});
  const field<float> half(g, {.ghosts = 2});
  const field<double> thin(g, {.ghosts = is_last() ? 1 : 2});
  const auto parts = [&](const halo_part& here, const halo_part& there) {
    return std::vector<halo_part>{is_last() ? there : here};
  };
  EXPECT_THAT(refusal(is_last() ? std::vector<halo_part>{f} : std::vector<halo_part>{f, f}),
              HasSubstr("number of parts"));
  EXPECT_THAT(refusal(parts(f, half)), AllOf(HasSubstr("element bytes"), HasSubstr("8"), HasSubstr("4")));
  EXPECT_THAT(refusal(parts(f, on_other)), HasSubstr("extents of the parts' grids"));
  EXPECT_THAT(refusal(parts(f, on_same)), HasSubstr("choice of grids"));
  EXPECT_THAT(refusal({thin}), HasSubstr("ghost widths"));
  EXPECT_THAT(refusal(parts(f, {f, ghosts{{1, 2}}})), HasSubstr("ghost layers to fill"));
  EXPECT_THAT(refusal({f}, {.name = "h", .stencil = is_last() ? stencil::star : stencil::box}), HasSubstr("stencil"));
}

TEST_F(HaloRefusal, parts_of_different_teams_or_none) {
  const team members(comm()), others(comm());
  const field<int> f(grid(members, {20 * size()}), {.ghosts = 1}), g(grid(others, {20 * size()}), {.ghosts = 1});
  EXPECT_THAT(refusal({f, g}), HasSubstr("part 1 is on a grid of another team"));
  EXPECT_THAT(refusal({}), HasSubstr("has no parts"));
}

/// Two arrays of the caller's, a ghost on each side of five own cells.
struct two_arrays {
  explicit two_arrays(double value) : a(7, value), b(7, value) {}
  void number(const grid& g) {
    for (index_t i = 1; i < 6; ++i) a[at(i)] = static_cast<double>(g.own().lower[0] + i), b[at(i)] = 0.5 + a[at(i)];
    a[0] = a[6] = b[0] = b[6] = -1;
  }
  /// Cells that are not as number() has them and an exchange completes them.
  int wrong(const grid& g) const {
    const index_t n = g.extents()[0];
    int count = 0;
    for (index_t i = 0; i < 7; ++i) {
      const auto right = static_cast<double>((g.own().lower[0] + i - 1 + n) % n + 1);
      count += (a[at(i)] != right) + (b[at(i)] != 0.5 + right);
    }
    return count;
  }
  bool is_untouched(double value) const { return a == std::vector<double>(7, value) && b == a; }
  std::vector<halo_part> parts(const grid& g) {
    const auto part = [&](std::vector<double>& x) { return halo_part(g, array_view<double>{x.data(), {7}, {}}, 1); };
    return {part(a), part(b)};
  }
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
  std::vector<double> a, b;
};

// The next start() exchanged the first of the other arrays in place of the plan's.
TEST_F(HaloRefusal, a_start_on_other_arrays_that_is_refused_moves_none_of_them) {
  const team members(comm());
  const grid g(members, {5 * size()}, {.periodic = {true}});
  for (const std::string& method : methods_here(members)) {
    two_arrays own(0), other(7);
    halo_plan h(own.parts(g), {.method = method, .budget_s = no_tuning});
    const field<double> near(g, {.ghosts = 1});
    for (void* second : {static_cast<void*>(nullptr), static_cast<void*>(near.data())}) {
      void* const others[] = {other.a.data(), second};
      try {
        h.start(others);
        h.finish();  // where near memory is not shared, it is as good as the program's own
        void* const back[] = {own.a.data(), own.b.data()};
        own.number(g);
        h.start(back);
        h.finish();
      } catch (const usage_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("part 1: the other array is"));
        own.number(g);
        h.run();
        EXPECT_TRUE(other.is_untouched(7)) << method;
      }
      EXPECT_EQ(own.wrong(g), 0) << method;
    }
  }
}

TEST_F(HaloRefusal, two_arrays_that_change_places_do) {
  const team members(comm());
  const grid g(members, {5 * size()}, {.periodic = {true}});
  two_arrays own(0);
  setenv("NEARFAR_CHECK", "paranoid", 1);
  halo_plan h(own.parts(g), {.name = "swap", .method = "isend", .budget_s = no_tuning});
  unsetenv("NEARFAR_CHECK");
  own.number(g);
  void* const swapped[] = {own.b.data(), own.a.data()};
  h.start(swapped);
  own.a[1] = own.a[1] + 1;  // an own cell of what is now the second part: all are still looked at
  EXPECT_THROW(h.finish(), usage_error);
  own.number(g);
  h.run();
  EXPECT_EQ(own.wrong(g), 0);
}

TEST_F(HaloRefusal, unknown_method) {
  const team members(comm());
  const field<int> f(grid(members, {20 * size()}), {.ghosts = 1});
  EXPECT_THAT(refusal({f}, {.name = "h", .method = "carrier-pigeon"}), HasSubstr("carrier-pigeon"));
}

}  // namespace
}  // namespace nearfar::test
