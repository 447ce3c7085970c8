// SPDX-License-Identifier: BSD-3-Clause
// Machine files: one table of names for reading and writing.
#include <algorithm>
#include <base/text.hpp>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <model/machine.hpp>
#include <nearfar/error.hpp>

#ifdef NEARFAR_HAVE_TOML
#include <toml++/toml.h>
#endif

namespace nearfar::model {

namespace {

/// Calls visit(table, name, number, least, most) for every number of a machine.
template <class Machine, class Visit>
void for_numbers(Machine& m, Visit visit) {
  constexpr double none = 0, slowest = 1e-9, most = 1e9, most_sigma = 3, most_cores = 1e6;
  visit("far", "latency_us", m.far.latency_us, none, most);
  visit("far", "overhead_us", m.far.overhead_us, none, most);
  visit("far", "gap_us", m.far.gap_us, none, most);
  visit("far", "rank_gb_s", m.far.rank_gb_s, slowest, most);
  visit("far", "node_gb_s", m.far.node_gb_s, slowest, most);
  visit("far", "eager_bytes", m.far.eager_bytes, none, most);
  visit("near", "notice_us", m.near.notice_us, none, most);
  visit("near", "message_us", m.near.message_us, none, most);
  visit("near", "message_gb_s", m.near.message_gb_s, slowest, most);
  visit("near", "run_ns", m.near.run_ns, none, most);
  visit("near", "jump_ns", m.near.jump_ns, none, most);
  visit("near", "jump_memory_ns", m.near.jump_memory_ns, none, most);
  visit("near", "peer_jump_ns", m.near.peer_jump_ns, none, most);
  visit("near", "copy_cached_gb_s", m.near.copy_cached_gb_s, slowest, most);
  visit("near", "peer_gb_s", m.near.peer_gb_s, none, most);
  visit("near", "copy_shared_gb_s", m.near.copy_shared_gb_s, none, most);
  visit("near", "copy_memory_gb_s", m.near.copy_memory_gb_s, slowest, most);
  visit("near", "node_memory_gb_s", m.near.node_memory_gb_s, slowest, most);
  visit("near", "cache_bytes", m.near.cache_bytes, none, 1e15);
  visit("near", "shared_cache_bytes", m.near.shared_cache_bytes, none, 1e15);
  visit("near", "tlb_bytes", m.near.tlb_bytes, none, 1e15);
  visit("near", "barrier_round_us", m.near.barrier_round_us, none, most);
  visit("variation", "message_sigma", m.variation.message_sigma, none, most_sigma);
  visit("variation", "compute_sigma", m.variation.compute_sigma, none, most_sigma);
  visit("variation", "node_sigma", m.variation.node_sigma, none, most_sigma);
  visit("variation", "detour_hz", m.variation.detour_hz, none, 1e6);
  visit("variation", "detour_us", m.variation.detour_us, none, most);
  visit("variation", "spare_share", m.variation.spare_share, none, 1);
  visit("variation", "cores", m.variation.cores, none, most_cores);
  visit("disk", "node_gb_s", m.disk.node_gb_s, slowest, most);
  visit("disk", "all_gb_s", m.disk.all_gb_s, slowest, most);
  visit("disk", "open_us", m.disk.open_us, none, most);
}

#ifdef NEARFAR_HAVE_TOML
std::string names_of(const std::string& wanted) {
  std::string names;
  machine m;
  for_numbers(m, [&](const std::string& table, const char* name, auto&, double, double) {
    if (table == wanted) names += text(names.empty() ? "" : ", ", name);
  });
  return names;
}

void check_names(const toml::table& all, const std::string& file) {
  for (const auto& [key, value] : all) {
    const std::string table(key.str());
    if (table == "name" || table == "source") {
      if (!value.is_string()) throw usage_error(text(file, ": ", table, " takes words between quotation marks"));
      continue;
    }
    const std::string names = names_of(table);
    if (names.empty() || !value.is_table())
      throw usage_error(text(file, ": there is no table '", table, "'; tables are far, near, variation and disk"));
    for (const auto& [name, number] : *value.as_table())
      if ((", " + names + ",").find(text(", ", name.str(), ",")) == std::string::npos)
        throw usage_error(text(file, ": table ", table, " has no '", name.str(), "'; it has ", names));
  }
}

template <class Number>
void take(const std::string& file, const std::string& name, const toml::node_view<const toml::node>& given,
          Number& number, double least, double most) {
  if (!given) return;
  const auto value = given.value<double>();
  const bool is_whole = value && std::floor(*value) == *value;
  if (!value || !(*value >= least && *value <= most) || (std::is_integral_v<Number> && !is_whole))
    throw usage_error(text(file, ": ", name, " takes a ", std::is_integral_v<Number> ? "whole number" : "number",
                           " of ", least, " to ", most));
  number = static_cast<Number>(*value);
}
#endif

}  // namespace

double machine::copy_us(const copied& what, int near_ranks) const noexcept {
  return 1e-3 * (what.bytes / gb_s(what, near_ranks) + what.pieces * piece_ns(what));
}

double machine::gb_s(const copied& what, int near_ranks) const noexcept {
  const bool is_known = what.is_of_peer && near.peer_gb_s > 0;
  const auto of_caches = [&](double gb_s) { return is_known ? std::min(near.peer_gb_s, gb_s) : gb_s; };
  if (what.bytes <= near.cache_bytes) return of_caches(near.copy_cached_gb_s);
  if (what.bytes <= near.shared_cache_bytes && near.copy_shared_gb_s > 0) return of_caches(near.copy_shared_gb_s);
  return std::min(near.copy_memory_gb_s, near.node_memory_gb_s / std::max(near_ranks, 1));
}

/// Cache lines that follow each other are fetched ahead; the closer pieces lie, the fewer lines they touch.
double machine::piece_ns(const copied& what) const noexcept {
  constexpr double close_bytes = 128;  // as --fit measures run_ns
  const double apart = what.pieces > 0 ? what.reach / what.pieces : 0;
  if (apart <= close_bytes) return near.run_ns * (apart > 0 ? apart / close_bytes : 1);
  const double here = near.jump_ns > 0 ? near.jump_ns : near.run_ns;
  if (what.reach > near.tlb_bytes) return near.jump_memory_ns > 0 ? near.jump_memory_ns : here;
  return what.is_of_peer && near.peer_jump_ns > 0 ? near.peer_jump_ns : here;
}

machine read_machine(const std::string& file) {
#ifdef NEARFAR_HAVE_TOML
  // A device may have no end, and opening a pipe waits for who writes.
  if (std::error_code none; std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none))
    throw io_error(text("the machine file ", file, " cannot be read: it is not a regular file"));
  text_file in(file);
  const std::string words{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) throw io_error(text("the machine file ", file, " cannot be read"));
  toml::table parsed;
  try {
    parsed = toml::parse(words);
  } catch (const toml::parse_error& e) {
    throw usage_error(text(file, ", line ", e.source().begin.line, ": ", e.description()));
  }
  const toml::table& all = parsed;
  check_names(all, file);
  machine m;
  m.name = all["name"].value_or(file);
  m.source = all["source"].value_or("");
  for_numbers(m, [&](const char* table, const char* name, auto& number, double least, double most) {
    take(file, text(table, ".", name), all[table][name], number, least, most);
  });
  return m;
#else
  throw usage_error(text("the machine file ", file,
                         " cannot be read: this command was built without toml++ (Debian: ", "libtomlplusplus-dev)"));
#endif
}

std::string to_toml(const machine& m) {
  text_writer out;
  out << std::setprecision(4) << "name = \"" << m.name << "\"\nsource = \"" << m.source << "\"\n";
  std::string last;
  for_numbers(m, [&](const std::string& table, const char* name, const auto& number, double, double) {
    if (table != last) out << "\n[" << table << "]\n";
    last = table;
    out << name << " = " << number << "\n";
  });
  return out.str();
}

}  // namespace nearfar::model
