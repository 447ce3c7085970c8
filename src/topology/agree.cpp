// SPDX-License-Identifier: BSD-3-Clause
// Collective verdicts: one small allreduce while all is well, details only after a failure.
#include <algorithm>
#include <array>
#include <base/axis_names.hpp>
#include <base/internals.hpp>
#include <base/numbers.hpp>
#include <climits>
#include <filesystem>
#include <ios>
#include <new>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <vector>

namespace nearfar {
namespace {

constexpr int nobody = INT_MAX;
constexpr int ranks_listed = 4;
constexpr std::size_t values_listed = 8;

struct verdict {
  status code = status::ok;
  std::string message;
};

verdict outcome_of(const std::function<void()>& step) {
  try {
    step();
    return {};
  } catch (const error& e) {
    return {e.code(), message_of(e)};
  } catch (const std::bad_alloc&) {
    return {status::resource, "out of memory"};
  } catch (const std::logic_error& e) {
    return {status::usage, e.what()};
  } catch (const std::filesystem::filesystem_error& e) {
    return {status::io, e.what()};
  } catch (const std::ios_base::failure& e) {
    return {status::io, e.what()};
  } catch (const std::exception& e) {
    return {status::resource, e.what()};
  } catch (...) {  // swallowed here, since a rank that leaves alone makes the others hang
    return {status::resource, "an exception of unknown type"};
  }
}

[[noreturn]] void raise(const verdict& v) {
  switch (v.code) {
    case status::resource:
      throw resource_error(v.message);
    case status::transport:
      throw transport_error(v.message);
    case status::io:
      throw io_error(v.message);
    default:
      throw usage_error(v.message);
  }
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  return size;
}

int reduced(MPI_Comm comm, int value, MPI_Op how) {
  int result = 0;
  watched_mpi("MPI_Allreduce", [&] { return MPI_Allreduce(&value, &result, 1, MPI_INT, how, comm); });
  return result;
}

// The lowest rank that claims, of those above `after`.
int lowest_claimant(MPI_Comm comm, bool claims, int after) {
  const int rank = rank_in(comm);
  return reduced(comm, claims && rank > after ? rank : nobody, MPI_MIN);
}

// "rank 3", "ranks 0, 3, 5", "ranks 0, 1, 2 … (17 of 64)"; found rank by rank, so that no rank keeps a list of all.
std::string name_claimants(MPI_Comm comm, bool claims, int first) {
  const int count = reduced(comm, claims ? 1 : 0, MPI_SUM);
  const int size = size_of(comm);
  if (count == size) return text("all ", size, " ranks");
  std::string names = text(count == 1 ? "rank " : "ranks ", first);
  int last = first;
  for (int i = 1; i < std::min(count, ranks_listed); ++i) {
    last = lowest_claimant(comm, claims, last);
    names += text(", ", last);
  }
  return count > ranks_listed ? text(names, " … (", count, " of ", size, ")") : names;
}

verdict from_rank(MPI_Comm comm, int root, verdict v) {
  std::array<int, 2> head{static_cast<int>(v.code), static_cast<int>(std::min<std::size_t>(v.message.size(), INT_MAX))};
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(head.data(), 2, MPI_INT, root, comm); });
  v.code = static_cast<status>(head[0]);
  v.message.resize(static_cast<std::size_t>(head[1]));
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(v.message.data(), head[1], MPI_CHAR, root, comm); });
  return v;
}

/// The ranks of a communicator, and what is known of them.
struct participants {
  MPI_Comm comm;
  const team_state* team = nullptr;
};

void take_lowest(const participants& all, std::span<std::int64_t> values) {
  all.team != nullptr ? nearfar::take_lowest(*all.team, values) : nearfar::take_lowest(all.comm, values);
}

participants participants_of(const team& members) { return {members.comm(), &state_of(members)}; }

using values_view = std::span<const std::int64_t>;

/// How messages write values.
struct value_style {
  bool are_per_axis = false;
  std::string (*in_words)(std::int64_t) = nullptr;
};

std::uint64_t hash_of(values_view values) {
  hash64 hash;
  for (const std::int64_t value : values) hash.add(value);
  return hash.value();
}

// Lowest value and lowest complement (that is, highest value) of count and hash in one reduction.
bool are_same(const participants& all, values_view values) {
  const auto count = as_index(values.size());
  const auto digest = static_cast<std::int64_t>(hash_of(values));
  std::array<std::int64_t, 4> lowest{count, ~count, digest, ~digest};
  take_lowest(all, lowest);
  return lowest[0] == ~lowest[1] && lowest[2] == ~lowest[3];
}

std::vector<std::int64_t> values_of(MPI_Comm comm, int root, values_view mine) {
  std::vector<std::int64_t> values(mine.begin(), mine.end());
  const int count = checked_int(as_index(values.size()), "number of values to compare");
  int root_count = count;
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(&root_count, 1, MPI_INT, root, comm); });
  values.resize(static_cast<std::size_t>(root_count));
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(values.data(), root_count, MPI_INT64_T, root, comm); });
  return values;
}

std::string print(values_view values, const value_style& style) {
  std::vector<std::string> words;
  for (const std::int64_t value : values) words.push_back(style.in_words ? style.in_words(value) : text(value));
  if (words.size() == 1) return words[0];
  const std::string listed = axes_in_words(words, ", ");
  return text("(", style.are_per_axis ? listed : from_zero(listed), ")");
}

std::string describe_difference(values_view a, int rank_a, values_view b, int rank_b, const value_style& style) {
  const auto phrase = [&](const std::string& x, const std::string& y) {
    return text(x, " on rank ", rank_a, " but ", y, " on rank ", rank_b);
  };
  if (a.size() <= values_listed && b.size() <= values_listed) return phrase(print(a, style), print(b, style));
  if (a.size() != b.size()) return phrase(text(a.size(), " values"), text(b.size(), " values"));
  const auto at = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
  return text(phrase(text(a[at]), text(b[at])), " (number ", at + 1, " of ", a.size(), ")");
}

/// Throws on every rank what the rank `first` has to say, if that is one.
void agree_on(MPI_Comm comm, verdict v, int first) {
  if (first == nobody) return;
  const bool has_failed = v.code != status::ok;
  v = from_rank(comm, first, std::move(v));
  if (size_of(comm) > 1) v.message += text(" [on ", name_claimants(comm, has_failed, first), "]");
  raise(v);
}

void agree_among(const participants& all, const std::function<void()>& step) {
  if (all.comm == MPI_COMM_NULL) return step();
  verdict v = outcome_of(step);
  std::int64_t first = v.code != status::ok ? rank_in(all.comm) : nobody;
  take_lowest(all, {&first, 1});
  agree_on(all.comm, std::move(v), static_cast<int>(first));
}

void require_same_among(const participants& all, const char* what, values_view values, const value_style& style = {}) {
  const MPI_Comm comm = all.comm;
  if (comm == MPI_COMM_NULL || are_same(all, values)) return;
  const auto expected = values_of(comm, 0, values);
  const bool differs = !std::equal(values.begin(), values.end(), expected.begin(), expected.end());
  const int other = lowest_claimant(comm, differs, -1);
  const auto found = values_of(comm, other, values);
  throw usage_error(
      text(what, " must be the same on every rank, but it is ", describe_difference(expected, 0, found, other, style)));
}

}  // namespace

void agree(MPI_Comm comm, const std::function<void()>& step) { agree_among({comm}, step); }

void agree(const team& members, const std::function<void()>& step) { agree_among(participants_of(members), step); }

/// The largest values are the complements of the lowest complements.
void agree(const team& members, const std::function<void()>& step, std::span<std::int64_t> maxima) {
  const MPI_Comm comm = members.comm();
  if (comm == MPI_COMM_NULL) return step();
  verdict v = outcome_of(step);
  std::vector<std::int64_t> lowest{v.code != status::ok ? rank_in(comm) : nobody};
  for (const std::int64_t m : maxima) lowest.push_back(~m);
  take_lowest(state_of(members), lowest);
  for (std::size_t i = 0; i < maxima.size(); ++i) maxima[i] = ~lowest[i + 1];
  agree_on(comm, std::move(v), static_cast<int>(lowest[0]));
}

void require_same(MPI_Comm comm, const char* what, values_view values) { require_same_among({comm}, what, values); }

void require_same(const team& members, const char* what, values_view values) {
  require_same_among(participants_of(members), what, values);
}

std::uint64_t require_same(const team& members, const std::vector<shared_values>& all) {
  std::vector<std::int64_t> together;
  for (const shared_values& v : all) {
    together.push_back(as_index(v.values.size()));
    together.insert(together.end(), v.values.begin(), v.values.end());
  }
  const participants here = participants_of(members);
  if (here.comm != MPI_COMM_NULL && !are_same(here, together))
    for (const shared_values& v : all) require_same_among(here, v.what.c_str(), v.values, {v.is_per_axis, v.in_words});
  return hash_of(together);
}

}  // namespace nearfar
