// SPDX-License-Identifier: BSD-3-Clause
// Starts far messages first, does near work meanwhile, and unpacks messages as they arrive.
#include "runner.hpp"

#include <base/clock.hpp>
#include <base/text.hpp>
#include <exchange/overlap.hpp>
#include <mutex>
#include <nearfar/error.hpp>
#include <topology/agree.hpp>

namespace nearfar::exchange {

overlap_switch& overlap() noexcept {
  static overlap_switch of_process;
  return of_process;
}

std::string choice::name(const context& c) const {
  if (near == far || !c.has_far) return near;
  return c.has_near ? near + "+" + far : far;
}

namespace {

const method_entry& usable(const context& c, const std::string& name, bool for_near) {
  const method_entry& e = entry_named(name);
  if (!(for_near ? e.about.near : e.about.far))
    throw usage_error(text(c.name, ": method ", name, " does not serve ", for_near ? "near" : "far", " ranks"));
  if (!e.is_available(c))
    throw usage_error(
        text(c.name, ": method ", name, " cannot be had on this machine (nearfar::team::describe tells more)"));
  return e;
}

}  // namespace

choice choice::parse(const context& c, const std::string& name) {
  const auto plus = name.find('+');
  choice w;
  if (plus == std::string::npos) {
    const method_info& about = entry_named(name).about;
    w.near = about.near ? name : "isend";
    w.far = about.far ? name : "isend";
  } else {
    w.near = name.substr(0, plus);
    w.far = name.substr(plus + 1);
  }
  if (c.has_near) usable(c, w.near, true);
  if (c.has_far) usable(c, w.far, false);
  // What serves nobody here must not make a difference.
  if (!c.has_near) w.near = w.far;
  if (!c.has_far) w.far = w.near;
  return w;
}

namespace {

bool do_overlap(const buffer& a, const buffer& b) {
  const auto* const p = static_cast<const std::byte*>(a.base);
  const auto* const q = static_cast<const std::byte*>(b.base);
  return std::less<>()(p, q + b.bytes) && std::less<>()(q, p + a.bytes);
}

/// Whether a rank's regions for itself can be copied one by one: boxes of equal shape, none of them in memory that
/// others are written to.
bool are_copied_directly(const context& c, const flow& from, const flow& to) {
  for (std::size_t k = 0; k < to.transfers.size(); ++k)
    if (from.here[k].extents != to.here[k].extents) return false;
  for (const transfer* a : from.transfers)
    for (const transfer* b : to.transfers)
      if (do_overlap(c.what.buffers[as_size(a->buffer)], c.what.buffers[as_size(b->buffer)])) return false;
  return true;
}

std::unique_ptr<transport> make_transport(context& c, peers which, const std::string& name) {
  const method_entry& e = entry_named(name);
  if (!e.is_local) return e.make(c, which, name);
  std::unique_ptr<transport> made;
  agree_if_collective(c, [&] { made = e.make(c, which, name); });
  return made;
}

}  // namespace

void agree_if_collective(const context& c, const std::function<void()>& step) {
  c.is_made_locally ? step() : agree(c.members, step);
}

runner::runner(context& c, const choice& what) : c_(c), what_(what) {
  const bool is_one = what.near == what.far;  // then one transport carries the flows of all peers
  if (c.has_far) far_ = make_transport(c, is_one ? peers::all : peers::far, what.far);
  if (c.has_near && !(is_one && c.has_far)) near_ = make_transport(c, peers::near, what.near);
  for (flow& f : c.sends)
    if (f.is_self) own_send_ = &f;
  for (flow& f : c.receives)
    if (f.is_self) own_receive_ = &f;
  is_waited_for_ = (near_ && near_->is_waited_for()) || (far_ && far_->is_waited_for());
  puts_near_off_ = far_ != nullptr && near_ != nullptr && c.reader == nullptr && overlap().is_off;
  agree_if_collective(c, [this] { find_own_moves(); });
  whom_ = [this] {
    std::string s;
    if (near_ && !is_near_done_) s = near_->waiting_for();
    if (far_ && !is_far_done_) s += text(s.empty() ? "" : ", ", far_->waiting_for());
    return s;
  };
}

runner::~runner() {
  if (is_waited_for_) end();
}

void runner::start() {
  ++epoch_;
  is_far_done_ = far_ == nullptr;
  is_near_done_ = near_ == nullptr;
  if (c_.has_far) c_.meanwhile = [this] { poll_far(); };  // of the runner in use, while methods are raced
  is_read_ = c_.reader == nullptr;
  if (far_) far_->start(epoch_);
  is_near_put_off_ = puts_near_off_;
  if (!is_near_put_off_) start_near();
  c_.ring_now();
  if (is_waited_for_) begin();
}

void runner::start_near() {
  if (near_) near_->start(epoch_);
  if (own_receive_ != nullptr && is_read_) move_own();
}

void runner::find_own_moves() {
  own_moves_.clear();
  if (own_receive_ == nullptr || c_.reader != nullptr) return;
  if (!are_copied_directly(c_, *own_send_, *own_receive_)) return own_message_.resize(as_size(own_receive_->bytes));
  const auto base_of = [this](const transfer& t) {
    return static_cast<std::byte*>(c_.what.buffers[as_size(t.buffer)].base);
  };
  for (std::size_t k = 0; k < own_receive_->transfers.size(); ++k) {
    const transfer &from = *own_send_->transfers[k], &to = *own_receive_->transfers[k];
    const joint_walk whole = make_joint_walk(base_of(to), to.where, base_of(from), from.where);
    for (const joint_walk& part : in_parts(whole, copied_at_once_bytes)) own_moves_.push_back(part);
  }
}

void runner::move_own() {
  if (!own_moves_.empty()) {
    const bool is_past_caches = c_.goes_past_caches || (near_ && near_->stores_past_caches());
    for (const joint_walk& w : own_moves_) {
      copy(w, is_past_caches);
      poll_far();
    }
    return;
  }
  own_send_->pack_into(own_message_.data());
  own_receive_->unpack_from(own_message_.data());
}

// Another thread that waits for something else may be moving this on.
bool runner::poll() {
  if (!is_waited_for_) return poll_transports();
  throw_failure();
  const std::scoped_lock turn(polling_);
  return poll_transports();
}

void runner::move_on() {
  const std::unique_lock turn(polling_, std::try_to_lock);
  if (!turn || (is_beside_mpi() && near_ && near_->asks_mpi())) return;
  poll_transports();
}

bool runner::poll_transports() {
  poll_far();
  if (is_near_put_off_ && !poll_put_off()) return false;
  if (!is_near_done_) is_near_done_ = near_->poll();
  if (!is_read_) read_lent();
  c_.ring_now();
  return is_far_done_ && is_near_done_ && is_read_;
}

/// Near work in the place that it has without overlap; false while it is not done.
bool runner::poll_put_off() {
  if (!is_far_done_) return false;
  if (put_off_until_s_ == 0) {
    put_off_until_s_ = seconds_now();
    start_near();
  }
  is_near_done_ = near_->poll();
  if (!is_near_done_) return false;
  overlap().near_s = seconds_now() - put_off_until_s_;
  put_off_until_s_ = 0;
  is_near_put_off_ = false;
  return true;
}

void runner::poll_far() {
  if (!is_far_done_ && !is_beside_mpi()) is_far_done_ = far_->poll();
}

/// Once all is there: own sources and peers' memory where they lie, the rest where it was delivered.
void runner::read_lent() {
  if (!(is_far_done_ || far_->has_arrived()) || !(is_near_done_ || near_->has_arrived())) return;
  const auto lend = [this](const transfer& t, std::size_t place) {
    const strided_box& box = t.where;
    const auto* base = static_cast<const std::byte*>(c_.what.buffers[as_size(t.buffer)].base);
    lent_[place] = {base + box.offset_bytes, box.strides_bytes.data()};
  };
  lent_.resize(c_.what.receives.size());
  for (std::size_t i = 0; i < lent_.size(); ++i) lend(c_.what.receives[i], i);
  if (own_receive_ != nullptr)
    for (std::size_t k = 0; k < own_receive_->transfers.size(); ++k)
      lend(*own_send_->transfers[k], place_of(c_, *own_receive_->transfers[k]));
  for (const auto* t : {far_.get(), near_.get()})
    if (t != nullptr) t->show(lent_);
  c_.reader->read(lent_);
  is_read_ = true;
  for (auto* t : {far_.get(), near_.get()})
    if (t != nullptr) t->release();
  if (!is_near_done_) is_near_done_ = near_->poll();
}

bool runner::can_rebind() const {
  return (near_ == nullptr || near_->can_rebind()) && (far_ == nullptr || far_->can_rebind());
}

void runner::rebind() {
  if (near_ != nullptr) near_->rebind();
  if (far_ != nullptr) far_->rebind();
  find_own_moves();
}

void runner::finish() {
  if (!poll())
    wait_until(
        c_, whom_, [this] { return poll(); },
        [this] { return (!is_far_done_ && far_->asks_mpi()) || (!is_near_done_ && near_->asks_mpi()); });
  if (is_waited_for_) end();
}

}  // namespace nearfar::exchange
