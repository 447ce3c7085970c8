// SPDX-License-Identifier: BSD-3-Clause
// Cuts lengths into radices.
#include <algorithm>
#include <limits>
#include <map>

#include "factorisation.hpp"

namespace nearfar::fourier {
namespace {

struct priced {
  int radix;
  double cost;  // per element
};

// Relative times of passes, estimated: loads and stores first, then arithmetic.
constexpr priced codelets[] = {{16, 11}, {12, 10}, {10, 10}, {9, 9.5}, {8, 8}, {7, 10},
                               {6, 7.5}, {5, 7.5}, {4, 6},   {3, 6},   {2, 5}};

double cost_of_prime(int p) { return 6 + 1.0 * p; }

struct choice {
  double cost;
  int first;
};

class chooser {
 public:
  choice best(index_t n) {
    if (n == 1) return {0, 1};
    if (const auto known = known_.find(n); known != known_.end()) return known->second;
    choice found{std::numeric_limits<double>::infinity(), 0};
    for (const priced& codelet : codelets) consider(n, codelet, found);
    for (int p = 11; p <= largest_pass; p += 2)
      if (!has_codelet(p) && is_prime(p)) consider(n, {p, cost_of_prime(p)}, found);
    return known_[n] = found;
  }

 private:
  static bool is_prime(int p) {
    for (int d = 3; d * d <= p; d += 2)
      if (p % d == 0) return false;
    return true;
  }
  void consider(index_t n, const priced& by, choice& found) {
    if (n % by.radix != 0) return;
    const double cost = by.cost + best(n / by.radix).cost;
    if (cost < found.cost) found = {cost, by.radix};
  }
  std::map<index_t, choice> known_;
};

}  // namespace

bool has_codelet(int radix) noexcept {
  return std::any_of(std::begin(codelets), std::end(codelets), [&](const priced& c) { return c.radix == radix; });
}

std::vector<int> choose_radices(index_t n) {
  chooser all;
  std::vector<int> radices;
  while (n > 1) {
    const choice next = all.best(n);
    if (next.first == 0) return {};
    radices.push_back(next.first);
    n /= next.first;
  }
  std::sort(radices.begin(), radices.end());  // bits of a length must not depend on the order of a search
  return radices;
}

}  // namespace nearfar::fourier
