# SPDX-License-Identifier: BSD-3-Clause
"""Namelists of the experiment: 100 x 100 columns and 38 levels, or one tile per rank."""

from __future__ import annotations

import re
from dataclasses import dataclass

from launch import ExperimentError

LEVELS = 38
DT = 60.0  # s

# Idealised, so that no data package is needed, but with the work of a forecast in every step.
BASE: dict[str, dict[str, object]] = {
    "model_grids": {"timeunit": "s", "nacoust": 4, "nnzp": LEVELS, "deltax": 20000.0, "deltaz": 150.0, "dzrat": 1.06,
                    "dzmax": 700.0, "dtlong": DT},
    "model_sound": {"case": "rest", "brunt": 0.01, "us": 10.0, "vs": 5.0, "terrain": "bell", "terrain_height": 500.0,
                    "terrain_width": 200000.0},
    "model_options": {"sponge_depth": 5000.0, "coriolis": True},
    "exchange": {"method": "compare", "report": "compare"},
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One run: the domain, the process grid (0: the library chooses) and the number of long steps."""

    nx: int
    ny: int
    ranks: int
    nodes: int
    steps: int
    sides: str  # 'davies' or 'periodic'
    px: int = 0
    py: int = 0


def known_keys(text: str) -> set[str]:
    """Names of the keys in the program's own list."""
    return set(re.findall(r"^ {2}([a-z_0-9]+) =", text, re.MULTILINE))


def namelist(case: Case, core: str, settings: list[str]) -> str:
    """The text of a namelist; settings are GROUP.KEY=VALUE as typed, and win."""
    groups = {name: dict(values) for name, values in BASE.items()}
    groups["model_grids"] |= {"timmax": case.steps * DT, "nnxp": case.nx, "nnyp": case.ny}
    groups["model_options"] |= {"boundary_x": case.sides, "boundary_y": case.sides}
    if case.sides == "davies":
        groups["model_options"]["davies_width"] = max(1, min(8, case.nx // 4, case.ny // 4))
    groups["exchange"] |= {"px": case.px, "py": case.py}
    if core:
        groups["model_options"]["time_scheme"] = core
    for setting in settings:
        place, equal, value = setting.partition("=")
        group, dot, key = place.strip().partition(".")
        if not (equal and dot and group in groups and key):
            raise ExperimentError(
                f"--set {setting}: not of the form GROUP.KEY=VALUE with a group of {', '.join(groups)}"
            )
        groups[group][key] = Typed(value.strip())
    lines = []
    for group, values in groups.items():
        lines.append(f"&{group}")
        lines += [f"  {key} = {written(value)}" for key, value in values.items()]
        lines.append("/")
    return "\n".join(lines) + "\n"


class Typed(str):
    """A value in the namelist's own spelling."""


def written(value: object) -> str:
    if isinstance(value, Typed):
        return str(value)
    if isinstance(value, bool):
        return ".true." if value else ".false."
    return f"'{value}'" if isinstance(value, str) else f"{value}"
