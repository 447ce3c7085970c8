// SPDX-License-Identifier: BSD-3-Clause
// Derived types for messages that are longer than an int can count.
#include <far/message_type.hpp>
#include <topology/team_state.hpp>
#include <utility>

namespace nearfar::far {

namespace {
constexpr index_t longest_plain = std::numeric_limits<int>::max();
constexpr int unit = 1 << 30;
}  // namespace

message_type::message_type(index_t bytes) {
  if (bytes <= longest_plain) {
    count_ = static_cast<int>(bytes);
    return;
  }
  MPI_Datatype units;
  check_mpi(MPI_Type_contiguous(unit, MPI_BYTE, &units), "MPI_Type_contiguous");
  const int lengths[2] = {checked_int(bytes / unit, "a message's length in GiB"), static_cast<int>(bytes % unit)};
  const MPI_Aint places[2] = {0, static_cast<MPI_Aint>(bytes / unit * unit)};
  const MPI_Datatype types[2] = {units, MPI_BYTE};
  check_mpi(MPI_Type_create_struct(2, lengths, places, types, &type_), "MPI_Type_create_struct");
  check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  MPI_Type_free(&units);
  count_ = 1;
}

message_type::message_type(index_t bytes, int piece) {
  MPI_Datatype pieces;
  check_mpi(MPI_Type_create_hvector(checked_int(bytes / piece, "a message's pieces"), piece, 0, MPI_BYTE, &pieces),
            "MPI_Type_create_hvector");
  const int lengths[2] = {1, static_cast<int>(bytes % piece)};
  const MPI_Aint places[2] = {0, 0};
  const MPI_Datatype types[2] = {pieces, MPI_BYTE};
  check_mpi(MPI_Type_create_struct(2, lengths, places, types, &type_), "MPI_Type_create_struct");
  check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  MPI_Type_free(&pieces);
  count_ = 1;
}

message_type::~message_type() {
  if (type_ != MPI_BYTE && is_mpi_usable()) MPI_Type_free(&type_);
}

message_type::message_type(message_type&& other) noexcept
    : count_(other.count_), type_(std::exchange(other.type_, MPI_BYTE)) {}

}  // namespace nearfar::far
