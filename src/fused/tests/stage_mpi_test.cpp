// SPDX-License-Identifier: BSD-3-Clause
// Stages of random shapes against the transforms' definition on whole grids, and bit by bit against a transposition
// followed by the own engine.
#include <cstring>
#include <exchange/exchange.hpp>
#include <fourier/engine.hpp>
#include <fused/stage.hpp>
#include <mpi_test.hpp>
#include <near/arena.hpp>
#include <nearfar/error.hpp>
#include <numeric>

#include "grids.hpp"

namespace nearfar::fused::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.node_sizes = {0, 2}}};

using fourier::kind;
using nearfar::test::exact, nearfar::test::for_elements, nearfar::test::turned, nearfar::test::whole_box;
using nearfar::test::get, nearfar::test::put, nearfar::test::random_grid, nearfar::test::transformed,
    nearfar::test::whole_grid;

/// What all ranks draw alike.
struct random_stage {
  std::mt19937 random;
  std::vector<index_t> extents;  ///< of `from`
  std::vector<line_step> steps;
  std::vector<index_t> lengths;
  std::vector<index_t> out_extents;
  index_t fields = 1;

  std::size_t draw(std::size_t below) { return random() % below; }

  explicit random_stage(unsigned seed) : random(seed) {
    const std::size_t axes = 1 + draw(4);
    for (std::size_t d = 0; d < axes; ++d) extents.push_back(static_cast<index_t>(1 + draw(axes < 3 ? 40 : 12)));
    fields = static_cast<index_t>(1 + draw(2));
    const std::size_t count = axes > 1 ? 1 + draw(2) : 1;
    std::vector<int> order(axes);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    const std::size_t family = draw(4);  // complex, complex, towards real or complex, cosines
    for (std::size_t k = 0; k < count; ++k) steps.push_back({kind_of(family, k, count), order[k]});
    out_extents = extents;
    for (const line_step& s : steps) set_length(s);
  }

  kind kind_of(std::size_t family, std::size_t k, std::size_t count) {
    if (family < 2) return draw(2) == 0 ? kind::forward : kind::backward;
    if (family == 3) return draw(2) == 0 ? kind::dct2 : kind::dst3;
    const bool is_first_real = count == 1 ? draw(2) == 0 : steps_start_real_;
    if (k == 0)
      return (steps_start_real_ = is_first_real || draw(2) == 0) ? kind::real_to_complex
             : count == 1                                        ? kind::complex_to_real
                                                                 : kind::backward;
    return steps_start_real_ ? kind::forward : kind::complex_to_real;
  }

  void set_length(const line_step& s) {
    const auto a = static_cast<std::size_t>(s.axis);
    index_t n = extents[a];
    if (s.what == kind::complex_to_real) {
      n = 2 * (extents[a] - 1) + static_cast<index_t>(draw(2));
      if (n == 0) n = 1;
    }
    lengths.push_back(n);
    const fourier::line_shape shape{s.what, n};
    extents[a] = shape.in_length();
    out_extents[a] = shape.out_length();
  }

  transpose_side from(const team& t) {
    const int axis = static_cast<int>(draw(extents.size()));
    const std::size_t how = draw(3);
    return dressed({how == 0 || extents.size() == 1 ? decomposition::slab(t, extents, axis)
                    : how == 1                      ? decomposition::pencil(t, extents, axis)
                                                    : decomposition::from_boxes(t, extents, turned(t, extents, axis))});
  }

  /// The same cuts of both grids, none through the axes of steps.
  std::pair<decomposition, transpose_side> through_and_to(const team& t) {
    std::vector<int> free(extents.size());
    std::iota(free.begin(), free.end(), 0);
    for (const line_step& s : steps) std::erase(free, s.axis);
    if (free.empty()) {  // all on one rank
      const auto all_on_last = [&](const std::vector<index_t>& n) {
        return decomposition::from_boxes(
            t, n, t.rank() == t.size() - 1 ? whole_box(n) : box{static_cast<int>(n.size()), {}, {}});
      };
      return {all_on_last(extents), dressed({all_on_last(out_extents)})};
    }
    const int axis = free[draw(free.size())];
    if (draw(2) == 0)
      return {decomposition::slab(t, extents, axis), dressed({decomposition::slab(t, out_extents, axis)})};
    return {decomposition::from_boxes(t, extents, turned(t, extents, axis)),
            dressed({decomposition::from_boxes(t, out_extents, turned(t, out_extents, axis))})};
  }

  transpose_side dressed(transpose_side s) {
    if (draw(3) > 0) {
      s.memory_order.resize(extents.size());
      std::iota(s.memory_order.begin(), s.memory_order.end(), 0);
      std::shuffle(s.memory_order.begin(), s.memory_order.end(), random);
    }
    if (draw(3) == 0)
      for (int d = 0; d < static_cast<int>(extents.size()); ++d) {
        const int low = static_cast<int>(draw(3));
        s.padding.set(d, low, static_cast<int>(draw(3)));
      }
    return s;
  }

 private:
  bool steps_start_real_ = false;
};

constexpr std::byte filler{0x3C};

struct memory_of_side {
  std::shared_ptr<void> near;
  std::vector<std::vector<std::byte>> own;
  std::vector<void*> fields;
  std::size_t bytes;

  memory_of_side(const transpose_side& side, index_t count, std::size_t element_bytes, bool is_near)
      : bytes(static_cast<std::size_t>(shape_of(side).elements) * element_bytes) {
    if (is_near) {
      near = allocate_near({side}, count, element_bytes, fields);
    } else {
      own.assign(as_size(count), std::vector<std::byte>(bytes + 1));
      for (auto& f : own) fields.push_back(f.data());
    }
    for (void* f : fields)
      if (bytes > 0) std::memset(f, static_cast<int>(filler), bytes);
  }
  std::byte* at(std::size_t field) const { return static_cast<std::byte*>(fields[field]); }
};

class Stage : public nearfar::test::MpiTest {
 protected:
  template <class Real>
  void run_case(unsigned seed, const std::string& method) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", method '" + method + "'");
    const team t(comm());
    random_stage c(seed);
    const transpose_side from = c.from(t);
    const auto [through, to] = c.through_and_to(t);
    const bool is_in = is_complex_in(c.steps.front().what), is_out = is_complex_out(c.steps.back().what);
    const std::size_t in_bytes = sizeof(Real) * (is_in ? 2 : 1), out_bytes = sizeof(Real) * (is_out ? 2 : 1);
    const bool is_near = c.draw(3) > 0;
    const memory_of_side in(from, c.fields, in_bytes, is_near), out(to, c.fields, out_bytes, c.draw(2) == 0);
    const memory_of_side in2(from, c.fields, in_bytes, is_near);
    // One array of a vector per field is what the lists of pointers say.
    std::vector<void*> ins = in.fields, ins2 = in2.fields, outs = out.fields;
    const auto list = [](std::vector<void*>& v, std::size_t bytes, auto body) {
      body(transpose_arrays(v.data(), nullptr, v.size(), bytes));
    };
    std::unique_ptr<stage<Real>> s;
    const auto make = [&] {
      list(ins, in_bytes, [&](const transpose_arrays& a) {
        list(outs, out_bytes, [&](const transpose_arrays& b) {
          s = std::make_unique<stage<Real>>(stage_shape{from, through, to, c.steps, c.fields}, a, b,
                                            stage_options{.method = method, .budget_s = 0.002});
        });
      });
    };
    make();
    for (int round = 0; round < 3; ++round) {
      const memory_of_side& source = round == 1 ? in2 : in;
      for (std::size_t f = 0; f < as_size(c.fields); ++f) {
        const whole_grid g =
            random_grid(c.extents, is_in, seed * 100 + static_cast<unsigned>(f) * 10 + static_cast<unsigned>(round));
        for_elements(from.parts.own(), [&](const auto& at) {
          put<Real>(source.at(f) + as_size(shape_of(from).offset(at)) * in_bytes, g.at(at), is_in);
        });
        if (out.bytes > 0) std::memset(out.at(f), static_cast<int>(filler), out.bytes);
      }
      list(round == 1 ? ins2 : ins, in_bytes,
           [&](const transpose_arrays& a) { list(outs, out_bytes, [&](const transpose_arrays& b) { (*s)(a, b); }); });
      check(c, seed, round, to, out, is_in, is_out, out_bytes, Real(0));
    }
  }

  template <class Real>
  void check(const random_stage& c, unsigned seed, int round, const transpose_side& to, const memory_of_side& out,
             bool is_in, bool is_out, std::size_t out_bytes, Real) {
    const array_shape shape = shape_of(to);
    for (std::size_t f = 0; f < as_size(c.fields); ++f) {
      whole_grid g =
          random_grid(c.extents, is_in, seed * 100 + static_cast<unsigned>(f) * 10 + static_cast<unsigned>(round));
      for (std::size_t k = 0; k < c.steps.size(); ++k)
        g = transformed(g, c.steps[k].what, c.steps[k].axis, c.lengths[k]);
      long double most = 1, error = 0;
      for (const exact& x : g.values) most = std::max(most, std::abs(x));
      std::vector<bool> is_element(as_size(shape.elements));
      for_elements(to.parts.own(), [&](const auto& at) {
        const index_t place = shape.offset(at);
        is_element[as_size(place)] = true;
        error = std::max(error, std::abs(get<Real>(out.at(f) + as_size(place) * out_bytes, is_out) - g.at(at)));
      });
      EXPECT_LT(error, most * 40 * static_cast<long double>(std::numeric_limits<Real>::epsilon())) << "field " << f;
      for (std::size_t i = 0; i < is_element.size() * out_bytes; ++i)
        if (!is_element[i / out_bytes] && out.at(f)[i] != filler) return void(ADD_FAILURE() << "padding was written");
    }
  }
};

TEST_F(Stage, gives_what_the_definition_says) {
  const unsigned last = size() > 3 ? 14 : 30;
  for (unsigned seed = 0; seed < last && !HasFailure(); ++seed)
    run_case<double>(seed, seed % 3 == 0 ? "" : "near-direct");
}

TEST_F(Stage, gives_the_same_by_messages_and_in_floats) {
  const unsigned last = size() > 3 ? 108 : 120;
  for (unsigned seed = 100; seed < last && !HasFailure(); ++seed) {
    run_case<float>(seed, "near-direct");
    run_case<double>(seed, seed % 2 == 0 ? "isend" : "near-staged");
  }
}

/// All lines of the array along one axis, by a plan of the own engine.
void transform_axis(const array_shape& in, const void* from, const array_shape& out, void* to, kind what,
                    index_t length, int axis) {
  const auto a = static_cast<std::size_t>(axis);
  const std::size_t b = axis == 0 ? 1 : 0, c = axis == 2 ? 1 : 2;
  fourier::line_shape shape{what, length, in.strides[a], out.strides[a], {}};
  shape.lines[0] = {in.held.extent(static_cast<int>(c)), in.strides[c], out.strides[c]};
  shape.lines[1] = {in.held.extent(static_cast<int>(b)), in.strides[b], out.strides[b]};
  fourier::make_plan<double>("own", shape)->run(from, to);
}

TEST_F(Stage, has_the_bits_of_a_transposition_and_the_own_engine) {
  const team t(comm());
  using complex = std::complex<double>;
  const std::vector<index_t> extents{12, 20, 17};
  const transpose_side from{decomposition::slab(t, extents, 0)};
  const transpose_side to{decomposition::slab(t, extents, 1)};
  const transpose_array<complex> in(from), between(to), wanted(to), out(to);
  const whole_grid g = random_grid(extents, true, 5);
  for_elements(from.parts.own(), [&](const auto& at) { in(at[0], at[1], at[2]) = static_cast<complex>(g.at(at)); });
  transpose_plan(from, to, in, between, {.method = "isend"}).run();
  stage<double> fused({from, to.parts, to, {{kind::forward, 0}, {kind::backward, 2}}}, in, out,
                      {.method = "near-direct"});
  fused(in, out);
  if (to.parts.own().is_empty()) return;
  const array_shape shape = shape_of(to);
  transform_axis(shape, between.data(), shape, wanted.data(), kind::forward, extents[0], 0);
  transform_axis(shape, wanted.data(), shape, wanted.data(), kind::backward, extents[2], 2);
  EXPECT_EQ(0, std::memcmp(wanted.data(), out.data(), as_size(shape.elements) * sizeof(complex)));
}

TEST_F(Stage, works_in_place_where_nothing_travels) {
  const team t(comm());
  using complex = std::complex<double>;
  const std::vector<index_t> extents{7, 12, 10};
  const transpose_side side{decomposition::slab(t, extents, 0)};
  const transpose_array<complex> a(side);
  const whole_grid g = random_grid(extents, true, 6);
  for_elements(side.parts.own(), [&](const auto& at) { a(at[0], at[1], at[2]) = static_cast<complex>(g.at(at)); });
  stage<double> local({side, side.parts, side, {{kind::forward, 2}, {kind::forward, 1}}}, a, a);
  EXPECT_EQ(local.method(), "local");
  local(a, a);
  const whole_grid wanted = transformed(transformed(g, kind::forward, 2, 10), kind::forward, 1, 12);
  long double error = 0;
  for_elements(side.parts.own(), [&](const auto& at) {
    error = std::max(error, std::abs(exact(a(at[0], at[1], at[2])) - wanted.at(at)));
  });
  EXPECT_LT(error, 1e-12L);
}

// Three boxes that begin alike and end otherwise: the second one is longer here, the third one there.
TEST_F(Stage, refuses_boxes_that_end_elsewhere) {
  const team t(comm());
  if (t.size() < 3) GTEST_SKIP() << "needs three ranks";
  const auto parts = [&](bool is_second_long) {
    const index_t end = is_second_long ? 2 : 1;
    const box all[] = {{3, {0, 0, 0}, {1, 1, 5}}, {3, {1, 0, 0}, {2, end, 5}}, {3, {0, 1, 0}, {3 - end, 2, 5}}};
    return decomposition::from_boxes(t, {2, 2, 5}, t.rank() < 3 ? all[t.rank()] : box{3, {}, {}});
  };
  const transpose_side from{parts(true)}, to{parts(false)};
  const transpose_array<std::complex<double>> in(from), out(to);
  EXPECT_THROW(stage<double>({from, from.parts, to, {{kind::forward, 2}}}, in, out), usage_error);
}

TEST_F(Stage, refuses_what_does_not_fit) {
  const team t(comm());
  using complex = std::complex<double>;
  const std::vector<index_t> extents{8, 12, 10};
  const transpose_side from{decomposition::slab(t, extents, 0)}, to{decomposition::slab(t, extents, 1)};
  const transpose_array<complex> in(from), out(to);
  const auto make = [&](stage_shape s) { stage<double>(s, in, out, {.method = "isend"}); };
  EXPECT_THROW(make({from, to.parts, to, {}}), usage_error);
  EXPECT_THROW(make({from, to.parts, to, {{kind::forward, 3}}}), usage_error);
  EXPECT_THROW(make({from, to.parts, to, {{kind::forward, 0}, {kind::forward, 0}}}), usage_error);
  EXPECT_THROW(make({from, to.parts, to, {{kind::real_to_complex, 0}}}), usage_error);
  EXPECT_THROW(make({from, to.parts, to, {{kind::dct2, 0}}}), usage_error);  // elements of 16 bytes
  if (t.size() > 1) {
    EXPECT_THROW(make({from, to.parts, to, {{kind::forward, 1}}}), usage_error) << "axis 1 is cut";
    EXPECT_THROW(make({from, to.parts, from, {{kind::forward, 2}}}), usage_error) << "another distribution";
    const transpose_array<complex> both({from, to});
    EXPECT_THROW(stage<double>({from, to.parts, to, {{kind::forward, 0}}}, both, both), usage_error);
  }
  // A complex step before one of real numbers, where the sides fit both.
  const transpose_side half{decomposition::slab(t, {8, 12, 6}, 1)};
  const transpose_array<complex> out_half(half);
  EXPECT_THROW(stage<double>({from, to.parts, half, {{kind::backward, 0}, {kind::real_to_complex, 2}}}, in, out_half),
               usage_error);
  // In place where nothing travels, but elements change their places.
  const transpose_side other_order{from.parts, {1, 0, 2}};
  const transpose_array<complex> both_orders({from, other_order});
  EXPECT_THROW(stage<double>({from, from.parts, other_order, {{kind::forward, 2}}}, both_orders, both_orders),
               usage_error);
  // Two fields into one array.
  void* one[] = {out.data(), out.data()};
  const transpose_array<complex> two(from, 2);
  void* twice[] = {two.data(0), two.data(1)};
  EXPECT_THROW(
      stage<double>({from, to.parts, to, {{kind::forward, 0}}, 2}, transpose_arrays(twice, nullptr, 2, sizeof(complex)),
                    transpose_arrays(one, nullptr, 2, sizeof(complex))),
      usage_error);
  stage<double> s({from, to.parts, to, {{kind::forward, 0}}}, in, out, {.method = "isend"});
  EXPECT_THROW(s.finish(), usage_error);
  const transpose_array<complex> small(half);
  if (shape_of(from).elements > shape_of(half).elements) {
    EXPECT_THROW(s.start(small, out), usage_error);
  }
  s.start(in, out);
  EXPECT_THROW(s.start(in, out), usage_error);
  s.finish();
}

}  // namespace
}  // namespace nearfar::fused::test
