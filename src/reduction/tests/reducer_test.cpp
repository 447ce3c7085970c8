// SPDX-License-Identifier: BSD-3-Clause
// Every predefined type and operation, user-defined operations and derived types against MPI_Reduce_local. One process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <complex>
#include <cstring>
#include <numeric>
#include <random>
#include <reduction/reducer.hpp>
#include <string>
#include <thread>
#include <vector>

#include "predefined.hpp"

namespace nearfar::reduction {
namespace {

class mpi_environment : public ::testing::Environment {
 public:
  void SetUp() override {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  }
  void TearDown() override { MPI_Finalize(); }
};
const auto* const environment = ::testing::AddGlobalTestEnvironment(new mpi_environment);

using bytes = std::vector<std::byte>;

std::string name_of(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  MPI_Type_get_name(type, name, &length);
  return name;
}

struct named_op {
  MPI_Op op;
  const char* name;
};

std::vector<named_op> all_ops() {
  return {{MPI_SUM, "sum"},   {MPI_PROD, "prod"}, {MPI_MIN, "min"},       {MPI_MAX, "max"},
          {MPI_LAND, "land"}, {MPI_LOR, "lor"},   {MPI_LXOR, "lxor"},     {MPI_BAND, "band"},
          {MPI_BOR, "bor"},   {MPI_BXOR, "bxor"}, {MPI_MINLOC, "minloc"}, {MPI_MAXLOC, "maxloc"}};
}

// Written here once more, by the kind of number, so that the library's own tables are checked too.
enum class numbers { integers, reals, quads, complexes, logicals, raw, pairs };
struct named_type {
  MPI_Datatype type;
  numbers what;
};

std::vector<named_type> all_types() {
  std::vector<named_type> list;
  for (const MPI_Datatype t : {MPI_INT,           MPI_LONG,           MPI_SHORT,
                               MPI_LONG_LONG,     MPI_SIGNED_CHAR,    MPI_UNSIGNED,
                               MPI_UNSIGNED_LONG, MPI_UNSIGNED_SHORT, MPI_UNSIGNED_LONG_LONG,
                               MPI_UNSIGNED_CHAR, MPI_INT8_T,         MPI_INT16_T,
                               MPI_INT32_T,       MPI_INT64_T,        MPI_UINT8_T,
                               MPI_UINT16_T,      MPI_UINT32_T,       MPI_UINT64_T,
                               MPI_INTEGER,       MPI_INTEGER1,       MPI_INTEGER2,
                               MPI_INTEGER4,      MPI_INTEGER8,       MPI_AINT,
                               MPI_OFFSET,        MPI_COUNT})
    list.push_back({t, numbers::integers});
  for (const MPI_Datatype t : {MPI_FLOAT, MPI_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8})
    list.push_back({t, numbers::reals});
  list.push_back({MPI_LONG_DOUBLE, numbers::quads});
  for (const MPI_Datatype t : {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX8,
                               MPI_COMPLEX16, MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX})
    list.push_back({t, numbers::complexes});
  for (const MPI_Datatype t : {MPI_LOGICAL, MPI_C_BOOL, MPI_CXX_BOOL}) list.push_back({t, numbers::logicals});
  list.push_back({MPI_BYTE, numbers::raw});
  for (const MPI_Datatype t : {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_2REAL,
                               MPI_2DOUBLE_PRECISION, MPI_2INTEGER})
    list.push_back({t, numbers::pairs});
  std::erase_if(list, [](const named_type& t) { return t.type == MPI_DATATYPE_NULL; });
  return list;
}

// What the standard's table says: MPI 3.1, sections 5.9.2 and 5.9.4.
bool expected_valid(MPI_Op op, const named_type& t) {
  const bool is_c_integer = t.what == numbers::integers && t.type != MPI_INTEGER && t.type != MPI_INTEGER1 &&
                            t.type != MPI_INTEGER2 && t.type != MPI_INTEGER4 && t.type != MPI_INTEGER8 &&
                            t.type != MPI_AINT && t.type != MPI_OFFSET && t.type != MPI_COUNT;
  const bool is_real = t.what == numbers::reals || t.what == numbers::quads;
  if (op == MPI_SUM || op == MPI_PROD) return t.what == numbers::integers || is_real || t.what == numbers::complexes;
  if (op == MPI_MIN || op == MPI_MAX) return t.what == numbers::integers || is_real;
  if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR) return is_c_integer || t.what == numbers::logicals;
  if (op == MPI_MINLOC || op == MPI_MAXLOC) return t.what == numbers::pairs;
  return t.what == numbers::integers || t.what == numbers::raw;
}

class random_bytes {
 public:
  explicit random_bytes(unsigned seed) : engine_(seed) {}
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }

  // Elements of the type: random numbers, for reals of one sign and size per element so that NaN stays out.
  bytes elements(const named_type& t, index_t count) {
    int size = 0;
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_size(t.type, &size);
    MPI_Type_get_extent(t.type, &lower, &extent);
    bytes all(static_cast<std::size_t>(count * extent));
    for (index_t i = 0; i < count; ++i) fill(t, all.data() + i * extent, extent);
    return all;
  }

 private:
  template <class T>
  void put(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof value);
  }

  void fill(const named_type& t, std::byte* to, index_t extent) {
    std::uniform_real_distribution<double> real(-8, 8);
    if (t.what == numbers::reals || t.what == numbers::complexes || t.type == MPI_2REAL ||
        t.type == MPI_2DOUBLE_PRECISION) {
      const bool is_float =
          t.type == MPI_2REAL || (t.what == numbers::reals ? extent == 4 : t.what == numbers::complexes && extent == 8);
      for (index_t at = 0; at < extent; at += is_float ? 4 : 8)
        is_float ? put(to + at, static_cast<float>(real(engine_))) : put(to + at, real(engine_));
    } else if (t.what == numbers::quads) {
      put(to, static_cast<long double>(real(engine_)));
    } else if (t.what == numbers::logicals) {
      std::memset(to, 0, static_cast<std::size_t>(extent));
      to[0] = static_cast<std::byte>(between(0, 1));
    } else if (t.type == MPI_FLOAT_INT || t.type == MPI_DOUBLE_INT) {
      const double value = between(-3, 3);  // so that ties are frequent
      t.type == MPI_FLOAT_INT ? put(to, static_cast<float>(value)) : put(to, value);
      put(to + (t.type == MPI_FLOAT_INT ? 4 : 8), between(0, 9));
    } else if (t.what == numbers::pairs) {
      const index_t half = t.type == MPI_LONG_INT ? 8 : 4;
      std::memset(to, 0, static_cast<std::size_t>(extent));
      if (t.type == MPI_SHORT_INT)
        put(to, static_cast<short>(between(-3, 3)));
      else if (half == 8)
        put(to, static_cast<long>(between(-3, 3)));
      else
        put(to, between(-3, 3));
      put(to + half, between(0, 9));
    } else {
      for (index_t at = 0; at < extent; ++at) to[at] = static_cast<std::byte>(between(0, 255));
    }
  }

  std::mt19937 engine_;
};

// right = left op right, by the MPI, in vectors of at most `length`.
bytes by_mpi(MPI_Op op, MPI_Datatype type, index_t extent, const bytes& left, bytes right) {
  const index_t count = static_cast<index_t>(right.size()) / extent;
  MPI_Reduce_local(left.data(), right.data(), static_cast<int>(count), type, op);
  return right;
}

// The whole elements; padding of pairs is not compared because `put` leaves it the same in all operands.
void expect_equal(const bytes& found, const bytes& expected, const std::string& what) {
  EXPECT_TRUE(found == expected) << what;
}

void check_pair(const named_type& t, const named_op& op, random_bytes& random) {
  const auto subject = reducer::of(op.op, t.type);
  const std::string what = name_of(t.type) + " " + op.name + (subject.has_kernel() ? " (kernel)" : " (MPI)");
  EXPECT_EQ(subject.is_valid(), expected_valid(op.op, t)) << what;
  if (!subject.is_valid()) return;
  EXPECT_TRUE(subject.is_commutative()) << what;
  for (const index_t count : {0, 1, 2, 3, 17, 200, 1023, 2500}) {
    const auto n = random.between(2, 9);
    std::vector<bytes> in;
    std::vector<const std::byte*> pointers;
    for (int k = 0; k < n; ++k) in.push_back(random.elements(t, count));
    for (const auto& one : in) pointers.push_back(one.data());
    const index_t extent = subject.element_bytes();
    bytes expected = in[0];
    for (int k = 1; k < n; ++k) expected = by_mpi(op.op, t.type, extent, expected, in[static_cast<std::size_t>(k)]);
    const bytes expected_two = by_mpi(op.op, t.type, extent, in[0], in[1]);

    bytes out(in[0].size()), second(in[0].size());
    subject.combine(out.data(), in[0].data(), in[1].data(), count);
    expect_equal(out, expected_two, what);
    bytes left = in[0], right = in[1];
    subject.combine(left.data(), left.data(), in[1].data(), count);
    expect_equal(left, expected_two, what + " out is left");
    subject.combine(right.data(), in[0].data(), right.data(), count);
    expect_equal(right, expected_two, what + " out is right");

    subject.combine_all(out.data(), pointers.data(), n, count);
    expect_equal(out, expected, what + " all");
    std::fill(out.begin(), out.end(), std::byte{0});
    subject.combine_all(out.data(), second.data(), pointers.data(), n, count);
    expect_equal(out, expected, what + " all, two places");
    expect_equal(second, expected, what + " all, second place");
    const auto place = static_cast<std::size_t>(random.between(0, n - 1));
    subject.combine_all(in[place].data(), pointers.data(), n, count);
    expect_equal(in[place], expected, what + " all, out is input");
  }
}

TEST(Reducer, every_pair_of_type_and_operation_gives_the_bits_of_the_mpi) {
  random_bytes random(11);
  for (const auto& t : all_types())
    for (const auto& op : all_ops()) check_pair(t, op, random);
}

TEST(Reducer, the_pairs_that_matter_have_kernels) {
  // Not the minima of unsigned numbers: MPICH 4.0 and Open MPI 4.1 compare some of them as signed ones.
  for (const MPI_Datatype t :
       {MPI_INT, MPI_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_INTEGER, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_INT64_T})
    for (const auto& op : {named_op{MPI_SUM, "sum"}, {MPI_PROD, "prod"}, {MPI_MIN, "min"}, {MPI_MAX, "max"}})
      EXPECT_TRUE(reducer::of(op.op, t).has_kernel()) << name_of(t) << " " << op.name;
  for (const MPI_Op op : {MPI_LAND, MPI_LOR, MPI_LXOR}) {
    EXPECT_TRUE(reducer::of(op, MPI_C_BOOL).has_kernel());
    EXPECT_TRUE(reducer::of(op, MPI_LOGICAL).has_kernel());
  }
  EXPECT_TRUE(reducer::of(MPI_SUM, MPI_C_DOUBLE_COMPLEX).has_kernel());
  EXPECT_TRUE(reducer::of(MPI_MAXLOC, MPI_DOUBLE_INT).has_kernel());
}

TEST(Reducer, a_kernel_that_differs_from_the_mpi_is_found_out) {
  predefined_type doubles;  // as if the MPI's doubles were integers of eight bytes
  doubles.handle = MPI_DOUBLE;
  doubles.member_of = group::floating;
  doubles.kind = element::i64;
  doubles.extent = 8;
  EXPECT_EQ(decide(doubles, {MPI_SUM, operation::sum}), pairing::state::by_mpi);
  EXPECT_EQ(decide(doubles, {MPI_SUM, operation::band}), pairing::state::invalid);
}

TEST(Reducer, all_variants_give_the_same_bits) {
  random_bytes random(5);
  for (const auto& t : all_types())
    for (const auto& op : all_ops()) {
      const auto* known = find_type(t.type);
      const auto what = find_op(op.op)->what;
      const kernel* plain_loop = known ? plain::find(known->kind, what) : nullptr;
      if (!plain_loop) continue;
      const bytes a = random.elements(t, 777), b = random.elements(t, 777), c = random.elements(t, 777);
      const std::byte* const in[] = {a.data(), b.data(), c.data(), a.data(), b.data()};
      bytes expected(a.size()), found(a.size());
      plain_loop->fold(expected.data(), nullptr, in, 5, 777 * known->parts);
      if (avx2::is_usable()) avx2::find(known->kind, what)->fold(found.data(), nullptr, in, 5, 777 * known->parts);
      if (avx2::is_usable()) expect_equal(found, expected, name_of(t.type) + " " + op.name);
      if (avx512::is_usable()) avx512::find(known->kind, what)->fold(found.data(), nullptr, in, 5, 777 * known->parts);
      if (avx512::is_usable()) expect_equal(found, expected, name_of(t.type) + " " + op.name);
    }
}

// A pair taken for a number stands for a type that the MPI refuses to add.
TEST(Reducer, what_the_mpi_refuses_is_not_valid_and_error_handlers_stay) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  predefined_type pairs_as_doubles;
  pairs_as_doubles.handle = MPI_FLOAT_INT;
  pairs_as_doubles.member_of = group::floating;
  pairs_as_doubles.kind = element::f64;
  pairs_as_doubles.extent = 8;
  EXPECT_EQ(decide(pairs_as_doubles, {MPI_SUM, operation::sum}), pairing::state::invalid);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(comm, &handler);
    EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
  }
}

// a op b = a * 3 + b in wrapping integers: neither commutative nor associative, so that the order shows.
void weigh(void* in, void* inout, int* count, MPI_Datatype*) {
  auto* a = static_cast<unsigned*>(in);
  auto* b = static_cast<unsigned*>(inout);
  for (int i = 0; i < *count; ++i) b[i] = a[i] * 3 + b[i];
}

TEST(Reducer, a_user_defined_operation_is_applied_from_left_to_right) {
  MPI_Op op;
  MPI_Op_create(&weigh, 0, &op);
  const auto subject = reducer::of(op, MPI_UNSIGNED);
  EXPECT_TRUE(subject.is_valid());
  EXPECT_FALSE(subject.is_commutative());
  EXPECT_FALSE(subject.has_kernel());
  constexpr std::size_t count = 5000;
  std::vector<std::vector<unsigned>> in(4, std::vector<unsigned>(count));
  for (std::size_t k = 0; k < in.size(); ++k) std::iota(in[k].begin(), in[k].end(), static_cast<unsigned>(k * k + 1));
  std::vector<unsigned> expected = in[0];
  for (std::size_t k = 1; k < in.size(); ++k)
    for (std::size_t i = 0; i < count; ++i) expected[i] = expected[i] * 3 + in[k][i];
  for (std::size_t place = 0; place < 4; ++place) {
    auto data = in;
    std::vector<const std::byte*> pointers;
    for (const auto& one : data) pointers.push_back(reinterpret_cast<const std::byte*>(one.data()));
    subject.combine_all(reinterpret_cast<std::byte*>(data[place].data()), pointers.data(), 4, count);
    EXPECT_EQ(data[place], expected) << "out is input " << place;
  }
  MPI_Op_free(&op);
}

// On a derived type of two unsigned with a gap of one between elements' parts.
struct gapped {
  unsigned first, gap, last;
};
void weigh_gapped(void* in, void* inout, int* count, MPI_Datatype*) {
  auto* a = static_cast<gapped*>(in);
  auto* b = static_cast<gapped*>(inout);
  for (int i = 0; i < *count; ++i) {
    b[i].first = a[i].first * 3 + b[i].first;
    b[i].last = a[i].last * 5 + b[i].last;
  }
}

TEST(Reducer, gaps_of_derived_types_are_not_written) {
  MPI_Datatype type;
  const int lengths[] = {1, 1}, places[] = {0, 2};
  MPI_Type_indexed(2, lengths, places, MPI_UNSIGNED, &type);
  MPI_Type_commit(&type);
  MPI_Op op;
  MPI_Op_create(&weigh_gapped, 0, &op);
  const auto subject = reducer::of(op, type);
  EXPECT_TRUE(subject.is_valid());
  EXPECT_FALSE(subject.is_dense());
  EXPECT_EQ(subject.element_bytes(), 12);
  constexpr std::size_t count = 1500;
  std::vector<gapped> a(count), b(count), c(count), out(count, {0, 77, 0});
  for (unsigned i = 0; i < count; ++i) a[i] = {i, 1, 2 * i}, b[i] = {i + 3, 2, 5}, c[i] = {7, 3, i * i};
  const std::byte* const in[] = {reinterpret_cast<std::byte*>(a.data()), reinterpret_cast<std::byte*>(b.data()),
                                 reinterpret_cast<std::byte*>(c.data())};
  subject.combine_all(reinterpret_cast<std::byte*>(out.data()), in, 3, count);
  for (unsigned i = 0; i < count; ++i) {
    EXPECT_EQ(out[i].first, (a[i].first * 3 + b[i].first) * 3 + c[i].first);
    EXPECT_EQ(out[i].last, (a[i].last * 5 + b[i].last) * 5 + c[i].last);
    EXPECT_EQ(out[i].gap, 77u);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

TEST(Reducer, a_derived_type_that_begins_before_its_address_works) {
  MPI_Datatype type, shifted;
  const int length = 2, place = -3;
  MPI_Type_indexed(1, &length, &place, MPI_UNSIGNED, &shifted);
  MPI_Type_create_resized(shifted, 0, 8, &type);
  MPI_Type_commit(&type);
  MPI_Op op;
  MPI_Op_create(
      [](void* in, void* inout, int* count, MPI_Datatype*) {
        int twice = 2 * *count;
        weigh(static_cast<unsigned*>(in) - 3, static_cast<unsigned*>(inout) - 3, &twice, nullptr);
      },
      0, &op);
  constexpr std::size_t count = 3000;
  std::vector<unsigned> a(2 * count + 3), b(2 * count + 3), out(2 * count + 3, 9);
  std::iota(a.begin(), a.end(), 1u);
  std::iota(b.begin(), b.end(), 1000u);
  reducer::of(op, type).combine(reinterpret_cast<std::byte*>(out.data() + 3),
                                reinterpret_cast<std::byte*>(a.data() + 3), reinterpret_cast<std::byte*>(b.data() + 3),
                                count);
  for (std::size_t i = 0; i < 2 * count; ++i) EXPECT_EQ(out[i], a[i] * 3 + b[i]) << i;
  EXPECT_EQ(out[2 * count], 9u);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  MPI_Type_free(&shifted);
}

TEST(Reducer, handles_that_do_not_go_together_are_not_valid) {
  MPI_Datatype derived;
  MPI_Type_contiguous(2, MPI_INT, &derived);
  MPI_Type_commit(&derived);
  EXPECT_FALSE(reducer::of(MPI_SUM, derived).is_valid());
  EXPECT_FALSE(reducer::of(MPI_SUM, MPI_DATATYPE_NULL).is_valid());
  EXPECT_FALSE(reducer::of(MPI_OP_NULL, MPI_INT).is_valid());
  EXPECT_FALSE(reducer::of(MPI_REPLACE, MPI_INT).is_valid());
  EXPECT_FALSE(reducer::of(MPI_NO_OP, MPI_INT).is_valid());
  EXPECT_FALSE(reducer::of(MPI_SUM, MPI_FLOAT_INT).is_valid());
  EXPECT_FALSE(reducer::of(MPI_BAND, MPI_DOUBLE).is_valid());
  MPI_Type_free(&derived);
}

TEST(Reducer, threads_may_look_up_the_same_pair_together) {
  std::vector<std::thread> threads;
  std::array<int, 4> found{};
  for (std::size_t t = 0; t < found.size(); ++t)
    threads.emplace_back([&found, t] {
      for (const auto& type : all_types())
        for (const auto& op : all_ops()) found[t] += reducer::of(op.op, type.type).has_kernel() ? 1 : 0;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(found, ::testing::Each(found[0]));
}

}  // namespace
}  // namespace nearfar::reduction
