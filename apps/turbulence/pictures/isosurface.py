# SPDX-License-Identifier: BSD-3-Clause
"""An isosurface of a field in a periodic box as an image: parallel rays from a viewer to where each first meets it.

Rays go in short steps through the box; values between points are linear along each axis. A surface is lit by the slope
of the field there and fades with depth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

AZIMUTH, ELEVATION = np.radians(28), np.radians(24)
LIGHT = np.array([-0.45, -0.6, 0.66])  # towards the light: to the right, along the ray, upwards, as the viewer sees


def value_at(values: Any, places: Any) -> Any:
    """Between points, in a box that begins anew; places in units of points, the last axis along values' axes."""
    base = np.floor(places).astype(np.int64)
    part = places - base
    result = np.zeros(len(places))
    for corner in np.ndindex(2, 2, 2):
        at = tuple((base[:, d] + corner[d]) % values.shape[d] for d in range(3))
        weight = np.prod([part[:, d] if corner[d] else 1 - part[:, d] for d in range(3)], axis=0)
        result += weight * values[at]
    return result


def directions() -> tuple[Any, Any, Any]:
    """To the right, along the rays and upwards, as z, y, x."""
    right = np.array([0, np.sin(AZIMUTH), np.cos(AZIMUTH)])
    ahead = np.array([-np.sin(ELEVATION), *(np.cos(ELEVATION) * np.array([np.cos(AZIMUTH), -np.sin(AZIMUTH)]))])
    return right, ahead, np.cross(ahead, right)


def shades(values: Any, level: float, size: int) -> Any:
    """Brightness of the isosurface, size x size, 0 to 1 with row 0 on top; not a number where a ray meets nothing."""
    right, ahead, up = directions()
    if up[0] < 0:
        up = -up
    half = np.sqrt(3) / 2
    across = (np.arange(size) + 0.5) / size * 2 * half - half
    columns, rows = np.meshgrid(across, -across)
    start = 0.5 + columns[..., None] * right + rows[..., None] * up - half * ahead
    start, image = start.reshape(-1, 3), np.full(size * size, np.nan)
    points = np.array(values.shape)
    step = 0.5 / points.max()
    waiting = np.arange(size * size)
    for n in range(int(np.ceil(2 * half / step))):
        here = start[waiting] + n * step * ahead
        inside = np.all((here >= 0) & (here < 1), axis=1)
        met = np.zeros(len(waiting), dtype=bool)
        met[inside] = value_at(values, here[inside] * points) >= level
        if met.any():
            slope = slope_at(values, here[met] * points)
            facing = -(slope @ np.array([right, ahead, up]).T)
            light = np.clip(facing @ (LIGHT / np.linalg.norm(LIGHT)), 0, 1)
            image[waiting[met]] = (0.25 + 0.75 * light) * (1 - 0.45 * n * step / (2 * half))
            waiting = waiting[~met]
    return image.reshape(size, size)


def slope_at(values: Any, places: Any) -> Any:
    """The direction of growth, of length 1."""
    slope = np.stack(
        [value_at(values, places + unit) - value_at(values, places - unit) for unit in 0.5 * np.eye(3)], axis=1
    )
    return slope / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), 1e-300)
