// SPDX-License-Identifier: BSD-3-Clause
// Leaves lie along the curve and so do their values: a rank of any number finds its own by their number.
#include <algorithm>
#include <cmath>
#include <common/agreement.hpp>
#include <cstdio>
#include <mesh/octant.hpp>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>
#include <output/checkpoint.hpp>

namespace adaptive_heat {
namespace {

using nearfar::element_type;
using numbers = std::vector<double>;

constexpr double most = 1e30, least = 1e-30, most_steps = 1e6;

/// Calls act(name, number, low, high) for the numbers of a problem and a state, in the order of the file, each with
/// what it may be: its sum may be right and it absurd all the same, by the hand of whoever wrote it. Settings allow no
/// more, but for lengths, times and velocities beyond any use. P and S may be const.
template <class P, class S, class Act>
void for_numbers(P& p, S& s, const Act& act) {
  act("class", p.name, 32, 126);
  act("levels", p.levels, 1, max_level - 1);
  act("steps", p.steps, 0, most_steps);
  act("iterations", p.iterations, 1, 1000);
  act("radius", p.radius, least, most);
  act("integral", p.integral, -most, most);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    act("centre", p.centre[axis], -most, most);
    act("velocity", p.velocity[axis], -most, most);
    act("flow", p.flow[axis], -most, most);
    act("origin", p.origin[axis], -most, most);
  }
  act("strength", p.strength, -most, most);
  for (auto* const list : {&p.more_sources, &p.at_start}) {
    act("balls of heat", list->count, 0, most_balls - 1);
    for (auto& b : list->all) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        act("centre", b.centre[axis], -most, most);
        act("velocity", b.velocity[axis], -most, most);
      }
      act("radius", b.radius, 0, most);
      act("strength", b.strength, -most, most);
    }
  }
  act("diffusivity", p.viscosity, least, most);
  act("length", p.length, least, most);
  act("steps per adaptation", p.adapt_every, 1, most_steps);
  act("time step", p.step_given, 0, most);
  act("order", p.order, least_order, most_order);
  act("step", s.step, 0, most_steps);
  act("time", s.time, 0, most);
  act("time of the mesh", s.adapted_at, 0, most);
  act("points", s.points, 0, most);
}

numbers numbers_of(const problem& p, const run_state& s) {
  numbers all;
  for_numbers(p, s, [&](const char*, auto value, double, double) { all.push_back(static_cast<double>(value)); });
  return all;
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

/// @throws nearfar::io_error  that names the number, its value and the range
void set_numbers(const std::string& path, const numbers& found, problem& p, run_state& s) {
  std::size_t at = 0;
  for_numbers(p, s, [&]<class T>(const char* name, T& value, double low, double high) {
    const double n = found[at++];
    const bool is_whole = std::is_integral_v<T>;
    if (!(n >= low && n <= high) || (is_whole && n != std::floor(n)))
      throw nearfar::io_error(path + ": " + name + " = " + text_of(n) + ", allowed are " +
                              (is_whole ? "whole numbers from " : "numbers from ") + text_of(low) + " to " +
                              text_of(high));
    value = static_cast<T>(n);
  });
}

/// What two numbers say together. @throws nearfar::io_error
void check_together(const std::string& path, const problem& p, const run_state& s) {
  const double end = p.time_step() * s.step;
  if (p.radius > p.length)
    throw nearfar::io_error(path + ": radius = " + text_of(p.radius) + " is above length = " + text_of(p.length));
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (std::abs(p.centre[axis] - p.origin[axis] - p.length / 2) > p.length / 2 * (1 + 1e-9))
      throw nearfar::io_error(path + ": the source's centre = " + text_of(p.centre[axis]) + " lies outside the cube");
  if (std::abs(s.time - end) > 1e-6 * end)
    throw nearfar::io_error(path + ": time = " + text_of(s.time) + ", but " + std::to_string(s.step) + " steps of " +
                            text_of(p.time_step()) + " end at " + text_of(end));
}

/// This rank's leaves among all: from, to.
std::array<std::int64_t, 2> own_leaves(const nearfar::team& members, const heat_solver& solver) {
  const auto own = static_cast<std::int64_t>(solver.mesh().leaves.size());
  std::int64_t first = 0;
  nearfar::exscan(members, std::span<const std::int64_t>(&own, 1), std::span<std::int64_t>(&first, 1),
                  nearfar::reduce_op::sum);
  if (members.is_root()) first = 0;
  return {first, first + own};
}

nearfar::box rows(const std::array<std::int64_t, 2>& own) { return {1, {own[0]}, {own[1]}}; }
nearfar::box values(const std::array<std::int64_t, 2>& own, std::int64_t points) {
  return {4, {own[0]}, {own[1], points, points, points}};
}

double* element(const nearfar::output_slot& slot, std::size_t n) {
  return reinterpret_cast<double*>(static_cast<char*>(slot.data) +
                                   static_cast<std::int64_t>(n) * slot.strides_bytes[0]);
}

}  // namespace

void checkpoint_writer::write(const problem& what, const run_state& now, const heat_solver& solver) {
  finish();
  const auto& leaves = solver.mesh().leaves;
  const std::int64_t all = solver.mesh().all_leaves, points = solver.elements().counts().points();
  const auto own = own_leaves(team_, solver);
  const numbers about = numbers_of(what, now);
  const auto count = static_cast<std::int64_t>(about.size());
  std::vector<nearfar::output_array> arrays(3);
  arrays[0] = {.name = "numbers", .extents = {count}, .type = element_type::float64};
  if (team_.is_root()) arrays[0].own = rows({0, count});
  arrays[1] = {.name = "leaves", .extents = {all}, .own = rows(own), .type = element_type::int64};
  arrays[2] = {.name = "temperature", .extents = {all, points, points, points}, .own = values(own, points)};
  arrays[2].type = element_type::float64;
  nearfar::output_options how{.format = "hdf5", .policy = nearfar::output_policy::thread, .depth = 1};
  how.opening = nearfar::output_opening::take_turns, how.expected_steps = 1, how.kept = std::exchange(kept_, {});
  stream_.emplace(team_, path_, std::move(arrays), how);
  stream_->begin_step(now.time);
  stream_->put("numbers", about.data());
  std::vector<std::uint64_t> codes;
  for (const octant& leaf : leaves) codes.push_back(leaf.code());
  stream_->put("leaves", codes.data());
  const nearfar::output_slot slot = stream_->slot("temperature");
  for (std::size_t n = 0; n < leaves.size(); ++n) solver.elements().copy_values(n, element(slot, n));
  stream_->end_step();
}

void checkpoint_writer::finish() {
  if (stream_) stream_->close();
  stream_.reset();
}

checkpoint::checkpoint(const nearfar::team& members, const std::string& path)
    : team_(members), file_(members, path, {.reads_ahead = false, .depth = 1}) {
  check_arrays();
  numbers found = numbers_of({}, {});
  begin({{"numbers", rows({0, static_cast<std::int64_t>(found.size())})}});
  file_.get("numbers", found.data());
  file_.end_step();
  // The same on every rank, and so is what is wrong with it.
  set_numbers(file_.path(), found, problem_, state_);
  check_together(file_.path(), problem_, state_);
  const std::int64_t points = point_counts{problem_.order}.points();
  if (file_.arrays()[2].extents != std::vector<std::int64_t>{file_.arrays()[1].extents[0], points, points, points})
    throw nearfar::io_error(file_.path() + " has another number of values than a checkpoint of order " +
                            std::to_string(problem_.order));
}

void checkpoint::check_arrays() const {
  const auto is = [&](std::size_t n, const char* name, element_type type, std::size_t dimensions) {
    const nearfar::output_array& a = file_.arrays()[n];
    return a.name == name && a.type == type && a.extents.size() == dimensions;
  };
  const bool is_checkpoint = file_.arrays().size() == 3 && is(0, "numbers", element_type::float64, 1) &&
                             is(1, "leaves", element_type::int64, 1) &&
                             is(2, "temperature", element_type::float64, 4) &&
                             file_.arrays()[0].extents[0] == static_cast<std::int64_t>(numbers_of({}, {}).size());
  if (!is_checkpoint) throw nearfar::usage_error(file_.path() + " is a stream of other things, not a checkpoint");
  if (file_.steps().size() != 1) throw nearfar::io_error(file_.path() + " has no checkpoint that is whole");
}

void checkpoint::begin(std::vector<nearfar::output_selection> wanted) {
  file_.select(std::move(wanted));
  file_.begin_step(0);
}

void checkpoint::set_values(heat_solver& solver) {
  const point_counts& counts = solver.elements().counts();
  if (counts.order != problem_.order)
    throw nearfar::usage_error(file_.path() + " is of order " + std::to_string(problem_.order) +
                               " and the run of order " + std::to_string(counts.order) +
                               ": a restart goes on with the order of its file");
  const auto& leaves = solver.mesh().leaves;
  const auto own = own_leaves(team_, solver);
  const auto is_other = [&] {
    return nearfar::io_error(file_.path() + ": its leaves are not those of its ball; it is damaged");
  };
  if (file_.arrays()[1].extents[0] != solver.mesh().all_leaves) throw is_other();
  begin({{"leaves", rows(own)}, {"temperature", values(own, counts.points())}});
  std::vector<std::uint64_t> codes(leaves.size());
  file_.get("leaves", codes.data());
  const nearfar::output_slot slot = file_.slot("temperature");
  const auto volume = static_cast<std::size_t>(counts.volume());
  apps::agree_after(team_, [&] {
    for (std::size_t n = 0; n < leaves.size(); ++n) {
      if (codes[n] != leaves[n].code()) throw is_other();
      solver.elements().set_values(n, {element(slot, n), volume});
    }
  });
  file_.end_step();
  file_.select({});  // the run has better use for the memory
}

}  // namespace adaptive_heat
