// SPDX-License-Identifier: BSD-3-Clause
// Exact sums over the ranks: accumulators merged by an integer allreduce; for allreduce each rank adds its slice.
#include <algorithm>
#include <base/text.hpp>
#include <nearfar/error.hpp>
#include <nearfar/reproducible.hpp>
#include <topology/team_state.hpp>
#include <vector>

#include "exact/split.hpp"
#include "exact/standard_arithmetic.hpp"

namespace nearfar {
namespace {

using reduction::exact_loops_here;

// Replaces each accumulator by the sum of those of all ranks.
template <class Accumulator>
void merge_over_ranks(const team& members, std::span<Accumulator> locals) {
  constexpr std::size_t words = Accumulator::digits::words;
  constexpr std::size_t most = 1024;  // at once: 1 MB, and far from the largest int
  if (members.size() == 1) return;
  std::vector<std::int64_t> all;
  for (std::size_t start = 0; start < locals.size(); start += most) {
    const auto some = locals.subspan(start, std::min(most, locals.size() - start));
    all.clear();
    for (auto& local : some) all.insert(all.end(), local.total().settled(), local.total().settled() + words);
    watched_mpi("MPI_Allreduce", [&] {
      return MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_INT64_T, MPI_SUM,
                           members.comm());
    });
    for (std::size_t k = 0; k < some.size(); ++k) some[k].total().take(all.data() + k * words);
  }
}

template <class Accumulator>
Accumulator merged(const team& members, Accumulator local) {
  merge_over_ranks(members, std::span(&local, 1));
  return local;
}

template <class T>
exact_sum sum_of(std::span<const T> values) {
  exact_sum sum;
  sum.add(values);
  return sum;
}

template <class T>
exact_dot dot_of(std::span<const T> a, std::span<const T> b) {
  exact_dot dot;
  dot.add(a, b);
  return dot;
}

template <class T, class Accumulator>
T value_of(const Accumulator& accumulator) {
  if constexpr (std::is_same_v<T, float>)
    return accumulator.value_as_float();
  else
    return accumulator.value();
}

template <class T, class Accumulator>
void merge_all(const team& members, std::span<const Accumulator> locals, std::span<T> results) {
  if (locals.size() != results.size())
    throw usage_error(
        text("there are ", locals.size(), " numbers to sum over the ranks, and places for ", results.size()));
  std::vector<Accumulator> totals(locals.begin(), locals.end());
  merge_over_ranks(members, std::span(totals));
  std::transform(totals.begin(), totals.end(), results.begin(), value_of<T, Accumulator>);
}

template <class T>
void sum_arrays(const team& members, std::span<const std::span<const T>> arrays, std::span<T> sums) {
  std::vector<exact_sum> locals;
  for (const auto& array : arrays) locals.push_back(sum_of(array));
  merge_all(members, std::span<const exact_sum>(locals), sums);
}

// ---- Element by element ----

template <class T>
MPI_Datatype mpi_type() {
  return std::is_same_v<T, float> ? MPI_FLOAT : MPI_DOUBLE;
}

index_t add_columns(double* out, const std::vector<const double*>& in, index_t n, unsigned char* is_open) {
  return exact_loops_here().add_columns_double(out, in.data(), static_cast<int>(in.size()), n, is_open);
}
index_t add_columns(float* out, const std::vector<const float*>& in, index_t n, unsigned char* is_open) {
  return exact_loops_here().add_columns_float(out, in.data(), static_cast<int>(in.size()), n, is_open);
}

// out[i] = the rounded sum of the i-th elements of all contributions, which lie `stride` apart.
template <class T>
void sum_columns(T* out, const T* contributions, int ranks, index_t stride, index_t n) {
  const reduction::standard_arithmetic guard;
  std::vector<const T*> in;
  for (int r = 0; r < ranks; ++r) in.push_back(contributions + r * stride);
  std::vector<unsigned char> is_open(as_size(n));
  if (add_columns(out, in, n, is_open.data()) == 0) return;
  for (index_t i = 0; i < n; ++i) {
    if (!is_open[as_size(i)]) continue;
    exact_sum sum;
    for (const T* x : in) sum.add(static_cast<double>(x[i]));
    out[i] = value_of<T>(sum);
  }
}

// Every rank adds all columns. The sums are rounded correctly, so that they are the same everywhere.
template <class T>
void allreduce_together(const team& members, std::span<T> values) {
  const auto n = as_index(values.size());
  std::vector<T> all(values.size() * as_size(members.size()));
  const int count = static_cast<int>(n);
  watched_mpi("MPI_Allgather", [&] {
    return MPI_Allgather(values.data(), count, mpi_type<T>(), all.data(), count, mpi_type<T>(), members.comm());
  });
  sum_columns(values.data(), all.data(), members.size(), n, n);
}

// Rank r adds columns r * slice … of `n`, which all others send to it.
struct slices {
  slices(int ranks, index_t n) : slice((n + ranks - 1) / ranks) {
    for (int r = 0; r < ranks; ++r) {
      const index_t first = std::min(n, r * slice), last = std::min(n, first + slice);
      firsts.push_back(static_cast<int>(first));
      counts.push_back(static_cast<int>(last - first));
      places.push_back(static_cast<int>(r * slice));
    }
  }
  index_t slice;
  std::vector<int> firsts, counts;  ///< of each rank's columns
  std::vector<int> places;          ///< in the scratch, of each rank's contribution to this rank's columns
};

template <class T>
void allreduce_by_slices(const team& members, std::span<T> values, std::vector<T>& scratch) {
  const int ranks = members.size();
  const auto me = as_size(members.rank());
  const slices cut(ranks, as_index(values.size()));
  const std::vector<int> mine(as_size(ranks), cut.counts[me]);
  const auto type = mpi_type<T>();
  scratch.resize(as_size(cut.slice * ranks + cut.slice));
  watched_mpi("MPI_Alltoallv", [&] {
    return MPI_Alltoallv(values.data(), cut.counts.data(), cut.firsts.data(), type, scratch.data(), mine.data(),
                         cut.places.data(), type, members.comm());
  });
  T* sums = scratch.data() + cut.slice * ranks;
  sum_columns(sums, scratch.data(), ranks, cut.slice, cut.counts[me]);
  watched_mpi("MPI_Allgatherv", [&] {
    return MPI_Allgatherv(sums, cut.counts[me], type, values.data(), cut.counts.data(), cut.firsts.data(), type,
                          members.comm());
  });
}

template <class T>
void allreduce(const team& members, std::span<T> values) {
  constexpr std::size_t together_bytes = 32 * 1024, most = std::size_t{1} << 20;
  const auto ranks = as_size(members.size());
  if (values.size() * ranks * sizeof(T) <= together_bytes) return allreduce_together(members, values);
  std::vector<T> scratch;
  for (std::size_t start = 0; start < values.size(); start += most)
    allreduce_by_slices(members, values.subspan(start, std::min(most, values.size() - start)), scratch);
}

}  // namespace

double reproducible_sum(const team& members, std::span<const double> local) {
  return merged(members, sum_of(local)).value();
}
float reproducible_sum(const team& members, std::span<const float> local) {
  return merged(members, sum_of(local)).value_as_float();
}
double reproducible_sum(const team& members, exact_sum local) { return merged(members, local).value(); }

double reproducible_dot(const team& members, std::span<const double> a, std::span<const double> b) {
  return merged(members, dot_of(a, b)).value();
}
float reproducible_dot(const team& members, std::span<const float> a, std::span<const float> b) {
  return merged(members, dot_of(a, b)).value_as_float();
}
double reproducible_dot(const team& members, exact_dot local) { return merged(members, local).value(); }

void reproducible_sums(const team& members, std::span<const std::span<const double>> arrays, std::span<double> sums) {
  sum_arrays(members, arrays, sums);
}
void reproducible_sums(const team& members, std::span<const std::span<const float>> arrays, std::span<float> sums) {
  sum_arrays(members, arrays, sums);
}

void reproducible_sums(const team& members, std::span<const exact_sum> locals, std::span<double> sums) {
  merge_all(members, locals, sums);
}
void reproducible_sums(const team& members, std::span<const exact_sum> locals, std::span<float> sums) {
  merge_all(members, locals, sums);
}
void reproducible_dots(const team& members, std::span<const exact_dot> locals, std::span<double> dots) {
  merge_all(members, locals, dots);
}
void reproducible_dots(const team& members, std::span<const exact_dot> locals, std::span<float> dots) {
  merge_all(members, locals, dots);
}

void reproducible_allreduce(const team& members, std::span<double> values) { allreduce(members, values); }
void reproducible_allreduce(const team& members, std::span<float> values) { allreduce(members, values); }

}  // namespace nearfar
