# SPDX-License-Identifier: BSD-3-Clause
"""The one exception that ends a command with a one-line message instead of a traceback."""

from __future__ import annotations

import importlib
from types import ModuleType


class InputError(Exception):
    """Something the user can put right: a file, an option or a missing package."""


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
