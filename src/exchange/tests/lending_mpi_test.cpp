// SPDX-License-Identifier: BSD-3-Clause
// What is lent is read once per epoch, where it lies, complete, and before its lender may write it again.
#include <base/internals.hpp>
#include <exchange/exchange.hpp>
#include <mpi_test.hpp>
#include <near/arena.hpp>
#include <nearfar/error.hpp>
#include <thread>
#include <topology/team_state.hpp>

namespace nearfar::exchange::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3, 4}, .node_sizes = {0, 2}}};

constexpr index_t planes = 3, rows = 5;

/// Every rank sends each rank a box of planes x rows x columns, which lies in another order in each sender's memory.
struct boxes {
  const team& members;

  index_t columns(int from, int to) const { return (from * 7 + to * 3) % 5 * 20 + (from == to ? 1 : 2); }
  index_t elements(int from, int to) const { return planes * rows * columns(from, to); }
  index_t offset(int from, int to) const {
    index_t at = 0;
    for (int p = 0; p < to; ++p) at += elements(from, p);
    return at;
  }
  index_t source_bytes(int from) const { return offset(from, members.size()) * index_t{sizeof(double)}; }

  strided_box source(int from, int to) const {
    const index_t n = columns(from, to);
    strided_box b{offset(from, to) * 8, 8, {planes, rows, n}, {8 * rows * n, 8 * n, 8}};
    if (from % 2 == 1) b.strides_bytes = {8, 8 * planes * n, 8 * planes};
    return b;
  }

  static double value(int from, int to, index_t place, int round) {
    return static_cast<double>(((from * 100 + to) * 100 + round) * index_t{100000} + place);
  }

  void fill(double* all, int from, int round) const {
    for (int to = 0; to < members.size(); ++to) {
      const strided_box b = source(from, to);
      index_t place = 0;
      for (index_t i = 0; i < planes; ++i)
        for (index_t j = 0; j < rows; ++j)
          for (index_t k = 0; k < b.extents[2]; ++k, ++place)
            all[(b.offset_bytes + i * b.strides_bytes[0] + j * b.strides_bytes[1] + k * b.strides_bytes[2]) / 8] =
                value(from, to, place, round);
    }
  }

  pattern all(std::byte* sources, std::vector<double>& arrivals) const {
    pattern p;
    const int me = members.rank();
    index_t at = 0;
    for (int peer = 0; peer < members.size(); ++peer) {
      p.sends.push_back({peer, 0, source(me, peer)});
      const index_t n = columns(peer, me);
      p.receives.push_back({peer, 1, strided_box{at * 8, 8, {planes, rows, n}, {8 * rows * n, 8 * n, 8}}});
      at += elements(peer, me);
    }
    arrivals.assign(as_size(at), -1);
    p.buffers = {{sources, source_bytes(me)}, {arrivals.data(), at * 8}};
    return p;
  }
};

/// Counts what is not as it should be, and takes its time on some ranks.
struct checker : box_reader {
  const boxes& what;
  int round = 0, reads = 0, errors = 0;
  bool is_slow = false;
  explicit checker(const boxes& b) : what(b) {}

  void read(std::span<const lent_box> lent) override {
    ++reads;
    for (int n = 0; is_slow && n < 100; ++n) std::this_thread::yield();
    const int me = what.members.rank();
    for (int from = 0; from < what.members.size(); ++from) {
      const lent_box& b = lent[as_size(from)];
      index_t place = 0;
      for (index_t i = 0; i < planes; ++i)
        for (index_t j = 0; j < rows; ++j)
          for (index_t k = 0; k < what.columns(from, me); ++k, ++place) {
            const auto* at = b.first + i * b.strides_bytes[0] + j * b.strides_bytes[1] + k * b.strides_bytes[2];
            errors += *reinterpret_cast<const double*>(at) != boxes::value(from, me, place, round) ? 1 : 0;
          }
    }
  }
};

class lending : public nearfar::test::MpiTest {
 protected:
  void run(const team& t, const std::string& method, bool is_near) {
    const boxes what{t};
    checker reader(what);
    const index_t bytes = what.source_bytes(t.rank());
    const near::block block = is_near ? near::arena::of(t).allocate(2 * bytes) : near::block{};
    std::vector<std::byte> own(is_near ? 0 : as_size(2 * bytes));
    std::byte* const sources = is_near ? block.data() : own.data();
    std::vector<double> arrivals;
    exchange e(t, what.all(sources, arrivals),
               {.name = "loans", .method = method, .budget_s = 0.01, .reader = &reader});
    reader.errors = reader.reads = 0;
    for (int round = 0; round < 6; ++round) {
      std::byte* now = sources;
      if (round >= 3 && e.rebind(std::array{moved_buffer{0, sources + bytes}})) now += bytes;
      reader.round = round;
      reader.is_slow = (t.rank() + round) % 3 == 0;
      what.fill(reinterpret_cast<double*>(now), t.rank(), round);
      e.run();
      std::fill_n(now, bytes, std::byte{0xFF});
      EXPECT_EQ(reader.reads, round + 1) << method;
    }
    EXPECT_EQ(reader.errors, 0) << method << (is_near ? ", near memory" : ", own memory");
  }
};

TEST_F(lending, shows_all_that_arrives_by_every_method) {
  const team t(comm());
  std::vector<std::string> names{""};
  for (const auto& m : methods_here(t))
    if (m != "node-barrier") names.push_back(m);
  for (const auto& name : names)
    for (const bool is_near : {true, false}) run(t, name, is_near);
}

TEST_F(lending, reads_in_place_what_near_ranks_have_in_near_memory) {
  const team t(comm());
  if (!near::arena::of(t).is_shared()) GTEST_SKIP() << "no near memory here";
  const boxes what{t};
  struct : checker {
    using checker::checker;
    const std::vector<double>* arrivals = nullptr;
    int in_place = 0;
    void read(std::span<const lent_box> lent) override {
      checker::read(lent);
      in_place = 0;
      for (const lent_box& b : lent) {
        const auto* at = reinterpret_cast<const double*>(b.first);
        in_place += std::less<>()(at, arrivals->data()) || !std::less<>()(at, arrivals->data() + arrivals->size());
      }
    }
  } reader(what);
  const near::block block = near::arena::of(t).allocate(what.source_bytes(t.rank()));
  std::vector<double> arrivals;
  exchange e(t, what.all(block.data(), arrivals), {.method = "near-direct", .reader = &reader});
  reader.arrivals = &arrivals;
  what.fill(reinterpret_cast<double*>(block.data()), t.rank(), 0);
  e.run();
  int wanted = 1;  // the own one; from peers those that are no short messages
  for (const int peer : state_of(t).near_ranks)
    wanted += peer != t.rank() && what.elements(peer, t.rank()) * 8 > 512 ? 1 : 0;
  EXPECT_EQ(reader.in_place, wanted);
  EXPECT_EQ(reader.errors, 0);
}

TEST_F(lending, refuses_what_cannot_be_lent) {
  const team t(comm());
  const boxes what{t};
  checker reader(what);
  std::vector<std::byte> own(as_size(what.source_bytes(t.rank())));
  std::vector<double> arrivals;
  pattern p = what.all(own.data(), arrivals);
  for (transfer& r : p.receives) r.where.extents = {rows, planes, what.columns(r.peer, t.rank())};
  EXPECT_THROW(exchange(t, p, {.method = "isend", .reader = &reader}), usage_error);
}

/// Each box of each peer alone, the last ones too, in each dimension; as many bytes and runs as there.
TEST_F(lending, refuses_boxes_that_have_other_extents_at_the_other_end) {
  const team t(comm());
  const int last = t.size() - 1;
  std::vector<double> here(2 * 2 * 3 * 4), there(here.size());
  checker reader(boxes{t});
  for (int spoilt = 0; spoilt < 2; ++spoilt)
    for (const std::vector<index_t>& extents : {std::vector<index_t>{3, 2, 4}, {2, 4, 3}, {6, 1, 4}, {2, 3, 4}}) {
      pattern p;
      p.buffers = {{reinterpret_cast<std::byte*>(here.data()), as_index(here.size() * sizeof(double))},
                   {reinterpret_cast<std::byte*>(there.data()), as_index(there.size() * sizeof(double))}};
      const auto box = [](index_t k, const std::vector<index_t>& e) {
        return strided_box{k * 192, 8, e, {8 * e[1] * e[2], 8 * e[2], 8}};
      };
      for (int k = 0; k < 2; ++k) {  // two boxes around the ring, the last rank expects one of other extents
        p.sends.push_back({(t.rank() + 1) % t.size(), 0, box(k, {2, 3, 4})});
        const bool is_other = k == spoilt && t.rank() == last;
        p.receives.push_back(
            {(t.rank() + last) % t.size(), 1, box(k, is_other ? extents : std::vector<index_t>{2, 3, 4})});
      }
      const bool is_alike = extents == std::vector<index_t>{2, 3, 4};
      std::string said = "accepted";
      try {
        exchange(t, p, {.method = "isend", .reader = &reader});
      } catch (const usage_error& e) {
        said = e.what();
      }
      if (is_alike)
        EXPECT_EQ(said, "accepted");
      else
        EXPECT_THAT(said, ::testing::HasSubstr("box " + std::to_string(spoilt) + " from rank"));
    }
}

}  // namespace
}  // namespace nearfar::exchange::test
