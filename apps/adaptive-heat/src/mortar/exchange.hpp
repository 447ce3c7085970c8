// SPDX-License-Identifier: BSD-3-Clause
// Sums on mortar points over all elements that touch them, across ranks.
#pragma once

#include <functional>
#include <memory>
#include <mortar/layout.hpp>
#include <nearfar/gather_plan.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace adaptive_heat {

enum class exchange_form {
  owner,    ///< owners hold the unknowns: sums go to them, values come from them. As in Korzh's PGAS version
  copies,   ///< every rank that refers to a point computes with a copy of its own: sums come to all of them
  ordered,  ///< as owner, and every sum is made in the order of the elements: the same bits for any number of ranks
};
/// @throws nearfar::usage_error for another name
exchange_form exchange_form_named(std::string_view name);

/// Which elements refer to which points, in the order of the elements along the curve: only for the ordered form.
struct ordered_references {
  std::vector<std::int64_t> points;  ///< global indices among all points
};
ordered_references references_in_order(const nearfar::team& members, const mortar_layout& layout,
                                       std::span<const leaf_shape> shapes);
/// The values of those references: what elements give to their own points, spread over the mortars of split edges and faces.
/// `given(element, n)` is what an element gives to its boundary point n.
void spread_contributions(std::span<const leaf_shape> shapes,
                          const std::function<double(std::size_t element, std::size_t n)>& given,
                          std::span<double> values);

/// The executor, made once and renewed with the mesh. All calls but local ones are collective over the team.
class mortar_exchange {
 public:
  mortar_exchange(const nearfar::team& members, exchange_form form) : team_(members), form_(form) {}
  void renew(const mortar_layout& layout, std::span<const leaf_shape> shapes);

  exchange_form form() const noexcept { return form_; }
  bool is_alone() const noexcept { return team_.size() == 1; }
  /// Sums are wanted on all copies, whichever the form; else only where the form needs them.
  enum class where { form, all };

  /// Forms owner and copies: the vector has what the rank's boundary elements gave; what the inner ones give may be added
  /// until finish_sum.
  void start_sum(double* vector, where wanted = where::form);
  /// Everything has been given.
  void finish_sum(double* vector);
  /// Forms owner and copies: both vectors, complete on this rank, are summed over ranks at all copies of points. Traces are not touched.
  void sum_shared(double* a, double* b);
  /// Form ordered: vector = the sums of these values of references (see spread_contributions); and the ghosts', if wanted.
  void sum_in_order(std::span<const double> values, double* vector, where wanted = where::form);
  /// Ghosts := their owners' values, where the form has not done that.
  void spread(double* vector);

  std::size_t references() const noexcept { return references_; }  ///< of the ordered form
  std::string describe() const;

 private:
  std::span<double> shared_part(double* vector) const;
  std::span<double> real_part(double* vector) const;

  nearfar::team team_;
  exchange_form form_;
  const mortar_layout* layout_ = nullptr;
  std::optional<nearfar::gather_plan> plan_;
  std::optional<nearfar::gather_token> pending_;
  std::size_t references_ = 0;
};

}  // namespace adaptive_heat
