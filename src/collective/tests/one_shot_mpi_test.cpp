// SPDX-License-Identifier: BSD-3-Clause
// The one-shot calls of the C++ interface against loops over what every rank is known to hold.
#include <sys/mman.h>

#include <complex>
#include <cstdlib>
#include <cstring>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>
#include <numeric>
#include <random>
#include <span>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__,
                                              {.ranks = {1, 2, 3, 6}, .node_sizes = {0, 2}, .on_cluster = false}};

template <class T>
T value_of(int rank, std::size_t i, unsigned seed) {
  std::minstd_rand random(seed * 7919U + static_cast<unsigned>(rank) * 104729U + static_cast<unsigned>(i) * 13U + 1U);
  random.discard(2);
  return static_cast<T>(static_cast<float>(1 + random() % 5));
}

template <class T>
std::vector<T> values(int rank, std::size_t count, unsigned seed) {
  std::vector<T> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = value_of<T>(rank, i, seed);
  return all;
}

template <class T>
std::vector<T> sum_of(int first, int last, std::size_t count, unsigned seed) {
  std::vector<T> sum(count);
  for (int r = first; r <= last; ++r)
    for (std::size_t i = 0; i < count; ++i) sum[i] = static_cast<T>(sum[i] + value_of<T>(r, i, seed));
  return sum;
}

struct pair_of_things {
  char name[5];
  double where;
  friend bool operator==(const pair_of_things&, const pair_of_things&) = default;
};

class one_shot : public MpiTest {
 protected:
  std::size_t ranks() const { return static_cast<std::size_t>(size()); }
  std::size_t own() const { return static_cast<std::size_t>(rank()); }

  template <class T>
  void reduce_by_all_methods(const team& t, std::size_t count, unsigned seed) {
    SCOPED_TRACE(testing::Message() << count << " elements of " << sizeof(T) << " B");
    const int last = size() - 1, root = static_cast<int>(seed) % size();
    const auto in = values<T>(rank(), count, seed), all = sum_of<T>(0, last, count, seed);
    std::vector<T> out(count), both = in;
    allreduce(t, in, out, reduce_op::sum);
    EXPECT_TRUE(out == all);
    allreduce(t, both, reduce_op::sum);
    EXPECT_TRUE(both == all);
    reduce(t, in, rank() == root ? out : both, reduce_op::sum, root);
    EXPECT_TRUE(out == all);
    both = in;
    reduce(t, in_place, both, reduce_op::sum, root);
    EXPECT_TRUE(both == (rank() == root ? all : in));
    scan(t, in, out, reduce_op::sum);
    EXPECT_TRUE(out == sum_of<T>(0, rank(), count, seed));
    exscan(t, in, out, reduce_op::sum);
    EXPECT_TRUE(rank() == 0 || out == sum_of<T>(0, rank() - 1, count, seed));
  }

  template <class T>
  void scatter_sums(const team& t, std::size_t count, unsigned seed) {
    auto in = values<T>(rank(), count * ranks(), seed);
    const auto all = sum_of<T>(0, size() - 1, count * ranks(), seed);
    std::vector<T> out(count);
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(count * own());
    const std::vector<T> wanted(from, from + static_cast<std::ptrdiff_t>(count));
    reduce_scatter_block(t, in, out, reduce_op::sum);
    EXPECT_TRUE(out == wanted);
    out.assign(count, T{});
    reduce_scatter(t, in, out, std::vector<int>(ranks(), static_cast<int>(count)), reduce_op::sum);
    EXPECT_TRUE(out == wanted);
    reduce_scatter_block(t, in_place, in, reduce_op::sum);
    in.resize(count);
    EXPECT_TRUE(in == wanted);
  }

  template <class T>
  void move_by_all_methods(const team& t, std::size_t count, unsigned seed) {
    const int root = static_cast<int>(seed) % size();
    const auto in = values<T>(rank(), count, seed);
    std::vector<T> all, got(count * ranks()), copy = in, part(count);
    for (int r = 0; r < size(); ++r) {
      const auto theirs = values<T>(r, count, seed);
      all.insert(all.end(), theirs.begin(), theirs.end());
    }
    bcast(t, copy, root);
    EXPECT_TRUE(copy == values<T>(root, count, seed));
    allgather(t, in, got);
    EXPECT_TRUE(got == all);
    got.assign(rank() == root ? count * ranks() : 0, T{});
    gather(t, in, got, root);
    EXPECT_TRUE(rank() != root || got == all);
    scatter(t, got, part, root);
    EXPECT_TRUE(part == in);
    exchange<T>(t, count, seed);
  }

  template <class T>
  void exchange(const team& t, std::size_t count, unsigned seed) {
    const auto mine = values<T>(rank(), count * ranks(), seed);
    std::vector<T> got(count * ranks());
    alltoall(t, mine, got);
    for (std::size_t r = 0; r < ranks(); ++r)
      for (std::size_t i = 0; i < count; ++i)
        EXPECT_EQ(got[r * count + i], value_of<T>(static_cast<int>(r), own() * count + i, seed));
  }
};

TEST_F(one_shot, reductions_of_numbers_of_all_types) {
  const team t(comm());
  unsigned seed = 0;
  for (const std::size_t count : {1U, 7U, 500U, 20000U}) {
    reduce_by_all_methods<double>(t, count, ++seed);
    reduce_by_all_methods<float>(t, count, ++seed);
    reduce_by_all_methods<std::int64_t>(t, count, ++seed);
    reduce_by_all_methods<unsigned long long>(t, count, ++seed);
    reduce_by_all_methods<int>(t, count, ++seed);
    reduce_by_all_methods<short>(t, count, ++seed);
    reduce_by_all_methods<unsigned char>(t, count, ++seed);
    reduce_by_all_methods<std::complex<float>>(t, count, ++seed);
    reduce_by_all_methods<std::complex<double>>(t, count, ++seed);
    scatter_sums<double>(t, count, ++seed);
    scatter_sums<std::int32_t>(t, count, ++seed);
  }
  reduce_by_all_methods<long double>(t, 33, ++seed);
}

TEST_F(one_shot, movements_of_numbers) {
  const team t(comm());
  unsigned seed = 40;
  for (const std::size_t count : {1U, 12U, 900U, 15000U}) {
    move_by_all_methods<double>(t, count, ++seed);
    move_by_all_methods<std::uint16_t>(t, count, ++seed);
    move_by_all_methods<char>(t, count, ++seed);
    move_by_all_methods<std::complex<double>>(t, count, ++seed);
  }
}

TEST_F(one_shot, single_values) {
  const team t(comm());
  EXPECT_EQ(size() * (size() - 1) / 2, allreduce(t, rank(), reduce_op::sum));
  EXPECT_EQ(size() - 1, allreduce(t, static_cast<double>(rank()), reduce_op::max));
  EXPECT_EQ(std::complex<double>(size(), -2 * size()), allreduce(t, std::complex<double>(1, -2), reduce_op::sum));
  EXPECT_EQ(size() == 1, allreduce(t, rank() == 0, reduce_op::logical_and));
  double x = rank() + 0.5;
  bcast(t, x, size() - 1);
  EXPECT_EQ(size() - 0.5, x);
  pair_of_things p{{static_cast<char>('a' + rank())}, 0.25 * rank()};
  bcast(t, p, 0);
  EXPECT_EQ((pair_of_things{{'a'}, 0}), p);
  barrier(t);
}

TEST_F(one_shot, things_go_as_bytes) {
  const team t(comm());
  const pair_of_things mine[2] = {{{'x', static_cast<char>('a' + rank())}, 1.0 * rank()}, {{'y'}, 2.0}};
  std::vector<pair_of_things> all(2 * ranks());
  allgather(t, mine, all);
  for (int r = 0; r < size(); ++r)
    EXPECT_EQ((pair_of_things{{'x', static_cast<char>('a' + r)}, 1.0 * r}), all[2 * static_cast<std::size_t>(r)]);
}

// Blocks so far apart that ints do not count the bytes; pages between them are never touched.
class far_apart {
 public:
  far_apart() : at_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0)) {}
  ~far_apart() {
    if (is_there()) munmap(at_, bytes);
  }
  far_apart(const far_apart&) = delete;
  far_apart& operator=(const far_apart&) = delete;
  bool is_there() const { return at_ != MAP_FAILED; }
  std::span<std::uint8_t> all() const { return {static_cast<std::uint8_t*>(at_), bytes}; }
  static index_t place(int r) { return r * ((index_t{1} << 31) + 4096); }

 private:
  static constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  static constexpr std::size_t bytes = std::size_t{14} << 30;
  void* at_;
};

TEST_F(one_shot, places_that_fit_on_all_ranks_but_the_root) {
#if MPI_VERSION < 4
  GTEST_SKIP() << "MPI has no calls with large counts";
#endif
  const far_apart blocks;
  NEARFAR_ASSERT_ALL(blocks.is_there());
  setenv("NEARFAR_METHOD", "gatherv:mpi,scatterv:mpi", 1);
  const team t(comm());
  const std::vector<index_t> counts(ranks(), 3);
  std::vector<index_t> places(ranks());
  for (int r = 0; r < size(); ++r) places[static_cast<std::size_t>(r)] = far_apart::place(r);
  const auto wanted_of = [](int r) {
    const auto first = static_cast<std::uint8_t>(10 * r);
    return std::vector<std::uint8_t>{first, static_cast<std::uint8_t>(first + 1), static_cast<std::uint8_t>(first + 2)};
  };
  const int root = size() - 1;
  const auto mine = wanted_of(rank());
  gatherv(t, mine, blocks.all(), counts, places, root);
  for (int r = 0; rank() == root && r < size(); ++r) {
    const std::uint8_t* at = blocks.all().data() + far_apart::place(r);
    EXPECT_EQ(std::vector<std::uint8_t>(at, at + 3), wanted_of(r)) << "block " << r;
  }
  std::vector<std::uint8_t> back(3);
  scatterv(t, blocks.all(), counts, places, back, root);
  EXPECT_EQ(back, mine);
  unsetenv("NEARFAR_METHOD");
}

TEST_F(one_shot, lists_of_counts) {
  const team t(comm());
  // Rank r contributes r + 1 numbers, which lie in reverse order of ranks with a gap of one after each.
  std::vector<index_t> counts(ranks());
  std::vector<int> narrow_counts(ranks()), places(ranks());
  std::vector<index_t> wide_places(ranks());
  int next = 0;
  for (std::size_t r = ranks(); r-- > 0;) {
    counts[r] = narrow_counts[r] = static_cast<int>(r) + 1;
    wide_places[r] = places[r] = next;
    next += narrow_counts[r] + 1;
  }
  std::vector<int> mine(own() + 1, rank()), all(static_cast<std::size_t>(next), -1), wanted = all;
  for (std::size_t r = 0; r < ranks(); ++r)
    for (int i = 0; i < narrow_counts[r]; ++i) wanted[static_cast<std::size_t>(places[r] + i)] = static_cast<int>(r);
  allgatherv(t, mine, all, counts, wide_places);
  EXPECT_TRUE(all == wanted);
  const int root = size() / 2;
  all.assign(all.size(), -1);
  gatherv(t, mine, all, narrow_counts, places, root);
  EXPECT_TRUE(rank() != root || all == wanted);
  mine.assign(mine.size(), -5);
  scatterv(t, all, narrow_counts, places, mine, root);
  EXPECT_TRUE(mine == std::vector<int>(own() + 1, rank()));
  // Rank r gets r + 1 of the sums.
  std::vector<int> in(ranks() * (ranks() + 1) / 2), sums(own() + 1);
  std::iota(in.begin(), in.end(), rank());
  reduce_scatter(t, in, sums, counts, reduce_op::sum);
  const int first = rank() * (rank() + 1) / 2;
  for (int i = 0; i <= rank(); ++i)
    EXPECT_EQ(sums[static_cast<std::size_t>(i)], size() * (first + i) + size() * (size() - 1) / 2);
}

TEST_F(one_shot, exchanges_with_lists) {
  const team t(comm());
  // a sends a + 2 b numbers to b, each 100 a + b; packed one after the other, received in reverse order of ranks.
  std::vector<int> to(ranks()), at(ranks()), from(ranks()), into(ranks());
  std::vector<MPI_Datatype> types(ranks(), MPI_INT);
  int out_size = 0, in_size = 0;
  for (int r = 0; r < size(); ++r) {
    const auto i = static_cast<std::size_t>(r), back = ranks() - 1 - i;
    to[i] = rank() + 2 * r, at[i] = out_size, out_size += to[i];
    from[back] = static_cast<int>(back) + 2 * rank(), into[back] = in_size, in_size += from[back];
  }
  std::vector<int> out(static_cast<std::size_t>(out_size)), in(static_cast<std::size_t>(in_size), -1), wanted = in;
  for (std::size_t r = 0; r < ranks(); ++r) {
    std::fill_n(out.begin() + at[r], to[r], 100 * rank() + static_cast<int>(r));
    std::fill_n(wanted.begin() + into[r], from[r], 100 * static_cast<int>(r) + rank());
  }
  alltoallv(t, out, to, at, in, from, into);
  EXPECT_TRUE(in == wanted);
  in.assign(in.size(), -1);
  for (auto* places : {&at, &into})
    for (int& p : *places) p *= static_cast<int>(sizeof(int));
  alltoallw(t, out.data(), to, at, types.data(), in.data(), from, into, types.data());
  EXPECT_TRUE(in == wanted);
}

// Elements of 8 bytes at any distance of 11, from and to places that are no multiples of it.
TEST_F(one_shot, exchanges_of_types_with_gaps) {
  const team t(comm());
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_UINT64_T, 0, 11, &spread);
  MPI_Type_commit(&spread);
  const auto value = [](int from, int to, int i) { return std::uint64_t{1000003} * (from + 1U) + 1009U * to + i; };
  for (const int shift : {0, 1, 2}) {
    const int count = 7, capacity = (count + 4) * 11;
    std::vector<std::byte> in(static_cast<std::size_t>(size() * capacity), std::byte{1}),
        out(in.size(), std::byte{0xCC});
    std::vector<std::byte> wanted = out;
    std::vector<int> counts(ranks(), count), from(ranks()), into(ranks());
    const std::vector<MPI_Datatype> types(ranks(), spread);
    for (int r = 0; r < size(); ++r) {
      from[static_cast<std::size_t>(r)] = r * capacity + 11 * shift,
      into[static_cast<std::size_t>(r)] = r * capacity + 5;
      for (int i = 0; i < count; ++i) {
        const std::uint64_t sent = value(rank(), r, i), got = value(r, rank(), i);
        std::memcpy(in.data() + r * capacity + 11 * (shift + i), &sent, sizeof sent);
        std::memcpy(wanted.data() + r * capacity + 5 + 11 * i, &got, sizeof got);
      }
    }
    alltoallw(t, in.data(), counts, from, types.data(), out.data(), counts, into, types.data());
    EXPECT_TRUE(out == wanted) << "from place " << 11 * shift;
  }
  MPI_Type_free(&spread);
}

TEST_F(one_shot, as_mpi_has_them) {
  const team t(comm());
  MPI_Datatype every_other = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  int data[6] = {rank(), -1, rank() + 1, -1, rank() + 2, -1};
  bcast(t, data, 1, every_other, 0);
  EXPECT_THAT(data, testing::ElementsAre(0, -1, 1, -1, 2, -1));
  MPI_Type_free(&every_other);
  struct {
    double value;
    int where;
  } mine{static_cast<double>((rank() + 1) % size()), rank()}, least{};
  allreduce(t, &mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC);
  EXPECT_EQ(0, least.value);
  EXPECT_EQ(size() - 1, least.where);
}

TEST_F(one_shot, buffers_in_near_memory) {
  const team t(comm());
  const index_t count = 70000;
  shared_array<double> in(t, count), out(t, count);
  for (unsigned seed = 1; seed < 4; ++seed) {
    for (index_t i = 0; i < count; ++i) in[i] = value_of<double>(rank(), static_cast<std::size_t>(i), seed);
    allreduce(t, in, out, reduce_op::sum);
    EXPECT_TRUE(std::equal(out.begin(), out.end(), sum_of<double>(0, size() - 1, out.size(), seed).begin()));
  }
  const shared_array<int> uneven(t, rank() == 0 ? 0 : 10);
  EXPECT_EQ(rank() == 0 ? 0U : 10U, uneven.size());
}

TEST_F(one_shot, wrong_arguments_are_refused_before_anything_is_sent) {
  const team t(comm());
  std::vector<double> three(3), four(4), prime(ranks() + 1);
  EXPECT_THROW(allreduce(t, three, four, reduce_op::sum), usage_error);
  EXPECT_THROW(bcast(t, three, size()), usage_error);
  EXPECT_THROW(bcast(t, three, -1), usage_error);
  EXPECT_THROW(allreduce(t, three, MPI_OP_NULL), usage_error);
  EXPECT_THROW(allreduce(t, three.data(), four.data(), -3, MPI_DOUBLE, reduce_op::sum), usage_error);
  EXPECT_THROW(allgather(t, three, std::vector<double>(2 * ranks())), usage_error);
  if (size() > 1) {
    EXPECT_THROW(alltoall(t, prime, prime), usage_error);
    EXPECT_THROW(allgatherv(t, three, four, std::vector<int>{1}, std::vector<int>{0}), usage_error);
  }
  std::vector<int> counts(ranks(), 3), places(ranks(), 2);
  EXPECT_THROW(allgatherv(t, three, four, counts, places), usage_error);
  EXPECT_THROW(shared_array<int>(t, rank() == 0 ? -1 : 1), usage_error);
}

TEST_F(one_shot, ranks_are_compared_when_asked) {
  setenv("NEARFAR_CHECK", "collective", 1);
  const team t(comm());
  const std::size_t count = rank() == size() - 1 ? 4 : 5;
  std::vector<double> x(count), y(count);
  std::vector<double> blocks(5 * ranks());
  allreduce(t, std::span<double>(x.data(), 3), reduce_op::sum);
  allgather(t, std::span<double>(x.data(), 3), std::span<double>(blocks.data(), 3 * ranks()));
  if (size() > 1) {
    EXPECT_THROW(allreduce(t, x, y, reduce_op::sum), usage_error);
    EXPECT_THROW(bcast(t, x, 0), usage_error);
    EXPECT_THROW(bcast(t, blocks, rank() == 0 ? 1 : 0), usage_error);
    EXPECT_THROW(gather(t, x, blocks, 0), usage_error);
    EXPECT_THROW(bcast(t, x, rank() == 0 ? -2 : 0), usage_error);
  }
  unsetenv("NEARFAR_CHECK");
}

TEST_F(one_shot, without_near_memory_plain_mpi_serves) {
  setenv("NEARFAR_SHM", "off", 1);
  const team t(comm());
  unsetenv("NEARFAR_SHM");
  reduce_by_all_methods<double>(t, 100, 3);
  move_by_all_methods<double>(t, 100, 4);
  EXPECT_FALSE(describe_collectives(t).empty());
}

TEST_F(one_shot, algorithms_have_names_and_words) {
  for (const char* front : {"allreduce", "collective.gather"})
    for (const method_info& m : methods(front)) {
      EXPECT_FALSE(m.name.empty());
      EXPECT_FALSE(m.description.empty()) << m.name;
    }
  EXPECT_GT(methods("collective.allreduce").size(), 5U);
  EXPECT_THROW(methods("collective.everything"), usage_error);
  EXPECT_STREQ("reduce_scatter_block", name_of(collective_kind::reduce_scatter_block));
}

}  // namespace
}  // namespace nearfar::test
