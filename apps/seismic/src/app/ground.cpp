// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <mpi.h>
#include <algorithm>
#include <app/ground.hpp>
#include <app/properties.hpp>
#include <cmath>
#include <common/agreement.hpp>
#include <common/progress.hpp>
#include <cstdio>
#include <model/padding.hpp>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>
#include <numbers>
#include <solver/propagator.hpp>

namespace seismic {

namespace {

system_kind system_of(const settings& s) {
  if (s.medium == medium_kind::iso) return system_kind::isotropic;
  if (s.system == wave_system::self_adjoint) return system_kind::self_adjoint;
  return s.medium == medium_kind::vti ? system_kind::fletcher_vti : system_kind::fletcher_tti;
}

bool has_layers(side_kind sides) { return sides != side_kind::periodic && sides != side_kind::rigid; }

/// Random sides have the stencil's border beyond them, as the mini-app's: its files are that large.
nearfar::ghosts layers_of(const settings& s) {
  const int beside =
      !has_layers(s.sides.kind) ? 0 : s.sides.cells + (s.sides.kind == side_kind::random ? s.order / 2 : 0);
  nearfar::ghosts by(beside);
  if (s.space.is_flat()) by.set(y, 0, 0);
  if (s.sides.has_free_surface) by.set(z, 0, beside);
  return by;
}

/// min(epsilon, delta).
class lowered final : public property {
 public:
  lowered(shared_property delta, shared_property epsilon) : delta_(std::move(delta)), epsilon_(std::move(epsilon)) {}
  void read(const nearfar::box& where, std::span<float> values) const override {
    delta_->read(where, values);
    std::vector<float> most(values.size());
    epsilon_->read(where, most);
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = std::min(values[n], most[n]);
  }
  std::string name() const override { return delta_->name(); }
  std::string caveat() const override { return delta_->caveat(); }

 private:
  shared_property delta_, epsilon_;
};

/// max(vs, share vp).
class raised final : public property {
 public:
  raised(shared_property vs, shared_property vp, double share)
      : vs_(std::move(vs)), vp_(std::move(vp)), share_(static_cast<float>(share)) {}
  void read(const nearfar::box& where, std::span<float> values) const override {
    vs_->read(where, values);
    std::vector<float> vp(values.size());
    vp_->read(where, vp);
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = std::max(values[n], share_ * vp[n]);
  }
  std::string name() const override { return vs_->name(); }

 private:
  shared_property vs_, vp_;
  float share_;
};

/// delta, and epsilon within half the radius around a source, smoothly in between: elliptic ground sends no slow shear
/// waves. @source usual in its purpose; the taper is ours
class elliptic_near_sources final : public property {
 public:
  elliptic_near_sources(shared_property delta, shared_property epsilon, const settings& s)
      : delta_(std::move(delta)), epsilon_(std::move(epsilon)), points_(s.space), radius_m_(s.model.elliptic_m) {
    for (const source_settings& source : s.sources) sources_.push_back(source.where_m);
  }
  void read(const nearfar::box& where, std::span<float> values) const override {
    delta_->read(where, values);
    std::vector<float> epsilon(values.size());
    epsilon_->read(where, epsilon);
    std::size_t n = 0;
    for (index_t k = where.lower[0]; k < where.upper[0]; ++k)
      for (index_t j = where.lower[1]; j < where.upper[1]; ++j)
        for (index_t i = where.lower[2]; i < where.upper[2]; ++i, ++n)
          values[n] += static_cast<float>(share_at({k, j, i})) * (epsilon[n] - values[n]);
  }
  std::string name() const override { return delta_->name(); }
  std::string caveat() const override { return delta_->caveat(); }

 private:
  double share_at(const std::array<index_t, 3>& at) const {
    double nearest = radius_m_;
    for (const position& source : sources_) {
      double square = 0;
      for (std::size_t d = 0; d < 3; ++d)
        square += std::pow(points_.origin_m[d] + static_cast<double>(at[d]) * points_.spacing_m[d] - source[d], 2);
      nearest = std::min(nearest, std::sqrt(square));
    }
    const double out = std::clamp(2 * nearest / radius_m_ - 1, 0.0, 1.0);
    return (1 + std::cos(std::numbers::pi * out)) / 2;
  }

  shared_property delta_, epsilon_;
  grid points_;
  double radius_m_;
  std::vector<position> sources_;
};

/// The least share of vp that vs may be, so that no contrast of the self-adjoint system's second field is too large for
/// it. Collective.
double least_vs_share(const nearfar::team& team, const grid& points, const medium& m, int order) {
  double least = 1, most = 0;
  apps::agree_after(team, [&] {
    const index_t planes = points.points[0], row = points.points[1] * points.points[2];
    std::array<std::vector<float>, 4> v;
    for (auto& values : v) values.resize(static_cast<std::size_t>(row));
    for (index_t k = planes * team.rank() / team.size(); k < planes * (team.rank() + 1) / team.size(); ++k) {
      for (std::size_t p = 0; p < v.size(); ++p)
        m.properties[p]->read({3, {k, 0, 0}, {k + 1, points.points[1], points.points[2]}}, v[p]);
      for (std::size_t n = 0; n < v[0].size(); ++n) {
        const auto [own, all] = couplings(v[0][n], v[1][n], v[2][n], v[3][n]);
        least = std::min(least, own), most = std::max(most, all);
      }
    }
  });
  least = nearfar::allreduce(team, least, nearfar::reduce_op::min),
  most = nearfar::allreduce(team, most, nearfar::reduce_op::max);
  // A raised cell may come to 1.2 times the most: so much less is allowed.
  const double contrast = largest_contrast(order), allowed = contrast / 1.2;
  return least * contrast >= most ? 0 : std::sqrt(most / allowed);
}

/// Each rank looks at some planes; the root says how far it is.
model_facts examined(const nearfar::team& team, const grid& points, const medium& m, const model_rules& rules) {
  model_facts mine;
  apps::agree_after(team, [&] {
    const index_t planes = points.points[0];
    const index_t first = planes * team.rank() / team.size(), end = planes * (team.rank() + 1) / team.size();
    apps::run_progress progress(static_cast<int>(end - first), "Mpts/s", stderr, ::isatty(STDERR_FILENO) != 0,
                                "plane of the model");
    const double begin_s = MPI_Wtime(), cells = static_cast<double>(points.points[1] * points.points[2]);
    std::array<std::vector<float>, 6> values;
    for (index_t k = first; k < end; ++k) {
      if (team.is_root())
        progress.advanced(static_cast<int>(k - first), static_cast<double>(k - first) * cells, MPI_Wtime() - begin_s);
      const nearfar::box where{3, {k, 0, 0}, {k + 1, points.points[1], points.points[2]}};
      for (std::size_t p = 0; p < values.size(); ++p) {
        if (m.properties[p] == nullptr) continue;
        values[p].resize(static_cast<std::size_t>(where.cells()));
        m.properties[p]->read(where, values[p]);
      }
      mine.merge(examine({values[0], values[1], values[2], values[3], values[4], values[5]}, where, rules));
    }
    progress.end();
  });
  std::vector<model_facts> all(static_cast<std::size_t>(team.size()));
  nearfar::allgather(team, &mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE);
  model_facts facts;
  for (const model_facts& f : all) facts.merge(f);
  return facts;
}

std::array<std::string, 6> names_of(const medium& m) {
  std::array<std::string, 6> names;
  for (std::size_t p = 0; p < names.size(); ++p) names[p] = m.properties[p] != nullptr ? m.properties[p]->name() : "0";
  return names;
}

/// Of the inner grid.
medium medium_of(const settings& s, std::array<shared_property, 6> properties) {
  medium m;
  const auto take = [&](std::initializer_list<property_kind> kinds) {
    for (const property_kind kind : kinds) m.set(kind, properties[static_cast<std::size_t>(kind)]);
  };
  take({property_kind::vp});
  if (s.medium != medium_kind::iso) take({property_kind::vs, property_kind::epsilon, property_kind::delta});
  if (s.medium == medium_kind::tti) take({property_kind::tilt, property_kind::azimuth});
  if (s.model.elliptic_m > 0 && m.of(property_kind::delta) != nullptr && m.of(property_kind::epsilon) != nullptr)
    m.set(property_kind::delta,
          std::make_shared<elliptic_near_sources>(properties[static_cast<std::size_t>(property_kind::delta)],
                                                  properties[static_cast<std::size_t>(property_kind::epsilon)], s));
  const bool is_clamped = s.model.clamps && system_of(s) == system_kind::self_adjoint;  // no other system needs it
  if (is_clamped && m.of(property_kind::delta) != nullptr && m.of(property_kind::epsilon) != nullptr)
    m.set(property_kind::delta,
          std::make_shared<lowered>(m.properties[static_cast<std::size_t>(property_kind::delta)],
                                    properties[static_cast<std::size_t>(property_kind::epsilon)]));
  return m;
}

medium with_layers(const settings& s, const medium& inner, const nearfar::ghosts& by, const model_facts& facts) {
  medium all;
  for (std::size_t p = 0; p < all.properties.size(); ++p) {
    const shared_property& of = inner.properties[p];
    if (of == nullptr) continue;
    const bool is_velocity = p <= static_cast<std::size_t>(property_kind::vs);
    if (s.sides.kind == side_kind::random && is_velocity)
      all.properties[p] =
          random_sides(of, s.space, by, s.order / 2, p == 0 ? facts.most_vp : facts.most_vs, s.run.seed);
    else
      all.properties[p] = padded_property(of, s.space, by);
  }
  return all;
}

}  // namespace

ground outline_of(const settings& what) {
  ground g;
  g.inner = what.space, g.layers = layers_of(what), g.all = padded(g.inner, g.layers), g.system = system_of(what);
  return g;
}

ground ground_of(const nearfar::team& team, const settings& what) {
  ground g = outline_of(what);
  medium inner;
  apps::agree_after(team, [&] { inner = medium_of(what, properties_of(what)); });
  for (const shared_property& p : inner.properties)
    if (p != nullptr && !p->caveat().empty()) g.caveats.push_back(p->caveat());
  // Clamped cells are counted in what was given.
  medium given = inner;
  if (what.model.clamps)
    apps::agree_after(team, [&] {
      settings as_given = what;
      as_given.model.clamps = false;
      given = medium_of(as_given, properties_of(what));
    });
  g.facts = examined(team, g.inner, given,
                     {.needs_real_coupling = g.system == system_kind::self_adjoint, .clamps = what.model.clamps});
  if (const std::string fault = fault_text(g.facts, g.inner, names_of(given)); !fault.empty())
    throw nearfar::usage_error(fault);
  if (what.model.clamps && g.system == system_kind::self_adjoint)
    g.least_vs_share = least_vs_share(team, g.inner, inner, what.order);
  if (g.least_vs_share > 0) {
    constexpr auto vp = static_cast<std::size_t>(property_kind::vp), vs = static_cast<std::size_t>(property_kind::vs);
    inner.properties[vs] = std::make_shared<raised>(inner.properties[vs], inner.properties[vp], g.least_vs_share);
  }
  g.of = with_layers(what, inner, g.layers, g.facts);
  return g;
}

}  // namespace seismic
