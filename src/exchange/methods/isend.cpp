// SPDX-License-Identifier: BSD-3-Clause
// The plain methods: pack, MPI_Isend / MPI_Irecv (or their persistent forms), unpack. The reference for all others.
#include "isend.hpp"

#include <algorithm>
#include <base/text.hpp>
#include <limits>
#include <set>

#include "packed.hpp"

namespace nearfar::exchange {

namespace {

enum class requests { anew, persistent };

constexpr index_t whole = std::numeric_limits<index_t>::max();

/// A message, or a part of one: MPI keeps messages of one sender and tag in order, so that parts need no numbers.
struct part {
  std::size_t flow;
  index_t offset;  ///< in the flow's buffer
  far::message_type type;
};

std::vector<part> parts_of(const std::vector<packed_flow>& flows, index_t most_bytes) {
  std::vector<part> parts;
  for (std::size_t i = 0; i < flows.size(); ++i)
    for (index_t at = 0; at < flows[i].f->bytes; at += std::min(most_bytes, flows[i].f->bytes - at))
      parts.push_back({i, at, far::message_type(std::min(most_bytes, flows[i].f->bytes - at))});
  return parts;
}

class messages : public transport {
 public:
  messages(context& c, peers which, requests how, index_t most_bytes)
      : comm_(c.members.comm()),
        tag_(c.tags),
        how_(how),
        sends_(packed(select(c.sends, which), true)),
        receives_(packed(select(c.receives, which), false)),
        send_parts_(parts_of(sends_, most_bytes)),
        receive_parts_(parts_of(receives_, most_bytes)),
        requests_(receive_parts_.size() + send_parts_.size()),
        missing_(receives_.size()) {
    for (const part& p : receive_parts_) ++parts_in_flow(p.flow);
    if (how_ == requests::persistent) prepare();
  }

  void start(std::uint64_t) override {
    std::copy(part_counts_.begin(), part_counts_.end(), missing_.begin());
    post_receives();
    for (std::size_t i = 0; i < send_parts_.size(); ++i) {
      const bool is_first = i == 0 || send_parts_[i].flow != send_parts_[i - 1].flow;
      if (is_first) sends_[send_parts_[i].flow].pack();
      send(i);
    }
    requests_.arm();
  }

  bool asks_mpi() const noexcept override { return true; }
  bool poll() override {
    return requests_.poll([&](std::size_t i) {
      if (i < receive_parts_.size()) arrive(receive_parts_[i].flow);
    });
  }

  void rebind() override {
    for (packed_flow& f : sends_) f.rebind();
    for (packed_flow& f : receives_) f.rebind();
    if (how_ == requests::persistent) requests_.free_all(), prepare();
  }

  std::string waiting_for() const override {
    const std::string in = missing_ranks(receives_, receive_parts_, 0, "a message from");
    const std::string out = missing_ranks(sends_, send_parts_, receive_parts_.size(), "the end of a send to");
    return in + (in.empty() || out.empty() ? "" : ", ") + out;
  }

 private:
  std::string missing_ranks(const std::vector<packed_flow>& flows, const std::vector<part>& parts,
                            std::size_t first_slot, const char* verb) const {
    std::set<int> ranks;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (requests_.is_active(first_slot + i)) ranks.insert(flows[parts[i].flow].f->peer);
    std::string list;
    for (const int r : ranks) list += text(list.empty() ? " rank " : ", ", r);
    return list.empty() ? "" : verb + list;
  }

  static std::byte* at(const std::vector<packed_flow>& flows, const part& p) { return flows[p.flow].buffer + p.offset; }

  int& parts_in_flow(std::size_t flow) {
    part_counts_.resize(receives_.size());
    return part_counts_[flow];
  }

  void arrive(std::size_t flow) {
    if (--missing_[flow] == 0) receives_[flow].deliver();
  }

  void prepare() {
    for (std::size_t i = 0; i < receive_parts_.size(); ++i) {
      const part& p = receive_parts_[i];
      check_mpi(MPI_Recv_init(at(receives_, p), p.type.count(), p.type.type(), receives_[p.flow].f->peer, tag_, comm_,
                              requests_.slot(i)),
                "MPI_Recv_init");
    }
    for (std::size_t i = 0; i < send_parts_.size(); ++i) {
      const part& p = send_parts_[i];
      check_mpi(MPI_Send_init(at(sends_, p), p.type.count(), p.type.type(), sends_[p.flow].f->peer, tag_, comm_,
                              requests_.slot(receive_parts_.size() + i)),
                "MPI_Send_init");
    }
  }

  void post_receives() {
    if (receive_parts_.empty()) return;
    if (how_ == requests::persistent) {
      check_mpi(MPI_Startall(static_cast<int>(receive_parts_.size()), requests_.all()), "MPI_Startall");
      return;
    }
    for (std::size_t i = 0; i < receive_parts_.size(); ++i) {
      const part& p = receive_parts_[i];
      check_mpi(MPI_Irecv(at(receives_, p), p.type.count(), p.type.type(), receives_[p.flow].f->peer, tag_, comm_,
                          requests_.slot(i)),
                "MPI_Irecv");
    }
  }

  void send(std::size_t i) {
    const part& p = send_parts_[i];
    if (how_ == requests::persistent)
      check_mpi(MPI_Start(requests_.slot(receive_parts_.size() + i)), "MPI_Start");
    else
      check_mpi(MPI_Isend(at(sends_, p), p.type.count(), p.type.type(), sends_[p.flow].f->peer, tag_, comm_,
                          requests_.slot(receive_parts_.size() + i)),
                "MPI_Isend");
  }

  MPI_Comm comm_;
  int tag_;
  requests how_;
  std::vector<packed_flow> sends_, receives_;
  std::vector<part> send_parts_, receive_parts_;
  /// Receives first, then sends: in one list, since one call that tests all is quicker than one per direction.
  far::request_list requests_;
  std::vector<int> part_counts_, missing_;  ///< per receiving flow: its parts, and those that have not arrived
};

}  // namespace

std::unique_ptr<transport> make_isend(context& c, peers which, const std::string&) {
  return std::make_unique<messages>(c, which, requests::anew, whole);
}
std::unique_ptr<transport> make_persistent(context& c, peers which, const std::string&) {
  return std::make_unique<messages>(c, which, requests::persistent, whole);
}
std::unique_ptr<transport> make_parts(context& c, peers which, const std::string&) {
  return std::make_unique<messages>(c, which, requests::anew, longest_part_bytes);
}

bool are_parts_different(const context& c) { return c.longest_far_bytes > longest_part_bytes; }

}  // namespace nearfar::exchange
