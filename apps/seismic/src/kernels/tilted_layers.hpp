// SPDX-License-Identifier: BSD-3-Clause
// Convolutional perfectly matched layers of VTI and TTI media, at one point or a vector of points, for processors and
// GPUs.
//
// Across a side, along d, the layer has for each field u, with B = d psi + zeta of absorbing_loops.hpp:
//
//     d/dd d/dd u  becomes  u_dd + B,        d/dd d/de u  becomes  u_de + d psi / de    for another dimension e
//
// Where the layers of two sides meet, along an edge of the grid, both stretch the mixed derivative: what was added
// becomes d psi_d / de + d psi_e / dd + chi, with a memory of its own,
//
//     chi(n) = b_d chi(n - 1) + a_d d psi_e(n) / dd
//
// Without chi waves grow at once in the corners of tilted media. The self-adjoint system multiplies by its matrix C
// between the derivatives: half of what a mixed term adds is C d psi / de, half d (C psi) / de, as in its step; along d
// C is the same in the whole layer. With a shift of the frequency that goes from that of the waves to 0 at the side
// waves do not grow for any tilt, although some have phase and group velocities of opposite signs across the side
// (Becache, Fauqueux and Joly 2003 show growth without the shift).
// @source Komatitsch and Martin 2007; Pasalic and McGarry 2010; chi and the discretisation are ours
#pragma once

#include <gpu/bodies/qualifiers.hpp>
#include <kernels/kernels.hpp>

namespace seismic {

namespace {  // each variant of the kernels has its own code

SEISMIC_GPU index_t stride_along(const tile_shape& shape, int d) {
  return d == 0 ? shape.plane() : d == 1 ? shape.row() : 1;
}

/// `Points` has a type of numbers, of one point or several, with at(), put() and differences along a stride.
template <class Points, int R>
class tilted_layer {
  using v = Points;
  using vector = typename v::vector;

 public:
  /// @param at, here, in_psi  places in the fields, in zeta or chi, and in psi
  SEISMIC_GPU tilted_layer(const slab_arguments& a, index_t at, index_t here, index_t in_psi, vector from, vector keep)
      : a_(a), at_(at), here_(here), in_psi_(in_psi), from_(from), keep_(keep) {}

  /// Of a side.
  SEISMIC_GPU void add() const {
    const pair bends{bend(0), bend(1)};
    if (a_.system == system_kind::fletcher_vti) return add_fletcher(a_.d == 0 ? bends : pair{}, bends);
    const vector along_d = axis(a_.d, at_);
    pair along{along_d * along_d * bends.p, along_d * along_d * bends.m};
    pair fluxes{};
    const bool is_symmetric = a_.system == system_kind::self_adjoint;
    for (int e = 0; e < 3; ++e) {
      if (e == a_.d || (e == 1 && a_.is_flat)) continue;
      const vector both =
          (is_symmetric ? 1.0f : 2.0f) * a_.per_metre[static_cast<unsigned>(e)] * along_d * axis(e, at_);
      along.p += both * slope_of_psi(0, e), along.m += both * slope_of_psi(1, e);
      if (is_symmetric) add_flux(e, fluxes);
    }
    if (!is_symmetric) return add_fletcher(along, bends);
    add_self_adjoint(along,
                     {fluxes.p + (1.0f + coefficient(1, at_)) * bends.p, fluxes.m + coefficient(4, at_) * bends.m});
  }

  /// Of an edge, whose psi is that of side e and whose zeta is chi.
  SEISMIC_GPU void add_edge() const {
    const float per_metre = a_.per_metre[static_cast<unsigned>(a_.d)];
    const vector both = 2.0f * axis(a_.d, at_) * axis(a_.e, at_);
    pair along{};
    for (unsigned f = 0; f < 2; ++f)
      (f == 0 ? along.p : along.m) = both * remember(a_.zeta[f] + here_, per_metre * slope_of_psi(f, a_.d));
    if (a_.system == system_kind::self_adjoint) return add_self_adjoint(along, pair{});
    add_fletcher(along, pair{});
  }

 private:
  struct pair {
    vector p, m;
  };

  SEISMIC_GPU vector coefficient(int n, index_t at) const {
    return v::at(a_.coefficients[static_cast<unsigned>(n)] + at);
  }
  /// The axis of symmetry's part along a dimension.
  SEISMIC_GPU vector axis(int d, index_t at) const {
    return coefficient((a_.system == system_kind::self_adjoint ? 7 : 6) - d, at);
  }
  SEISMIC_GPU vector remember(float* memory, vector what) const {
    const vector now = keep_ * v::at(memory) + from_ * what;
    v::put(memory, now);
    return now;
  }
  SEISMIC_GPU vector slope_of_psi(unsigned f, int e) const {
    return v::template first<R>(a_.psi[f] + in_psi_, stride_along(a_.psi_shape, e));
  }
  SEISMIC_GPU vector bend(unsigned f) const {
    const float h = a_.per_metre[static_cast<unsigned>(a_.d)];
    const vector slope = h * slope_of_psi(f, a_.d);
    const vector second = h * h * v::template second<R>(a_.now[f] + at_, stride_along(a_.shape, a_.d));
    return slope + remember(a_.zeta[f] + here_, second + slope);
  }

  /// What is added to second derivatives along the axis, and to the sum of all, of both fields.
  SEISMIC_GPU void add_fletcher(const pair& along, const pair& all) const {
    const pair across{all.p - along.p, all.m - along.m};
    const vector vertical = coefficient(2, at_) * along.m, vs2 = coefficient(3, at_);
    add_to(0, coefficient(0, at_) * across.p + vertical + vs2 * (along.p - along.m));
    add_to(1, coefficient(1, at_) * across.p + vertical - vs2 * (across.p - across.m));
  }
  SEISMIC_GPU void add_self_adjoint(const pair& along, const pair& more) const {
    const pair tilted = alpha(along, at_);
    add_to(0, coefficient(0, at_) * (tilted.p + more.p));
    add_to(1, coefficient(0, at_) * (tilted.m + more.m));
  }
  SEISMIC_GPU void add_to(unsigned f, vector change) const {
    v::put(a_.next[f] + at_, v::at(a_.next[f] + at_) + change);
  }

  /// alpha of self_adjoint_loops.hpp times u.
  SEISMIC_GPU pair alpha(const pair& u, index_t at) const {
    const vector g = coefficient(2, at), pm = coefficient(3, at);
    return {pm * u.m - (coefficient(1, at) + g) * u.p, pm * u.p + g * u.m};
  }
  /// d (C_de psi) / de.
  SEISMIC_GPU void add_flux(int e, pair& sum) const {
    const index_t along = stride_along(a_.shape, e), along_psi = stride_along(a_.psi_shape, e);
    const float h = a_.per_metre[static_cast<unsigned>(e)];
    constexpr auto w = first_derivative(R);
    for (int k = R; k >= 1; --k) {
      const float weight = h * static_cast<float>(w[static_cast<unsigned>(k)]);
      const pair above = flux(e, k * along, k * along_psi), below = flux(e, -k * along, -k * along_psi);
      sum.p += weight * (above.p - below.p), sum.m += weight * (above.m - below.m);
    }
  }
  SEISMIC_GPU pair flux(int e, index_t beside, index_t beside_in_psi) const {
    const index_t at = at_ + beside, here = in_psi_ + beside_in_psi;
    const vector both = axis(a_.d, at) * axis(e, at);
    return alpha({both * v::at(a_.psi[0] + here), both * v::at(a_.psi[1] + here)}, at);
  }

  const slab_arguments& a_;
  index_t at_, here_, in_psi_;
  vector from_, keep_;
};

}  // namespace
}  // namespace seismic
