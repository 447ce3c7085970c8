# SPDX-License-Identifier: BSD-3-Clause
"""Reads what nearfar-seismic writes: RSF headers with their numbers, and gathers as SEG-Y. No code is shared with the
program."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from math import isfinite, prod
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

from command import InputError, command, regular_file  # noqa: E402

__all__ = ["Array", "Gather", "InputError", "Volume", "command", "header_of", "read_rsf", "read_segy"]

MOST_HEADER = 10_000_000  # bytes
Array = Any  # of numpy


@dataclass
class Volume:
    """Numbers on a grid, slowest dimension first, with the places of the grid's planes along each dimension."""

    values: Array
    axes: list[Array]


def header_of(path: Path) -> dict[str, str]:
    """All key=value of a header; later ones win."""
    text = regular_file(path, MOST_HEADER).read_text(errors="replace")
    words = re.findall(r"([^\s=]+)=(\"[^\"]*\"|\S+)", text)
    return {key: value.strip('"') for key, value in words}


def number_of(path: Path, header: dict[str, str], key: str, default: str, least: float, most: float) -> float:
    """A value of a header, within a range."""
    words = header.get(key, default)
    try:
        value = float(words)
    except ValueError:
        value = float("nan")
    if not (isfinite(value) and least <= value <= most):
        raise InputError(f"{path}: {key} = {words}; it must be a number from {least:g} to {most:g}")
    return value


def read_rsf(path: Path) -> Volume:
    """The numbers are mapped, not read: a series may be larger than memory."""
    header = header_of(path)
    if "n1" not in header or "in" not in header:
        raise InputError(f"{path} is not an RSF header with n1 and in")
    counts = []
    while (key := f"n{len(counts) + 1}") in header:
        counts.append(int(number_of(path, header, key, "", 1, 1e12)))
    data = regular_file(path.parent / header["in"])
    wanted, found = 4 * prod(counts), data.stat().st_size
    if found < wanted:
        raise InputError(f"{data} has {found} bytes; its header {path.name} says {wanted}")
    axes = []
    for n, count in enumerate(counts, 1):
        begin, step = number_of(path, header, f"o{n}", "0", -1e9, 1e9), number_of(path, header, f"d{n}", "1", 1e-9, 1e9)
        axes.append(begin + step * np.arange(count))
    kind = ">f4" if header.get("data_format") == "xdr_float" else "<f4"
    return Volume(np.memmap(data, kind, "r", shape=tuple(counts[::-1])), axes[::-1])


def finite(path: Path, values: Array) -> Array:
    """Refuses numbers that nothing can be drawn of."""
    bad = ~(np.abs(values) < 1e30)
    if bad.any():
        raise InputError(f"{path}: {bad.sum()} values are not finite or beyond 1e30, the first is {values[bad][0]}")
    return values


@dataclass
class Gather:
    """Traces [receiver, time] with places in metres."""

    values: Array
    interval_s: float
    source: Array
    receivers: Array


def read_segy(path: Path) -> Gather:
    """SEG-Y revision 1 of IEEE floats, all traces of one length."""
    data = regular_file(path).read_bytes()
    if len(data) < 3840:
        raise InputError(f"{path} has {len(data)} bytes; headers of SEG-Y alone have 3840")
    interval_us, samples, code = (int.from_bytes(data[at : at + 2], "big") for at in (3216, 3220, 3224))
    if code != 5:
        raise InputError(f"{path} has numbers of format {code}; 5, IEEE floats, is read here")
    if not samples or not interval_us:
        raise InputError(f"{path}: {samples} samples every {interval_us} us; both must be above 0")
    size = 240 + 4 * samples
    traces = np.frombuffer(data, np.uint8, offset=3600)
    if len(traces) % size:
        raise InputError(f"{path} ends inside a trace of {samples} samples")
    if not len(traces):
        raise InputError(f"{path} has no trace")
    traces = traces.reshape(-1, size)

    def field(at: int, kind: str) -> Array:
        return np.ascontiguousarray(traces[:, at : at + int(kind[-1])]).view(kind)[:, 0].astype(float)

    def scaled(values: Array, scale: Array) -> Array:
        return np.where(
            scale < 0, values / np.where(scale == 0, 1, np.abs(scale)), values * np.where(scale == 0, 1, scale)
        )

    across, down = field(70, ">i2"), field(68, ">i2")
    place = [scaled(field(at, ">i4"), across) for at in (72, 76, 80, 84)]
    source = np.stack([place[0], place[1], scaled(field(48, ">i4"), down)], 1)
    receivers = np.stack([place[2], place[3], -scaled(field(40, ">i4"), down)], 1)
    values = np.ascontiguousarray(traces[:, 240:]).view(">f4").astype(np.float32)
    finite(path, values)
    return Gather(values, interval_us * 1e-6, source[0], receivers)
