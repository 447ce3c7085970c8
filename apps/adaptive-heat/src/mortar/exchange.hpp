// SPDX-License-Identifier: BSD-3-Clause
// Sums on mortar points over all elements that touch them, across ranks.
#pragma once

#include <functional>
#include <memory>
#include <mortar/copy_sums.hpp>
#include <mortar/distributed_sums.hpp>
#include <mortar/layout.hpp>
#include <mortar/traces.hpp>
#include <nearfar/irregular_plan.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace adaptive_heat {

enum class exchange_form {
  owner,   ///< owners hold the unknowns: sums go to them, values come from them. As in Korzh's PGAS version
  copies,  ///< every rank that refers to a point computes with a copy of its own, and sums what all of them send to it
  assembly,     ///< as copies, but owners make the sums and send them back: two rounds of messages
  distributed,  ///< as copies, but sums are made in a vector that is distributed some other way, and come back from
                ///< there
  ordered,      ///< as owner, and every sum is made in the order of the elements: the same bits for any number of ranks
};
/// Whether ranks compute with ghosts as with their own points.
constexpr bool has_copies(exchange_form form) {
  return form == exchange_form::copies || form == exchange_form::assembly || form == exchange_form::distributed;
}
/// @throws nearfar::usage_error for another name
exchange_form exchange_form_named(std::string_view name);

/// Which elements refer to which points, in the order of the elements along the curve: only for the ordered form.
struct ordered_references {
  std::vector<std::int64_t> points;  ///< global indices among all points
};
ordered_references references_in_order(const nearfar::team& members, const mortar_layout& layout,
                                       std::span<const leaf_shape> shapes);
/// The values of those references: what elements give to their own points, spread over the mortars of split edges and
/// faces. `given(element, n)` is what an element gives to its boundary point n.
void spread_contributions(int order, std::span<const leaf_shape> shapes,
                          const std::function<double(std::size_t element, std::size_t n)>& given,
                          std::span<double> values);

/// The executor, made once and renewed with the mesh. All calls but local ones are collective over the team.
class mortar_exchange {
 public:
  /// The distribution is that of the form `distributed`.
  mortar_exchange(const nearfar::team& members, exchange_form form, int threads = 1,
                  point_distribution distribution = point_distribution::block);
  void renew(const mortar_layout& layout, std::span<const leaf_shape> shapes);

  exchange_form form() const noexcept { return form_; }
  bool is_alone() const noexcept { return team_.size() == 1; }
  /// Sums are wanted on all copies, whichever the form; else only where the form needs them.
  enum class where { form, all };

  /// All forms but ordered: the vector has what the rank's boundary elements gave; what the inner ones give may be
  /// added until finish_sum.
  void start_sum(double* vector, where wanted = where::form);
  /// Everything has been given.
  void finish_sum(double* vector);
  /// All forms but ordered: both vectors, complete on this rank, are summed over ranks at all copies of points. Traces
  /// are not touched.
  void sum_shared(double* a, double* b);
  /// What lies before is this rank's alone: sums leave it as it is. Local.
  index_t first_summed() const noexcept { return distributed_ ? 0 : layout_->own_private; }
  /// Form ordered: vector = the sums of these values of references (see spread_contributions); and the ghosts', if
  /// wanted.
  void sum_in_order(std::span<const double> values, double* vector, where wanted = where::form);
  /// Ghosts := their owners' values, where the form has not done that.
  void spread(double* vector);

  std::size_t references() const noexcept { return references_; }  ///< of the ordered form
  std::string describe() const;
  /// What moves the values; null where there is one rank alone.
  const nearfar::irregular_plan* plan() const noexcept {
    return copies_ ? &copies_->plan() : distributed_ ? &distributed_->plan() : plan_ ? &*plan_ : nullptr;
  }

 private:
  std::span<double> shared_part(double* vector) const;
  std::span<double> real_part(double* vector) const;

  nearfar::team team_;
  exchange_form form_;
  thread_team threads_;
  trace_spans spans_;
  const mortar_layout* layout_ = nullptr;
  std::optional<copy_sums> copies_;              ///< of that form, where there are several ranks
  std::optional<distributed_sums> distributed_;  ///< likewise; else the plan
  std::optional<nearfar::irregular_plan> plan_;
  std::size_t references_ = 0;
};

}  // namespace adaptive_heat
