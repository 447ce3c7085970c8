# SPDX-License-Identifier: BSD-3-Clause
"""Soil of an analysis for the model's heat budget of the ground, which knows a ground and what lies below.

Depth: each of the analysis' layers is taken as uniform, and the model's depths (DEPTHS) take the means over them, so
that heat and water are kept. With the default thermal inertia and a heat capacity of 2.5 MJ m-3 K-1 the daily wave
falls to 1/e in 10 cm; force and restore stores as much heat as half of that, and what it restores to must not feel the
daily wave, of which the mean from 10 to 50 cm has 6 %.

Water: the model knows evaporation over that of open water, E = wetness x (that of a saturated ground). Of a water
content w (volume in volume) and the field capacity c it is (1 - cos(pi w/c))**2 / 4, and 1 from c on (Lee and Pielke
1992, J. Appl. Meteor. 31, 480-484); c is that of loam (Viterbo and Beljaars 1995, J. Climate 8, 2716-2748).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from atmosphere import LAPSE_RATE
from interpolate import bilinear
from lambert import Array

Layer = tuple[int, int]  # top and bottom in mm below the surface
DEPTHS: dict[str, Layer] = {"ground": (0, 50), "below": (100, 500), "water": (0, 100)}
FIELD_CAPACITY = 0.323
LAND = 0.5  # share of land from which on a point of the analysis has soil
WATER_OR_ICE = 0.001, 0.999  # contents up to and from which on centres mark points without soil
REACH = 3  # points of the analysis over which land is sought for a column where the analysis has sea


@dataclass(frozen=True)
class Soil:
    """Layers of an analysis on its own points: temperature [K] and water content, NaN or what there is at sea."""

    temperature: dict[Layer, Array]
    water: dict[Layer, Array]
    land: Array | None = None  # share


@dataclass(frozen=True)
class ModelSoil:
    """Fields (y, x), NaN where the analysis has no soil near; None: it has none at all. said: for the log."""

    temperature: Array | None = None
    below: Array | None = None
    wetness: Array | None = None
    said: str = ""


def wetness(content: Array) -> Array:
    """Evaporation over that of open water, of a volumetric water content."""
    return 0.25 * (1.0 - np.cos(np.pi * np.clip(content / FIELD_CAPACITY, 0.0, 1.0))) ** 2


def mean_over(layers: dict[Layer, Array], depth: Layer) -> Array | None:
    """Mean over a depth, of the thinnest layer at each place; None where layers leave a part of it out."""
    total, place = np.zeros(()), depth[0]
    while place < depth[1]:
        here = [layer for layer in layers if layer[0] <= place < layer[1]]
        if not here:
            return None
        layer = min(here, key=lambda each: each[1] - each[0])
        end = min(layer[1], depth[1])
        total, place = total + (end - place) * layers[layer], end
    return total / (depth[1] - depth[0])


def from_land(field: Array, is_soil: Array, i: Array, j: Array) -> Array:
    """Bilinear from the points with soil alone; where all four have none, the mean of the next ones that do, or NaN."""
    known, values = is_soil, np.where(is_soil, field, 0.0)
    result = np.full(i.shape, np.nan)
    for _ in range(REACH + 1):
        share = bilinear(known.astype(float), i, j)
        take = np.isnan(result) & (share > 1e-6)
        result[take] = (bilinear(values, i, j)[take]) / share[take]
        known, values = _spread(known, values)
    return result


def _spread(known: Array, values: Array) -> tuple[Array, Array]:
    """Points next to known ones, diagonals included, take the mean of these."""
    rows, columns = known.shape
    weight, total = np.pad(known.astype(float), 1), np.pad(values, 1)
    around = [(a, b) for a in range(3) for b in range(3)]
    count = sum(weight[a : a + rows, b : b + columns] for a, b in around)
    whole = sum(total[a : a + rows, b : b + columns] for a, b in around)
    grown = np.where(known, values, whole / np.maximum(count, 1.0))
    return count > 0, grown


def on_columns(soil: Soil, orog: Array, terrain: Array, land: Array, i: Array, j: Array) -> ModelSoil:
    """The soil at fractional columns and rows of the analysis' points; temperatures moved with 6.5 K/km."""
    lines: list[str] = []
    found: dict[str, Array] = {}
    where = np.ones(orog.shape, bool) if soil.land is None else soil.land >= LAND
    for name, kind in (("ground", "temperature"), ("below", "temperature"), ("water", "water")):
        layers = getattr(soil, kind)
        mean = mean_over(layers, DEPTHS[name])
        if mean is None:
            lines.append(_missing(name, layers))
            continue
        is_soil = where & np.isfinite(mean)
        if kind == "water" or soil.land is None:
            for water in soil.water.values():
                is_soil &= (water > WATER_OR_ICE[0]) & (water < WATER_OR_ICE[1])
        if kind == "temperature":
            found[name] = from_land(mean + LAPSE_RATE * orog, is_soil, i, j) - LAPSE_RATE * terrain
        else:
            found[name] = from_land(mean, is_soil, i, j)
        lines.append(_said(name, layers, found[name], land))
    moist = found.get("water")
    return ModelSoil(
        found.get("ground"), found.get("below"), None if moist is None else wetness(moist), "\n".join(lines)
    )


CALLED = {"ground": "temperature of the ground", "below": "temperature below", "water": "water"}
INSTEAD = {
    "ground": "the ground begins as the air above it",
    "below": "what lies below begins as the ground",
    "water": "the wetness of land is 0.3",
}


def _centimetres(layers: Sequence[Layer]) -> str:
    return ", ".join(f"{top / 10:g}-{bottom / 10:g}" for top, bottom in sorted(layers)) + " cm"


def _missing(name: str, layers: dict[Layer, Array]) -> str:
    there = f"only of {_centimetres(list(layers))}" if layers else "none"
    return f"soil: no {CALLED[name]} of {_centimetres([DEPTHS[name]])} in the files ({there}): {INSTEAD[name]}"


def _said(name: str, layers: dict[Layer, Array], field: Array, land: Array) -> str:
    here = field[(land > 0) & np.isfinite(field)]
    off, unit = (0.0, "of the volume") if name == "water" else (273.15, "C")
    span = f"{here.min() - off:.3g} to {here.max() - off:.3g} {unit}" if here.size else "nowhere on land"
    line = f"soil: {CALLED[name]} of {_centimetres([DEPTHS[name]])} from {_centimetres(list(layers))}: {span}"
    lost = int(((land > 0) & np.isnan(field)).sum())
    return line + (f"; in {lost} columns far from the files' land {INSTEAD[name]}" if lost else "")
