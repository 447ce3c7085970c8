// SPDX-License-Identifier: BSD-3-Clause
// Tables of MPI's predefined handles, made at first use: in the preloaded library handles are not constants.
#include "predefined.hpp"

#include <cstring>
#include <memory>
#include <vector>

namespace nearfar::reduction {
namespace {

// Open addressing on the bits of a handle, which is a pointer or an int. Never changed after it is made.
template <class Entry>
class handle_table {
 public:
  explicit handle_table(std::vector<Entry*> entries) {
    for (Entry* entry : entries) {
      std::size_t slot = slot_of(entry->handle);
      while (slots_[slot]) slot = (slot + 1) % size;
      slots_[slot] = entry;
    }
  }

  template <class Handle>
  Entry* find(Handle handle) const noexcept {
    for (std::size_t slot = slot_of(handle); slots_[slot]; slot = (slot + 1) % size)
      if (slots_[slot]->handle == handle) return slots_[slot];
    return nullptr;
  }

 private:
  static constexpr std::size_t size = 256;  // at least twice the entries

  template <class Handle>
  static std::size_t slot_of(Handle handle) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &handle, sizeof handle);
    return static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15ULL) >> 56);
  }

  Entry* slots_[size] = {};
};

element integer_of(index_t bytes, bool is_signed) {
  switch (bytes) {
    case 1:
      return is_signed ? element::i8 : element::u8;
    case 2:
      return is_signed ? element::i16 : element::u16;
    case 4:
      return is_signed ? element::i32 : element::u32;
    case 8:
      return is_signed ? element::i64 : element::u64;
    default:
      return element::none;
  }
}

element floating_of(index_t bytes) { return bytes == 4 ? element::f32 : bytes == 8 ? element::f64 : element::none; }

// Types are never removed, and addresses stay: reducers point into the entries.
using type_list = std::vector<std::unique_ptr<predefined_type>>;

predefined_type* add(type_list& list, MPI_Datatype handle, group member_of) {
  if (handle == MPI_DATATYPE_NULL) return nullptr;  // an optional type that this MPI lacks
  int size = 0;
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_size(handle, &size);
  MPI_Type_get_extent(handle, &lower, &extent);
  if (size <= 0) return nullptr;
  for (const auto& known : list)
    if (known->handle == handle) return nullptr;  // synonyms such as MPI_LONG_LONG
  auto& type = list.emplace_back(std::make_unique<predefined_type>());
  type->handle = handle;
  type->member_of = member_of;
  type->extent = extent;
  type->is_dense = size == extent;
  return type.get();
}

void add_integers(type_list& list, group member_of, bool is_signed, std::initializer_list<MPI_Datatype> handles) {
  for (const MPI_Datatype handle : handles)
    if (auto* type = add(list, handle, member_of)) type->kind = integer_of(type->extent, is_signed);
}

void add_floating(type_list& list, std::initializer_list<MPI_Datatype> handles) {
  for (const MPI_Datatype handle : handles)
    if (auto* type = add(list, handle, group::floating)) type->kind = floating_of(type->extent);
}

void add_complex(type_list& list, std::initializer_list<MPI_Datatype> handles) {
  for (const MPI_Datatype handle : handles)
    if (auto* type = add(list, handle, group::complex)) {
      type->kind = floating_of(type->extent / 2);
      type->parts = 2;
    }
}

void add_pair(type_list& list, MPI_Datatype handle, element kind, index_t extent) {
  if (auto* type = add(list, handle, group::pair)) type->kind = type->extent == extent ? kind : element::none;
}

type_list make_types() {
  type_list list;
  add_integers(list, group::c_integer, true,
               {MPI_INT, MPI_LONG, MPI_SHORT, MPI_LONG_LONG, MPI_LONG_LONG_INT, MPI_SIGNED_CHAR, MPI_INT8_T,
                MPI_INT16_T, MPI_INT32_T, MPI_INT64_T});
  add_integers(list, group::c_integer, false,
               {MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_SHORT, MPI_UNSIGNED_LONG_LONG, MPI_UNSIGNED_CHAR,
                MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T});
  add_integers(list, group::fortran_integer, true,
               {MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8});
#ifdef MPI_INTEGER16
  add_integers(list, group::fortran_integer, true, {MPI_INTEGER16});
#endif
  add_integers(list, group::multi_language, true, {MPI_AINT, MPI_OFFSET, MPI_COUNT});
  add_integers(list, group::logical, false, {MPI_LOGICAL, MPI_C_BOOL, MPI_CXX_BOOL});
  add_integers(list, group::byte, false, {MPI_BYTE});
  add_floating(list, {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8});
#ifdef MPI_REAL16
  add_floating(list, {MPI_REAL16});
#endif
  add_complex(list, {MPI_C_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, MPI_COMPLEX,
                     MPI_DOUBLE_COMPLEX, MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX,
                     MPI_COMPLEX8, MPI_COMPLEX16});
#ifdef MPI_COMPLEX32
  add_complex(list, {MPI_COMPLEX32});
#endif
  add_pair(list, MPI_FLOAT_INT, element::f32_i32, 8);
  add_pair(list, MPI_DOUBLE_INT, element::f64_i32, 16);
  add_pair(list, MPI_LONG_INT, element::i64_i32, 16);
  add_pair(list, MPI_2INT, element::i32_i32, 8);
  add_pair(list, MPI_SHORT_INT, element::i16_i32, 8);
  add_pair(list, MPI_LONG_DOUBLE_INT, element::none, 0);
  add_pair(list, MPI_2REAL, element::f32_f32, 8);
  add_pair(list, MPI_2DOUBLE_PRECISION, element::f64_f64, 16);
  add_pair(list, MPI_2INTEGER, element::i32_i32, 8);
  return list;
}

template <class Entry>
handle_table<Entry> table_of(const std::vector<std::unique_ptr<Entry>>& list) {
  std::vector<Entry*> entries;
  for (const auto& entry : list) entries.push_back(entry.get());
  return handle_table<Entry>(entries);
}

std::vector<std::unique_ptr<predefined_op>> make_ops() {
  std::vector<std::unique_ptr<predefined_op>> list;
  const auto add_op = [&](MPI_Op handle, operation what) {
    list.push_back(std::make_unique<predefined_op>(predefined_op{handle, what}));
  };
  add_op(MPI_SUM, operation::sum);
  add_op(MPI_PROD, operation::prod);
  add_op(MPI_MIN, operation::min);
  add_op(MPI_MAX, operation::max);
  add_op(MPI_LAND, operation::land);
  add_op(MPI_LOR, operation::lor);
  add_op(MPI_LXOR, operation::lxor);
  add_op(MPI_BAND, operation::band);
  add_op(MPI_BOR, operation::bor);
  add_op(MPI_BXOR, operation::bxor);
  add_op(MPI_MINLOC, operation::minloc);
  add_op(MPI_MAXLOC, operation::maxloc);
  return list;
}

template <class Entry>
struct catalogue {
  std::vector<std::unique_ptr<Entry>> entries;
  handle_table<Entry> table{table_of(entries)};
};

}  // namespace

// Never destroyed: reducers may be used while static objects go away.
predefined_type* find_type(MPI_Datatype handle) {
  static const auto& all = *new catalogue<predefined_type>{make_types()};
  return all.table.find(handle);
}

const predefined_op* find_op(MPI_Op handle) {
  static const auto& all = *new catalogue<predefined_op>{make_ops()};
  return all.table.find(handle);
}

bool is_for_windows_only(MPI_Op handle) {
  return handle == MPI_OP_NULL || handle == MPI_REPLACE || handle == MPI_NO_OP;
}

bool is_defined(operation op, group member_of) {
  const bool is_integer =
      member_of == group::c_integer || member_of == group::fortran_integer || member_of == group::multi_language;
  switch (op) {
    case operation::sum:
    case operation::prod:
      return is_integer || member_of == group::floating || member_of == group::complex;
    case operation::min:
    case operation::max:
      return is_integer || member_of == group::floating;
    case operation::land:
    case operation::lor:
    case operation::lxor:
      return member_of == group::c_integer || member_of == group::logical;
    case operation::band:
    case operation::bor:
    case operation::bxor:
      return is_integer || member_of == group::byte;
    case operation::minloc:
    case operation::maxloc:
      return member_of == group::pair;
  }
  return false;
}

}  // namespace nearfar::reduction
