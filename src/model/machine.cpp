// SPDX-License-Identifier: BSD-3-Clause
// Machine files: one table of names for reading and writing.
#include <algorithm>
#include <base/text.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <model/machine.hpp>
#include <nearfar/error.hpp>
#include <sstream>

#ifdef NEARFAR_HAVE_TOML
#include <toml++/toml.h>
#endif

namespace nearfar::model {

namespace {

/// Calls visit(table, name, number, least) for every number of a machine.
template <class Machine, class Visit>
void for_numbers(Machine& m, Visit visit) {
  constexpr double any = 0, positive = 1e-9;
  visit("far", "latency_us", m.far.latency_us, any);
  visit("far", "overhead_us", m.far.overhead_us, any);
  visit("far", "gap_us", m.far.gap_us, any);
  visit("far", "rank_gb_s", m.far.rank_gb_s, positive);
  visit("far", "node_gb_s", m.far.node_gb_s, positive);
  visit("near", "notice_us", m.near.notice_us, any);
  visit("near", "message_us", m.near.message_us, any);
  visit("near", "message_gb_s", m.near.message_gb_s, positive);
  visit("near", "run_ns", m.near.run_ns, any);
  visit("near", "copy_cached_gb_s", m.near.copy_cached_gb_s, positive);
  visit("near", "copy_memory_gb_s", m.near.copy_memory_gb_s, positive);
  visit("near", "node_memory_gb_s", m.near.node_memory_gb_s, positive);
  visit("near", "cache_bytes", m.near.cache_bytes, any);
  visit("near", "barrier_round_us", m.near.barrier_round_us, any);
  visit("variation", "message_sigma", m.variation.message_sigma, any);
  visit("variation", "compute_sigma", m.variation.compute_sigma, any);
  visit("variation", "node_sigma", m.variation.node_sigma, any);
  visit("variation", "detour_hz", m.variation.detour_hz, any);
  visit("variation", "detour_us", m.variation.detour_us, any);
  visit("variation", "spare_share", m.variation.spare_share, any);
  visit("variation", "cores", m.variation.cores, any);
  visit("disk", "node_gb_s", m.disk.node_gb_s, positive);
  visit("disk", "all_gb_s", m.disk.all_gb_s, positive);
  visit("disk", "open_us", m.disk.open_us, any);
}

#ifdef NEARFAR_HAVE_TOML
std::string names_of(const std::string& wanted) {
  std::string names;
  machine m;
  for_numbers(m, [&](const std::string& table, const char* name, auto&, double) {
    if (table == wanted) names += text(names.empty() ? "" : ", ", name);
  });
  return names;
}

void check_names(const toml::table& all, const std::string& file) {
  for (const auto& [key, value] : all) {
    const std::string table(key.str());
    if (table == "name" || table == "source") continue;
    const std::string names = names_of(table);
    if (names.empty() || !value.is_table())
      throw usage_error(text(file, ": there is no table '", table, "'; tables are far, near, variation and disk"));
    for (const auto& [name, number] : *value.as_table())
      if ((", " + names + ",").find(text(", ", name.str(), ",")) == std::string::npos)
        throw usage_error(text(file, ": table ", table, " has no '", name.str(), "'; it has ", names));
  }
}

template <class Number>
void take(const toml::table& all, const std::string& file, const char* table, const char* name, Number& number,
          double least) {
  const auto node = all[table][name];
  if (!node) return;
  const auto value = node.value<double>();
  if (!value || !std::isfinite(*value) || *value < least || *value > 1e12)
    throw usage_error(text(file, ": ", table, ".", name, " is no number of ", least, " to 1e12"));
  number = static_cast<Number>(*value);
}
#endif

}  // namespace

double machine::copy_us(double bytes, double runs, int near_ranks) const noexcept {
  const double share = near.node_memory_gb_s / std::max(near_ranks, 1);
  const double speed = bytes <= near.cache_bytes ? near.copy_cached_gb_s : std::min(near.copy_memory_gb_s, share);
  return 1e-3 * (bytes / speed + runs * near.run_ns);
}

machine read_machine(const std::string& file) {
#ifdef NEARFAR_HAVE_TOML
  // A device may have no end, and opening a pipe waits for who writes.
  if (std::error_code none; std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none))
    throw io_error(text("the machine file ", file, " cannot be read: it is not a regular file"));
  std::ifstream in(file);
  std::stringstream words;
  if (!in || !(words << in.rdbuf())) throw io_error(text("the machine file ", file, " cannot be read"));
  toml::table all;
  try {
    all = toml::parse(words.str());
  } catch (const toml::parse_error& e) {
    throw usage_error(text(file, ", line ", e.source().begin.line, ": ", e.description()));
  }
  check_names(all, file);
  machine m;
  m.name = all["name"].value_or(file);
  m.source = all["source"].value_or("");
  for_numbers(m, [&](const char* table, const char* name, auto& number, double least) {
    take(all, file, table, name, number, least);
  });
  return m;
#else
  throw usage_error(text("the machine file ", file,
                         " cannot be read: this command was built without toml++ (Debian: ", "libtomlplusplus-dev)"));
#endif
}

std::string to_toml(const machine& m) {
  std::ostringstream out;
  out << std::setprecision(4) << "name = \"" << m.name << "\"\nsource = \"" << m.source << "\"\n";
  std::string last;
  for_numbers(m, [&](const std::string& table, const char* name, const auto& number, double) {
    if (table != last) out << "\n[" << table << "]\n";
    last = table;
    out << name << " = " << number << "\n";
  });
  return out.str();
}

}  // namespace nearfar::model
