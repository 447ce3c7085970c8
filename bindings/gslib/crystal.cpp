// SPDX-License-Identifier: BSD-3-Clause
// The crystal router: in each round the ranks split in halves, and each sends what is for the other half to one rank of
// it.
// @source G. Fox and others, Solving Problems on Concurrent Processors, 1988: the crystal router
#include <cstdint>
#include <cstring>

#include "gslib.h"

namespace {

constexpr int tag = 5;
constexpr std::size_t head = 3;  ///< integers before a message's own: target, source, length

/// Moves the messages for ranks on the other side of `middle` from data to work; returns their integers.
std::size_t split(crystal* cr, uint middle, bool is_low) {
  auto* const data = static_cast<uint*>(cr->data.ptr);
  auto* const away = static_cast<uint*>(buffer_reserve(&cr->work, cr->data.n * sizeof(uint)));
  std::size_t kept = 0, sent = 0;
  for (std::size_t i = 0; i < cr->data.n;) {
    const std::size_t length = head + data[i + 2];
    if ((data[i] < middle) == is_low) {
      std::memmove(data + kept, data + i, length * sizeof(uint));
      kept += length;
    } else {
      std::memcpy(away + sent, data + i, length * sizeof(uint));
      sent += length;
    }
    i += length;
  }
  cr->data.n = kept;
  return sent;
}

/// `sent` integers of work go to `to`; those of up to two others are appended to data.
void exchange(crystal* cr, std::size_t sent, int to, const int* from, int senders) {
  std::uint64_t out = sent, in[2] = {0, 0};
  MPI_Request requests[3];
  for (int s = 0; s < senders; ++s) MPI_Irecv(&in[s], 1, MPI_UINT64_T, from[s], tag, cr->comm.c, &requests[s]);
  MPI_Isend(&out, 1, MPI_UINT64_T, to, tag, cr->comm.c, &requests[senders]);
  MPI_Waitall(senders + 1, requests, MPI_STATUSES_IGNORE);

  const std::size_t before = cr->data.n;
  auto* place = static_cast<uint*>(buffer_reserve(&cr->data, (before + in[0] + in[1]) * sizeof(uint))) + before;
  for (int s = 0; s < senders; place += in[s], ++s)
    MPI_Irecv(place, gslib_count_(in[s]), MPI_UNSIGNED, from[s], tag, cr->comm.c, &requests[s]);
  MPI_Isend(cr->work.ptr, gslib_count_(sent), MPI_UNSIGNED, to, tag, cr->comm.c, &requests[senders]);
  MPI_Waitall(senders + 1, requests, MPI_STATUSES_IGNORE);
  cr->data.n = before + in[0] + in[1];
}

}  // namespace

extern "C" {

void crystal_init(struct crystal* cr, const struct comm* c) {
  comm_dup(&cr->comm, c);
  buffer_init(&cr->data, 1000);
  buffer_init(&cr->work, 1000);
}

void crystal_free(struct crystal* cr) {
  comm_free(&cr->comm);
  buffer_free(&cr->data);
  buffer_free(&cr->work);
}

void crystal_router(struct crystal* cr) {
  const uint id = cr->comm.id;
  for (uint low = 0, n = cr->comm.np; n > 1;) {
    const uint lower = (n + 1) / 2, middle = low + lower, last = low + n - 1;
    const bool is_low = id < middle;
    const std::size_t sent = split(cr, middle, is_low);
    if (is_low) {
      // Of an odd number the last of the lower half has no partner: it sends to the last of all.
      const bool has_partner = id + lower <= last;
      const int partner = static_cast<int>(has_partner ? id + lower : last);
      exchange(cr, sent, partner, &partner, has_partner ? 1 : 0);
      n = lower;
    } else {
      const int from[2] = {static_cast<int>(id - lower), static_cast<int>(middle - 1)};
      exchange(cr, sent, from[0], from, n % 2 != 0 && id == last ? 2 : 1);
      low = middle;
      n -= lower;
    }
  }
}

}  // extern "C"
