// SPDX-License-Identifier: BSD-3-Clause
// Long messages in chunks, and past the caches: boxes of any order, with gaps and of odd sizes, one way and both ways,
// copied, added, and after their arrays moved.
#include <cstdlib>
#include <cstring>
#include <exchange/exchange.hpp>
#include <mpi_test.hpp>
#include <near/arena.hpp>
#include <numeric>

namespace nearfar::exchange::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3, 4}, .node_sizes = {0, 2}}};

using value = double;

/// Extents and orders of memory (slowest dimension first) of a message; with gaps of one element after each line.
struct box_case {
  std::vector<index_t> extents;
  std::vector<int> source_order, target_order;
};

const std::vector<box_case> cases{
    {{37, 61, 41}, {2, 1, 0}, {0, 1, 2}},  // slabs: both fast dimensions change
    {{37, 61, 41}, {0, 2, 1}, {0, 1, 2}},  // pencils
    {{37, 61, 41}, {0, 1, 2}, {0, 1, 2}},  // the order stays
    {{311, 263}, {1, 0}, {0, 1}},          // nothing to cut along but what is fast
    {{70001}, {0}, {0}},
    {{3, 1, 1, 30011}, {3, 0, 1, 2}, {1, 0, 2, 3}},
};

strided_box box_in(const std::vector<index_t>& extents, const std::vector<int>& order) {
  strided_box b{index_t{sizeof(value)}, index_t{sizeof(value)}, extents, std::vector<index_t>(extents.size())};
  index_t step = index_t{sizeof(value)};
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    b.strides_bytes[as_size(*d)] = step;
    step *= extents[as_size(*d)] + 1;
  }
  return b;
}

index_t values_in(const strided_box& b) {
  index_t last = 2;
  for (std::size_t d = 0; d < b.extents.size(); ++d)
    last += (b.extents[d] - 1) * b.strides_bytes[d] / index_t{sizeof(value)};
  return last;
}

/// Calls body(place in a, place in b), in values, for each element.
template <class Body>
void for_elements(const strided_box& a, const strided_box& b, Body body) {
  for (index_t k = 0; k < a.elements(); ++k) {
    index_t rest = k, at_a = a.offset_bytes, at_b = b.offset_bytes;
    for (std::size_t d = a.extents.size(); d-- > 0; rest /= a.extents[d]) {
      at_a += rest % a.extents[d] * a.strides_bytes[d];
      at_b += rest % a.extents[d] * b.strides_bytes[d];
    }
    body(as_size(at_a) / sizeof(value), as_size(at_b) / sizeof(value));
  }
}

class pipes : public nearfar::test::MpiTest {
 protected:
  /// Every rank sends the box to the next one, and to the one before if `both_directions`, from own memory, three
  /// times; then from elsewhere.
  void run(const std::string& method, const box_case& c, bool both_directions) {
    const team t(comm());
    const int right = (t.rank() + 1) % t.size(), left = (t.rank() + t.size() - 1) % t.size();
    const std::vector<int> senders = both_directions ? std::vector{left, right} : std::vector{left};
    const strided_box source = box_in(c.extents, c.source_order), target = box_in(c.extents, c.target_order);
    std::vector<value> in(as_size(values_in(source))), moved(in.size());
    std::vector<std::vector<value>> out(2, std::vector<value>(as_size(values_in(target)), 0.5));
    pattern p;
    p.buffers = {{in.data(), as_index(in.size() * sizeof(value))}};
    p.sends.push_back({right, 0, source});
    if (both_directions) p.sends.push_back({left, 0, source});
    for (std::size_t i = 0; i < senders.size(); ++i) {
      p.buffers.push_back({out[i].data(), as_index(out[i].size() * sizeof(value))});
      p.receives.push_back({senders[i], static_cast<int>(i) + 1, target});
    }
    exchange e(t, p, {.name = "pipes", .method = method});
    auto wanted = out;
    for (int round = 0; round < 4; ++round) {
      std::vector<value>& now = round < 3 ? in : moved;
      std::iota(now.begin(), now.end(), contents_from(t.rank(), round));
      if (round == 3) {
        EXPECT_TRUE(e.rebind(std::array{moved_buffer{0, moved.data()}}));
      }
      for (std::size_t i = 0; i < senders.size(); ++i)
        for_elements(source, target, [&](std::size_t from, std::size_t to) {
          const value v = contents_from(senders[i], round) + static_cast<value>(from);
          wanted[i][to] = v;
        });
      e.start();
      e.finish();
      EXPECT_TRUE(out == wanted) << "round " << round;
    }
  }

  static value contents_from(int rank, int round) { return 1e6 * rank + 1e3 * round; }
};

TEST_F(pipes, carry_boxes_of_any_order_in_one_direction_and_both) {
  if (!near::arena::of(team(comm())).is_shared()) return;
  for (std::size_t i = 0; i < cases.size() && !HasFailure(); ++i)
    for (const std::string method : {"near-piped", "near-streamed"}) {
      SCOPED_TRACE(method + ", case " + std::to_string(i));
      run(method, cases[i], i % 2 == 0);
    }
}

TEST_F(pipes, far_messages_are_unpacked_past_the_caches) {
  ::setenv("NEARFAR_CACHE_BYTES", "1", 1);
  for (std::size_t i = 0; i < cases.size() && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    run("isend", cases[i], i % 2 == 0);
  }
  ::unsetenv("NEARFAR_CACHE_BYTES");
}

}  // namespace
}  // namespace nearfar::exchange::test
