// SPDX-License-Identifier: BSD-3-Clause
// Writers of GOAL and of trace events.
#include <algorithm>
#include <base/text.hpp>
#include <cmath>
#include <iomanip>
#include <model/export.hpp>
#include <model/simulation.hpp>
#include <nearfar/error.hpp>
#include <ostream>
#include <set>

namespace nearfar::model {

namespace {

constexpr int barrier_tag = 3;

int tag_of(path by) { return static_cast<int>(by); }
index_t wire_bytes(const operation& o) { return o.by == path::near_notice ? 1 : std::max<index_t>(o.bytes, 1); }

/// The operations of one rank, each behind the one before: behind a send at once, else when it is over.
class goal_rank {
 public:
  goal_rank(std::ostream& out, const program& p, int rank) : out_(out), p_(p), rank_(rank) {
    out_ << "\nrank " << rank << " {\n";
  }
  ~goal_rank() { out_ << "}\n"; }
  goal_rank(const goal_rank&) = delete;
  goal_rank& operator=(const goal_rank&) = delete;

  void add(const operation& o) {
    switch (o.what) {
      case action::compute:
        return line(text("calc ", std::llround(1e3 * o.us)), false);
      case action::send:
        return send(o.peer, wire_bytes(o), tag_of(o.by));
      case action::receive:
        return receive(o.peer, wire_bytes(o), tag_of(o.by));
      default:
        return meet();
    }
  }

 private:
  void send(int to, index_t bytes, int tag) { line(text("send ", bytes, "b to ", to, " tag ", tag), true); }
  void receive(int from, index_t bytes, int tag) { line(text("recv ", bytes, "b from ", from, " tag ", tag), false); }

  void meet() {
    const int node = p_.shape.node_of(rank_), first = p_.shape.first_of(node), size = p_.shape.size_of(node);
    if (rank_ != first) return send(first, 1, barrier_tag), receive(first, 1, barrier_tag);
    for (int r = first + 1; r < first + size; ++r) receive(r, 1, barrier_tag);
    for (int r = first + 1; r < first + size; ++r) send(r, 1, barrier_tag);
  }

  void line(const std::string& what, bool is_send) {
    ++number_;
    out_ << "l" << number_ << ": " << what << "\n";
    if (number_ > 1) out_ << "l" << number_ << (was_send_ ? " irequires l" : " requires l") << number_ - 1 << "\n";
    was_send_ = is_send;
  }

  std::ostream& out_;
  const program& p_;
  int rank_, number_ = 0;
  bool was_send_ = false;
};

const char* words_of(const operation& o) {
  switch (o.what) {
    case action::compute:
      return "compute and copy";
    case action::send:
      return o.by == path::far ? "send" : "send near";
    case action::receive:
      return o.by == path::far ? "receive" : "receive near";
    default:
      return "barrier of the node";
  }
}

}  // namespace

void write_goal(const program& p, std::ostream& out) {
  if (static_cast<int>(p.ranks.size()) != p.shape.ranks)
    throw usage_error(text("GOAL needs all ", p.shape.ranks, " ranks; the program has ", p.ranks.size(),
                           ": let it sample all nodes"));
  out << "num_ranks " << p.shape.ranks << "\n";
  for (const rank_program& r : p.ranks) {
    goal_rank lines(out, p, r.rank);
    for (const operation& o : r.operations) lines.add(o);
  }
}

void write_trace(const program& p, const machine& m, std::ostream& out) {
  out << std::fixed << std::setprecision(3) << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  std::set<int> nodes;
  const char* separator = "";
  const auto begin = [&]() -> std::ostream& { return out << std::exchange(separator, ",\n"); };
  for (const rank_program& r : p.ranks) {
    const int node = p.shape.node_of(r.rank);
    if (nodes.insert(node).second)
      begin() << "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" << node << ",\"args\":{\"name\":\"node " << node
              << "\"}}";
    begin() << "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":" << node << ",\"tid\":" << r.rank
            << ",\"args\":{\"name\":\"rank " << r.rank << "\"}}";
  }
  simulated_us(p, m, 0, [&](const event& e) {
    begin() << "{\"ph\":\"X\",\"name\":\"" << words_of(*e.what) << "\",\"pid\":" << p.shape.node_of(e.rank)
            << ",\"tid\":" << e.rank << ",\"ts\":" << e.begin_us << ",\"dur\":" << e.end_us - e.begin_us;
    if (e.what->what == action::send || e.what->what == action::receive)
      out << ",\"args\":{\"peer\":" << e.what->peer << ",\"bytes\":" << e.what->bytes << "}";
    out << "}";
  });
  out << "\n]}\n";
}

}  // namespace nearfar::model
