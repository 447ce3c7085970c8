# SPDX-License-Identifier: BSD-3-Clause
"""Units of measurement by their names, as files give them: by UDUNITS, the library that CF's units are defined by."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from atmosphere import GRAVITY
from lambert import Array
from problem import InputError

LIBRARY, PACKAGE = "libudunits2.so.0", "libudunits2-0"
ASCII, UTF_8 = 0, 2
# What meteorologists write and UDUNITS knows by another name, or as another thing (C is a coulomb to it).
CALLED = {
    "c": "degC",
    "f": "degF",
    "mb": "mbar",
    "ft": "feet",
    "deg": "degree",
    "gpm": "m",
    "gpdm": "dam",
    "geopotential meter": "m",
    "geopotential metre": "m",
    "geopotential meters": "m",
    "geopotential metres": "m",
}
STANDS_FOR = {"m": ("m2 s-2", 1 / GRAVITY), "kg m-2": ("m", 1000.0)}  # wanted: what may be given, and its factor
DIRECTIONS = {  # spellings of CF 1.10, sections 4.1 and 4.2, in lower case
    "north": {"degrees_north", "degree_north", "degree_n", "degrees_n", "degreen", "degreesn"},
    "east": {"degrees_east", "degree_east", "degree_e", "degrees_e", "degreee", "degreese"},
}


def points(units: str, direction: str) -> bool:
    """Whether these are degrees to the 'north' or 'east', in any spelling that CF has."""
    return units.strip().lower() in DIRECTIONS[direction]


def converted(values: Array, units: str, wanted: str, where: str) -> Array:
    """Values brought from `units` to `wanted`; else an InputError that begins with `where` and names the unit.

    Geopotential (m2 s-2) becomes a height where metres are wanted, and a depth of water its mass per area.
    """
    name = CALLED.get(units.strip().lower(), units.strip())
    if name == wanted:
        return values
    system = _System.opened()
    found = system.parsed(name)
    if found is None:
        raise InputError(
            f"{where} has the unit '{units}', which UDUNITS does not know; {wanted} or its like is expected"
        )
    line = system.line(found, wanted)
    if line is None and wanted in STANDS_FOR:
        other, factor = STANDS_FOR[wanted]
        line = system.line(found, other)
        line = line and (line[0] * factor, line[1] * factor)
    if line is None:
        raise InputError(f"{where} has the unit '{units}', which cannot be brought to {wanted}")
    return values * line[0] + line[1]


class _System:
    """UDUNITS' own table of units, with what is needed of its interface."""

    def __init__(self) -> None:
        try:
            self.library = ctypes.CDLL(LIBRARY)
        except OSError as error:
            raise InputError(f"{LIBRARY} is missing; install the Debian package {PACKAGE}") from error
        for name, result, *given in (
            ("ut_read_xml", ctypes.c_void_p, ctypes.c_char_p),
            ("ut_parse", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int),
            ("ut_get_converter", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
            ("ut_set_error_message_handler", ctypes.c_void_p, ctypes.c_void_p),
            ("cv_convert_double", ctypes.c_double, ctypes.c_void_p, ctypes.c_double),
        ):
            function: Any = getattr(self.library, name)
            function.restype, function.argtypes = result, given
        self.library.ut_set_error_message_handler(ctypes.cast(self.library.ut_ignore, ctypes.c_void_p))
        self.system = self.library.ut_read_xml(None)
        if not self.system:
            raise InputError(f"{LIBRARY} cannot read its table of units; install the Debian package libudunits2-data")

    @staticmethod
    @functools.lru_cache(maxsize=1)
    def opened() -> _System:
        return _System()

    def parsed(self, name: str) -> Any:
        """A unit, or None; a unit of time since a date is none either."""
        plain = name.encode("utf-8", errors="replace")
        return None if b"\0" in plain or " since " in name else self.library.ut_parse(self.system, plain, UTF_8)

    def line(self, found: Any, wanted: str) -> tuple[float, float] | None:
        """Factor and offset from one unit to another, or None where they measure different things."""
        converter = self.library.ut_get_converter(found, self.library.ut_parse(self.system, wanted.encode(), ASCII))
        if not converter:
            return None
        at_0, at_1 = (self.library.cv_convert_double(converter, value) for value in (0.0, 1.0))
        return at_1 - at_0, at_0
