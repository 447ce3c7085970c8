// SPDX-License-Identifier: BSD-3-Clause
// The public part of an exchange: state checks and the report around a runner.
#include <base/internals.hpp>
#include <base/log.hpp>
#include <base/text.hpp>
#include <exchange/exchange.hpp>
#include <nearfar/error.hpp>
#include <utility>

#include "handshake.hpp"
#include "selection.hpp"

namespace nearfar::exchange {

struct exchange::plan {
  context c;
  chosen_runner chosen;
  bool is_in_flight = false;

  plan(const team& members, pattern what, const exchange_options& options) : c(members) {
    team_state& s = state_of(members);
    c.what = std::move(what);
    c.name = options.name;
    c.reader = options.reader;
    c.arena = &near::arena::of(members);
    c.waiting = near::wait_policy::of(s);
    c.tags = s.next_tags();
    c.is_made_locally = is_made_locally(options);
    if (!c.is_made_locally) c.arena->look_again(members);
    c.doorbells = c.is_made_locally ? &near::doorbells::none() : &near::doorbells::of(members);
    c.is_made_locally ? make_agreed_flows(c) : make_flows(c);
    chosen = choose(c, options);
  }
  ~plan() { settle(); }

  /// Peers may read the regions, and messages may arrive in them, until the exchange is finished: as by an exception
  /// that leaves the block between start() and finish().
  void settle() noexcept {
    if (!is_in_flight || !is_mpi_usable()) return;
    try {
      chosen.winner->finish();
    } catch (const std::exception& e) {
      log::warning(c.name, ": destroyed in flight, and not to be finished: ", e.what());
    }
    is_in_flight = false;
  }
};

exchange::exchange(const team& members, pattern what, exchange_options options)
    : plan_(std::make_unique<plan>(members, std::move(what), options)) {}
exchange::~exchange() = default;
exchange::exchange(exchange&&) noexcept = default;
exchange& exchange::operator=(exchange&&) noexcept = default;

void exchange::start() {
  if (plan_->is_in_flight)
    throw usage_error(
        text("rank ", plan_->c.members.rank(), ", ", plan_->c.name, ": start() while in flight; call finish() first"));
  plan_->is_in_flight = true;
  plan_->chosen.winner->start();
}

bool exchange::test() { return !plan_->is_in_flight || plan_->chosen.winner->poll(); }

void exchange::finish() {
  if (!plan_->is_in_flight)
    throw usage_error(text("rank ", plan_->c.members.rank(), ", ", plan_->c.name, ": finish() without start()"));
  plan_->chosen.winner->finish();
  plan_->is_in_flight = false;
}

std::string exchange::awaited() const { return plan_->chosen.winner->awaited(); }

namespace {

/// Buffers where `moves` say, until the end of its life or for good.
class moved_for_now {
 public:
  moved_for_now(std::vector<buffer>& buffers, std::span<const moved_buffer> moves) : buffers_(buffers) {
    for (const moved_buffer& m : moves)
      if (base_of(m) != m.base) moves_.push_back(m);
    swap();
  }
  ~moved_for_now() { swap(); }
  moved_for_now(const moved_for_now&) = delete;
  moved_for_now& operator=(const moved_for_now&) = delete;
  bool is_none() const noexcept { return moves_.empty(); }
  void stay() noexcept { moves_.clear(); }

 private:
  void*& base_of(const moved_buffer& m) { return buffers_.at(as_size(m.buffer)).base; }
  void swap() {
    for (moved_buffer& m : moves_) std::swap(base_of(m), m.base);
  }

  std::vector<buffer>& buffers_;
  std::vector<moved_buffer> moves_;
};

}  // namespace

bool exchange::can_rebind(std::span<const moved_buffer> moves) const {
  const moved_for_now moved(plan_->c.what.buffers, moves);
  return moved.is_none() || plan_->chosen.winner->can_rebind();
}

bool exchange::rebind(std::span<const moved_buffer> moves) {
  if (plan_->is_in_flight)
    throw usage_error(
        text("rank ", plan_->c.members.rank(), ", ", plan_->c.name, ": rebind() while in flight; call finish() first"));
  moved_for_now moved(plan_->c.what.buffers, moves);
  if (moved.is_none()) return true;
  if (!plan_->chosen.winner->can_rebind()) return false;
  moved.stay();
  find_pieces(plan_->c);
  plan_->chosen.winner->rebind();
  return true;
}

const std::string& exchange::method() const noexcept { return plan_->chosen.why.chosen; }

double exchange::tuned_seconds() const noexcept { return plan_->chosen.why.seconds; }

namespace {

struct traffic {
  int messages = 0;
  index_t bytes = 0;
};

traffic traffic_of(const std::vector<flow>& flows, bool near) {
  traffic t;
  for (const flow& f : flows)
    if (!f.is_self && f.bytes > 0 && f.is_near() == near) ++t.messages, t.bytes += f.bytes;
  return t;
}

}  // namespace

std::string exchange::describe() const {
  const context& c = plan_->c;
  text_writer out;
  const traffic near = traffic_of(c.sends, true), far = traffic_of(c.sends, false);
  out << c.name << ": " << method() << " (" << plan_->chosen.why.how << ")\n"
      << "  rank " << c.members.rank() << " sends " << readable_bytes(near.bytes) << " to " << near.messages
      << " near and " << readable_bytes(far.bytes) << " to " << far.messages << " far ranks\n";
  out << plan_->chosen.why.timings_in_lines();
  return out.str();
}

std::string exchange::describe_json(const std::string& plan) const {
  return plan_->chosen.why.json(plan, plan_->c.name);
}

}  // namespace nearfar::exchange
