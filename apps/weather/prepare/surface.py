# SPDX-License-Identifier: BSD-3-Clause
"""What the model's surface fluxes need of the ground: share of land, temperature, roughness and wetness.

Roughness and wetness come from a table of two kinds of surface, land and sea; a cell with both takes the
mean of the logarithms of roughness and the mean of wetness, weighed with the shares. Where an analysis has water in the
soil, the wetness of land follows from that.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from atmosphere import LAPSE_RATE
from lambert import Array
from soil import ModelSoil

ROUGHNESS = {"land": 0.1, "sea": 2.0e-4}  # m; low vegetation, and open water in moderate wind (Stull 1988, fig. 9.6)
WETNESS = {"land": 0.3, "sea": 1.0}  # evaporation over that of open water


@dataclass(frozen=True)
class Surface:
    """Fields (y, x); precipitation_before is what fell ahead of the start, for comparison, or None.

    The fields of the soil are None where the analysis has none of it at all, and NaN where none is near.
    """

    land_fraction: Array
    ground_temperature: Array
    precipitation_before: Array | None = None
    soil: ModelSoil = field(default_factory=ModelSoil)

    @property
    def roughness_length(self) -> Array:
        land, sea = np.log(ROUGHNESS["land"]), np.log(ROUGHNESS["sea"])
        return np.exp(sea + self.land_fraction * (land - sea))

    @property
    def ground_wetness(self) -> Array:
        land = np.full_like(self.land_fraction, WETNESS["land"])
        if self.soil.wetness is not None:
            land = np.where(np.isnan(self.soil.wetness), land, self.soil.wetness)
        return WETNESS["sea"] + self.land_fraction * (land - WETNESS["sea"])

    @property
    def soil_temperature(self) -> Array | None:
        """Of the land's ground; that of all ground where none is known."""
        known = self.soil.temperature
        return None if known is None else np.where(np.isnan(known), self.ground_temperature, known)

    @property
    def deep_soil_temperature(self) -> Array | None:
        """Of what lies below; that of the land's ground where none is known."""
        known, above = self.soil.below, self.soil_temperature
        if known is None:
            return None
        return np.where(np.isnan(known), self.ground_temperature if above is None else above, known)


def brought_to(terrain: Array, temperature: Array, height: Array) -> Array:
    """A temperature given at `height` moved to the model's ground with the standard lapse rate."""
    return temperature + LAPSE_RATE * (height - terrain)


def from_column(terrain: Array, temperature: Array, heights: Array) -> Array:
    """Temperature of the air at the ground, linear in height between the levels of (level, y, x) columns."""
    k = np.clip((heights < terrain).sum(axis=0) - 1, 0, len(heights) - 2)[None]
    low, high = np.take_along_axis(heights, k, 0)[0], np.take_along_axis(heights, k + 1, 0)[0]
    cool, warm = np.take_along_axis(temperature, k, 0)[0], np.take_along_axis(temperature, k + 1, 0)[0]
    return cool + (terrain - low) / (high - low) * (warm - cool)
