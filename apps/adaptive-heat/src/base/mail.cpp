// SPDX-License-Identifier: BSD-3-Clause
// Synchronous sends tell the sender that its message was taken; when all of a rank's were, it enters the reduction;
// when the reduction is over, all messages of all ranks were taken.
#include <algorithm>
#include <base/mail.hpp>
#include <base/mpi_check.hpp>
#include <thread>

namespace adaptive_heat {

mail::mail(MPI_Comm comm) : comm_(comm) { check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size"); }

message& mail::next_message(std::vector<message>& list, std::size_t& used, int peer) {
  if (used == list.size()) list.emplace_back();
  message& l = list[used++];
  l.peer = peer;
  l.words.clear();
  return l;
}

void mail::put(int peer, std::uint64_t word) {
  ++words_put_;
  for (std::size_t i = 0; i < out_used_; ++i)
    if (out_[i].peer == peer) return out_[i].words.push_back(word);
  next_message(out_, out_used_, peer).words.push_back(word);
}

void mail::send() {
  sends_.assign(out_used_, MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < out_used_; ++i)
    check_mpi(MPI_Issend(out_[i].words.data(), static_cast<int>(out_[i].words.size()), MPI_UINT64_T, out_[i].peer, tag_,
                         comm_, &sends_[i]),
              "MPI_Issend");
}

void mail::receive() {
  for (;;) {
    int is_there = 0, count = 0;
    MPI_Message matched;
    MPI_Status status;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, tag_, comm_, &is_there, &matched, &status), "MPI_Improbe");
    if (is_there == 0) return;
    check_mpi(MPI_Get_count(&status, MPI_UINT64_T, &count), "MPI_Get_count");
    message& l = next_message(in_, in_used_, status.MPI_SOURCE);
    l.words.resize(static_cast<std::size_t>(count));
    check_mpi(MPI_Mrecv(l.words.data(), count, MPI_UINT64_T, &matched, MPI_STATUS_IGNORE), "MPI_Mrecv");
  }
}

bool mail::sent_all() {
  int flag = 0;
  check_mpi(MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &flag, MPI_STATUSES_IGNORE), "MPI_Testall");
  return flag != 0;
}

void mail::converse(std::span<std::int64_t> sums) {
  constexpr int polls_before_yield = 64;
  MPI_Request reduction = MPI_REQUEST_NULL;
  bool is_reducing = false;
  const nearfar::mpi_watch watch("MPI_Iallreduce");
  for (int polls = 0;; ++polls) {
    receive();
    if (!is_reducing && sent_all()) {
      is_reducing = true;
      check_mpi(MPI_Iallreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_INT64_T, MPI_SUM, comm_,
                               &reduction),
                "MPI_Iallreduce");
    }
    if (is_reducing) {
      int is_over = 0;
      check_mpi(MPI_Test(&reduction, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
      if (is_over != 0) return;
    }
    if (polls >= polls_before_yield) std::this_thread::yield();
  }
}

std::span<const message> mail::deliver(std::span<std::int64_t> sums) {
  in_used_ = 0;
  if (size_ > 1) {
    send();
    converse(sums);
  }
  // A rank may begin the next delivery while others have not seen the end of this one, but not the one after that.
  tag_ = 1 - tag_;
  words_put_ = 0;
  ++deliveries_;
  out_used_ = 0;
  const auto end = in_.begin() + static_cast<std::ptrdiff_t>(in_used_);
  std::sort(in_.begin(), end, [](const message& a, const message& b) { return a.peer < b.peer; });
  return {in_.data(), in_used_};
}

}  // namespace adaptive_heat
