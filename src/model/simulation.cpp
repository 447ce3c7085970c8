// SPDX-License-Identifier: BSD-3-Clause
// LogGP with near and far paths: each rank does its list until it must wait for a message that has not been sent.
#include <algorithm>
#include <base/text.hpp>
#include <cmath>
#include <model/simulation.hpp>
#include <nearfar/error.hpp>
#include <random>
#include <unordered_map>

namespace nearfar::model {

namespace {

/// Numbers that are the same with every standard library.
class chance {
 public:
  explicit chance(std::uint64_t seed) : is_still_(seed == 0), engine_(seed * 0x9e3779b97f4a7c15ULL + 1) {}

  /// Of median 1.
  double factor(double sigma) { return is_still_ || sigma == 0 ? 1 : std::exp(sigma * normal()); }
  /// Lengths of all interruptions within `us`, together.
  double detours(double us, double per_us, double mean_us) {
    if (is_still_ || per_us <= 0) return 0;
    double sum = 0;
    for (double at = exponential() / per_us; at < us; at += exponential() / per_us) sum += mean_us * exponential();
    return sum;
  }

 private:
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  double exponential() { return -std::log(uniform()); }
  double normal() { return std::sqrt(2 * exponential()) * std::cos(6.283185307179586 * uniform()); }
  bool is_still_;
  std::mt19937_64 engine_;
};

struct node_state {
  double wire_free_us = 0, pace = 1;
  int waiting = 0;
  double latest_us = 0;        ///< who came to the barrier
  std::uint64_t barriers = 0;  ///< that are over
  double over_us = 0;          ///< when the last one was
  int ranks = 0;
};

/// Arrivals of one path between two ranks, in the order of their sends.
struct arrivals {
  std::vector<double> us;
  std::size_t taken = 0;
};

struct rank_state {
  double now_us = 0;
  std::size_t next = 0;
  std::uint64_t barriers = 0;  ///< that it has come to
  bool is_waiting = false;
};

class run {
 public:
  run(const program& p, const machine& m, std::uint64_t seed, const std::function<void(const event&)>& watch)
      : p_(p),
        m_(m),
        chance_(seed),
        watch_(watch),
        states_(p.ranks.size()),
        is_here_(static_cast<std::size_t>(p.shape.ranks)),
        nodes_(static_cast<std::size_t>(p.shape.nodes())) {
    for (const rank_program& r : p.ranks) {
      is_here_[static_cast<std::size_t>(r.rank)] = true;
      node_state& n = node_of(r.rank);
      if (n.ranks++ == 0) n.pace = chance_.factor(m.variation.node_sigma);
    }
  }

  double last_us() const {
    double last = 0;
    for (const rank_state& s : states_) last = std::max(last, s.now_us);
    return last;
  }
  double mean_us() const {
    double sum = 0;
    for (const rank_state& s : states_) sum += s.now_us;
    return states_.empty() ? 0 : sum / static_cast<double>(states_.size());
  }

  void to_the_end() {
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (std::size_t i = 0; i < states_.size(); ++i) goes_on |= advance(i);
    }
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (states_[i].next < p_.ranks[i].operations.size())
        throw usage_error(
            text("the modelled rank ", p_.ranks[i].rank, " waits for ever in operation ", states_[i].next));
  }

 private:
  bool is_here(int rank) const { return is_here_[static_cast<std::size_t>(rank)] != 0; }
  node_state& node_of(int rank) { return nodes_[static_cast<std::size_t>(p_.shape.node_of(rank))]; }

  bool advance(std::size_t i) {
    rank_state& s = states_[i];
    const rank_program& r = p_.ranks[i];
    const std::size_t first = s.next;
    while (s.next < r.operations.size()) {
      const operation& o = r.operations[s.next];
      const double begin = s.now_us;
      if (!carry_out(r.rank, o, s)) break;
      if (watch_) watch_({r.rank, &o, begin, s.now_us});
      ++s.next;
    }
    return s.next > first;
  }

  bool carry_out(int rank, const operation& o, rank_state& s) {
    switch (o.what) {
      case action::compute:
        compute(rank, o.us, s);
        return true;
      case action::send:
        send(rank, o, s);
        return true;
      case action::receive:
        return receive(rank, o, s);
      default:
        return meet(rank, o.us, s);
    }
  }

  void compute(int rank, double us, rank_state& s) {
    const bool has_spare = m_.variation.cores > p_.shape.size_of(p_.shape.node_of(rank));
    const double paced = us * node_of(rank).pace * chance_.factor(m_.variation.compute_sigma);
    const double rate = m_.variation.detour_hz * 1e-6 * (has_spare ? m_.variation.spare_share : 1);
    s.now_us += paced + chance_.detours(paced, rate, m_.variation.detour_us);
  }

  double transit_us(const operation& o) {
    const double factor = chance_.factor(m_.variation.message_sigma);
    const auto bytes = static_cast<double>(o.bytes);
    const int hops = bytes > m_.far.eager_bytes ? 3 : 1;
    if (o.by == path::far) return hops * m_.far.latency_us * factor + 1e-3 * bytes / m_.far.rank_gb_s;
    if (o.by == path::near_notice) return m_.near.notice_us * factor;
    return m_.near.message_us * factor + 1e-3 * bytes / m_.near.message_gb_s;
  }
  double overhead_us(path by) const { return by == path::far ? m_.far.overhead_us : 0; }

  void send(int rank, const operation& o, rank_state& s) {
    s.now_us += overhead_us(o.by);
    double leaves_us = s.now_us;
    if (o.by == path::far) {
      double& free_us = node_of(rank).wire_free_us;
      leaves_us = std::max(leaves_us, free_us);
      free_us = leaves_us + m_.far.gap_us + 1e-3 * static_cast<double>(o.bytes) / m_.far.node_gb_s;
    }
    if (is_here(o.peer)) wires_[wire(rank, o.peer, o.by)].us.push_back(leaves_us + transit_us(o));
  }

  bool receive(int rank, const operation& o, rank_state& s) {
    double arrives_us = 0;
    if (!is_here(o.peer)) {
      arrives_us = overhead_us(o.by) + transit_us(o);
    } else {
      arrivals& from = wires_[wire(o.peer, rank, o.by)];
      if (from.taken == from.us.size()) return false;
      arrives_us = from.us[from.taken++];
    }
    s.now_us = std::max(s.now_us, arrives_us) + overhead_us(o.by);
    return true;
  }

  bool meet(int rank, double round_us, rank_state& s) {
    node_state& n = node_of(rank);
    if (!s.is_waiting) {
      s.is_waiting = true;
      n.latest_us = n.waiting == 0 ? s.now_us : std::max(n.latest_us, s.now_us);
      s.barriers = n.barriers;
      if (++n.waiting == n.ranks) {
        n.over_us = n.latest_us + round_us * std::ceil(std::log2(std::max(n.ranks, 2)));
        n.waiting = 0;
        ++n.barriers;
      }
    }
    if (n.barriers == s.barriers) return false;
    s.is_waiting = false;
    s.now_us = n.over_us;
    return true;
  }

  static std::uint64_t wire(int from, int to, path by) {
    return (static_cast<std::uint64_t>(from) << 34) | (static_cast<std::uint64_t>(to) << 2) |
           static_cast<std::uint64_t>(by);
  }

  const program& p_;
  const machine& m_;
  chance chance_;
  std::function<void(const event&)> watch_;
  std::vector<rank_state> states_;
  std::vector<char> is_here_;      // by rank
  std::vector<node_state> nodes_;  // by node
  std::unordered_map<std::uint64_t, arrivals> wires_;
};

}  // namespace

double simulated_us(const program& p, const machine& m, std::uint64_t seed,
                    const std::function<void(const event&)>& watch) {
  run r(p, m, seed, watch);
  r.to_the_end();
  return r.last_us();
}

double simulated_mean_us(const program& p, const machine& m, std::uint64_t seed) {
  run r(p, m, seed, nullptr);
  r.to_the_end();
  return r.mean_us();
}

prediction quantiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values.empty() ? 0 : values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.05), at(0.95)};
}

prediction predict(const program& p, const machine& m, int runs) {
  std::vector<double> all;
  for (int seed = 1; seed <= runs; ++seed) all.push_back(simulated_us(p, m, static_cast<std::uint64_t>(seed)));
  return quantiles(std::move(all));
}

}  // namespace nearfar::model
