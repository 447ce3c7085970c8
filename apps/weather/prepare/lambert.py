# SPDX-License-Identifier: BSD-3-Clause
"""Lambert conformal conic projection on a sphere, and the regular grid of a model on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from problem import check_range

EARTH_RADIUS = 6371229.0  # m; the sphere of NCEP's models and of most regional models
EARTH_ROTATION = 7.292115e-5  # s-1

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Lambert:
    """Projection with one or two standard parallels; angles in degrees, lengths in metres.

    Source: Snyder, Map Projections: A Working Manual (USGS Professional Paper 1395), chapter 15.
    """

    central_longitude: float
    origin_latitude: float
    parallels: tuple[float, ...]
    radius: float = EARTH_RADIUS

    @property
    def cone(self) -> float:
        """The cone constant: degrees by which the meridians turn per degree of longitude."""
        first, last = np.radians(self.parallels[0]), np.radians(self.parallels[-1])
        if abs(last - first) < 1e-6:
            return float(np.sin(first))
        stretch = np.log(np.tan(np.pi / 4 + last / 2) / np.tan(np.pi / 4 + first / 2))
        return float(np.log(np.cos(first) / np.cos(last)) / stretch)

    def _distance_to_pole(self, latitude: Array | float) -> Array:
        """Distance from the cone's apex on the map; its sign is the cone's."""
        n, first = self.cone, np.radians(self.parallels[0])
        factor = np.cos(first) * np.tan(np.pi / 4 + first / 2) ** n / n
        return self.radius * factor / np.tan(np.pi / 4 + np.radians(latitude) / 2) ** n

    def turn(self, longitude: Array | float) -> Array:
        """Angle in radians from east to the map's x direction, anticlockwise as seen on the map."""
        return np.radians(self.cone * wrap(np.asarray(longitude) - self.central_longitude))

    def forward(self, latitude: Array | float, longitude: Array | float) -> tuple[Array, Array]:
        """Map coordinates (x, y) of points given by latitude and longitude."""
        angle, rho = self.turn(longitude), self._distance_to_pole(latitude)
        return rho * np.sin(angle), self._distance_to_pole(self.origin_latitude) - rho * np.cos(angle)

    def inverse(self, x: Array | float, y: Array | float) -> tuple[Array, Array]:
        """Latitude and longitude (-180 to 180) of map coordinates."""
        n, first, sign = self.cone, np.radians(self.parallels[0]), np.sign(self.cone)
        down = self._distance_to_pole(self.origin_latitude) - np.asarray(y)
        rho = sign * np.hypot(x, down)
        angle = np.arctan2(sign * np.asarray(x), sign * down)
        factor = np.cos(first) * np.tan(np.pi / 4 + first / 2) ** n / n
        latitude = 2 * np.arctan((self.radius * factor / rho) ** (1 / n)) - np.pi / 2
        return np.degrees(latitude), wrap(self.central_longitude + np.degrees(angle) / n)

    def scale(self, latitude: Array | float) -> Array:
        """Length on the map over length on the sphere."""
        return self.cone * self._distance_to_pole(latitude) / (self.radius * np.cos(np.radians(latitude)))

    def attributes(self) -> dict[str, object]:
        """The CF grid-mapping attributes."""
        return {
            "grid_mapping_name": "lambert_conformal_conic",
            "standard_parallel": np.array(self.parallels),
            "longitude_of_central_meridian": self.central_longitude,
            "latitude_of_projection_origin": self.origin_latitude,
            "false_easting": 0.0,
            "false_northing": 0.0,
            "earth_radius": self.radius,
        }

    @staticmethod
    def from_attributes(attributes: dict[str, object]) -> Lambert:
        """The projection that CF grid-mapping attributes describe."""
        parallels = np.atleast_1d(np.asarray(attributes["standard_parallel"], dtype=float))
        return Lambert(
            float(attributes["longitude_of_central_meridian"]),  # type: ignore[arg-type]
            float(attributes["latitude_of_projection_origin"]),  # type: ignore[arg-type]
            tuple(float(value) for value in parallels),
            float(attributes.get("earth_radius", EARTH_RADIUS)),  # type: ignore[arg-type]
        )


def wrap(degrees: Array | float) -> Array:
    """Longitudes brought into -180 (included) to 180 (not included)."""
    return (np.asarray(degrees, dtype=float) + 180.0) % 360.0 - 180.0


def about(middle: float, longitude: Array) -> Array:
    """Longitudes within half a turn of `middle`, so that they do not jump where a grid crosses the date line."""
    return middle + wrap(longitude - middle)


@dataclass(frozen=True)
class Grid:
    """The model's cell centres: nx by ny, spacing dx in metres, on a projection centred on the grid."""

    nx: int
    ny: int
    dx: float
    projection: Lambert

    @staticmethod
    def around(latitude: float, longitude: float, nx: int, ny: int, dx: float) -> Grid:
        """A grid whose own projection is true to scale near its middle.

        The model takes dx as the true distance everywhere, so the standard parallels lie a third of
        the half width north and south of the centre: the scale then stays within about one percent
        of 1 on 2000 km.
        """
        check_range("dx", dx, 50, 200000, " m")
        check_range("centre latitude (absolute value)", abs(latitude), 5, 80, " degrees")
        check_range("centre longitude", longitude, -180, 360, " degrees")
        half = np.degrees(ny * dx / 2 / EARTH_RADIUS)
        check_range("half the north-south extent", half, 0, min(30, 85 - abs(latitude)), " degrees")
        parallels: tuple[float, ...] = (latitude - half * 0.58, latitude + half * 0.58)
        if min(abs(p) for p in parallels) < 1 or parallels[0] * parallels[1] < 0:
            parallels = (latitude,)
        return Grid(nx, ny, dx, Lambert(float(wrap(longitude)), latitude, parallels))

    @property
    def x(self) -> Array:
        return (np.arange(self.nx) - (self.nx - 1) / 2) * self.dx

    @property
    def y(self) -> Array:
        return (np.arange(self.ny) - (self.ny - 1) / 2) * self.dx

    def positions(self, parts: int = 1) -> tuple[Array, Array]:
        """Latitude and longitude of the cell centres, or of parts x parts points in each cell.

        With parts > 1 the arrays have the shape (ny * parts, nx * parts).
        """
        offsets = ((np.arange(parts) + 0.5) / parts - 0.5) * self.dx
        x = (self.x[:, None] + offsets).ravel()
        y = (self.y[:, None] + offsets).ravel()
        return self.projection.inverse(*np.meshgrid(x, y))

    def coriolis(self) -> Array:
        """The Coriolis parameter f at the cell centres, s-1."""
        return 2 * EARTH_ROTATION * np.sin(np.radians(self.positions()[0]))
