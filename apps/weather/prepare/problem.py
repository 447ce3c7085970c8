# SPDX-License-Identifier: BSD-3-Clause
"""What ends a command with a one-line message instead of a traceback, and checks that do."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

from command import InputError, command, regular_file  # noqa: E402

__all__ = ["InputError", "check_range", "command", "need", "regular_file"]


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
