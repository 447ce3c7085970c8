// SPDX-License-Identifier: BSD-3-Clause
// Gather-scatter operations of a handle: one is in flight, those begun after it wait for it.
#pragma once

#include <nearfar/irregular.h>

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "domains.hpp"

/// What gs_setup() makes.
struct gs_data {
  struct entry {
    std::size_t at;
    bool is_flagged;
  };
  nearfar_irregular_plan* plan = nullptr;
  std::vector<entry> entries{};  ///< those that take part; empty: all do, and none is flagged
  std::size_t n = 0;
};

namespace nearfar_gslib {

/// One call, with its arrays as they are the caller's.
struct request {
  std::vector<void*> arrays;
  unsigned components;
  gs_dom dom;
  gs_op op;
  bool is_transposed;
};

/// A request between its start and its end.
class operation {
 public:
  operation(gs_data* g, request r);
  void start();   ///< collective: what contributes leaves
  void finish();  ///< collective; starts it where that was not done
  bool is_over() const { return state_ == state::over; }

 private:
  enum class state { waiting, in_flight, over };
  void start_arrays(std::size_t first);
  void pack();
  void unpack() const;
  template <class Step>
  void each_entry(Step step) const;

  gs_data* g_;
  request r_;
  std::size_t element_bytes_;
  std::vector<std::byte> packed_;    ///< where not all entries take part, or some are flagged
  std::vector<std::byte> identity_;  ///< of one value
  nearfar_custom_op bits_{};         ///< gs_bpr
  std::size_t end_ = 0;              ///< of the arrays that were started
  state state_ = state::waiting;
};

}  // namespace nearfar_gslib
