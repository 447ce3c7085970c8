// SPDX-License-Identifier: BSD-3-Clause
// What each key means, and what is made of that.
#include <settings/settings.hpp>

namespace turbulence {
namespace {

constexpr apps::documented_key keys_of_settings[] = {
    {"grid", "points", "[64, 64, 64]", "along x, y and z, 4 or more; 1: nothing changes along this axis"},
    {"grid", "lengths", "[1.0, 1.0, 1.0]", "of the periodic box along x, y and z, in units of 2 pi"},
    {"grid", "dealiasing", "\"2/3\"",
     "2/3: modes with 3 |k| < points; 3/2: modes with 2 |k| < points, products on 3/2 as many points; none: modes with "
     "2 |k| < points, products are aliased"},
    {"flow", "initial", "\"taylor-green\"", "taylor-green, taylor-green-2d, abc, isotropic (random), rest or file"},
    {"flow", "file", "\"turbulence\"",
     "file: path of snapshots with u, v and w at all points of the same grid, whose last one the flow begins with (and "
     "its scalar, where there is one)",
     true},
    {"flow", "viscosity", "0.000625", "kinematic; 0: Euler's equations"},
    {"flow", "rotation", "[0.0, 0.0, 0.0]", "of the frame: angular velocity along x, y and z"},
    {"flow", "energy", "0.5", "isotropic: mean of u u / 2"},
    {"flow", "peak", "4.0", "isotropic: the wave number where E(k) ~ k^4 exp(-2 (k/peak)^2) is largest"},
    {"flow", "seed", "1", "isotropic: of directions and phases"},
    {"forcing", "power", "0.0",
     "energy per mass and time that is put into the modes with small wave numbers, along their own velocity; 0: the "
     "flow decays"},
    {"forcing", "highest", "2.0", "wave number up to which modes are forced"},
    {"scalar", "enabled", "false", "a passive scalar is carried along"},
    {"scalar", "schmidt", "1.0", "viscosity over diffusivity"},
    {"scalar", "initial", "\"layers\"", "layers: the cosine of one wave along y; none"},
    {"scalar", "buoyancy", "0.0",
     "acceleration along y that a unit of the scalar makes; with a gradient waves have the frequency sqrt(buoyancy "
     "gradient) at most"},
    {"scalar", "gradient", "0.0", "of a mean scalar along y, which is a source of the scalar"},
    {"time", "end", "10.0", "time of the flow that is simulated"},
    {"time", "step", "\"auto\"", "a number, or auto: as courant says"},
    {"time", "courant", "0.5", "step times the largest |u|/dx + |v|/dy + |w|/dz"},
    {"time", "longest", "0.05", "step that courant may give"},
    {"time", "scheme", "\"rk4\"", "rk3 (Williamson's, less memory) or rk4, viscosity exact in both"},
    {"time", "limit", "0.0", "seconds of the clock, after which the run ends with a checkpoint; 0: none"},
    {"series", "path", "\"turbulence.series\"",
     "energy, dissipation, enstrophy and the like over time, as text; left out: not written", true},
    {"series", "steps", "1", "between lines"},
    {"spectra", "path", "\"turbulence.spectra\"",
     "energy, transfer and dissipation per shell of wave numbers, as text; left out: not written", true},
    {"spectra", "interval", "1.0", "of time between spectra, which are of exactly these times"},
    {"snapshots", "path", "\"turbulence\"",
     "of u, v, w, the vorticity's magnitude and the scalar; left out: none are written", true},
    {"snapshots", "interval", "1.0", "of time between snapshots, which are of exactly these times"},
    {"snapshots", "fields", "\"u v w vorticity scalar\"", "which are written"},
    {"snapshots", "precision", "\"single\"", "single or double"},
    {"snapshots", "from", "[0.0, 0.0, 0.0]", "x, y, z, parts of the box: the points from there ..."},
    {"snapshots", "to", "[1.0, 1.0, 1.0]", "... to there are written; a slice where both are the same"},
    {"snapshots", "one-file", "true",
     "netcdf and hdf5: one file with room for all snapshots until time.end, which a restart cannot move then; false: a "
     "file for each"},
    {"snapshots", "format", "\"vtkhdf\"", "one of the library's formats of output; vtkhdf is for ParaView"},
    {"snapshots", "compression", "\"\"", "zstd, blosc or zfp:TOLERANCE; empty: none"},
    {"snapshots", "policy", "\"automatic\"", "who writes: automatic, synchronous or thread"},
    {"checkpoints", "path", "\"state\"", "left out: none are written", true},
    {"checkpoints", "steps", "0", "between checkpoints; 0: at the end and at the time limit"},
    {"run", "engine", "\"own\"",
     "of serial transforms: own, fftw or mkl, the last two as found at run time, with their own licences; bits differ"},
};

}  // namespace

std::span<const apps::documented_key> documented_keys() { return keys_of_settings; }

std::string settings_template() {
  return apps::template_of(keys_of_settings,
                           "# Settings of nearfar-turbulence. Keys that are left out are as here; those that begin "
                           "with # are examples.\n");
}

std::string settings_tables() { return apps::tables_of(keys_of_settings); }

}  // namespace turbulence
