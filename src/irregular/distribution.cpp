// SPDX-License-Identifier: BSD-3-Clause
// Makes distributions with collective checks, and tests them (check_round_trip).
#include <algorithm>
#include <array>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <functional>
#include <limits>
#include <nearfar/error.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <vector>

#include "block_distributions.hpp"
#include "directory.hpp"

namespace nearfar {

namespace {

void require_count(index_t n, const char* what) {
  if (n < 0) throw usage_error(text("distribution: ", what, " is ", n, "; it is 0 or more"));
}

/// The numbers that a factory was given are sensible here and the same everywhere.
void require_sizes(const nearfar::team& t, const std::function<void()>& check, std::span<const std::int64_t> sizes) {
  agree(t, check);
  require_same(t, "sizes of a distribution", sizes);
}

/// In two halves, since it may be more than an index can be; it is the largest index then.
index_t sum_over_ranks(const nearfar::team& t, index_t mine) {
  constexpr index_t half = index_t{1} << 32, most = std::numeric_limits<index_t>::max();
  std::array<index_t, 2> sums{mine / half, mine % half};
  watched_mpi("MPI_Allreduce",
              [&] { return MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_INT64_T, MPI_SUM, t.comm()); });
  const index_t high = sums[0] + sums[1] / half;
  return high > most / half ? most : high * half + sums[1] % half;
}

/// `counts` has room for one number per rank.
void gather_counts(const nearfar::team& t, index_t mine, std::vector<index_t>& counts) {
  watched_mpi("MPI_Allgather",
              [&] { return MPI_Allgather(&mine, 1, MPI_INT64_T, counts.data(), 1, MPI_INT64_T, t.comm()); });
}

/// The program's own rule, with the indices that it returns checked: a wrong owner would be read outside its memory.
struct by_rule : distribution_state {
  by_rule(const nearfar::team& t, std::shared_ptr<const distribution_rule> r)
      : distribution_state(t, r->elements()), rule(std::move(r)) {
    owned = rule->owned_by(t.rank());
  }
  void locate(std::span<const index_t> indices, std::span<int> owners, std::span<index_t> offsets) const override {
    rule->locate(indices, owners, offsets);
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (owners[i] < 0 || owners[i] >= members.size() || offsets[i] < 0 || offsets[i] >= elements)
        throw usage_error(text("distribution: the rule says that element ", indices[i], " is number ", offsets[i],
                               " of rank ", owners[i], "; ranks are 0 … ", members.size() - 1, ", numbers 0 … ",
                               elements - 1));
  }
  void globals(int rank, std::span<const index_t> offsets, std::span<index_t> indices) const override {
    rule->globals(rank, offsets, indices);
  }
  index_t limit_of(int rank) const noexcept override { return owned_by[as_size(rank)]; }
  std::string name() const override { return "by rule"; }
  std::shared_ptr<const distribution_rule> rule;
  std::vector<index_t> owned_by;  ///< per rank: the rule is asked for its own rank only
};

}  // namespace

distribution distribution::block(const nearfar::team& members, index_t elements) {
  require_sizes(
      members, [&] { require_count(elements, "the number of elements"); }, std::array{elements});
  return distribution(irregular::make_block(members, elements));
}

distribution distribution::block_sizes(const nearfar::team& members, index_t own) {
  std::vector<index_t> sizes;
  agree(members, [&] {
    require_count(own, "the number of own elements");
    sizes.resize(as_size(members.size()));
  });
  gather_counts(members, own, sizes);
  return block_sizes(members, sizes);
}

distribution distribution::block_sizes(const nearfar::team& members, std::span<const index_t> of_ranks) {
  if (as_index(of_ranks.size()) != members.size())
    throw usage_error(text("distribution: ", of_ranks.size(), " sizes of blocks for ", members.size(), " ranks"));
  std::vector<index_t> firsts{0};
  for (const index_t size : of_ranks) {
    require_count(size, "the size of a block");
    if (size > std::numeric_limits<index_t>::max() - firsts.back())
      throw usage_error(text("distribution: the sizes of the blocks of ranks 0 … ", firsts.size() - 1,
                             " come to more than ", std::numeric_limits<index_t>::max(),
                             " elements, which is the most"));
    firsts.push_back(firsts.back() + size);
  }
  return distribution(irregular::make_block_sizes(members, of_ranks[as_size(members.rank())], std::move(firsts)));
}

distribution distribution::cyclic(const nearfar::team& members, index_t elements) {
  require_sizes(
      members, [&] { require_count(elements, "the number of elements"); }, std::array{elements, index_t{1}});
  return distribution(irregular::make_dealt(members, elements, 1, "cyclic"));
}

distribution distribution::block_cyclic(const nearfar::team& members, index_t elements, index_t block_elements) {
  const auto check = [&] {
    require_count(elements, "the number of elements");
    if (block_elements < 1 || block_elements > std::numeric_limits<index_t>::max() / members.size())
      throw usage_error(text("distribution: a block has ", block_elements, " elements; it has 1 or more"));
  };
  require_sizes(members, check, std::array{elements, block_elements});
  return distribution(irregular::make_dealt(members, elements, block_elements, "block-cyclic"));
}

namespace {
distribution two_blocks(const nearfar::team& members, index_t elements, index_t first, bool is_reversed) {
  const auto check = [&] {
    require_count(elements, "the number of elements");
    if (first < 0 || first > elements)
      throw usage_error(text("distribution: the first part has ", first, " elements; it has 0 … ", elements));
  };
  require_sizes(members, check, std::array{elements, first, index_t{is_reversed}});
  return internals::made_of<distribution>(irregular::make_two_block(members, elements, first, is_reversed));
}
}  // namespace

distribution distribution::two_block(const nearfar::team& members, index_t elements, index_t first_elements) {
  return two_blocks(members, elements, first_elements, false);
}
distribution distribution::reversed_two_block(const nearfar::team& members, index_t elements, index_t first_elements) {
  return two_blocks(members, elements, first_elements, true);
}

distribution distribution::from_owned(const nearfar::team& members, std::span<const index_t> owned) {
  const index_t elements = sum_over_ranks(members, as_index(owned.size()));
  return distribution(irregular::make_directory(members, elements, owned));
}

distribution distribution::from_rule(const nearfar::team& members, std::shared_ptr<const distribution_rule> rule) {
  std::shared_ptr<by_rule> made;
  agree(members, [&] {
    if (!rule) throw usage_error("distribution: there is no rule");
    made = std::make_shared<by_rule>(members, std::move(rule));
    made->owned_by.resize(as_size(members.size()));
    require_count(made->elements, "elements() of the rule");
    require_count(made->owned, "owned_by() of the rule");
  });
  require_same(members, "elements() of the rule of a distribution", std::array{made->elements});
  gather_counts(members, made->owned, made->owned_by);
  const index_t sum = sum_over_ranks(members, made->owned);
  if (sum != made->elements)
    throw usage_error(text("distribution: the rule has ", made->elements, " elements, but the ranks own ", sum));
  return distribution(std::move(made));
}

distribution::distribution(std::shared_ptr<const distribution_state> state) noexcept
    : state_(std::move(state)), elements_(state_->elements), owned_(state_->owned) {}

const nearfar::team& distribution::team() const noexcept { return state_->members; }
bool distribution::is_locating_collective() const noexcept { return state_->is_collective(); }

void distribution::locate(std::span<const index_t> indices, std::span<int> owners, std::span<index_t> offsets) const {
  const auto check = [&] {
    if (owners.size() != indices.size() || offsets.size() != indices.size())
      throw usage_error(text("distribution: locate() got ", indices.size(), " indices, room for ", owners.size(),
                             " owners and ", offsets.size(), " offsets"));
    for (const index_t g : indices)
      if (g < 0 || g >= elements())
        throw usage_error(text("distribution: index ", g, " is out of range; indices are 0 … ", elements() - 1));
  };
  if (is_locating_collective())
    agree(team(), check);
  else
    check();
  state_->locate(indices, owners, offsets);
}

void distribution::globals(std::span<const index_t> offsets, std::span<index_t> indices) const {
  if (offsets.size() != indices.size())
    throw usage_error(text("distribution: globals() got ", offsets.size(), " offsets and room for ", indices.size()));
  for (const index_t l : offsets)
    if (l < 0 || l >= owned())
      throw usage_error(
          text("distribution: offset ", l, " is out of range; rank ", team().rank(), " owns ", owned(), " elements"));
  state_->globals(team().rank(), offsets, indices);
}

void distribution::check_round_trip(index_t sample) const {
  const index_t sum = sum_over_ranks(team(), owned());
  if (sum != elements())
    throw usage_error(text("distribution ", state_->name(), ": the ranks own ", sum, " of ", elements(), " elements"));
  const index_t count = sample > 0 ? std::min(sample, owned()) : owned();
  std::vector<index_t> offsets(as_size(count)), indices(offsets.size()), back(offsets.size());
  std::vector<int> owners(offsets.size());
  for (index_t i = 0; i < count; ++i) offsets[as_size(i)] = i * owned() / count;
  const auto refuse = [&](std::size_t i, const std::string& found) {
    throw usage_error(text("distribution ", state_->name(), ": element ", offsets[i], " of rank ", team().rank(),
                           " has index ", indices[i], ", ", found));
  };
  agree(team(), [&] {
    state_->globals(team().rank(), offsets, indices);
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (indices[i] < 0 || indices[i] >= elements()) refuse(i, text("but indices are 0 … ", elements() - 1));
  });
  const auto look = [&] { state_->locate(indices, owners, back); };
  if (is_locating_collective())
    look();
  else
    agree(team(), look);
  agree(team(), [&] {
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (owners[i] != team().rank() || back[i] != offsets[i])
        refuse(i, text("which is located at ", back[i], " of rank ", owners[i]));
  });
}

std::string distribution::describe() const {
  return text(state_->name(), ", ", elements(), " elements, ", owned(), " here");
}

}  // namespace nearfar
