// SPDX-License-Identifier: BSD-3-Clause
// What calls become: shapes of types, packing, and arguments that are left for MPI to refuse.
#include <mpi_test.hpp>
#include <numeric>
#include <utility>

#include "../normal.hpp"

namespace nearfar::collective::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3}, .node_sizes = {0}, .on_cluster = false}};

class normal_form : public nearfar::test::MpiTest {
 protected:
  bool is_taken(const call& c) {
    job j;
    return make_job(c, rank(), size(), j, memory_);
  }
  static call bcast_of(void* data, index_t count, MPI_Datatype type) {
    call c;
    c.what = kind::bcast;
    c.receive = {data, count, type};
    return c;
  }
  job_memory memory_;
};

bool is_dense(MPI_Datatype type) {
  type_shape shape;
  EXPECT_TRUE(find_shape(type, shape));
  return shape.is_dense;
}

TEST_F(normal_form, only_types_in_memory_order_are_dense) {
  EXPECT_TRUE(is_dense(MPI_DOUBLE));
  EXPECT_TRUE(is_dense(MPI_BYTE));
  EXPECT_FALSE(is_dense(MPI_SHORT_INT));
  MPI_Datatype row, rows, gaps, turned;
  const int lengths[] = {1, 1}, places[] = {1, 0};
  MPI_Type_contiguous(5, MPI_INT, &row);
  MPI_Type_vector(3, 2, 2, row, &rows);
  MPI_Type_vector(3, 1, 2, row, &gaps);
  MPI_Type_indexed(2, lengths, places, MPI_INT, &turned);
  for (MPI_Datatype* t : {&row, &rows, &gaps, &turned}) MPI_Type_commit(t);
  EXPECT_TRUE(is_dense(row));
  EXPECT_TRUE(is_dense(rows));
  EXPECT_FALSE(is_dense(gaps));
  EXPECT_FALSE(is_dense(turned));
  type_shape shape;
  find_shape(gaps, shape);
  EXPECT_EQ(60, shape.size);
  EXPECT_EQ(100, shape.extent);
  for (MPI_Datatype* t : {&row, &rows, &gaps, &turned}) MPI_Type_free(t);
}

// Structures are what programs send most often of all derived types.
TEST_F(normal_form, structures_without_gaps_are_moved_as_bytes) {
  MPI_Datatype fields, whole, padded, crossed, late, blocks, rows;
  const int ones[] = {1, 1, 1}, pairs[] = {2, 2};
  const MPI_Aint in_order[] = {0, 4, 8}, turned[] = {4, 0, 8}, after[] = {8, 12, 16}, halves[] = {0, 32};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_DOUBLE};
  MPI_Type_create_struct(3, ones, in_order, types, &fields);
  MPI_Type_create_resized(fields, 0, 16, &whole);
  MPI_Type_create_resized(fields, 0, 24, &padded);
  MPI_Type_create_struct(3, ones, turned, types, &crossed);
  MPI_Type_create_struct(3, ones, after, types, &late);
  MPI_Type_create_hindexed(2, pairs, halves, whole, &blocks);
  MPI_Type_create_hvector(3, 2, 64, blocks, &rows);
  for (MPI_Datatype* t : {&fields, &whole, &padded, &crossed, &late, &blocks, &rows}) MPI_Type_commit(t);
  EXPECT_TRUE(is_dense(fields));
  EXPECT_TRUE(is_dense(whole));
  EXPECT_TRUE(is_dense(whole)) << "asked a second time";
  EXPECT_FALSE(is_dense(padded));
  EXPECT_FALSE(is_dense(crossed)) << "the bytes are all there, but in another order";
  EXPECT_FALSE(is_dense(late)) << "it begins behind its address";
  EXPECT_TRUE(is_dense(blocks));
  EXPECT_FALSE(is_dense(rows)) << "blocks of two overlap";
  for (MPI_Datatype* t : {&fields, &whole, &padded, &crossed, &late, &blocks, &rows}) MPI_Type_free(t);
}

TEST_F(normal_form, a_handle_that_comes_back_is_another_type) {
  for (int round = 0; round < 20; ++round) {
    MPI_Datatype type;
    MPI_Type_vector(3, 1, 1 + round % 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    EXPECT_EQ(round % 2 == 0, is_dense(type));
    EXPECT_EQ(round % 2 == 0, is_dense(type));
    MPI_Type_free(&type);
  }
}

TEST_F(normal_form, elements_too_large_for_packing_go_by_messages_to_oneself) {
  const index_t usual = std::exchange(largest_packed_element, 40);
  MPI_Datatype gaps;
  MPI_Type_vector(50, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  std::vector<int> loose(198), back(198, -1), packed(100, -1), wanted;
  std::iota(loose.begin(), loose.end(), 0);
  for (int i = 0; i < 100; ++i) wanted.push_back(2 * i - i / 50);
  type_shape shape;
  find_shape(gaps, shape);
  packing p{loose.data(), 2, gaps, shape, reinterpret_cast<std::byte*>(packed.data())};
  pack(p);
  EXPECT_EQ(wanted, packed);
  p.loose = back.data();
  unpack(p);
  for (int i = 0; i < 198; ++i) EXPECT_EQ(i % 99 % 2 == 0 ? i : -1, back[as_size(i)]);
  MPI_Type_free(&gaps);
  largest_packed_element = usual;
}

TEST_F(normal_form, packed_data_come_back) {
  MPI_Datatype turned;
  const int lengths[] = {1, 1, 1}, places[] = {4, 0, 2};
  MPI_Type_indexed(3, lengths, places, MPI_INT, &turned);
  MPI_Type_commit(&turned);
  std::vector<int> loose(10), back(10, -1), packed(6);
  for (int i = 0; i < 10; ++i) loose[as_size(i)] = i;
  type_shape shape;
  find_shape(turned, shape);
  packing p{loose.data(), 2, turned, shape, reinterpret_cast<std::byte*>(packed.data())};
  pack(p);
  EXPECT_EQ((std::vector<int>{4, 0, 2, 9, 5, 7}), packed);
  p.loose = back.data();
  unpack(p);
  EXPECT_EQ((std::vector<int>{0, -1, 2, -1, 4, 5, -1, 7, -1, 9}), back);
  MPI_Type_free(&turned);
}

TEST_F(normal_form, types_that_hold_addresses_are_packed_from_bottom) {
  std::vector<int> loose{1, 2, 3, 4, 5, 6}, packed(3, -1);
  MPI_Aint places[2];
  MPI_Get_address(&loose[4], &places[0]);
  MPI_Get_address(&loose[0], &places[1]);
  const int lengths[] = {1, 2};
  MPI_Datatype absolute;
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  type_shape shape;
  EXPECT_TRUE(find_shape(absolute, shape));
  const packing p{MPI_BOTTOM, 1, absolute, shape, reinterpret_cast<std::byte*>(packed.data())};
  pack(p);
  EXPECT_EQ((std::vector<int>{5, 1, 2}), packed);
  packed = {50, 10, 20};
  unpack(p);
  EXPECT_EQ((std::vector<int>{10, 20, 3, 4, 50, 6}), loose);
  MPI_Type_free(&absolute);
}

// Reducers want an output that is one of the inputs or overlaps none (reduction/reducer.hpp).
TEST_F(normal_form, parts_of_a_sum_in_place_overlap_no_input) {
  std::vector<int> parts(as_size(size()), 1);
  parts.back() = 100;
  std::vector<double> both(as_size(99 + size()));
  call c;
  c.what = kind::reduce_scatter;
  c.op = MPI_SUM;
  c.send.data = MPI_IN_PLACE;
  c.receive = {both.data(), parts[0], MPI_DOUBLE};
  c.receive.counts = number_list(parts.data());
  job j;
  NEARFAR_ASSERT_ALL(make_job(c, rank(), size(), j, memory_));
  const std::byte* own = j.in + j.blocks.send_offsets[as_size(rank())];
  const index_t bytes = index_t{8} * parts[as_size(rank())];
  EXPECT_TRUE(own == j.out || own + bytes <= j.out || j.out + bytes <= own);
}

TEST_F(normal_form, what_mpi_refuses_is_left_to_it) {
  int data[4] = {};
  MPI_Datatype uncommitted;
  MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
  EXPECT_TRUE(is_taken(bcast_of(data, 4, MPI_INT)));
  EXPECT_FALSE(is_taken(bcast_of(data, -1, MPI_INT)));
  EXPECT_FALSE(is_taken(bcast_of(data, 1, MPI_DATATYPE_NULL)));
  EXPECT_FALSE(is_taken(bcast_of(data, 1, uncommitted)));
  MPI_Type_commit(&uncommitted);
  EXPECT_TRUE(is_taken(bcast_of(data, 1, uncommitted)));
  MPI_Type_free(&uncommitted);
  call c = bcast_of(data, 4, MPI_INT);
  c.root = size();
  EXPECT_FALSE(is_taken(c));
}

TEST_F(normal_form, null_buffers_are_refused_by_whoever_looks) {
  EXPECT_FALSE(is_taken(bcast_of(nullptr, 0, MPI_INT)));
#if defined(OPEN_MPI)
  EXPECT_THROW(is_taken(bcast_of(nullptr, 4, MPI_INT)), usage_error);
#else
  EXPECT_FALSE(is_taken(bcast_of(nullptr, 4, MPI_INT)));
#endif
}

// What one rank lays out in one element with gaps another has in many: both must go the same way.
TEST_F(normal_form, any_layout_of_one_signature_is_taken) {
  const index_t usual = std::exchange(largest_packed_element, 40);
  MPI_Datatype gaps;
  MPI_Type_vector(50, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  std::vector<int> data(as_size(200 * size())), other(data.size());
  EXPECT_TRUE(is_taken(bcast_of(data.data(), 1, gaps)));
  call c;
  c.what = kind::allgather;
  c.send = {other.data(), 1, gaps};
  c.receive = {data.data(), 50, MPI_INT};
  EXPECT_TRUE(is_taken(c));
  const std::vector<int> ones(as_size(size()), 1), places(as_size(size()), 0);
  c.what = kind::alltoallv;
  for (side* s : {&c.send, &c.receive}) s->counts = number_list(ones.data()), s->displs = number_list(places.data());
  c.receive.type = gaps;
  EXPECT_TRUE(is_taken(c));
  MPI_Type_free(&gaps);
  largest_packed_element = usual;
}

TEST_F(normal_form, bytes_do_not_wrap) {
  std::byte nothing{};
  job j;
  EXPECT_TRUE(make_job(bcast_of(&nothing, index_t{1} << 33, MPI_DOUBLE), rank(), size(), j, memory_));
  EXPECT_EQ(index_t{1} << 36, j.bytes);
}

}  // namespace
}  // namespace nearfar::collective::test
