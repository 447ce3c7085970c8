// SPDX-License-Identifier: BSD-3-Clause
// Random shapes, orders, paddings, batches, sizes of elements: every method puts every element where its global index
// says.
#include <mpi_test.hpp>
#include <near/arena.hpp>
#include <nearfar/error.hpp>
#include <optional>

#include "random_transpose.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.node_sizes = {0, 2}}};

constexpr std::byte filler{0x5A};

class Transpose : public MpiTest {
 protected:
  /// Memory for the fields of one side: near or own, in one array or one each.
  struct arrays {
    side_data data;
    std::shared_ptr<void> near;
    std::vector<std::byte> own;
    std::vector<std::byte*> fields;

    arrays(const side_data& d, bool is_near) : data(d) {
      const auto bytes = static_cast<std::size_t>(d.field_elements()) * d.element_bytes;
      const auto stride = static_cast<std::size_t>(d.side.field_stride) * d.element_bytes;
      std::vector<void*> starts;
      if (is_near) near = allocate_near({d.side}, d.fields, d.element_bytes, starts);
      if (!is_near) own.resize((bytes + stride) * static_cast<std::size_t>(d.fields) + 1);
      for (std::size_t i = 0; i < static_cast<std::size_t>(d.fields); ++i)
        fields.push_back(is_near && stride == 0 ? static_cast<std::byte*>(starts[i])
                         : is_near ? (bytes > 0 ? static_cast<std::byte*>(starts[0]) + i * stride : nullptr)
                                   : own.data() + i * (stride > 0 ? stride : bytes));
    }
    void set(int round) const {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto all = data.contents(static_cast<index_t>(i), round, filler);
        if (!all.empty()) std::memcpy(fields[i], all.data(), all.size());
      }
    }
    void clear() const {
      const auto bytes = static_cast<std::size_t>(data.field_elements()) * data.element_bytes;
      for (std::byte* f : fields)
        if (bytes > 0) std::memset(f, static_cast<int>(filler), bytes);
    }
    bool is(int round) const {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto all = data.contents(static_cast<index_t>(i), round, filler);
        if (!all.empty() && std::memcmp(fields[i], all.data(), all.size()) != 0) return false;
      }
      return true;
    }
  };

  /// The fields as the plan wants them, with the size of elements of this case.
  template <std::size_t Bytes>
  struct element {
    std::byte bytes[Bytes];
  };
  template <std::size_t Bytes>
  static std::vector<std::span<element<Bytes>>> typed(const arrays& a) {
    std::vector<std::span<element<Bytes>>> all;
    const auto length = static_cast<std::size_t>(elements_of(a.data.side, a.data.fields));
    for (std::byte* f : a.fields) all.emplace_back(reinterpret_cast<element<Bytes>*>(f), length);
    if (a.data.side.field_stride > 0) all.resize(1);
    return all;
  }

  template <std::size_t Bytes>
  void run(const transpose_side& from, const transpose_side& to, index_t fields, const std::string& method,
           bool is_near) {
    const side_data in{from, fields, Bytes}, out{to, fields, Bytes};
    const arrays a(in, is_near), b(out, is_near), other_a(in, is_near), other_b(out, is_near);
    a.clear(), b.clear();
    const auto pa = typed<Bytes>(a), pb = typed<Bytes>(b), qa = typed<Bytes>(other_a), qb = typed<Bytes>(other_b);
    transpose_plan plan(from, to, pa, pb, {.method = method, .budget_s = 0.005, .fields = fields});
    for (int round = 0; round < 3; ++round) {
      const bool is_other = round == 1;  // other arrays, then the first ones again
      const arrays &x = is_other ? other_a : a, &y = is_other ? other_b : b;
      x.set(round), y.clear();
      plan.start(is_other ? qa : pa, is_other ? qb : pb);
      plan.finish();
      EXPECT_TRUE(y.is(round)) << method << (is_near ? ", near memory" : ", own memory") << ", round " << round;
      EXPECT_TRUE(x.is(round)) << method << " changed what it read";
    }
  }

  void run_size(std::size_t bytes, const transpose_side& from, const transpose_side& to, index_t fields,
                const std::string& method, bool is_near) {
    switch (bytes) {
      case 1:
        return run<1>(from, to, fields, method, is_near);
      case 4:
        return run<4>(from, to, fields, method, is_near);
      case 8:
        return run<8>(from, to, fields, method, is_near);
      case 12:
        return run<12>(from, to, fields, method, is_near);
      case 16:
        return run<16>(from, to, fields, method, is_near);
      case 32:
        return run<32>(from, to, fields, method, is_near);
      default:
        return run<40>(from, to, fields, method, is_near);
    }
  }

  void run_case(unsigned seed, const std::vector<std::string>& names) {
    const team t(comm());
    random_case c(seed);
    transpose_side from = c.side(t), to = c.side(t);
    if (c.draw(3) == 0) from.field_stride = most_elements(t, from) + static_cast<index_t>(c.draw(5));
    if (c.draw(3) == 0) to.field_stride = most_elements(t, to);
    const bool is_near = c.draw(2) == 0;
    for (const std::string& name : names) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", method '" + name + "'");
      run_size(c.element_bytes, from, to, c.fields, name, is_near);
      NEARFAR_ASSERT_ALL(!HasFailure());
    }
  }

  static index_t most_elements(const team& t, const transpose_side& s) {
    index_t most = shape_of(s).elements + 1;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, t.comm());
    return most;
  }

  std::vector<std::string> all_methods() {
    auto names = exchange::methods_here(team(comm()));
    std::erase(names, "near-cma");  // bound to its arrays
    names.push_back("");
    return names;
  }
};

TEST_F(Transpose, every_method_puts_elements_where_their_indices_say) {
  const unsigned last = size() > 3 ? 2 : 4;
  for (unsigned seed = 1; seed <= last; ++seed) run_case(seed, all_methods());
}

TEST_F(Transpose, many_shapes) {
  const unsigned last = size() > 3 ? 110 : 125;
  for (unsigned seed = 100; seed < last; ++seed) run_case(seed, {seed % 2 == 0 ? "isend" : "near-direct"});
}

TEST_F(Transpose, pencils_go_round_and_come_back) {
  const team t(comm());
  const std::vector<index_t> extents{7, 10, 9};
  std::vector<transpose_side> sides;
  for (const int whole : {2, 1, 0}) {
    sides.push_back({decomposition::pencil(t, extents, whole)});
    sides.back().memory_order = whole == 2   ? std::vector{0, 1, 2}
                                : whole == 1 ? std::vector{0, 2, 1}
                                             : std::vector{1, 2, 0};
  }
  std::vector<transpose_array<double>> arrays;
  for (const int s : {0, 1, 2, 1, 0}) arrays.emplace_back(sides[static_cast<std::size_t>(s)]);
  for_elements(sides[0].parts.own(), [&](const auto& at) {
    arrays[0](at[0], at[1], at[2]) = static_cast<double>(global_index(extents, at));
  });
  std::vector<transpose_plan> plans;
  for (const auto& [from, to] : {std::pair{0U, 1U}, {1U, 2U}, {2U, 1U}, {1U, 0U}}) {
    const std::size_t step = plans.size();
    plans.emplace_back(sides[from], sides[to], arrays[step], arrays[step + 1], transpose_options{.budget_s = 0.005});
    plans.back().run();
  }
  for (const std::size_t i : {2U, 4U})
    for_elements(sides[i == 2 ? 2 : 0].parts.own(), [&](const auto& at) {
      EXPECT_EQ(arrays[i](at[0], at[1], at[2]), static_cast<double>(global_index(extents, at)));
    });
}

TEST_F(Transpose, in_place_with_padding_and_fields) {
  const team t(comm());
  for (const auto& method : all_methods()) {
    const std::vector<index_t> extents{9, 8, 5};
    transpose_side from{decomposition::slab(t, extents, 0), {}, ghosts{{1, 1}, {0, 2}, {0, 0}}};
    transpose_side to{decomposition::slab(t, extents, 2), {2, 1, 0}};
    const transpose_array<double> array({from, to}, 2);
    std::optional<transpose_plan> plan;  // which keeps what it finds
    for (const int round : {1, 2, 3}) {
      const auto value = [&](std::size_t f, const auto& at) {
        return round * (static_cast<double>(1000 * f) + static_cast<double>(global_index(extents, at)));
      };
      for (const std::size_t f : {0U, 1U})
        for_elements(from.parts.own(),
                     [&](const auto& at) { array.data(f)[shape_of(from).offset(at)] = value(f, at); });
      MPI_Barrier(comm());
      if (!plan)
        plan.emplace(from, to, array, array, transpose_options{.method = method, .budget_s = 0.005, .fields = 2});
      plan->run();
      bool is_right = true;
      for (const std::size_t f : {0U, 1U})
        for_elements(to.parts.own(),
                     [&](const auto& at) { is_right &= array.data(f)[shape_of(to).offset(at)] == value(f, at); });
      EXPECT_TRUE(is_right) << method << ", round " << round;
    }
  }
}

// Races call it before every candidate, and nothing else does.
TEST_F(Transpose, what_writes_the_source_takes_part_in_tuning_only) {
  const team t(comm());
  const std::vector<index_t> extents{12, 10};
  const transpose_side from{decomposition::slab(t, extents, 0)}, to{decomposition::slab(t, extents, 1), {1, 0}};
  const transpose_array<double> a(from), b(to);
  int calls = 0;
  const auto write = [&] {
    ++calls;
    for_elements(from.parts.own(),
                 [&](const auto& at) { a(at[0], at[1]) = static_cast<double>(global_index(extents, at)); });
  };
  transpose_plan pinned(from, to, a, b, {.method = "isend", .rewrite = write});
  EXPECT_EQ(calls, 0);
  transpose_plan tuned(from, to, a, b, {.budget_s = 0.005, .rewrite = write});
  EXPECT_EQ(calls > 0, size() > 1);
  write();
  const int after = calls;
  tuned.run();
  EXPECT_EQ(calls, after);
  for_elements(to.parts.own(),
               [&](const auto& at) { EXPECT_EQ(b(at[0], at[1]), static_cast<double>(global_index(extents, at))); });
}

TEST_F(Transpose, says_what_it_is) {
  const team t(comm());
  const transpose_side from{decomposition::slab(t, {8, 8}, 0)}, to{decomposition::slab(t, {8, 8}, 1), {1, 0}};
  const transpose_array<double> a(from), b(to);
  transpose_plan plan(from, to, a, b, {.name = "turn", .method = "isend"});
  plan.run();
  EXPECT_THAT(plan.describe(), ::testing::HasSubstr("transpose \"turn\": 1 field of 8-byte elements"));
  EXPECT_THAT(plan.describe_json(),
              ::testing::HasSubstr(R"({"plan":"transpose","name":"turn","chosen":")" + plan.method() + '"'));
  if (from.parts.own().cells() > 0) {
    EXPECT_THAT(plan.describe(), ::testing::HasSubstr("% of that speed"));
  }
}

}  // namespace
}  // namespace nearfar::test
