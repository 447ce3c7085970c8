// SPDX-License-Identifier: BSD-3-Clause
// Serial transforms: every engine that is here on the lines of cubes, axis by axis, in interleaved rounds.
//
//     bench_fourier [--quick] [KIND [LENGTH…]]      KIND: forward (default), backward, r2c, c2r, dct2, …
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fourier/engine.hpp>
#include <memory>
#include <string>
#include <vector>

#include <base/clock.hpp>

namespace {

using namespace nearfar;
using namespace nearfar::fourier;

struct layout {
  std::string name;
  line_shape shape;
};

/// The lines of one axis of [planes][rows][n] numbers; `side` lines lie beside each other where the axis is not the
/// last.
std::vector<layout> layouts_of(kind what, index_t n, index_t most_bytes) {
  line_shape s{what, n};
  const index_t in = s.in_length(), out = s.out_length();
  const index_t lines = std::clamp<index_t>(most_bytes / (16 * n), 16, n * n) / 16 * 16;
  const index_t side = std::min<index_t>(n, lines), rest = std::max<index_t>(lines / side, 1);
  std::vector<layout> all;
  all.push_back({"contiguous", {what, n, 1, 1, {loop{side * rest, in, out}, loop{}}}});
  all.push_back({"middle", {what, n, side, side, {loop{side, 1, 1}, loop{rest, side * in, side * out}}}});
  all.push_back({"first", {what, n, side * rest, side * rest, {loop{side * rest, 1, 1}, loop{}}}});
  return all;
}

struct runner {
  std::string name;
  std::unique_ptr<plan<double>> how;
  std::vector<double> seconds;
};

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<long>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

std::vector<runner> make_runners(const line_shape& shape) {
  std::vector<runner> all;
  for (const engine_info& e : engines())
    if (e.is_available && !e.is_on_device)
      all.push_back({e.name, make_plan<double>(e.name, shape, effort::measure), {}});
  return all;
}

void measure(std::vector<runner>& all, const void* in, void* out, int rounds, double burst_s) {
  for (runner& r : all) r.how->run(in, out);
  for (int round = 0; round < rounds; ++round)
    for (runner& r : all) {
      const double start = seconds_now();
      int runs = 0;
      do {
        r.how->run(in, out);
        ++runs;
      } while (seconds_now() - start < burst_s);
      r.seconds.push_back((seconds_now() - start) / runs);
    }
}

void report(const layout& what, index_t n, bool is_in_place, const std::vector<runner>& all) {
  std::printf("%5lld %-10s %-3s", static_cast<long long>(n), what.name.c_str(), is_in_place ? "in" : "out");
  for (const runner& r : all)
    std::printf("  %-5s %7.2f ns", r.name.c_str(),
                median(r.seconds) * 1e9 / static_cast<double>(n * what.shape.line_count()));
  if (all.size() > 1)
    std::printf("  %s/own %.2f", all[1].name.c_str(), median(all[1].seconds) / median(all[0].seconds));
  std::printf("   %s\n", all[0].how->describe().c_str());
}

kind kind_of(const std::string& word) {
  const char* const words[] = {"forward", "backward", "r2c",  "c2r",  "dct1", "dct2",
                               "dct3",    "dct4",     "dst1", "dst2", "dst3", "dst4"};
  const auto at = std::find(std::begin(words), std::end(words), word);
  if (at != std::end(words)) return static_cast<kind>(at - std::begin(words));
  std::fprintf(stderr, "bench_fourier: no kind '%s'\n", word.c_str());
  std::exit(2);
}

/// Other engines are faster on arrays that start on a cache line.
double* aligned(std::vector<double>& v) {
  constexpr std::uintptr_t line = 64;
  return v.data() + (line - reinterpret_cast<std::uintptr_t>(v.data()) % line) % line / sizeof(double);
}

void run_length(kind what, index_t n, bool is_quick) {
  const index_t most_bytes = is_quick ? index_t{4} << 20 : index_t{64} << 20;
  for (const layout& l : layouts_of(what, n, most_bytes)) {
    const index_t reals = 2 * (n + 2) * l.shape.line_count();
    std::vector<double> a(as_size(reals + 8), 0.5), b(as_size(reals + 8), 0.25);
    auto all = make_runners(l.shape);
    measure(all, aligned(a), aligned(b), is_quick ? 5 : 9, is_quick ? 0.01 : 0.03);
    report(l, n, false, all);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool is_quick = !words.empty() && words[0] == "--quick";
  if (is_quick) words.erase(words.begin());
  const kind what = words.empty() ? kind::forward : kind_of(words[0]);
  std::vector<index_t> lengths;
  for (std::size_t i = 1; i < words.size(); ++i) lengths.push_back(std::atoll(words[i].c_str()));
  if (lengths.empty()) lengths = {32, 64, 96, 97, 128, 192, 256, 384, 512};
  for (const index_t n : lengths) run_length(what, n, is_quick);
}
