# SPDX-License-Identifier: BSD-3-Clause
"""python -m nearfar_output info|verify|recover|npy|segy PATH …"""

from __future__ import annotations

import argparse
import importlib.metadata
import pathlib
import re
import sys

from . import Stream, StreamError, recover, to_npy, to_segy


def _info(options: argparse.Namespace) -> int:
    stream = Stream(options.path, options.format)
    times = stream.times
    span = f", time {times[0]:g} to {times[-1]:g}" if times.size else ""
    print(f"{stream.path}: {stream.format}, {stream.steps} whole steps{span}")
    for array in stream.arrays.values():
        shape = " x ".join(str(n) for n in array.extents)
        size = (
            "constant"
            if array.is_constant
            else "at first, varies"
            if stream.is_varying(array.name)
            else f"{array.frame_bytes} bytes per step"
        )
        print(f"  {array.name}: {array.dtype.name}, {shape}, {size}")
    return 0


def _verify(options: argparse.Namespace) -> int:
    reports = Stream(options.path, options.format).verify()
    for report in reports:
        if report.is_sound is not True:
            print(f"step {report.step} (time {report.time:g}): {report.reason}")
    counts = {verdict: sum(r.is_sound is verdict for r in reports) for verdict in (True, False, None)}
    print(f"{counts[True]} steps are sound, {counts[False]} are not, {counts[None]} cannot be compared")
    return 1 if counts[False] else 0


def _recover(options: argparse.Namespace) -> int:
    print(f"{recover(options.path)} whole steps")
    return 0


def _npy(options: argparse.Namespace) -> int:
    to_npy(Stream(options.path, options.format), options.array, options.file)
    return 0


def _segy(options: argparse.Namespace) -> int:
    traces, samples = to_segy(Stream(options.path, options.format), options.array, options.file, options.step)
    print(f"{options.file}: {traces} traces of {samples} samples")
    return 0


def _version() -> str:
    try:
        return importlib.metadata.version("nearfar-output")
    except importlib.metadata.PackageNotFoundError:  # in its sources, which need no installing
        project = pathlib.Path(__file__).parents[1] / "pyproject.toml"
        found = re.search(r'^version = "(.*)"$', project.read_text(), re.M) if project.exists() else None
        return found[1] if found else "of unknown version"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m nearfar_output", description="Looks at what output streams wrote.")
    parser.add_argument("--version", action="version", version=f"nearfar-output {_version()}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, words in (
        ("info", _info, "steps, times and arrays"),
        ("verify", _verify, "compares all data with the sums in the journal; status 1 if a step is not sound"),
        ("recover", _recover, "cuts the files (rsf) of a killed program to their whole steps"),
        ("npy", _npy, "all steps of an array as a .npy file"),
        ("segy", _segy, "an array as SEG-Y (needs segyio)"),
    ):
        command = commands.add_parser(name, help=words, description=words)
        command.set_defaults(run=run)
        command.add_argument("path", help="of the stream, without .journal")
        if name != "recover":
            command.add_argument("--format", help="where there are files of several (default: the one that there is)")
        if name in ("npy", "segy"):
            command.add_argument("array", help="its name")
            command.add_argument("file", help="to write")
        if name == "segy":
            command.add_argument(
                "--step", type=int, help="traces along the fastest axis of this step (default: along time)"
            )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (StreamError, KeyError, IndexError, OSError, MemoryError) as problem:
        print(f"nearfar_output: {problem}", file=sys.stderr)
        return 2
    except ImportError:
        print("nearfar_output: segyio is not installed: pip install segyio", file=sys.stderr)
        return 2
    except Exception as problem:  # what a library says of a damaged file has no class in common
        print(f"nearfar_output: {options.path}: {type(problem).__name__}: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
