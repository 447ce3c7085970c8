# SPDX-License-Identifier: BSD-3-Clause
"""Reads the times of the model's files, and which of them are whole: a run that was killed leaves the others empty."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Any

import numpy as np

from problem import InputError

SECONDS = {"seconds": 1.0, "minutes": 60.0, "hours": 3600.0, "days": 86400.0}
MOST_YEARS = 1000


def whole_times(path: Path, variable: Any) -> tuple[list[int], list[dt.datetime]]:
    """Numbers and dates of the times that are whole, from a coordinate 'SECONDS since DATE TIME'."""
    units = str(getattr(variable, "units", ""))
    found = re.fullmatch(r"(seconds|minutes|hours|days) since (\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)Z?", units)
    try:
        origin = dt.datetime.fromisoformat(f"{found.group(2)} {found.group(3)}") if found else None
    except ValueError:
        origin = None
    if found is None or origin is None or variable.ndim != 1 or variable.dtype.kind not in "fi":
        raise InputError(
            f"{path}: the units of time are '{units}'; one like 'seconds since 2007-01-24 12:00:00' is expected"
        )
    values = np.ma.filled(variable[:].astype(float), np.nan)
    whole = np.flatnonzero(np.isfinite(values))
    seconds = values[whole] * SECONDS[found.group(1)]
    if (np.abs(seconds) > MOST_YEARS * 3.2e7).any() or (np.diff(seconds) <= 0).any():
        raise InputError(f"{path}: the times do not rise, or lie more than {MOST_YEARS} years from '{units}'")
    try:
        return whole.tolist(), [origin + dt.timedelta(seconds=round(one)) for one in seconds]
    except OverflowError as error:
        raise InputError(f"{path}: a time beyond the year 9999, from '{units}'") from error
