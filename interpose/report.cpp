// SPDX-License-Identifier: BSD-3-Clause
// Adds the accounts of all ranks up and prints them.
#include "report.hpp"

#include <algorithm>
#include <base/log.hpp>
#include <base/process.hpp>
#include <base/text.hpp>
#include <cstdio>
#include <iomanip>
#include <memory>
#include <nearfar/mpi.hpp>
#include <vector>

namespace nearfar::interpose {
namespace {

using collective::kind;

constexpr std::size_t cells = collective::kinds * collective::size_classes;
constexpr int sums = 3, highest = 3;

struct totals {
  call_statistics::table accounts;
  int ranks = 1, rank = 0;
  bool is_of_everyone = false;
  double seconds = 0;  // that were watched
};

std::size_t cell_of(const call_statistics::table::key_type& key) {
  return static_cast<std::size_t>(key.first) * collective::size_classes + key.second;
}

// Sums and maxima of the root; on other ranks the vectors are of no use afterwards.
void add_up(std::vector<double>& sum, std::vector<double>& most, int rank) {
  const bool is_root = rank == 0;
  MPI_Reduce(is_root ? MPI_IN_PLACE : sum.data(), sum.data(), static_cast<int>(sum.size()), MPI_DOUBLE, MPI_SUM, 0,
             MPI_COMM_WORLD);
  MPI_Reduce(is_root ? MPI_IN_PLACE : most.data(), most.data(), static_cast<int>(most.size()), MPI_DOUBLE, MPI_MAX, 0,
             MPI_COMM_WORLD);
}

totals total_of(const call_statistics::table& mine, bool is_everyone) {
  totals t{.accounts = mine, .seconds = statistics().seconds_open()};
  MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &t.ranks);
  if (!is_everyone) return t;
  std::vector<double> sum(cells * sums), most(cells * highest);
  for (const auto& [key, a] : mine) {
    double* s = &sum[cell_of(key) * sums];
    s[0] = static_cast<double>(a.calls), s[1] = static_cast<double>(a.accelerated), s[2] = static_cast<double>(a.bytes);
    double* m = &most[cell_of(key) * highest];
    m[0] = a.seconds, m[1] = a.saved_s, m[2] = static_cast<double>(a.unknown_gain);
  }
  add_up(sum, most, t.rank);
  t.is_of_everyone = true;
  if (t.rank != 0) return t;
  for (std::size_t c = 0; c < cells; ++c) {
    if (sum[c * sums] <= 0) continue;
    account& a = t.accounts[{static_cast<kind>(c / collective::size_classes), c % collective::size_classes}];
    a.calls = static_cast<std::int64_t>(sum[c * sums]);
    a.accelerated = static_cast<std::int64_t>(sum[c * sums + 1]);
    a.bytes = static_cast<std::int64_t>(sum[c * sums + 2]);
    a.seconds = most[c * highest], a.saved_s = most[c * highest + 1];
    a.unknown_gain = static_cast<std::int64_t>(most[c * highest + 2]);
  }
  return t;
}

account overall(const call_statistics::table& accounts) {
  account all;
  for (const auto& [key, a] : accounts) {
    all.calls += a.calls, all.accelerated += a.accelerated, all.bytes += a.bytes;
    all.seconds += a.seconds, all.saved_s += a.saved_s, all.unknown_gain += a.unknown_gain;
  }
  return all;
}

// Is anything known of what it saved? Calls that the MPI carried out have saved nothing, which is known.
bool is_gain_known(const account& a) { return a.saved_s != 0 || a.unknown_gain == 0; }

// The run has measured no more than it took: a larger estimate is of a race that something has disturbed, or of a run
// that is shorter by so much.
std::string gain_of(const account& a, double run_s) {
  if (!is_gain_known(a)) return "unknown";
  if (a.saved_s == 0) return "-";
  return a.saved_s > run_s ? "> " + readable_time(run_s) : readable_time(a.saved_s);
}

index_t lowest_of(std::size_t size_class) { return size_class == 0 ? 0 : index_t{1} << (size_class - 1); }
index_t highest_of(std::size_t size_class) { return size_class == 0 ? 0 : (index_t{1} << size_class) - 1; }

std::string names_of(const account& a) {
  std::string names;
  for (const auto& [name, calls] : a.methods) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "mpi" : names;
}

double percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string as_words(const totals& t) {
  const account all = overall(t.accounts);
  text_writer out;
  out << std::fixed << std::setprecision(1);
  out << "nearfar report: " << (t.is_of_everyone ? text("sum of ", t.ranks, " ranks") : text("rank 0 of ", t.ranks))
      << ": " << all.calls << " collective calls, " << percent(all.accelerated, all.calls)
      << " % of them carried out by Nearfar, " << readable_bytes(all.bytes) << ", " << readable_time(all.seconds)
      << " in the slowest rank, saved: " << gain_of(all, t.seconds) << " (estimated from the races"
      << (all.unknown_gain > 0 ? text("; unknown of ", all.unknown_gain, " calls of a rank") : "") << ")\n";
  out << std::left << std::setw(22) << "call" << std::setw(24) << "bytes of a block" << std::right << std::setw(10)
      << "calls" << std::setw(8) << "ours %" << std::setw(10) << "bytes" << std::setw(10) << "time" << std::setw(10)
      << "saved"
      << "  by\n";
  for (const auto& [key, a] : t.accounts) {
    if (a.calls == 0) continue;
    out << std::left << std::setw(22) << collective::name_of(key.first) << std::setw(24)
        << text(lowest_of(key.second), " ... ", highest_of(key.second)) << std::right << std::setw(10) << a.calls
        << std::setw(8) << percent(a.accelerated, a.calls) << std::setw(10) << readable_bytes(a.bytes) << std::setw(10)
        << readable_time(a.seconds) << std::setw(10) << gain_of(a, t.seconds) << "  " << names_of(a) << "\n";
  }
  return out.str();
}

// The first line says what the others are sums of; each of the others is a kind of call and a range of sizes.
std::string as_json(const totals& t) {
  text_writer out;
  out << "{\"ranks\": " << t.ranks << ", \"is_sum_of_ranks\": " << (t.is_of_everyone ? "true" : "false")
      << ", \"seconds\": " << t.seconds << "}\n";
  for (const auto& [key, a] : t.accounts) {
    if (a.calls == 0) continue;
    out << "{\"call\": \"" << collective::name_of(key.first) << "\", \"from_bytes\": " << lowest_of(key.second)
        << ", \"to_bytes\": " << highest_of(key.second) << ", \"calls\": " << a.calls
        << ", \"accelerated\": " << a.accelerated << ", \"bytes\": " << a.bytes << ", \"seconds\": " << a.seconds
        << ", \"saved_s\": " << (is_gain_known(a) ? text(std::min(a.saved_s, t.seconds)) : "null")
        << ", \"methods\": \"" << names_of(a) << "\"}\n";
  }
  return out.str();
}

void append(const std::string& words, const std::string& file) {
  const file_size_signal_off no_signal;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file.c_str(), "a"), std::fclose);
  if (!out || std::fwrite(words.data(), 1, words.size(), out.get()) != words.size())
    log::warning("NEARFAR_REPORT=", file, " cannot be written; the report follows here\n", words);
}

}  // namespace

void write_report(const call_statistics::table& mine, const std::string& where, bool is_everyone) noexcept {
  try {
    const totals t = total_of(mine, is_everyone);
    if (t.rank != 0) return;
    if (where == "1" || where == "on")
      std::fputs(as_words(t).c_str(), stderr);
    else
      append(as_json(t), where);
  } catch (const std::exception& e) {
    log::warning("no report: ", e.what());
  }
}

}  // namespace nearfar::interpose
