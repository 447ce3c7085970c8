# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program on a damaged input, in a process of its own with limits, and says what is wrong with how it ended."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from command import end_with_parent  # noqa: E402

SECONDS = 600.0  # for hangs only: an input takes well below one; a grid that is large and right takes ten
MOST_MEMORY = 6 << 30
CRASHES = re.compile(
    r"Segmentation fault|Traceback|Backtrace|SIGFPE|stack smashing|Fortran runtime error|terminate called"
)


def of_python(main: Callable[[list[str]], int], words: list[str], folder: Path, sound: Callable[[], str]) -> str:
    """What is wrong, or nothing: it must end with 0 and a `sound` result, or with one line that says why not."""
    said = folder / "said"
    process = os.fork()
    if process == 0:
        _child(main, words, said)
    status = _wait(process)
    if status is None:
        return f"hung for {SECONDS:g} s"
    if os.WIFSIGNALED(status):
        return f"was killed by {signal.Signals(os.WTERMSIG(status)).name}"
    lines = [line for line in said.read_text(errors="replace").splitlines() if "error: " in line or "Traceback" in line]
    if os.WEXITSTATUS(status) == 0:
        return sound()
    if len(lines) != 1 or CRASHES.search(lines[0]):
        return f"ended with {os.WEXITSTATUS(status)} and said {lines or 'nothing'}"
    if "NEARFAR_TRACEBACK" in lines[0] or len(lines[0]) > 1000:
        return f"was not refused by a check of its own: {lines[0]}"
    return ""


def _child(main: Callable[[list[str]], int], words: list[str], said: Path) -> None:
    status = 120
    try:
        os.setsid()
        end_with_parent()
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        try:
            status = int(main(words))
        except SystemExit as ended:  # argparse
            status = ended.code if isinstance(ended.code, int) else 1
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _wait(process: int) -> int | None:
    until = time.monotonic() + SECONDS
    pause = 0.0005
    while time.monotonic() < until:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return status
        time.sleep(pause)
        pause = min(2 * pause, 0.02)
    os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return None


def of_program(words: list[str], folder: Path, good_statuses: tuple[int, ...], name: str) -> str:
    """The same of a compiled program: 0, or one of `good_statuses` and a line that begins with its name."""
    return status_and_fault(words, folder, good_statuses, name)[1]


def status_and_fault(words: list[str], folder: Path, good_statuses: tuple[int, ...], name: str) -> tuple[int, str]:
    """How a compiled program ended, and what is wrong with that."""
    environment = {
        **os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "NEARFAR_WISDOM": "off",
        "OMPI_MCA_orte_tmpdir_base": str(folder / "sessions"),  # one that ends may delete that of another
        "OMPI_MCA_ess_singleton_isolated": "1", "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env=environment,
            capture_output=True,
            timeout=SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 1, f"hung for {SECONDS:g} s"
    said = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode < 0:
        return done.returncode, f"was killed by {signal.Signals(-done.returncode).name}"
    if done.returncode == 0:
        return 0, ""
    lines = [line for line in said.splitlines() if line.startswith(name)]
    if done.returncode not in good_statuses or not lines or CRASHES.search(said):
        return done.returncode, f"ended with {done.returncode} and said {said[-500:]!r}"
    return done.returncode, ""
