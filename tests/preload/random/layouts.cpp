// SPDX-License-Identifier: BSD-3-Clause
// Makes datatypes of random layouts, fills memory, and adds what the MPI cannot add by itself.
#include "layouts.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace random_program {

namespace {

struct item {
  int i, j;
  double x;
};
struct spaced_item {
  item content;
  double gap;
};
using matrix = std::array<int, 4>;

MPI_Datatype item_type() {
  const int lengths[] = {2, 1};
  const MPI_Aint places[] = {0, offsetof(item, x)};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype made;
  MPI_Type_create_struct(2, lengths, places, types, &made);
  return made;
}

MPI_Datatype resized(MPI_Datatype inner, MPI_Aint low, MPI_Aint extent) {
  MPI_Datatype made;
  MPI_Type_create_resized(inner, low, extent, &made);
  MPI_Type_free(&inner);
  return made;
}

MPI_Datatype contiguous(int count, MPI_Datatype of) {
  MPI_Datatype made;
  MPI_Type_contiguous(count, of, &made);
  return made;
}

MPI_Datatype three_ints(int choice) {
  MPI_Datatype made;
  const int places[] = {4, 0, 2};
  const int lengths[] = {2, 1}, starts[] = {0, 3};
  switch (choice) {
    case 0:
      return contiguous(3, MPI_INT);
    case 1:
      MPI_Type_vector(3, 1, 2, MPI_INT, &made);
      return made;
    case 2:
      MPI_Type_create_indexed_block(3, 1, places, MPI_INT, &made);
      return made;
    case 3:
      MPI_Type_indexed(2, lengths, starts, MPI_INT, &made);
      return made;
    case 4:
      return resized(contiguous(3, MPI_INT), 0, 20);
    case 5:
      return resized(contiguous(3, MPI_INT), -8, 28);
    default:
      MPI_Type_vector(3, 1, -2, MPI_INT, &made);
      return made;
  }
}

MPI_Datatype items(int choice) {
  MPI_Datatype inner = item_type(), made;
  if (choice == 0) return inner;
  if (choice == 1) return resized(inner, 0, sizeof(spaced_item));
  made = contiguous(1, inner);
  MPI_Type_free(&inner);
  return made;
}

MPI_Datatype many_bytes(int choice) {
  MPI_Datatype made;
  switch (choice) {
    case 0:
      return contiguous(100, MPI_BYTE);
    case 1:
      MPI_Type_vector(10, 10, 13, MPI_BYTE, &made);
      return made;
    default:
      MPI_Type_create_hvector(4, 25, 31, MPI_BYTE, &made);
      return made;
  }
}

template <class T, int Most>
void fill_with(char* at, draw& content) {
  const T value = static_cast<T>(content.below(Most));
  std::memcpy(at, &value, sizeof value);
}

template <class T>
void fill_pair(char* at, draw& content) {
  const struct {
    T value;
    int place;
  } pair{static_cast<T>(content.below(4)), content.below(1000)};
  std::memset(at, 0, sizeof pair);
  std::memcpy(at, &pair.value, sizeof pair.value);
  std::memcpy(at + sizeof(T), &pair.place, sizeof pair.place);
}

void fill_item(char* at, draw& content) {
  const item one{content.below(10), content.below(10), static_cast<double>(content.below(10))};
  std::memcpy(at, &one, sizeof one);
}

void fill_matrix(char* at, draw& content) {
  matrix m;
  for (int& value : m) value = content.below(7);
  std::memcpy(at, &m, sizeof m);
}

template <class Element, class Combine>
void for_each_element(void* in, void* out, int count, MPI_Datatype type, Combine combine) {
  MPI_Aint low, extent;
  MPI_Type_get_extent(type, &low, &extent);
  for (int i = 0; i < count; ++i) {
    Element a, b;
    std::memcpy(&a, static_cast<char*>(in) + i * extent, sizeof a);
    std::memcpy(&b, static_cast<char*>(out) + i * extent, sizeof b);
    b = combine(a, b);
    std::memcpy(static_cast<char*>(out) + i * extent, &b, sizeof b);
  }
}

void add_items(void* in, void* out, int* count, MPI_Datatype* type) {
  for_each_element<item>(in, out, *count, *type, [](item a, item b) {
    return item{a.i + b.i, std::max(a.j, b.j), a.x + b.x};
  });
}

// Does not commute.
void multiply(void* in, void* out, int* count, MPI_Datatype* type) {
  for_each_element<matrix>(in, out, *count, *type, [](const matrix& a, const matrix& b) {
    return matrix{(a[0] * b[0] + a[1] * b[2]) % 7, (a[0] * b[1] + a[1] * b[3]) % 7, (a[2] * b[0] + a[3] * b[2]) % 7,
                  (a[2] * b[1] + a[3] * b[3]) % 7};
  });
}

std::vector<arithmetic> all_arithmetics;
std::vector<MPI_Datatype> own_types;
std::vector<MPI_Op> own_ops;

template <class T, int Most>
void add_basic(MPI_Datatype type, std::initializer_list<MPI_Op> ops) {
  for (MPI_Op op : ops) all_arithmetics.push_back({type, op, sizeof(T), sizeof(T), fill_with<T, Most>});
}

MPI_Datatype kept(MPI_Datatype type) {
  MPI_Type_commit(&type);
  own_types.push_back(type);
  return type;
}

MPI_Op kept_op(MPI_User_function* function, int commutes) {
  MPI_Op op;
  MPI_Op_create(function, commutes, &op);
  own_ops.push_back(op);
  return op;
}

}  // namespace

layout::layout(MPI_Datatype of, bool is_own) : type(of), is_own_(is_own) {
  MPI_Aint lowest, true_extent;
  if (is_own_) MPI_Type_commit(&type);
  MPI_Type_get_extent(type, &lowest, &extent);
  MPI_Type_get_true_extent(type, &low, &true_extent);
  high = low + true_extent;
}

layout::~layout() {
  if (is_own_) MPI_Type_free(&type);
}

std::unique_ptr<layout> layout_of(int signature, draw& choice) {
  switch (signature) {
    case 0:
      return std::make_unique<layout>(MPI_INT, false);
    case 1:
      return std::make_unique<layout>(MPI_BYTE, false);
    case 2:
      return std::make_unique<layout>(three_ints(choice.below(7)), true);
    case 3:
      return std::make_unique<layout>(items(choice.below(3)), true);
    default:
      return std::make_unique<layout>(many_bytes(choice.below(3)), true);
  }
}

memory::memory(const layout& of, std::int64_t count, draw& content) {
  const MPI_Aint last = count > 0 ? (count - 1) * of.extent : 0;
  const MPI_Aint from = std::min(of.low, of.low + last), to = std::max(of.high, of.high + last);
  allocate(static_cast<std::size_t>(count > 0 ? to - from : 0), content);
  first_ = all_ - (count > 0 ? from : 0);
}

memory::memory(std::size_t bytes, draw& content) { allocate(bytes, content); }

void memory::allocate(std::size_t bytes, draw& content) {
  bytes_ = bytes + 16;  // nobody may write behind the last element
  is_of_mpi_ = content.one_in(3);
  shift_ = is_of_mpi_ ? 0 : static_cast<std::size_t>(8 * content.below(9));
  if (is_of_mpi_)
    MPI_Alloc_mem(static_cast<MPI_Aint>(bytes_), MPI_INFO_NULL, &all_);
  else
    all_ = static_cast<char*>(std::malloc(bytes_ + shift_)) + shift_;
  const std::uint64_t pattern = content.next();
  for (std::size_t i = 0; i < bytes_; ++i) all_[i] = static_cast<char>(mixed(pattern + i / 8) >> (i % 8 * 8));
  first_ = all_;
}

memory::~memory() {
  if (is_of_mpi_)
    MPI_Free_mem(all_);
  else
    std::free(all_ - shift_);
}

int count_of_arithmetics() { return static_cast<int>(all_arithmetics.size()); }
const arithmetic& arithmetic_at(int number) { return all_arithmetics[static_cast<std::size_t>(number)]; }

void make_arithmetics() {
  add_basic<int, 7>(MPI_INT, {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LXOR});
  add_basic<double, 10>(MPI_DOUBLE, {MPI_SUM, MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD});
  add_basic<float, 10>(MPI_FLOAT, {MPI_SUM, MPI_MAX});
  add_basic<long, 100>(MPI_LONG, {MPI_SUM, MPI_BXOR});
  add_basic<unsigned char, 4>(MPI_UNSIGNED_CHAR, {MPI_SUM, MPI_BOR, MPI_MAX});
  add_basic<short, 10>(MPI_SHORT, {MPI_SUM, MPI_MIN});
  add_basic<std::complex<double>, 10>(MPI_C_DOUBLE_COMPLEX, {MPI_SUM});
  add_basic<bool, 2>(MPI_C_BOOL, {MPI_LOR, MPI_LAND});
  all_arithmetics.push_back({MPI_2INT, MPI_MINLOC, 8, 8, fill_pair<int>});
  all_arithmetics.push_back({MPI_DOUBLE_INT, MPI_MAXLOC, 16, 12, fill_pair<double>});
  const MPI_Op adding = kept_op(add_items, 1), multiplying = kept_op(multiply, 0);
  all_arithmetics.push_back({kept(item_type()), adding, sizeof(item), sizeof(item), fill_item});
  all_arithmetics.push_back(
      {kept(resized(item_type(), 0, sizeof(spaced_item))), adding, sizeof(spaced_item), sizeof(item), fill_item});
  all_arithmetics.push_back({kept(contiguous(4, MPI_INT)), multiplying, 16, 16, fill_matrix});
}

void free_arithmetics() {
  for (MPI_Datatype& type : own_types) MPI_Type_free(&type);
  for (MPI_Op& op : own_ops) MPI_Op_free(&op);
  all_arithmetics.clear();
  own_types.clear();
  own_ops.clear();
}

}  // namespace random_program
