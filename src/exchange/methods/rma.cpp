// SPDX-License-Identifier: BSD-3-Clause
// One-sided puts into the peer's window, each followed by an empty message that announces it: the PGAS method. Two
// slots per flow; if a flow has no answer, finish() waits for an empty message back (why two slots suffice otherwise:
// see near.cpp).
#include "rma.hpp"

#include <algorithm>
#include <base/bytes.hpp>
#include <base/text.hpp>
#include <far/talk.hpp>
#include <far/window.hpp>
#include <topology/agree.hpp>

#include "packed.hpp"

namespace nearfar::exchange {

namespace {

class puts : public transport {
 public:
  puts(context& c, peers which)
      : c_(c), receives_(select(c.receives, which)), notices_(receives_.size()), notes_(select(c.sends, which).size()) {
    agree(c.members, [&] { sends_ = packed(select(c.sends, which), true); });
    for (const packed_flow& s : sends_)
      if (!s.f->is_answered) unanswered_.push_back(s.f->peer);
    taken_ = std::make_unique<far::request_list>(unanswered_.size());
    index_t at = 0;
    for (const flow* f : receives_) {
      places_.push_back(at);
      at += 2 * f->bytes;
    }
    window_ = far::borrow_window(c.members, at);
    learn_places();
  }

  void start(std::uint64_t epoch) override {
    epoch_ = epoch;
    for (std::size_t i = 0; i < receives_.size(); ++i)
      check_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, receives_[i]->peer, notice_tag(), c_.members.comm(), notices_.slot(i)),
                "MPI_Irecv");
    notices_.arm();
    for (std::size_t i = 0; i < unanswered_.size(); ++i)
      check_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, unanswered_[i], taken_tag(), c_.members.comm(), taken_->slot(i)),
                "MPI_Irecv");
    taken_->arm();
    for (std::size_t i = 0; i < sends_.size(); ++i) put(i);
    notes_.arm();
  }

  bool asks_mpi() const noexcept override { return true; }
  bool poll() override {
    const bool has_arrived = notices_.poll([&](std::size_t i) { take(i); });
    return has_arrived && notes_.poll() && taken_->poll();
  }

  bool is_waited_for() const noexcept override { return true; }  // for word that a put has been taken

  void rebind() override {
    for (packed_flow& f : sends_) f.rebind();
  }

  std::string waiting_for() const override {
    std::string s = "a put from";
    for (std::size_t i = 0; i < receives_.size(); ++i)
      if (notices_.is_active(i)) s += text(" rank ", receives_[i]->peer);
    for (std::size_t i = 0; i < unanswered_.size(); ++i)
      if (taken_->is_active(i)) s += text(", rank ", unanswered_[i], " to take one");
    return s;
  }

 private:
  int notice_tag() const { return c_.tags + 1; }
  int taken_tag() const { return c_.tags + 2; }
  index_t slot_of(index_t bytes) const { return static_cast<index_t>(epoch_ & 1) * bytes; }

  /// Each receiver tells its sender where its slots are.
  void learn_places() {
    std::vector<int> who;
    for (const auto* list : {&c_.sends, &c_.receives})
      for (const flow& f : *list)
        if (!f.is_self) who.push_back(f.peer);
    std::sort(who.begin(), who.end());
    who.erase(std::unique(who.begin(), who.end()), who.end());
    std::vector<std::vector<std::byte>> words(who.size());
    for (std::size_t w = 0; w < who.size(); ++w)
      for (std::size_t i = 0; i < receives_.size(); ++i)
        if (receives_[i]->peer == who[w]) {
          byte_writer out;
          out.put(places_[i]);
          words[w] = out.take();
        }
    const auto answers = far::talk(c_.members, who, words);
    for (const packed_flow& s : sends_) {
      const auto w = static_cast<std::size_t>(std::lower_bound(who.begin(), who.end(), s.f->peer) - who.begin());
      byte_reader in(answers[w]);
      targets_.push_back(in.get<index_t>());
    }
  }

  void put(std::size_t i) {
    packed_flow& s = sends_[i];
    const MPI_Comm comm = c_.members.comm();
    s.pack();
    const auto place = static_cast<MPI_Aint>(targets_[i] + slot_of(s.f->bytes));
    check_mpi(MPI_Put(s.buffer, s.type.count(), s.type.type(), s.f->peer, place, s.type.count(), s.type.type(),
                      window_->win()),
              "MPI_Put");
    check_mpi(MPI_Win_flush(s.f->peer, window_->win()), "MPI_Win_flush");
    check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, s.f->peer, notice_tag(), comm, notes_.slot(i)), "MPI_Isend");
  }

  void take(std::size_t i) {
    flow* f = receives_[i];
    check_mpi(MPI_Win_sync(window_->win()), "MPI_Win_sync");
    f->unpack_from(window_->data() + places_[i] + slot_of(f->bytes));
    if (f->is_answered) return;
    MPI_Request taken;
    check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, f->peer, taken_tag(), c_.members.comm(), &taken), "MPI_Isend");
    MPI_Request_free(&taken);
  }

  context& c_;
  std::vector<packed_flow> sends_;
  std::vector<flow*> receives_;
  far::request_list notices_, notes_;
  std::vector<int> unanswered_;
  std::unique_ptr<far::request_list> taken_;
  std::vector<index_t> places_, targets_;
  far::lease_pool<far::window>::lease window_;
  std::uint64_t epoch_ = 0;
};

}  // namespace

bool is_putting_possible(const context& c) { return far::do_puts_work(c.members); }
std::unique_ptr<transport> make_rma(context& c, peers which, const std::string&) {
  return std::make_unique<puts>(c, which);
}

}  // namespace nearfar::exchange
