# SPDX-License-Identifier: BSD-3-Clause
"""Small made-up input files with known contents, for the tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

GRAVITY, GAS_CONSTANT = 9.80665, 287.0
LEVELS = (1000, 850, 700, 500, 300, 200)  # hPa
SHAPE = (21, 25)  # rows, columns
SPACING = 80000.0  # m
TEMPERATURE = 270.0  # K, everywhere
WEST_WIND = 10.0  # m s-1, everywhere and along the sphere's circles of latitude


KEPT = ("dataDate", "bitsPerValue", "typeOfLevel")
LATITUDES = {  # keys of the grids of latitude and longitude
    part: {
        "Ni": columns,
        "Nj": rows,
        "latitudeOfFirstGridPointInDegrees": north,
        "latitudeOfLastGridPointInDegrees": south,
        "longitudeOfFirstGridPointInDegrees": west,
        "longitudeOfLastGridPointInDegrees": east,
        "iDirectionIncrementInDegrees": (east - west) / (columns - 1),
        "jDirectionIncrementInDegrees": (north - south) / (rows - 1),
    }
    for part, columns, rows, north, south, west, east in (
        ("part", 71, 31, 57.0, 27.0, 225.0, 295.0),
        ("Earth", 180, 91, 90.0, -90.0, 0.0, 358.0),
    )
}


def height_of(pressure: float) -> float:
    """Height (m) in an isothermal dry atmosphere whose pressure at sea level is 1013.25 hPa."""
    return GAS_CONSTANT * TEMPERATURE / GRAVITY * np.log(101325.0 / pressure)


def grib(
    path: Path,
    skip: tuple[tuple[str, int], ...] = (),
    ground: float = 500.0,
    near_ground: float | None = None,
    fallen: float | None = None,
    change: Callable[[str, int, dict[str, object], np.ndarray], np.ndarray] = lambda name, level, keys, values: values,
    around: str = "",
    edition: int = 2,
    hour: int = 6,
    soil: tuple[tuple[str, tuple[int, int], float | np.ndarray], ...] = (),
) -> Path:
    """A GRIB file on a Lambert grid around 42 N 101 W; `skip` leaves out (short name, level) messages.

    near_ground is the temperature at 2 m, fallen the precipitation, if given. `change` may change the keys of a
    message, and gives its values. around: on latitudes and longitudes, rows from the north, of a 'part' of the
    'Earth', or all around it. soil: names (or numbers of edition 1), layers from and to so many cm, and values, NaN
    where there are none; layer (0, 0): at the surface.
    """
    import eccodes as ec

    from lambert import Lambert

    projection = Lambert(265.0, 25.0, (25.0, 25.0))
    x0, y0 = projection.forward(34.0, -110.0)
    x, y = np.meshgrid(x0 + np.arange(SHAPE[1]) * SPACING, y0 + np.arange(SHAPE[0]) * SPACING)
    turn = projection.turn(projection.inverse(x, y)[1])
    if around:
        turn = np.zeros({"part": (31, 71), "Earth": (91, 180)}[around])
    one = np.ones(turn.shape)
    fields: list[tuple[str, int, np.ndarray]] = []
    for level in LEVELS:
        fields += [
            ("gh", level, one * height_of(level * 100.0)),
            ("t", level, one * TEMPERATURE),
            ("r", level, one * 50.0),
            ("u", level, WEST_WIND * np.cos(turn)),
            ("v", level, WEST_WIND * np.sin(turn)),
        ]
    surface = 101325.0 * np.exp(-ground * GRAVITY / (GAS_CONSTANT * TEMPERATURE))
    fields += [("sp", 0, one * surface), ("orog", 0, one * ground)]
    kinds = {"2t": "heightAboveGround"}
    fields += [("2t", 2, one * near_ground)] if near_ground is not None else []
    fields += [("tp", 0, one * fallen)] if fallen is not None else []
    deep = {(name, number): layer for number, (name, layer, _) in enumerate(soil) if layer[1]}
    fields += [(name, number if layer[1] else 0, one * values) for number, (name, layer, values) in enumerate(soil)]
    with open(path, "wb") as file:
        for name, level, values in fields:
            if (name, level) in skip:
                continue
            handle = ec.codes_grib_new_from_samples(f"regular_ll_pl_grib{edition}")
            keys = {
                "gridType": "lambert",
                "Nx": SHAPE[1],
                "Ny": SHAPE[0],
                "DxInMetres": SPACING,
                "DyInMetres": SPACING,
                "LoVInDegrees": 265.0,
                "LaDInDegrees": 25.0,
                "Latin1InDegrees": 25.0,
                "Latin2InDegrees": 25.0,
                "latitudeOfFirstGridPointInDegrees": 34.0,
                "longitudeOfFirstGridPointInDegrees": 250.0,
                "shapeOfTheEarth": 6,
                "uvRelativeToGrid": 1,
                "jScansPositively": 1,
                "dataDate": 20200229,
                "dataTime": 600,
                "bitsPerValue": 24,
                "typeOfLevel": kinds.get(name, "isobaricInhPa" if level else "surface"),
            }
            if (name, level) in deep:
                keys["typeOfLevel"] = "depthBelowLandLayer"
            if around:
                keys = {name: value for name, value in keys.items() if name in KEPT} | LATITUDES[around]
            keys |= {"dataTime": 100 * hour, "shortName": name}
            values = change(name, level, keys, values)
            name = keys.pop("shortName")
            if name == "tp":  # a sum over time
                ec.codes_set(handle, "productDefinitionTemplateNumber", 8)
            for key, value in keys.items():
                ec.codes_set(handle, key, value)
            if (name, level) in deep:
                put_layer(handle, name, edition, deep[(name, level)])
            elif level:
                ec.codes_set(handle, "level", level * (100 if keys["typeOfLevel"] == "isobaricInPa" else 1))
            if not name.isdigit():
                ec.codes_set(handle, "shortName", name)
            if name == "tp":
                ec.codes_set(handle, "stepRange", "0-0")
                values = values * {"m": 0.001, "kg m**-2": 1.0}[ec.codes_get(handle, "units")]
            if np.isnan(values).any():
                ec.codes_set(handle, "bitmapPresent", 1)
                values = np.where(np.isnan(values), ec.codes_get(handle, "missingValue"), values)
            ec.codes_set_values(handle, values.ravel())
            ec.codes_write(handle, file)
            ec.codes_release(handle)
    return path


def put_layer(handle: object, name: str, edition: int, layer: tuple[int, int]) -> None:
    """A layer of the soil, in cm, as edition 1 and 2 say it; a name that is a number is one of NCEP's table 2."""
    import eccodes as ec

    if name.isdigit():
        ec.codes_set(handle, "table2Version", 2)
        ec.codes_set(handle, "indicatorOfParameter", int(name))
    for part, which, depth in (("top", "First", layer[0]), ("bottom", "Second", layer[1])):
        if edition == 1:
            ec.codes_set(handle, f"{part}Level", depth)
        else:
            ec.codes_set(handle, f"scaleFactorOf{which}FixedSurface", 2)
            ec.codes_set(handle, f"scaledValueOf{which}FixedSurface", depth)


def winds_in_pairs(path: Path) -> Path:
    """The same fields, u and v of each level as two fields of one message, as NCEP distributes them."""
    import eccodes as ec

    with open(path, "rb") as file:
        handles = list(iter(lambda: ec.codes_grib_new_from_file(file), None))
    with open(path, "wb") as file:
        for first, second in zip(handles, [*handles[1:], None]):
            name = ec.codes_get(first, "shortName")
            if name == "u":
                pair = ec.codes_grib_multi_new()
                ec.codes_grib_multi_append(first, 0, pair)
                ec.codes_grib_multi_append(second, 4, pair)
                ec.codes_grib_multi_write(pair, file)
                ec.codes_grib_multi_release(pair)
            elif name != "v":
                ec.codes_write(first, file)
    return path


def sounding(path: Path, change: dict[str, str] | None = None) -> Path:
    """An ascent in the Wyoming layout: 20 m s-1 from the west above 1 km, gaps in the highest levels."""
    knots = 20.0 * 3600 / 1852
    lines = [
        "99999 XXXX Nowhere Observations at 12Z 29 Feb 2020",
        "",
        "-" * 77,
        "   PRES   HGHT   TEMP   DWPT   RELH   MIXR   DRCT   SKNT   THTA   THTE   THTV",
        "    hPa     m      C      C      %    g/kg    deg   knot     K      K      K ",
        "-" * 77,
        " 1000.0     97" + " " * 63,
    ]  # below the station: height only
    for number, z in enumerate(range(200, 24200, 1000)):
        celsius = max(15.0 - 0.0065 * z, -56.5)
        mean = 273.15 + (15.0 + celsius) / 2
        p = 1013.25 * np.exp(-GRAVITY * z / (GAS_CONSTANT * mean))
        dew = f"{celsius - 5:7.1f}" if number < 15 else " " * 7
        wind = f"{270:7d}{round(knots):7d}" if number < 20 else " " * 14
        lines.append(f"{p:7.1f}{z:7d}{celsius:7.1f}{dew}{'':7}{'':7}{wind}")
    lines += [
        "",
        "Station information and sounding indices",
        "",
        "    Station identifier: XXXX",
        "    Station latitude: 45.00",
        "    Station longitude: -100.00",
        "    Station elevation: 200.0",
        "",
    ]
    text = "\n".join(lines)
    for old, new in (change or {}).items():
        text = text.replace(old, new)
    path.write_text(text)
    return path


def sounding_csv(path: Path, change: dict[str, str] | None = None) -> Path:
    """The same ascent as `sounding` in the layout of Wyoming's CSV: winds in m/s, and a level that swings down."""
    lines = sounding(path).read_text().splitlines()
    titles = (
        "time,longitude,latitude,pressure_hPa,geopotential height_m,temperature_C,dew point temperature_C,"
        "ice point temperature_C,relative humidity_%,humidity wrt ice_%,mixing ratio_g/kg,wind direction_degree,"
        "wind speed_m/s"
    )
    rows = []
    for line in lines[7 : lines.index("", 7)]:
        p, z, t, dew, _, _, direction, speed = (line[at : at + 7].strip() for at in range(0, 56, 7))
        wind = f"{float(speed) * 1852 / 3600:.3f}" if speed else "-9999.00"
        rows.append(f"2020-02-29 11:05:{len(rows):02d},-100.0,45.0,{p},{z},{t},{dew or 'nan'},,,,,{direction},{wind}")
    rows.insert(3, rows[2].replace(":02", ":03"))
    text = "\n".join([titles, *rows, ""])
    for old, new in (change or {}).items():
        text = text.replace(old, new)
    path.write_text(text)
    return path


def elevation(
    path: Path,
    units: str | None = "m",
    height: float = 1000.0,
    west: float = -115.0,
    sea_north_of: float = 90.0,
    turned: Callable[[np.ndarray], np.ndarray] = lambda longitude: longitude,
    spelled: tuple[str, str] = ("degrees_north", "degrees_east"),
) -> Path:
    """A plateau with one ridge along 101 W, on a quarter-degree grid from 30 to 55 N and `west` to 85 W.

    turned: what the file says instead of these longitudes; spelled: the units of its axes.
    """
    import netCDF4

    with netCDF4.Dataset(path, "w") as data:
        latitude, longitude = np.arange(30, 55.01, 0.25), np.arange(west, -84.99, 0.25)
        for name, values, unit in (("lat", latitude, spelled[0]), ("lon", turned(longitude), spelled[1])):
            data.createDimension(name, values.size)
            axis = data.createVariable(name, "f8", (name,))
            axis.units = unit
            axis[:] = values
        variable = data.createVariable("relief", "f4", ("lat", "lon"))
        if units is not None:
            variable.units = units
        ridge = height * (1 + np.exp(-(((longitude + 101) / 0.5) ** 2)))
        sea = latitude[:, None] > sea_north_of
        variable[:] = np.where(sea, -500.0, ridge)
    return path
