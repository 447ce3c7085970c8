// SPDX-License-Identifier: BSD-3-Clause
// Leaves lie along the curve and so do their values: a rank of any number finds its own by their number.
#include <array>
#include <bit>
#include <cmath>
#include <common/agreement.hpp>
#include <cstdio>
#include <mesh/octant.hpp>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>
#include <output/checkpoint.hpp>

namespace adaptive_heat {
namespace {

constexpr const char* format = "nearfar adaptive heat 3";
enum : std::size_t { leaves_set, values_set, sum_set };
enum : std::size_t { state_attribute, problem_attribute };

using numbers = std::vector<double>;

numbers numbers_of(const run_state& s) { return {static_cast<double>(s.step), s.time, s.adapted_at, s.points}; }

run_state state_from(const numbers& n) {
  return {.step = static_cast<int>(n[0]), .time = n[1], .adapted_at = n[2], .points = n[3]};
}

/// Calls act(member) for all members of a problem that are numbers, in the order of the file. P may be const.
template <class P, class Act>
void for_members(P& p, Act&& act) {
  act(p.name), act(p.levels), act(p.steps), act(p.iterations), act(p.radius), act(p.integral);
  for (auto* list : {&p.centre, &p.velocity, &p.flow, &p.origin})
    for (auto& value : *list) act(value);
  act(p.strength), act(p.viscosity), act(p.length), act(p.adapt_every), act(p.step_given), act(p.order);
}

numbers numbers_of(const problem& p) {
  numbers all;
  for_members(p, [&](auto value) { all.push_back(static_cast<double>(value)); });
  return all;
}

problem problem_from(const numbers& n) {
  problem p;
  std::size_t at = 0;
  for_members(p, [&]<class T>(T& value) { value = static_cast<T>(n[at++]); });
  return p;
}

/// What a number of a checkpoint may be. Its sum may be right and it absurd all the same, by the hand of whoever wrote
/// it; settings allow no more, but for lengths, times and velocities beyond any use.
struct bounds {
  const char* name;
  double low, high;
  bool is_whole = false;
};
constexpr double most = 1e30, least = 1e-30, most_steps = 1e6;
/// In the order of the file.
constexpr std::array<bounds, 4> state_bounds{
    {{"step", 0, most_steps, true}, {"time", 0, most}, {"time of the mesh", 0, most}, {"points", 0, most}}};
constexpr std::array<bounds, 24> problem_bounds{
    {{"class", 32, 126, true},       {"levels", 1, max_level - 1, true},
     {"steps", 0, most_steps, true}, {"iterations", 1, 1000, true},
     {"radius", least, most},        {"integral", -most, most},
     {"centre x", -most, most},      {"centre y", -most, most},
     {"centre z", -most, most},      {"velocity x", -most, most},
     {"velocity y", -most, most},    {"velocity z", -most, most},
     {"flow x", -most, most},        {"flow y", -most, most},
     {"flow z", -most, most},        {"origin x", -most, most},
     {"origin y", -most, most},      {"origin z", -most, most},
     {"strength", -most, most},      {"diffusivity", least, most},
     {"length", least, most},        {"steps per adaptation", 1, most_steps, true},
     {"time step", 0, most},         {"order", least_order, most_order, true}}};

std::string text_of(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

/// @throws nearfar::io_error  that names the number, its value and the range
void check_numbers(const std::string& path, const numbers& found, std::span<const bounds> allowed) {
  if (found.size() != allowed.size()) throw nearfar::io_error(path + " has another number of values than a checkpoint");
  for (std::size_t n = 0; n < allowed.size(); ++n) {
    const bounds& b = allowed[n];
    if (found[n] >= b.low && found[n] <= b.high && (!b.is_whole || found[n] == std::floor(found[n]))) continue;
    throw nearfar::io_error(path + ": " + b.name + " = " + text_of(found[n]) + ", allowed are " +
                            (b.is_whole ? "whole numbers from " : "numbers from ") + text_of(b.low) + " to " +
                            text_of(b.high));
  }
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

/// Number of the first of this rank's leaves.
std::int64_t first_leaf(const nearfar::team& members, const heat_solver& solver) {
  const auto own = static_cast<std::int64_t>(solver.mesh().leaves.size());
  std::int64_t first = 0;
  nearfar::exscan(members, std::span<const std::int64_t>(&own, 1), std::span<std::int64_t>(&first, 1),
                  nearfar::reduce_op::sum);
  return members.is_root() ? 0 : first;
}

/// Of leaves and values, each with its place (the file's seal covers the rest), so that no order of ranks matters and
/// no two words can change places.
class check_sum {
 public:
  void add(std::int64_t place, std::uint64_t word) {
    sum_ += (word ^ static_cast<std::uint64_t>(place)) * 0x9e3779b97f4a7c15U + (word >> 29);
  }
  void add_element(std::int64_t number, std::uint64_t leaf, std::span<const double> values) {
    std::int64_t place = number * static_cast<std::int64_t>(values.size() + 1);
    add(place++, leaf);
    for (const double v : values) add(place++, std::bit_cast<std::uint64_t>(v));
  }
  std::uint64_t of_all(const nearfar::team& members) const {
    return nearfar::allreduce(members, sum_, nearfar::reduce_op::sum);
  }

 private:
  std::uint64_t sum_ = 0;
};

/// Calls act(first leaf, number) for the leaves of this rank, some at a time.
template <class Act>
void for_batches(std::size_t leaves, Act&& act) {
  constexpr std::size_t at_a_time = 512;
  for (std::size_t begin = 0; begin < leaves; begin += at_a_time) act(begin, std::min(at_a_time, leaves - begin));
}

}  // namespace

void write_checkpoint(const nearfar::team& members, const std::string& path, const problem& what, const run_state& now,
                      const heat_solver& solver) {
  const auto& leaves = solver.mesh().leaves;
  const std::int64_t all = solver.mesh().all_leaves, first = first_leaf(members, solver);
  const point_counts& counts = solver.elements().counts();
  const int points = counts.points(), volume = counts.volume();
  file_layout layout;
  layout.data = {{"/leaves", value_type::u64, {all}},
                 {"/temperature", value_type::f64, {all, points, points, points}},
                 {"/check_sum", value_type::u64, {1}}};
  layout.attributes = {
      {"/", "format", std::string(format)}, {"/", "state", numbers_of(now)}, {"/", "problem", numbers_of(what)}};
  layout.is_sealed = true;
  shared_file file(members, path, layout);
  check_sum sum;
  for_batches(leaves.size(), [&](std::size_t begin, std::size_t count) {
    std::vector<std::uint64_t> codes;
    const auto size = static_cast<std::size_t>(volume);
    std::vector<double> values(count * size);
    const std::int64_t number = first + static_cast<std::int64_t>(begin);
    for (std::size_t n = 0; n < count; ++n) {
      codes.push_back(leaves[begin + n].code());
      solver.elements().copy_values(begin + n, values.data() + n * size);
      sum.add_element(number + static_cast<std::int64_t>(n), codes.back(), std::span(values).subspan(n * size, size));
    }
    file.write(leaves_set, number, std::span<const std::uint64_t>(codes));
    file.write(values_set, number * volume, std::span<const double>(values));
  });
  const std::uint64_t total = sum.of_all(members);
  if (members.is_root()) file.write(sum_set, 0, std::span<const std::uint64_t>(&total, 1));
  file.commit(shared_file::durability::synced);
}

checkpoint::checkpoint(const nearfar::team& members, const std::string& path) : team_(members), path_(path) {
  file_.emplace(
      members, path,
      file_wishes{
          .format = format,
          .data = {{"/leaves", value_type::u64}, {"/temperature", value_type::f64}, {"/check_sum", value_type::u64}},
          .attributes = {"state", "problem"},
          .is_sealed = true});
  // The same on every rank, and so is what is wrong with it.
  check_numbers(path, file_->numbers(state_attribute), state_bounds);
  check_numbers(path, file_->numbers(problem_attribute), problem_bounds);
  if (file_->values_in(sum_set) != 1) throw nearfar::io_error(path + " has another number of values than a checkpoint");
  state_ = state_from(file_->numbers(state_attribute));
  problem_ = problem_from(file_->numbers(problem_attribute));
  check_together(path, problem_, state_);
  if (file_->values_in(values_set) != point_counts{problem_.order}.volume() * file_->values_in(leaves_set))
    throw nearfar::io_error(path + " has another number of values than a checkpoint of order " +
                            std::to_string(problem_.order));
}

void checkpoint::set_values(heat_solver& solver) const {
  const point_counts& counts = solver.elements().counts();
  if (counts.order != problem_.order)
    throw nearfar::usage_error(path_ + " is of order " + std::to_string(problem_.order) + " and the run of order " +
                               std::to_string(counts.order) + ": a restart goes on with the order of its file");
  const auto volume = static_cast<std::size_t>(counts.volume());
  const std::int64_t first = first_leaf(team_, solver);
  check_sum sum;
  apps::agree_after(team_, [&] {
    check_leaves(solver, first);
    for_batches(solver.mesh().leaves.size(), [&](std::size_t begin, std::size_t count) {
      std::vector<double> values(count * volume);
      const std::int64_t number = first + static_cast<std::int64_t>(begin);
      file_->read(values_set, number * counts.volume(), std::span<double>(values));
      for (std::size_t n = 0; n < count; ++n) {
        const auto of_element = std::span<const double>(values).subspan(n * volume, volume);
        solver.elements().set_values(begin + n, of_element);
        sum.add_element(number + static_cast<std::int64_t>(n), solver.mesh().leaves[begin + n].code(), of_element);
      }
    });
  });
  const std::uint64_t found = sum.of_all(team_);
  apps::agree_after(team_, [&] {
    std::uint64_t expected = 0;
    file_->read(sum_set, 0, std::span<std::uint64_t>(&expected, 1));
    if (found != expected) throw nearfar::io_error(path_ + " is damaged: its check sum is another one");
  });
}

void checkpoint::check_leaves(const heat_solver& solver, std::int64_t first) const {
  const auto& leaves = solver.mesh().leaves;
  std::vector<std::uint64_t> codes(leaves.size());
  bool is_same = file_->values_in(leaves_set) == solver.mesh().all_leaves;
  if (is_same) file_->read(leaves_set, first, std::span<std::uint64_t>(codes));
  for (std::size_t n = 0; is_same && n < leaves.size(); ++n) is_same = codes[n] == leaves[n].code();
  if (!is_same) throw nearfar::io_error(path_ + ": its leaves are not those of its ball; it is damaged");
}

}  // namespace adaptive_heat
