// SPDX-License-Identifier: BSD-3-Clause
// Datatypes of random layouts, memory for elements of them, and types with the operations that reduce them.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>

#include "draw.hpp"

namespace random_program {

/// A committed datatype and where its bytes lie. Frees the type unless it is the MPI's.
struct layout {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Aint extent = 0, low = 0, high = 0;

  explicit layout(MPI_Datatype of, bool is_own);
  ~layout();
  layout(const layout&) = delete;
  layout& operator=(const layout&) = delete;

 private:
  bool is_own_;
};

constexpr int signatures = 5;
/// One of the layouts that have this signature: ranks may choose differently.
std::unique_ptr<layout> layout_of(int signature, draw& choice);

/// Memory for `count` elements of a layout, filled with a pattern: from the heap, or from MPI_Alloc_mem.
class memory {
 public:
  memory(const layout& of, std::int64_t count, draw& content);
  memory(std::size_t bytes, draw& content);
  ~memory();
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;

  /// Where element 0 begins.
  char* data() const { return first_; }
  std::size_t bytes() const { return bytes_; }
  /// The whole of it, gaps included: nobody may have touched those.
  void digest_into(digest& d) const { d.add(all_, bytes_); }

 private:
  void allocate(std::size_t bytes, draw& content);

  std::size_t bytes_ = 0, shift_ = 0;
  char* all_ = nullptr;
  char* first_ = nullptr;
  bool is_of_mpi_ = false;
};

/// A type with an operation for it, whose results do not depend on the order of evaluation.
struct arithmetic {
  MPI_Datatype type;
  MPI_Op op;
  std::size_t extent, significant;  ///< bytes of an element, and those before its padding
  std::function<void(char*, draw&)> fill;
};

/// All of them: made once, freed by `free_arithmetics`.
int count_of_arithmetics();
const arithmetic& arithmetic_at(int number);
void make_arithmetics();
void free_arithmetics();

}  // namespace random_program
