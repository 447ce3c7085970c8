# SPDX-License-Identifier: BSD-3-Clause
"""Runs the weather model for tests and reads the lines of its log that are made for them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "tests/faults"))  # behind: both have a faults.py
from processes import wait_until_gone, working_in  # noqa: E402

HANG_S = 500  # for hangs only, before ctest ends the test
NUMBER = r"\s*([-+]?\d\.\d+E[-+]\d+)"
STATE = re.compile(
    rf"state (\w+)\s+theta{NUMBER}{NUMBER} mass{NUMBER}{NUMBER} u{NUMBER}{NUMBER} w{NUMBER}{NUMBER} "
    r"checksum ([0-9A-F]{32})"
)
TRACER = re.compile(rf"tracer (\w+)\s+q{NUMBER}{NUMBER} ground{NUMBER}")


@dataclass(frozen=True)
class State:
    """The log's summary of the state: extremes over the domain, total masses, checksum of all bits."""

    theta: tuple[float, float]
    mass: float
    tracer_mass: float
    u: tuple[float, float]
    w: tuple[float, float]
    checksum: str
    q: tuple[float, float]
    ground: float  # rain at the ground [kg]


@dataclass(frozen=True)
class Run:
    status: int
    log: str

    def state(self, label: str) -> State:
        for found in STATE.finditer(self.log):
            if found[1] == label:
                n = [float(found[k]) for k in range(2, 10)]
                q = next(tuple(map(float, t.groups()[1:])) for t in TRACER.finditer(self.log) if t[1] == label)
                return State((n[0], n[1]), n[2], n[3], (n[4], n[5]), (n[6], n[7]), found[10], q[:2], q[2])
        raise AssertionError(f"no line 'state {label}' in the log:\n{self.log}")


class Checks:
    """Collects what holds and what does not; the exit status is the verdict."""

    def __init__(self) -> None:
        self.failed = 0

    def __call__(self, holds: bool, what: str) -> None:
        print(("ok      " if holds else "FAILED  ") + what, flush=True)
        self.failed += not holds

    def within(self, value: float, low: float, high: float, what: str) -> None:
        self(low <= value <= high, f"{what}: {value:.6g} in [{low:g}, {high:g}]")

    def finish(self) -> None:
        sys.exit(1 if self.failed else 0)


# Single ranks of Open MPI share one session folder, which one that ends may delete while another one fills it:
# each script has its own.
SESSIONS = str(Path.cwd() / "sessions" / Path(sys.argv[0]).stem)


def environment(ranks: int, node_size: int = 0) -> dict[str, str]:
    """Exchanges are not tuned, which would take longer than many a run, unless NEARFAR_BUDGET is set. Open MPI gives
    the other ranks of a
    failed job no second to end by themselves, and starts no daemon for a single rank."""
    own = {"NEARFAR_BUDGET": "0", "OMPI_MCA_odls_base_sigkill_timeout": "0", **os.environ}
    if ranks == 1:
        own["OMPI_MCA_ess_singleton_isolated"] = "1"
        own["OMPI_MCA_orte_tmpdir_base"] = SESSIONS
    if node_size:
        own["NEARFAR_NODE_SIZE"] = str(node_size)
    return own


def run(program: str, namelist: str, ranks: int, folder: Path, node_size: int = 0) -> Run:
    """Run the model in `folder` on a namelist given as text. NEARFAR_TEST_LAUNCHER says how ranks start."""
    (folder / "test.nml").write_text(namelist)
    launcher = shlex.split(os.environ.get("NEARFAR_TEST_LAUNCHER", "mpiexec -n"))
    command = [launcher[0], *launcher[1:2], str(ranks), *launcher[2:], program, "test.nml"]
    if ranks == 1:
        command = command[-2:]  # needs no launcher, which takes longer than many a run
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(ranks, node_size),
        timeout=HANG_S,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        wait_until_gone(working_in(folder), HANG_S)
    return Run(done.returncode, done.stdout)


def ask(program: str, namelist: str | None, folder: Path, *options: str) -> Run:
    """One rank with options behind the namelist file, if there is one."""
    words = [program]
    if namelist is not None:
        (folder / "test.nml").write_text(namelist)
        words.append("test.nml")
    done = subprocess.run(
        [*words, *options],
        cwd=folder,
        env=environment(1, 0),
        timeout=HANG_S,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return Run(done.returncode, done.stdout)


def run_well(program: str, namelist: str, ranks: int, folder: Path, **options: int) -> Run:
    result = run(program, namelist, ranks, folder, **options)
    if result.status != 0:
        sys.exit(f"the model ended with status {result.status} on {ranks} ranks:\n{result.log}")
    return result


def change(namelist: str, **keys: object) -> str:
    """The namelist with keys set; a key that it does not hold yet is written GROUP__KEY."""
    for name, value in keys.items():
        text = f"'{value}'" if isinstance(value, str) else (f".{value}.".lower() if isinstance(value, bool) else value)
        group, _, key = name.rpartition("__")
        pattern = re.compile(rf"^ *{key} *=.*$", re.MULTILINE)
        if pattern.search(namelist):
            namelist = pattern.sub(f"  {key} = {text}", namelist)
        elif f"&{group}\n" in namelist:
            namelist = namelist.replace(f"&{group}\n", f"&{group}\n  {key} = {text}\n")
        elif group:
            namelist += f"&{group}\n  {key} = {text}\n/\n"
        else:
            raise AssertionError(f"no key {key} in the namelist, and no group for it")
    return namelist


def namelist_file(name: str) -> str:
    return (Path(__file__).parent.parent / "namelists" / name).read_text()


def scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="nearfar-weather-")
