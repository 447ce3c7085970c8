// SPDX-License-Identifier: BSD-3-Clause
// The copy spans all blocks and the gaps between them, so that displacements and types are valid for it, too.
#include "sent_copy.hpp"

#include <algorithm>
#include <cstring>

namespace nearfar::collective {

namespace {

struct span_of_bytes {
  index_t first = 0, end = 0;
};

span_of_bytes span_of_block(const side& s, int r) {
  const MPI_Datatype type = s.types != nullptr ? s.types[r] : s.type;
  MPI_Aint low = 0, extent = 0, true_low = 0, true_extent = 0;
  MPI_Type_get_extent(type, &low, &extent);
  MPI_Type_get_true_extent(type, &true_low, &true_extent);
  const index_t place = s.displs[r] * (s.types != nullptr ? 1 : extent) + true_low;
  const index_t last = place + (s.counts[r] - 1) * extent;
  return {std::min(place, last), std::max(place, last) + true_extent};
}

}  // namespace

bool is_exchanged_wrongly(const call& c) noexcept {
#ifdef OPEN_MPI
  return c.send.data == MPI_IN_PLACE && (c.what == kind::alltoallv || c.what == kind::alltoallw);
#else
  static_cast<void>(c);
  return false;
#endif
}

sent_copy::sent_copy(const call& c, int ranks) : whole_(c) {
  span_of_bytes all;
  for (int r = 0; r < ranks; ++r) {
    if (c.receive.counts[r] == 0) continue;
    const span_of_bytes one = span_of_block(c.receive, r);
    all = all.first == all.end ? one : span_of_bytes{std::min(all.first, one.first), std::max(all.end, one.end)};
  }
  first_ = all.first;
  bytes_.resize(as_size(all.end - all.first));
}

call sent_copy::renew() {
  auto* const array = static_cast<std::byte*>(whole_.receive.data);
  if (!bytes_.empty()) std::memcpy(bytes_.data(), array + first_, bytes_.size());
  call made = whole_;
  made.send = whole_.receive;
  made.send.data = bytes_.data() - first_;
  return made;
}

}  // namespace nearfar::collective
