// SPDX-License-Identifier: BSD-3-Clause
// Our side of the comparison, by the public interface alone.
#include <algorithm>
#include <stdexcept>

#include "bench_halo_exchanger.hpp"

namespace bench {
namespace {

class nearfar_exchanger : public exchanger {
 public:
  nearfar_exchanger(std::vector<nearfar::halo_part> parts, const nearfar::halo_options& options)
      : plan_(std::move(parts), options) {}
  void exchange() override { plan_.run(); }
  std::string choice() const override { return plan_.method(); }

 private:
  nearfar::halo_plan plan_;
};

bool has_peers(const nearfar::team& members, bool near) {
  return near ? members.near_size() > 1 || members.size() == 1 : members.nodes() > 1;
}

}  // namespace

std::vector<nearfar_choice> nearfar_choices(const nearfar::team& members) {
  std::vector<nearfar_choice> choices{{"nearfar", "", false}, {"nearfar-own", "", true}};
  // [methods]
  for (const auto& m : nearfar::methods("halo")) {
    const bool serves = (m.near && has_peers(members, true)) || (m.far && has_peers(members, false));
    if (!m.is_candidate || !serves) continue;
    choices.push_back({"nearfar:" + m.name, m.name, false});
    choices.push_back({"nearfar:" + m.name + "-own", m.name, true});
  }
  // [methods]
  return choices;
}

nearfar::grid make_nearfar_grid(const nearfar::team& members, const halo_case& c, const geometry& where) {
  nearfar::grid_options options;
  options.periodic = c.periodic;
  options.process_grid = where.process_grid;
  nearfar::grid cells(members, where.global, options);
  for (std::size_t d = 0; d < where.lower.size(); ++d)
    if (cells.own().lower[d] != where.lower[d] || cells.own().extent(static_cast<int>(d)) != where.own[d])
      throw std::runtime_error(c.name + ": the library's tiles are not those of the bench");
  return cells;
}

nearfar::ghosts ghosts_of(const halo_case& c) {
  nearfar::ghosts widths(0);
  for (std::size_t d = 0; d < c.ghosts.size(); ++d) widths.set(static_cast<int>(d), c.ghosts[d], c.ghosts[d]);
  return widths;
}

template <class T>
near_arrays<T>::near_arrays(const nearfar::grid& cells, const halo_case& c) {
  nearfar::field_options options;
  options.ghosts = ghosts_of(c);
  for (int f = 0; f < c.fields; ++f) {
    handles.emplace_back(cells, options);
    fields.push_back(handles.back().data());
  }
  for (std::size_t d = 0; d < c.tile.size(); ++d)
    strides.push_back(handles.front().layout().strides_bytes[d] / static_cast<index_t>(sizeof(T)));
}

exchanger_ptr make_nearfar_exchanger(const halo_case& c, std::vector<nearfar::halo_part> parts,
                                     const std::string& method, double tune_s) {
  nearfar::halo_options options;
  options.name = c.name;
  options.method = method;
  options.stencil = c.is_star ? nearfar::stencil::star : nearfar::stencil::box;
  options.budget_s = tune_s;
  return std::make_unique<nearfar_exchanger>(std::move(parts), options);
}

template class near_arrays<float>;
template class near_arrays<double>;

}  // namespace bench
