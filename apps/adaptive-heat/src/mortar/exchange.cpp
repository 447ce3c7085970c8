// SPDX-License-Identifier: BSD-3-Clause
// The executor on irregular plans: over the shared points, or over all references where their order matters.
#include <algorithm>
#include <mortar/element_points.hpp>
#include <mortar/exchange.hpp>
#include <mortar/traces.hpp>
#include <nearfar/error.hpp>
#include <numeric>

namespace adaptive_heat {

exchange_form exchange_form_named(std::string_view name) {
  if (name == "owner") return exchange_form::owner;
  if (name == "copies") return exchange_form::copies;
  if (name == "assembly") return exchange_form::assembly;
  if (name == "distributed") return exchange_form::distributed;
  if (name == "ordered") return exchange_form::ordered;
  throw nearfar::usage_error("there is no form of exchange '" + std::string(name) +
                             "'; the forms are copies, assembly, owner, distributed, ordered");
}

ordered_references references_in_order(const nearfar::team& members, const mortar_layout& layout,
                                       std::span<const leaf_shape> shapes) {
  const std::int64_t own = layout.own();
  const std::int64_t start =
      std::accumulate(layout.own_sizes.begin(), layout.own_sizes.begin() + members.rank(), std::int64_t{0});
  ordered_references refs;
  const auto add = [&](std::int32_t place) {
    refs.points.push_back(place < own ? start + place : layout.ghost_index_all[static_cast<std::size_t>(place - own)]);
  };
  for (std::size_t n = 0; n < shapes.size(); ++n) for_points_of(layout, shapes[n], n, add);
  return refs;
}

void spread_contributions(int order, std::span<const leaf_shape> shapes,
                          const std::function<double(std::size_t element, std::size_t n)>& given,
                          std::span<double> values) {
  const point_counts counts{order};
  double* to = values.data();
  std::vector<double> own(static_cast<std::size_t>(counts.of_dimension(2)));
  for (std::size_t n = 0; n < shapes.size(); ++n)
    for (int e = 0; e < entities; ++e) {
      const int size = counts.of_entity(e);
      for (int p = 0; p < size; ++p)
        own[static_cast<std::size_t>(p)] = given(n, static_cast<std::size_t>(counts.offset(e) + p));
      if (!is_split(shapes[n], e)) {
        to = std::copy_n(own.data(), size, to);
      } else if (e < first_face) {
        project_line_transposed(order, own.data(), to);
        to += counts.line();
      } else {
        project_face_transposed(order, own.data(), to);
        to += counts.grid();
      }
    }
}

mortar_exchange::mortar_exchange(const nearfar::team& members, exchange_form form, int threads,
                                 point_distribution distribution)
    : team_(members), form_(form), threads_(threads) {
  if (members.size() == 1) return;
  if (form == exchange_form::copies) copies_.emplace(members);
  if (form == exchange_form::distributed) distributed_.emplace(members, distribution);
}

void mortar_exchange::renew(const mortar_layout& layout, std::span<const leaf_shape> shapes) {
  layout_ = &layout;
  spans_ = spans_of_traces(layout);
  if (copies_) return copies_->renew(layout);
  if (distributed_) return distributed_->renew(layout, shapes);
  const bool is_ordered = form_ == exchange_form::ordered;
  if (team_.size() == 1 && !is_ordered) return;
  const auto where = nearfar::distribution::block_sizes(team_, is_ordered ? layout.own_sizes : layout.shared_sizes);
  const ordered_references refs = is_ordered ? references_in_order(team_, layout, shapes) : ordered_references{};
  references_ = refs.points.size();
  const std::span<const std::int64_t> indices = is_ordered ? refs.points : layout.ghost_index;
  if (plan_)
    plan_->update(where, indices);
  else
    plan_.emplace(
        where, indices,
        nearfar::irregular_options{
            .name = "mortars", .order = is_ordered ? nearfar::scatter_order::canonical : nearfar::scatter_order::plan});
}

std::span<double> mortar_exchange::shared_part(double* vector) const {
  return {vector + layout_->own_private, static_cast<std::size_t>(layout_->own_shared + layout_->ghosts)};
}
std::span<double> mortar_exchange::real_part(double* vector) const {
  return {vector, static_cast<std::size_t>(layout_->total())};
}

void mortar_exchange::start_sum(double* vector, where wanted) {
  collect_shared_traces(*layout_, vector);
  if (copies_) copies_->start(vector);
  if (!plan_) return;
  if (form_ == exchange_form::assembly || wanted == where::all)
    plan_->start_assemble_ghosts(shared_part(vector));
  else
    plan_->start_scatter_ghosts(shared_part(vector));
}

void mortar_exchange::finish_sum(double* vector) {
  collect_other_traces(threads_, *layout_, spans_, vector);
  if (copies_) copies_->finish();
  if (distributed_) distributed_->sum(vector);
  if (plan_) plan_->finish();
}

void mortar_exchange::sum_shared(double* a, double* b) {
  if (copies_) copies_->sum(a, b);
  if (distributed_)
    for (double* const vector : {a, b}) distributed_->sum(vector);
  if (!plan_) return;
  const nearfar::irregular_item both[] = {{nearfar::array_of(shared_part(a)), {}},
                                          {nearfar::array_of(shared_part(b)), {}}};
  plan_->run(nearfar::irregular_kind::assemble_ghosts, both);
}

void mortar_exchange::sum_in_order(std::span<const double> values, double* vector, where wanted) {
  std::fill_n(vector, layout_->size, 0.0);
  plan_->scatter(values, real_part(vector));
  if (wanted == where::all) spread(vector);
}

void mortar_exchange::spread(double* vector) {
  if (!plan_ || has_copies(form_)) return;
  plan_->gather_ghosts(form_ == exchange_form::ordered ? real_part(vector) : shared_part(vector));
}

std::string mortar_exchange::describe() const {
  return plan() != nullptr ? plan()->describe() : "one rank: nothing is exchanged";
}

}  // namespace adaptive_heat
