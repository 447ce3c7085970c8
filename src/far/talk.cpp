// SPDX-License-Identifier: BSD-3-Clause
// Point-to-point messages of any length with all neighbours.
#include <base/internals.hpp>
#include <base/numbers.hpp>
#include <far/message_type.hpp>
#include <far/talk.hpp>
#include <nearfar/mpi_watch.hpp>
#include <topology/team_state.hpp>

namespace nearfar::far {

namespace {
constexpr int talk_tag = 1;  // below the tags of plans
}

std::vector<std::vector<std::byte>> talk(const team& members, const std::vector<int>& peers,
                                         const std::vector<std::vector<std::byte>>& out) {
  const MPI_Comm comm = members.comm();
  std::vector<MPI_Request> sends(peers.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const message_type type(as_index(out[i].size()));
    check_mpi(MPI_Isend(out[i].data(), type.count(), type.type(), peers[i], talk_tag, comm, &sends[i]), "MPI_Isend");
  }
  std::vector<std::vector<std::byte>> in(peers.size());
  const mpi_watch watch("MPI_Mprobe");
  for (std::size_t i = 0; i < peers.size(); ++i) {
    MPI_Message message;
    MPI_Status status;
    MPI_Count bytes = 0;
    check_mpi(MPI_Mprobe(peers[i], talk_tag, comm, &message, &status), "MPI_Mprobe");
    check_mpi(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
    in[i].resize(static_cast<std::size_t>(bytes));
    const message_type type(bytes);
    check_mpi(MPI_Mrecv(in[i].data(), type.count(), type.type(), &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  }
  check_mpi(MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  return in;
}

std::vector<std::byte> all_of_node(const team& members, const std::byte* mine, std::size_t bytes) {
  const team_state& s = state_of(members);
  const int own = checked_int(as_index(bytes), "a plan's description (bytes)");
  std::vector<int> counts(as_size(s.near_size)), starts(counts.size());
  watched_mpi("MPI_Allgather", [&] { return MPI_Allgather(&own, 1, MPI_INT, counts.data(), 1, MPI_INT, s.node_comm); });
  index_t total = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    starts[i] = checked_int(total, "descriptions of a node's ranks (bytes)");
    total += counts[i];
  }
  std::vector<std::byte> all(as_size(total));
  watched_mpi("MPI_Allgatherv", [&] {
    return MPI_Allgatherv(mine, own, MPI_BYTE, all.data(), counts.data(), starts.data(), MPI_BYTE, s.node_comm);
  });
  return all;
}

}  // namespace nearfar::far
