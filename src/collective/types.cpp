// SPDX-License-Identifier: BSD-3-Clause
// Layouts of datatypes, by MPI's queries.
#include "types.hpp"

#include <algorithm>
#include <atomic>
#include <collective/engine.hpp>
#include <cstring>
#include <memory>
#include <mutex>
#include <nearfar/error.hpp>
#include <topology/team_state.hpp>
#include <vector>

#include "large_type.hpp"

namespace nearfar::collective {

namespace {

// Predefined types at places that depend on the handle. Filled once per place and never changed, so that readers need
// no lock.
struct known_type {
  MPI_Datatype handle;
  type_shape shape;
};
constexpr std::size_t places = 512, tries = 4;
constinit std::atomic<const known_type*> known[places] = {};

template <class Handle>  // a pointer or a number
std::size_t first_place(Handle type) noexcept {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &type, sizeof type);
  return static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15ULL) >> 55);
}

void remember(MPI_Datatype type, const type_shape& shape) {
  auto fresh = std::make_unique<known_type>(known_type{type, shape});
  for (std::size_t t = 0; t < tries; ++t) {
    const known_type* empty = nullptr;
    // Release pairs with the acquire in find_shape.
    if (known[(first_place(type) + t) % places].compare_exchange_strong(empty, fresh.get(),
                                                                        std::memory_order_release)) {
      (void)fresh.release();  // lives as long as the process
      return;
    }
  }
}

// A communicator of this process alone whose errors come back.
MPI_Comm packing_comm() {
  static const MPI_Comm made = [] {
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_SELF, 0, 0, &own);
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    return own;
  }();
  return made;
}

}  // namespace

void make_packing_comm() { packing_comm(); }

namespace {

// MPI tells only by refusing to pack.
bool is_committed(MPI_Datatype type) {
  std::byte nothing[8];
  int at = 0;
  return MPI_Pack(nothing, 0, type, nothing, sizeof nothing, &at, packing_comm()) == MPI_SUCCESS;
}

// What a type was made of.
struct contents {
  int combiner = 0;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;

  explicit contents(MPI_Datatype of) {
    int n_integers = 0, n_addresses = 0, n_types = 0;
    MPI_Type_get_envelope(of, &n_integers, &n_addresses, &n_types, &combiner);
    if (is_basic(combiner)) return;
    integers.resize(as_size(n_integers) + 1);
    addresses.resize(as_size(n_addresses) + 1);
    types.resize(as_size(n_types));
    MPI_Type_get_contents(of, n_integers, n_addresses, n_types, integers.data(), addresses.data(), types.data());
  }
  ~contents() {
    for (MPI_Datatype& t : types) free_derived(t);
  }
  contents(const contents&) = delete;
  contents& operator=(const contents&) = delete;

  static bool is_basic(int how) {
    return how == MPI_COMBINER_NAMED || how == MPI_COMBINER_F90_REAL || how == MPI_COMBINER_F90_COMPLEX ||
           how == MPI_COMBINER_F90_INTEGER;
  }

 private:
  static void free_derived(MPI_Datatype& type) {
    int integers_of = 0, addresses_of = 0, types_of = 0, how = 0;
    MPI_Type_get_envelope(type, &integers_of, &addresses_of, &types_of, &how);
    if (!is_basic(how)) MPI_Type_free(&type);
  }
};

// Bytes one after the other, in the order of a type's map.
struct run {
  index_t first = 0, bytes = 0;
  bool append(index_t at, index_t more) {
    if (more == 0) return true;
    if (bytes == 0) first = at;
    if (at != first + bytes) return false;
    bytes += more;
    return true;
  }
};

bool is_run(MPI_Datatype type, run& found);

struct element {
  run data;
  index_t extent = 0;
  bool measure(MPI_Datatype type) {
    MPI_Count low = 0, bytes = 0;
    MPI_Type_get_extent_x(type, &low, &bytes);
    extent = static_cast<index_t>(bytes);
    return is_run(type, data);
  }
  bool append_to(run& all, index_t place, index_t count) const {
    if (count == 0) return true;
    return (count == 1 || extent == data.bytes) && all.append(place + data.first, count * data.bytes);
  }
};

bool is_basic_run(MPI_Datatype type, run& found) {
  MPI_Count size = 0, low = 0, extent = 0;
  MPI_Type_size_x(type, &size);
  MPI_Type_get_true_extent_x(type, &low, &extent);
  return size == extent && found.append(static_cast<index_t>(low), static_cast<index_t>(size));
}

bool is_struct_run(const contents& made, run& found) {
  for (int b = 0; b < made.integers[0]; ++b) {
    element one;
    if (!one.measure(made.types[as_size(b)])) return false;
    if (!one.append_to(found, made.addresses[as_size(b)], made.integers[as_size(b) + 1])) return false;
  }
  return true;
}

bool are_equal_blocks_run(const element& one, index_t blocks, index_t length, index_t stride, run& found) {
  for (index_t b = 0; b < blocks; ++b)
    if (!one.append_to(found, b * stride, length)) return false;
  return true;
}

// Subarrays and the rest are packed.
bool is_run(MPI_Datatype type, run& found) {
  const contents made(type);
  if (contents::is_basic(made.combiner)) return is_basic_run(type, found);
  if (made.combiner == MPI_COMBINER_STRUCT) return is_struct_run(made, found);
  element one;
  if (!one.measure(made.types[0])) return false;
  const auto number = [&](index_t i) { return static_cast<index_t>(made.integers[as_size(i)]); };
  const auto address = [&](index_t i) { return static_cast<index_t>(made.addresses[as_size(i)]); };
  const index_t blocks = number(0);
  bool is_one = true;
  switch (made.combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return one.append_to(found, 0, 1);
    case MPI_COMBINER_CONTIGUOUS:
      return one.append_to(found, 0, blocks);
    case MPI_COMBINER_VECTOR:
      return are_equal_blocks_run(one, blocks, number(1), number(2) * one.extent, found);
    case MPI_COMBINER_HVECTOR:
      return are_equal_blocks_run(one, blocks, number(1), address(0), found);
    case MPI_COMBINER_INDEXED:
      for (index_t b = 0; is_one && b < blocks; ++b)
        is_one = one.append_to(found, number(1 + blocks + b) * one.extent, number(1 + b));
      return is_one;
    case MPI_COMBINER_HINDEXED:
      for (index_t b = 0; is_one && b < blocks; ++b) is_one = one.append_to(found, address(b), number(1 + b));
      return is_one;
    case MPI_COMBINER_INDEXED_BLOCK:
      for (index_t b = 0; is_one && b < blocks; ++b)
        is_one = one.append_to(found, number(2 + b) * one.extent, number(1));
      return is_one;
    case MPI_COMBINER_HINDEXED_BLOCK:
      for (index_t b = 0; is_one && b < blocks; ++b) is_one = one.append_to(found, address(b), number(1));
      return is_one;
    default:
      return false;
  }
}

bool has_no_gaps(MPI_Datatype type, const type_shape& shape) {
  MPI_Count low = 0, true_low = 0, extent = 0, true_extent = 0;
  MPI_Type_get_extent_x(type, &low, &extent);
  MPI_Type_get_true_extent_x(type, &true_low, &true_extent);
  return low == 0 && true_low == 0 && shape.size > 0 && shape.size == shape.extent && true_extent == extent;
}

// Equal size and extent are not enough: the map may put the data in another order.
type_shape measure(MPI_Datatype type) {
  MPI_Count size = 0, low = 0, extent = 0;
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent_x(type, &low, &extent);
  type_shape shape{static_cast<index_t>(size), static_cast<index_t>(extent)};
  run all;
  shape.is_dense = has_no_gaps(type, shape) && is_run(type, all);
  return shape;
}

int copy_nothing(MPI_Datatype, int, void*, void*, void*, int* is_copied) {
  *is_copied = 0;
  return MPI_SUCCESS;
}

int forget_shape(MPI_Datatype, int, void* value, void*) {
  delete static_cast<type_shape*>(value);
  return MPI_SUCCESS;
}

// Shapes hang on types that programs make, and go with them: a handle that comes back is another type.
int shape_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Type_create_keyval(copy_nothing, forget_shape, &made, nullptr);
    return made;
  }();
  return key;
}

bool look_at(MPI_Datatype type, type_shape& found) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (contents::is_basic(combiner)) {
    found = measure(type);
    found.is_lasting = true;
    remember(type, found);
    return true;
  }
  static std::mutex& alone = *new std::mutex;  // a thread may replace what another one is reading
  const std::lock_guard lock(alone);
  void* known = nullptr;
  int is_known = 0;
  MPI_Type_get_attr(type, shape_key(), static_cast<void*>(&known), &is_known);
  if (is_known != 0) {
    found = *static_cast<const type_shape*>(known);
    return true;
  }
  if (!is_committed(type)) return false;
  found = measure(type);
  auto kept = std::make_unique<type_shape>(found);
  if (MPI_Type_set_attr(type, shape_key(), kept.get()) == MPI_SUCCESS) (void)kept.release();
  return true;
}

// Types may hold addresses themselves, and data then begin at MPI_BOTTOM, which MPICH does not take for packing: the
// same elements, counted from another address.
class moved_type {
 public:
  moved_type(MPI_Datatype type, int count) {
    const MPI_Aint back = -distance;
    check_mpi(MPI_Type_create_hindexed(1, &count, &back, type, &moved_), "MPI_Type_create_hindexed");
    check_mpi(MPI_Type_commit(&moved_), "MPI_Type_commit");
  }
  ~moved_type() { MPI_Type_free(&moved_); }
  moved_type(const moved_type&) = delete;
  moved_type& operator=(const moved_type&) = delete;
  MPI_Datatype get() const noexcept { return moved_; }
  static void* origin() noexcept { return reinterpret_cast<void*>(distance); }

 private:
  static constexpr std::intptr_t distance = 4096;
  MPI_Datatype moved_ = MPI_DATATYPE_NULL;
};

void pack_part(const void* loose, int count, MPI_Datatype type, std::byte* packed, int bytes) {
  int at = 0;
  check_mpi(MPI_Pack(loose, count, type, packed, bytes, &at, packing_comm()), "MPI_Pack");
}

void unpack_part(const std::byte* packed, int bytes, void* loose, int count, MPI_Datatype type) {
  int at = 0;
  check_mpi(MPI_Unpack(packed, bytes, &at, loose, count, type, packing_comm()), "MPI_Unpack");
}

// Calls visit(elements, loose address, packed address) for parts whose bytes an int can count, or for single elements.
template <class Visit>
void for_parts(const packing& p, Visit visit) {
  const index_t most = std::max<index_t>(1, largest_packed_element / std::max<index_t>(1, p.shape.size));
  const auto loose = reinterpret_cast<std::intptr_t>(p.loose);  // may be MPI_BOTTOM
  for (index_t at = 0; at < p.count; at += most)
    visit(static_cast<int>(std::min(most, p.count - at)), reinterpret_cast<void*>(loose + at * p.shape.extent),
          p.packed + at * p.shape.size);
}

// From one place of this process to another, whatever the types: MPI looks at the bytes of messages.
void move_element(const void* from, MPI_Datatype from_type, void* to, MPI_Datatype to_type) {
  check_mpi(MPI_Sendrecv(from, 1, from_type, 0, 0, to, 1, to_type, 0, 0, packing_comm(), MPI_STATUS_IGNORE),
            "MPI_Sendrecv to oneself");
}

}  // namespace

bool find_shape(MPI_Datatype type, type_shape& found) {
  const std::size_t first = first_place(type);
  for (std::size_t t = 0; t < tries; ++t) {
    const known_type* k = known[(first + t) % places].load(std::memory_order_acquire);
    if (k == nullptr) break;
    if (k->handle != type) continue;
    found = k->shape;
    return true;
  }
  return type != MPI_DATATYPE_NULL && look_at(type, found);
}

void pack(const packing& p) {
  if (p.shape.is_dense) {
    std::memcpy(p.packed, p.loose, as_size(p.count * p.shape.size));
    return;
  }
  if (p.shape.size > largest_packed_element) {
    const large_type packed_type(p.shape.size, MPI_BYTE);
    for_parts(
        p, [&](int, const void* loose, std::byte* packed) { move_element(loose, p.type, packed, packed_type.get()); });
    return;
  }
  for_parts(p, [&](int count, const void* loose, std::byte* packed) {
    const int bytes = static_cast<int>(count * p.shape.size);
    if (loose == nullptr)
      pack_part(moved_type::origin(), 1, moved_type(p.type, count).get(), packed, bytes);
    else
      pack_part(loose, count, p.type, packed, bytes);
  });
}

void unpack(const packing& p) {
  if (p.shape.is_dense) {
    std::memcpy(p.loose, p.packed, as_size(p.count * p.shape.size));
    return;
  }
  if (p.shape.size > largest_packed_element) {
    const large_type packed_type(p.shape.size, MPI_BYTE);
    for_parts(
        p, [&](int, void* loose, const std::byte* packed) { move_element(packed, packed_type.get(), loose, p.type); });
    return;
  }
  for_parts(p, [&](int count, void* loose, const std::byte* packed) {
    const int bytes = static_cast<int>(count * p.shape.size);
    if (loose == nullptr)
      unpack_part(packed, bytes, moved_type::origin(), 1, moved_type(p.type, count).get());
    else
      unpack_part(packed, bytes, loose, count, p.type);
  });
}

bool has_memory(const void* buffer) {
  if (buffer != nullptr) return true;
#if defined(OPEN_MPI)
  throw usage_error("a buffer is a null pointer, though its count is not 0");
#else
  return false;
#endif
}

}  // namespace nearfar::collective
