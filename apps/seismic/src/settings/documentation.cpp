// SPDX-License-Identifier: BSD-3-Clause
// What each key means, and what is made of that.
#include <settings/settings.hpp>

namespace seismic {
namespace {

constexpr apps::documented_key keys_of_settings[] = {
    {"grid", "points", "[101, 101, 101]",
     "along x, y and z (depth, downwards); y may be 1: two dimensions. \"model\": points, spacing and origin are those "
     "of the file of model.vp, as far as its header says them and they are not given"},
    {"grid", "spacing", "[10.0, 10.0, 10.0]", "metres, along x, y and z"},
    {"grid", "origin", "[0.0, 0.0, 0.0]", "metres: where the first point is"},
    {"medium", "kind", "\"iso\"", "iso, vti (vertical axis of symmetry) or tti (tilted axis)"},
    {"medium", "system", "\"self-adjoint\"",
     "self-adjoint (Bube and others 2016) or fletcher (Fletcher, Du and Fowler 2009)"},
    {"medium", "order", "8", "of derivatives in space: 4, 8 or 12"},
    {"model", "kind", "\"properties\"",
     "properties: those given below; fletcher: the standard medium of the mini-app; salt, thrust: generated, with "
     "everything that the medium needs"},
    {"model", "vp", "2000.0",
     "m/s, along the axis: a number; layers from above, [[depth of the top in m, value], ...], where a cell that a top "
     "goes through has the mean; or a file: NAME.rsf, .npy, .sgy, .segy, .h5:/dataset"},
    {"model", "vs", "0.0", "m/s, likewise; left out: vp sqrt(|epsilon - delta| / sigma)", true},
    {"model", "epsilon", "0.0", "Thomsen's, likewise (VTI and TTI)"},
    {"model", "delta", "0.0", "Thomsen's, likewise (VTI and TTI)"},
    {"model", "tilt", "0.0", "of the axis from the vertical, degrees, likewise (TTI)"},
    {"model", "azimuth", "0.0", "of the axis from x towards y, degrees, likewise (TTI)"},
    {"model", "sigma", "0.75", "see vs"},
    {"model", "clamp", "false",
     "self-adjoint: where delta is above epsilon it is lowered to it and counted, and vs is raised where its contrasts "
     "are too "
     "large, instead of refusals"},
    {"model", "file-order", "\"xyz\"",
     "of files: what runs fastest comes first; xyz or zxy (Madagascar; SEG-Y always)"},
    {"model", "velocity-unit", "\"m/s\"", "of files: m/s or km/s"},
    {"model", "angle-unit", "\"degrees\"", "of files: degrees or radians"},
    {"model", "elliptic-radius", "0.0",
     "metres around each source within which delta goes to epsilon, so that it sends no slow shear waves (vti, tti)"},
    {"model", "extrusion-slope", "0.0",
     "a file of x and z alone is extruded along y: what is at (x, y) is what the file has at x - slope (y - middle), "
     "its edge values beyond"},
    {"time", "end", "0.5", "seconds that are simulated"},
    {"time", "step", "\"auto\"", "seconds, or auto: as long as is stable, with a margin"},
    {"time", "correction", "true",
     "the error of the time steps is taken out of wavelets and traces; not where a source has scaling none"},
    {"time", "limit", "0.0", "seconds of the clock, after which the run ends with a checkpoint; 0: none"},
    {"sides", "kind", "\"cpml\"", "cpml (matched layers), sponge, random (the mini-app's), periodic or rigid"},
    {"sides", "cells", "20", "of absorbing layers, which lie around the grid (periodic and rigid: not used)"},
    {"sides", "free-surface", "false", "on top, instead of an absorbing layer"},
    {"sources", "position", "\"centre\"",
     "metres, [x, y, z], anywhere in the grid; or centre: the grid point in the middle"},
    {"sources", "wavelet", "\"ricker\"", "ricker, fletcher (the mini-app's) or file"},
    {"sources", "frequency", "15.0", "Hz: of Ricker's peak, or the mini-app's cut-off (40)"},
    {"sources", "delay", "0.1", "seconds; left out: 1.5 / frequency with ricker, 0 with file", true},
    {"sources", "amplitude", "1.0", "times the wavelet"},
    {"sources", "file", "\"wavelet.txt\"", "numbers as text, or a vector as .npy", true},
    {"sources", "interval", "0.001", "seconds between the numbers of the file", true},
    {"sources", "scaling", "\"physical\"",
     "physical: amplitude s(t) delta(x) drives the equation; none: added to p and q before each step, as the mini-app "
     "does"},
    {"receivers", "at", "[[200.0, 500.0, 20.0]]", "metres, [[x, y, z], ...]; or first, step and count", true},
    {"receivers", "first", "[0.0, 500.0, 20.0]", "metres, [x, y, z]: of a line or a grid of receivers"},
    {"receivers", "step", "[20.0, 0.0, 0.0]", "metres between neighbours along x, y and z"},
    {"receivers", "count", "[51, 1, 1]", "how many along x, y and z"},
    {"receivers", "quantities", "[\"pressure\"]",
     "what they record: pressure (Pa), dp/dx, dp/dy, dp/dz (its gradient, Pa/m), vx, vy, vz (particle velocity, m/s; "
     "z is downwards)"},
    {"receivers", "density", "1000.0", "kg/m^3, of the ground there; vx, vy and vz need it: rho dv/dt = -grad p", true},
    {"gathers", "file", "\"shot.sgy\"",
     "the pressure that receivers record; other quantities are written beside it, as shot_vx.sgy, shot_dpdx.sgy; left "
     "out: nothing is written",
     true},
    {"gathers", "format", "\"segy\"", "segy (rev 1) or rsf"},
    {"gathers", "interval", "0.002", "seconds between samples; left out: the time step", true},
    {"snapshots", "path", "\"wave\"", "of the wave field in the ground; left out: none are written", true},
    {"snapshots", "interval", "0.05", "seconds between snapshots", true},
    {"snapshots", "steps", "10", "between snapshots, where no interval is given", true},
    {"snapshots", "from", "[0.0, 0.0, 0.0]", "metres, [x, y, z]: a corner of the part to be written; left out: all",
     true},
    {"snapshots", "to", "[1000.0, 1000.0, 1000.0]", "the corner on the other side", true},
    {"snapshots", "stride", "[1, 1, 1]", "along x, y and z: every so many points"},
    {"snapshots", "with-sides", "false", "absorbing layers are written, too, as in the mini-app's files"},
    {"snapshots", "format", "\"rsf\"", "one of the library's formats of output"},
    {"snapshots", "one-file", "true",
     "netcdf and hdf5: one file with room for all snapshots until time.end, which a restart cannot move then; false: a "
     "file for each"},
    {"snapshots", "compression", "\"\"", "zstd, blosc or zfp:TOLERANCE; empty: none"},
    {"snapshots", "policy", "\"automatic\"",
     "who writes: automatic, synchronous, thread, writer (one rank of each node) or far-writer (the last rank, for all "
     "nodes)"},
    {"snapshots", "throttle", "0.0", "MB/s: a slower disk, for measurements; 0: none"},
    {"checkpoints", "path", "\"state\"", "left out: none are written", true},
    {"checkpoints", "steps", "0", "between checkpoints; 0: at the end and at the time limit"},
    {"run", "device", "\"auto\"", "cpu, gpu, or auto: a GPU where every rank has one that can be used"},
    {"run", "threads", "0", "of each rank; 0: OMP_NUM_THREADS, or as many as there are cores"},
    {"run", "seed", "1", "of random velocities at the sides"},
    {"run", "kernels", "\"fastest\"", "of processors: fastest, plain, avx2 or avx512"},
    {"run", "point-half-width", "4",
     "grid spacings over which a point between grid points is spread, to each side: 1 to 10"},
    {"run", "pretended-step", "0.0",
     "for experiments with snapshots: seconds that each step sleeps, as with a GPU, in place of computing a wave; 0: "
     "none"},
};

constexpr std::string_view lists_of_tables[] = {"sources", "receivers"};

}  // namespace

std::span<const apps::documented_key> documented_keys() { return keys_of_settings; }

std::string settings_template() {
  return apps::template_of(
      keys_of_settings,
      "# Settings of nearfar-seismic. Keys that are left out are as here; those that begin with # are examples.\n"
      "# [[sources]] and [[receivers]] may be there several times.\n",
      lists_of_tables);
}

std::string settings_tables() { return apps::tables_of(keys_of_settings, lists_of_tables); }

}  // namespace seismic
