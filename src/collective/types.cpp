// SPDX-License-Identifier: BSD-3-Clause
// Shapes of datatypes, by MPI's own words about them.
#include "types.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <nearfar/error.hpp>
#include <topology/team_state.hpp>
#include <vector>

namespace nearfar::collective {

namespace {

// Predefined types at places that depend on the handle. Filled once per place and never changed, so that readers need no lock.
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

// MPI tells only by refusing to pack.
bool is_committed(MPI_Datatype type) {
  std::byte nothing[8];
  int at = 0;
  return MPI_Pack(nothing, 0, type, nothing, sizeof nothing, &at, packing_comm()) == MPI_SUCCESS;
}

struct contents {
  int combiner = 0;
  std::vector<int> integers;
  std::vector<MPI_Datatype> types;

  explicit contents(MPI_Datatype of) {
    int n_integers = 0, n_addresses = 0, n_types = 0;
    MPI_Type_get_envelope(of, &n_integers, &n_addresses, &n_types, &combiner);
    const bool is_simple =
        combiner == MPI_COMBINER_DUP || combiner == MPI_COMBINER_CONTIGUOUS || combiner == MPI_COMBINER_VECTOR;
    if (!is_simple) return;
    integers.resize(static_cast<std::size_t>(n_integers) + 1);
    types.resize(static_cast<std::size_t>(n_types));
    std::vector<MPI_Aint> addresses(static_cast<std::size_t>(n_addresses) + 1);
    MPI_Type_get_contents(of, n_integers, n_addresses, n_types, integers.data(), addresses.data(), types.data());
  }
  ~contents() {
    for (MPI_Datatype& t : types) free_derived(t);
  }
  contents(const contents&) = delete;
  contents& operator=(const contents&) = delete;

 private:
  static void free_derived(MPI_Datatype& type) {
    int integers_of = 0, addresses_of = 0, types_of = 0, how = 0;
    MPI_Type_get_envelope(type, &integers_of, &addresses_of, &types_of, &how);
    const bool is_lasting = how == MPI_COMBINER_NAMED || how == MPI_COMBINER_F90_REAL ||
                            how == MPI_COMBINER_F90_COMPLEX || how == MPI_COMBINER_F90_INTEGER;
    if (!is_lasting) MPI_Type_free(&type);
  }
};

type_shape measure(MPI_Datatype type) {
  MPI_Count size = 0, low = 0, extent = 0;
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent_x(type, &low, &extent);
  return {static_cast<index>(size), static_cast<index>(extent), low == 0 && size == extent && size > 0};
}

// Equal size and extent are not enough: the map may put the data in another order. Only constructors that keep it are taken.
bool keeps_order(const contents& made) {
  switch (made.combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
      return true;
    case MPI_COMBINER_VECTOR:  // count, block length, stride
      if (made.integers[0] != 1 && made.integers[1] != made.integers[2]) return false;
      [[fallthrough]];
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_CONTIGUOUS:
      return measure(made.types[0]).is_dense && keeps_order(contents(made.types[0]));
    default:
      return false;
  }
}

bool look_at(MPI_Datatype type, type_shape& found) {
  const contents made(type);
  const bool is_named = made.combiner == MPI_COMBINER_NAMED;
  if (!is_named && !is_committed(type)) return false;
  found = measure(type);
  found.is_dense = found.is_dense && keeps_order(made);
  found.is_lasting = is_named;
  if (is_named) remember(type, found);
  return true;
}

// Types may hold addresses themselves, and data then begin at MPI_BOTTOM, which MPICH does not take for packing: the same elements,
// counted from another address.
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

// Calls visit(elements, loose address, packed address) for parts whose bytes an int can count.
template <class Visit>
void for_parts(const packing& p, Visit visit) {
  const index most = std::max<index>(1, largest_packed_element / std::max<index>(1, p.shape.size));
  const auto loose = reinterpret_cast<std::intptr_t>(p.loose);  // may be MPI_BOTTOM
  for (index at = 0; at < p.count; at += most)
    visit(static_cast<int>(std::min(most, p.count - at)), reinterpret_cast<void*>(loose + at * p.shape.extent),
          p.packed + at * p.shape.size);
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
