// SPDX-License-Identifier: BSD-3-Clause
// Steps of varying arrays: which rank has which rows, and the layout of the step's file.
#include <algorithm>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "stream_layout.hpp"

namespace nearfar::output {

format_request stream_layout::request() const {
  return {path_, arrays_, options_, plan_.codecs, chunks_, plan_.files.layout};
}

bool stream_layout::has_varying() const noexcept {
  return std::any_of(arrays_.begin(), arrays_.end(), [](const output_array& a) { return a.is_varying; });
}

std::vector<index_t> stream_layout::all_of_team(const std::vector<index_t>& mine) const {
  std::vector<index_t> all(mine.size() * as_size(members_.size()));
  const int bytes = checked_int(as_index(mine.size() * sizeof(index_t)), "bytes of an output stream's rows");
  watched_mpi("MPI_Allgather", [&] {
    return MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, members_.comm());
  });
  return all;
}

// From here on a varying array is one in which each rank has a box with room for its most rows.
void stream_layout::spread_varying() {
  std::vector<index_t> most;
  for (const output_array& a : arrays_)
    if (a.is_varying) most.push_back(a.own.is_empty() ? 0 : a.own.extent(0));
  const auto all = all_of_team(most);
  std::size_t v = 0;
  for (output_array& a : arrays_) {
    if (!a.is_varying) continue;
    index_t before = 0, sum = 0;
    for (std::size_t r = 0; r < as_size(members_.size()); ++r) {
      if (r == as_size(members_.rank())) before = sum;
      sum += all[r * most.size() + v];
    }
    if (sum == 0) throw usage_error(text("array ", a.name, " of ", path_, " varies, but no rank may have rows of it"));
    a.extents[0] = sum;
    if (!a.own.is_empty()) a.own.lower[0] = before, a.own.upper[0] = before + most[v];
    ++v;
  }
}

void stream_layout::check_rows(const std::vector<index_t>& rows) const {
  const index_t varying =
      std::count_if(arrays_.begin(), arrays_.end(), [](const output_array& a) { return a.is_varying; });
  if (as_index(rows.size()) != varying)
    throw usage_error(text("begin_step() of the stream ", path_, " is given the rows of ", rows.size(),
                           " arrays; those that vary are ", varying));
  auto given = rows.begin();
  for (const output_array& a : arrays_) {
    if (!a.is_varying) continue;
    const index_t most = a.own.is_empty() ? 0 : a.own.extent(0);
    if (*given < 0 || *given > most)
      throw usage_error(text("begin_step() of the stream ", path_, ": rank ", members_.rank(), " has ", *given,
                             " rows of array ", a.name, "; 0 to ", most,
                             " are possible, as its box was when the stream was made"));
    ++given;
  }
}

// What the root finds out about the file is known to all: each works out for itself where its rows are.
void stream_layout::lay_out_step(index_t step_number, double time, const std::vector<index_t>& rows, std::byte* table) {
  rows_.assign(arrays_.size(), -1);
  if (!has_varying()) {
    now_ = plan_.layout_of(step_number, nullptr);
    begin_giving(step_number);
    return;
  }
  const auto all = all_of_team(rows);
  step_request step{time, {}};
  for (std::size_t r = 0; r < as_size(members_.size()); ++r)
    step.rows.emplace_back(all.begin() + as_index(r * rows.size()), all.begin() + as_index((r + 1) * rows.size()));
  now_ = {};
  agree(members_, [&] {
    if (!members_.is_root()) return;
    const format& f = format_of(options_.format);
    f.check_rows(arrays_, step);
    now_ = f.lay_out_step(request(), step);
  });
  now_.begins.resize(arrays_.size());
  std::vector<index_t> places = now_.begins;
  places.push_back(now_.file_bytes);
  const auto bytes = checked_int(as_index(places.size() * sizeof(index_t)), "bytes of a step's places");
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(places.data(), bytes, MPI_BYTE, 0, members_.comm()); });
  now_.file_bytes = places.back(), places.pop_back();
  now_.begins = std::move(places);
  place_rows(step);
  agree(members_, [&] {
    if (table != nullptr) now_.put_table(plan_.layout, table);
  });
  begin_giving(step_number);
}

void stream_layout::place_rows(const step_request& step) {
  now_.bricks = plan_.layout.bricks;
  std::size_t v = 0;
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    if (!arrays_[a].is_varying) continue;
    rows_[a] = step.rows[as_size(members_.rank())][v];
    std::vector<index_t> first(step.rows.size() + 1);
    for (std::size_t r = 0; r < step.rows.size(); ++r) first[r + 1] = first[r] + step.rows[r][v];
    for (std::size_t b = 0; b < now_.bricks.size(); ++b) {
      if (now_.bricks[b].array != static_cast<int>(a)) continue;
      const auto r = as_size(brick_ranks_[b]);
      now_.bricks[b].where.lower[0] = first[r], now_.bricks[b].where.upper[0] = first[r + 1];
    }
    ++v;
  }
}

}  // namespace nearfar::output
