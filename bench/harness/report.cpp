// SPDX-License-Identifier: BSD-3-Clause
// Prints the summary line of each case, the table of all methods, and the JSON records.
#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench {
namespace {

std::string verdict(const case_result& r) {
  if (!r.is_right()) return "WRONG";
  if (r.bar <= 0 || r.ratio(r.ours) <= 0) return "";
  return r.is_short() ? "SHORT" : "ok";
}

void print_heading(const setting& where, bool is_parts) {
  std::printf("# %s, %s, %d ranks on %d node%s; us, median of max over ranks%s\n", where.front.c_str(),
              where.mpi.c_str(), where.ranks, where.nodes, where.nodes == 1 ? "" : "s",
              is_parts ? ", clock around each operation" : "");
  std::printf("%-22s %8s  %-24s %9s  %9s %9s %6s %6s %5s %-6s %s\n", "case", "bytes", "best MPI variant", "us",
              "nearfar", where.other_words.c_str(), "ratio", "ratio", "bar", "",
              ("chosen (" + where.other_words + ")").c_str());
}

double median_of(const case_result& r, const std::string& method) {
  const auto* m = r.find(method);
  return m ? m->median_us : 0;
}

std::string choice_of(const case_result& r, const std::string& method) {
  const auto* m = r.find(method);
  return m ? m->choice : "-";
}

std::string figure(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return value == 0 ? "-" : text;
}

void print_rivals(const case_result& r, const std::string& other) {
  for (const auto& family : r.rivals) {
    const auto* best = r.best_of(family.prefixes);
    if (!best) continue;
    std::printf("%-31s  %-24s %9.2f  %9s %9s %6s %6s  bars %s %s\n", ("  against " + family.name).c_str(),
                best->method.c_str(), best->median_us, "", "", figure(r.ratio(family, r.ours), 2).c_str(),
                figure(r.ratio(family, other), 2).c_str(), figure(family.bar, 2).c_str(),
                figure(family.other_bar, 2).c_str());
  }
  if (r.limit_us > 0) std::printf("%-31s  at most %.1f us\n", "", r.limit_us);
}

void print_summary(const case_result& r, const std::string& other) {
  const auto* best = r.best_yardstick();
  std::printf("%-22s %8lld  %-24s %9s  %9s %9s %6s %6s %5s %-6s %s (%s)\n", r.name.c_str(), r.bytes,
              best ? best->method.c_str() : "-", figure(best ? best->median_us : 0, 2).c_str(),
              figure(median_of(r, r.ours), 2).c_str(), figure(median_of(r, other), 2).c_str(),
              figure(r.ratio(r.ours), 2).c_str(), figure(r.ratio(other), 2).c_str(), figure(r.bar, 2).c_str(),
              verdict(r).c_str(), choice_of(r, r.ours).c_str(), choice_of(r, other).c_str());
  print_rivals(r, other);
  std::fflush(stdout);
}

std::vector<std::string> all_methods(const std::vector<case_result>& results) {
  std::vector<std::string> names;
  for (const auto& r : results)
    for (const auto& m : r.methods)
      if (std::find(names.begin(), names.end(), m.method) == names.end()) names.push_back(m.method);
  return names;
}

// Methods are rows here: there are more of them than fit side by side, and cases are few enough in blocks.
void print_block(const std::vector<case_result>& results, std::size_t first, std::size_t last) {
  std::printf("\n%-24s", "us (setup ms)");
  for (std::size_t i = first; i < last; ++i) std::printf(" %22s", results[i].name.c_str());
  std::printf("\n");
  const std::vector<case_result> shown(results.begin() + static_cast<std::ptrdiff_t>(first),
                                       results.begin() + static_cast<std::ptrdiff_t>(last));
  for (const auto& name : all_methods(shown)) {
    std::printf("%-24s", name.c_str());
    for (const auto& r : shown) {
      const auto* m = r.find(name);
      char cell[48] = "-";
      if (m) std::snprintf(cell, sizeof cell, "%.2f (%.1f)%s", m->median_us, m->setup_ms, m->is_right ? "" : " WRONG");
      std::printf(" %22s", cell);
    }
    std::printf("\n");
  }
}

}  // namespace

std::string mpi_name() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string full(text, static_cast<std::size_t>(length));
  if (const auto at = full.find("Open MPI v"); at != std::string::npos)
    return "Open MPI " + full.substr(at + 10, full.find_first_of(", \n", at + 10) - at - 10);
  if (const auto at = full.find("MPICH Version:"); at != std::string::npos) {
    const auto begin = full.find_first_not_of(" \t", at + 14);
    return "MPICH " + full.substr(begin, full.find_first_of(" \t\n", begin) - begin);
  }
  if (const auto at = full.find("MPI Library "); full.rfind("Intel", 0) == 0 && at != std::string::npos)
    return "Intel MPI " + full.substr(at + 12, full.find(' ', at + 12) - at - 12);
  return full.substr(0, full.find('\n'));
}

report::report(const setting& where, const options& how)
    : where_(where), is_gate_(how.is_gate), is_parts_(how.clock == timing::parts) {
  if (!where_.is_speaker) return;
  if (!how.json_file.empty()) {
    json_.open(how.json_file);
    if (!json_) throw std::runtime_error("cannot write " + how.json_file);
  }
  print_heading(where_, is_parts_);
}

void report::add(const case_result& result) {
  results_.push_back(result);
  if (!where_.is_speaker) return;
  print_summary(result, where_.other);
  write_json(result);
}

void report::write_json(const case_result& result) {
  if (!json_.is_open()) return;
  for (const auto& m : result.methods) {
    nlohmann::ordered_json record;
    record["front"] = where_.front;
    record["case"] = result.name;
    record["bytes"] = result.bytes;
    record["method"] = m.method;
    record["chosen"] = m.is_tuned;
    if (m.is_tuned) record["choice"] = m.choice;
    record["mpi"] = where_.mpi;
    record["ranks"] = where_.ranks;
    record["nodes"] = where_.nodes;
    record["median_us"] = m.median_us;
    record["p10_us"] = m.p10_us;
    record["p90_us"] = m.p90_us;
    record["samples"] = m.samples;
    record["halves_us"] = m.halves_us;
    record["ok"] = m.is_right;
    record["setup_ms"] = m.setup_ms;
    record["floor_us"] = result.floor_us;
    record["bar"] = result.bar;
    if (result.ours != "nearfar") record["ours"] = result.ours;
    if (m.heap_bytes > 0) record["heap_bytes"] = m.heap_bytes;
    if (result.limit_us > 0) record["limit_us"] = result.limit_us;
    for (const auto& r : result.rivals)
      record["rivals"].push_back(
          {{"name", r.name}, {"prefixes", r.prefixes}, {"bar", r.bar}, {"other_bar", r.other_bar}});
    record["timing"] = is_parts_ ? "parts" : "loop";
    json_ << record.dump() << '\n' << std::flush;
  }
}

void report::finish() {
  if (!where_.is_speaker) return;
  constexpr std::size_t width = 4;
  for (std::size_t first = 0; first < results_.size(); first += width)
    print_block(results_, first, std::min(first + width, results_.size()));
}

int report::exit_code() const {
  if (std::any_of(results_.begin(), results_.end(), [](const auto& r) { return !r.is_right(); })) return 1;
  return is_gate_ && std::any_of(results_.begin(), results_.end(), [](const auto& r) { return r.is_short(); }) ? 2 : 0;
}

}  // namespace bench
