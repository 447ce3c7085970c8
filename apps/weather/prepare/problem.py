# SPDX-License-Identifier: BSD-3-Clause
"""What ends a command with a one-line message instead of a traceback, and checks that do."""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

from command import InputError, command, regular_file  # noqa: E402

__all__ = ["InputError", "check_range", "command", "need", "opened", "regular_file"]

OPENS_WITHIN = 30  # seconds; the library goes round for ever in some damaged files


def need(module: str, package: str) -> ModuleType:
    """Import `module`, or say which Debian package holds it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(
            f"the Python module '{module}' is missing ({error}); install the Debian package {package}"
        ) from error


def check_range(name: str, value: float, low: float, high: float, unit: str = "") -> None:
    """Refuse a value outside [low, high], naming all three."""
    if not low <= value <= high:
        raise InputError(f"{name} = {value:g}{unit} is outside the allowed range {low:g} to {high:g}{unit}")


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Any]:
    """A NetCDF file to read, as netCDF4's Dataset; what the library says of it while it is open is an InputError."""
    netcdf = need("netCDF4", "python3-netcdf4")
    if not path.exists():
        raise InputError(f"{path}: no such file")
    try:
        signal.alarm(OPENS_WITHIN)
        data = netcdf.Dataset(regular_file(path))
        signal.alarm(0)
        with data:
            yield data
    except (OSError, RuntimeError, UnicodeError, AttributeError) as error:
        raise InputError(f"{path}: cannot be read as NetCDF ({error})") from error
    finally:
        signal.alarm(0)
