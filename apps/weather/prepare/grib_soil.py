# SPDX-License-Identifier: BSD-3-Clause
"""Which fields of GRIB files are soil, and how deep: names and depths of NCEP (GFS, NAM) and the ECMWF (ERA5, IFS)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lambert import Array
from soil import Layer, Soil

TEMPERATURE, WATER, LAND = "st", "vsw", "lsm"  # as they are called here
CALLED = {
    **dict.fromkeys(("st", "sot", "t", "stl1", "stl2", "stl3", "stl4"), TEMPERATURE),
    **dict.fromkeys(("soilw", "vsw", "swvl1", "swvl2", "swvl3", "swvl4"), WATER),
}
SHARES = {"Proportion": "1", "(0 - 1)": "1", "Fraction": "1"}  # units of shares, which UDUNITS does not know
ECMWF_LAYERS: dict[int, Layer] = {1: (0, 70), 2: (70, 280), 3: (280, 1000), 4: (1000, 2890)}
NCEP, NCEP_WATER = "kwbc", 144  # of edition 1, which ecCodes calls unknown
Get = Callable[..., Any]


def key_of(name: str, kind: str, get: Get) -> str:
    """What a field is called here, as 'st 0-100' (mm); empty: it is neither soil nor share of land."""
    if name == "lsm" and kind == "surface":
        return LAND
    if name == "unknown" and _is_water_of_ncep(get):
        name = "soilw"
    layer = _layer(kind, get) if name in CALLED else None
    return f"{CALLED[name]} {layer[0]}-{layer[1]}" if layer else ""


def _is_water_of_ncep(get: Get) -> bool:
    return (get("edition"), get("centre"), get("indicatorOfParameter", 0)) == (1, NCEP, NCEP_WATER)


def units_of(key: str, said: str, get: Get) -> str:
    """The unit in which a soil's field is given, as UDUNITS knows it."""
    return "1" if key.startswith(WATER) and _is_water_of_ncep(get) else SHARES.get(said, said)


def _layer(kind: str, get: Get) -> Layer | None:
    """Depths in mm: edition 1 has centimetres, edition 2 any power of ten of a metre, or numbers of layers."""
    if kind == "depthBelowLandLayer" and get("edition") == 1:
        return 10 * get("topLevel"), 10 * get("bottomLevel")
    if kind == "depthBelowLandLayer":
        top, bottom = (
            round(1000 * get(f"scaledValueOf{which}FixedSurface") * 10.0 ** -get(f"scaleFactorOf{which}FixedSurface"))
            for which in ("First", "Second")
        )
        return top, bottom
    if kind == "soilLayer" and get("centre") == "ecmf":
        return ECMWF_LAYERS.get(get("bottomLevel"))
    return None


def soil_of(messages: dict[tuple[str, int], dict[str, Any]], arranged: Callable[[Array], Array]) -> Soil:
    """The soil among the messages of a time."""
    layers: dict[str, dict[Layer, Array]] = {TEMPERATURE: {}, WATER: {}}
    for (name, _), message in messages.items():
        kind, *depth = name.split()
        if kind in layers and depth:
            top, bottom = map(int, depth[0].split("-"))
            layers[kind][(top, bottom)] = arranged(message["values"])
    land = messages.get((LAND, 0))
    return Soil(layers[TEMPERATURE], layers[WATER], None if land is None else np.nan_to_num(arranged(land["values"])))
