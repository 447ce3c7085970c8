// SPDX-License-Identifier: BSD-3-Clause
// The plain ways: pack, MPI_Isend / MPI_Irecv (or their persistent forms), unpack. The yardstick of all others.
#include "isend.hpp"

#include <base/text.hpp>

#include "packed.hpp"

namespace nearfar::exchange {

namespace {

/// Both forms: `persistent` prepares the requests once and restarts them.
class messages : public transport {
 public:
  messages(context& c, peers which, bool is_persistent)
      : comm_(c.members.comm()),
        tag_(c.tags),
        is_persistent_(is_persistent),
        sends_(packed(select(c.sends, which), true)),
        receives_(packed(select(c.receives, which), false)),
        send_requests_(sends_.size()),
        receive_requests_(receives_.size()) {
    if (is_persistent_) prepare();
  }

  void start(std::uint64_t) override {
    post_receives();
    for (std::size_t i = 0; i < sends_.size(); ++i) {
      sends_[i].pack();
      send(i);
    }
    send_requests_.arm();
    receive_requests_.arm();
  }

  bool poll() override {
    const bool has_arrived = receive_requests_.poll([&](std::size_t i) { receives_[i].deliver(); });
    return has_arrived && send_requests_.poll();
  }

  std::string waiting_for() const override {
    return missing_ranks(receives_, receive_requests_, "a message from") +
           missing_ranks(sends_, send_requests_, " the end of a send to");
  }

 private:
  void prepare() {
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      packed_flow& p = receives_[i];
      check_mpi(
          MPI_Recv_init(p.buffer, p.type.count(), p.type.type(), p.f->peer, tag_, comm_, receive_requests_.slot(i)),
          "MPI_Recv_init");
    }
    for (std::size_t i = 0; i < sends_.size(); ++i) {
      packed_flow& p = sends_[i];
      check_mpi(MPI_Send_init(p.buffer, p.type.count(), p.type.type(), p.f->peer, tag_, comm_, send_requests_.slot(i)),
                "MPI_Send_init");
    }
  }

  void post_receives() {
    if (is_persistent_) {
      if (!receives_.empty())
        check_mpi(MPI_Startall(static_cast<int>(receives_.size()), receive_requests_.all()), "MPI_Startall");
      return;
    }
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      packed_flow& p = receives_[i];
      check_mpi(MPI_Irecv(p.buffer, p.type.count(), p.type.type(), p.f->peer, tag_, comm_, receive_requests_.slot(i)),
                "MPI_Irecv");
    }
  }

  void send(std::size_t i) {
    packed_flow& p = sends_[i];
    if (is_persistent_)
      check_mpi(MPI_Start(send_requests_.slot(i)), "MPI_Start");
    else
      check_mpi(MPI_Isend(p.buffer, p.type.count(), p.type.type(), p.f->peer, tag_, comm_, send_requests_.slot(i)),
                "MPI_Isend");
  }

  MPI_Comm comm_;
  int tag_;
  bool is_persistent_;
  std::vector<packed_flow> sends_, receives_;
  far::request_list send_requests_, receive_requests_;
};

}  // namespace

std::unique_ptr<transport> make_isend(context& c, peers which, const std::string&) {
  return std::make_unique<messages>(c, which, false);
}
std::unique_ptr<transport> make_persistent(context& c, peers which, const std::string&) {
  return std::make_unique<messages>(c, which, true);
}

}  // namespace nearfar::exchange
