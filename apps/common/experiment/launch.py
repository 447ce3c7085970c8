# SPDX-License-Identifier: BSD-3-Clause
"""Starts ranks of an experiment's programs: on this machine, on emulated nodes (tools/cluster), or on pretend nodes."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

CLUSTER = Path(__file__).resolve().parents[3] / "tools" / "cluster"
NO_NAMESPACES = 77  # exit status of tools/cluster where the machine does not allow them


sys.path.insert(0, str(CLUSTER.parent))

from command import InputError as ExperimentError  # noqa: E402
from command import command  # noqa: E402

__all__ = ["ExperimentError", "Launcher", "command", "last_line", "machine"]


@dataclass
class Launcher:
    """How ranks start; use as a context, so that emulated nodes go away on every way out."""

    program: Path
    timeout_s: float
    mpi: str = ""
    pretend: bool = False
    is_bound: bool = True  # each rank to a core, if there are enough; else to none, and one rank needs no launcher
    node_memory: str = "512m"  # that ranks of an emulated node may share
    up: int = 0  # emulated nodes that are up
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not os.access(self.program, os.X_OK):
            raise ExperimentError(
                f"no program {self.program}; build it with 'make build PRESET=release-openmpi', "
                "or name one with --program"
            )
        libraries = subprocess.run(["ldd", str(self.program)], capture_output=True, text=True, check=False).stdout
        self.mpi = "mpich" if "libmpich" in libraries else "openmpi"
        os.environ["NEARFAR_CLUSTER"] = f"experiment{os.getpid()}"

    def __enter__(self) -> Launcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._take_down()

    def _take_down(self) -> None:
        if self.up:
            subprocess.run([str(CLUSTER), "down"], capture_output=True, check=False)
            self.up = 0

    def answer(self, option: str) -> str:
        """What the program says to an option that only makes it print."""
        done = subprocess.run(
            self._command(1, [str(self.program), option]),
            capture_output=True,
            text=True,
            timeout=self.timeout_s,
            stdin=subprocess.DEVNULL,
            env=self._environment(1, 1),
            check=False,
        )
        if done.returncode != 0:
            raise ExperimentError(f"{self.program} {option} ended with status {done.returncode}: {last_line(done)}")
        return done.stdout

    def run(self, folder: Path, words: list[str], ranks: int, nodes: int = 1, program: Path | None = None) -> str:
        """Run the program, or another one, to the end in `folder`; returns the log."""
        kind = self._nodes(nodes)
        started = [str(program or self.program), *words]
        if kind == "emulated":
            inner = ["sh", "-c", 'cd "$0" && exec "$@"', str(folder), *started]
            command = [str(CLUSTER), "run", "-n", str(ranks), "--per-node", str(ranks // nodes), "--mpi", self.mpi]
            command += ["--timeout", str(self.timeout_s), "--", *inner]
        else:
            command = self._command(ranks, started)
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=self.timeout_s + 30,
                stdin=subprocess.DEVNULL,
                env=self._environment(ranks, nodes if kind == "pretend" else 1),
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise ExperimentError(f"{ranks} ranks did not end within {self.timeout_s:g} s (--timeout)") from error
        if done.returncode != 0:
            raise ExperimentError(f"{ranks} ranks ended with status {done.returncode}: {last_line(done)}")
        return done.stdout

    def _nodes(self, nodes: int) -> str:
        """Bring up as many emulated nodes as a run needs; says what it will run on."""
        if nodes == 1:
            self._take_down()
            return "machine"
        if self.pretend or self.up == nodes:
            return "pretend" if self.pretend else "emulated"
        self._take_down()
        done = subprocess.run(
            [str(CLUSTER), "up", str(nodes), "--shm", self.node_memory], capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            self.up = nodes
            return "emulated"
        if done.returncode != NO_NAMESPACES:
            raise ExperimentError(f"{nodes} emulated nodes did not come up: {last_line(done)}")
        self.pretend = True
        self.notes.append("This machine allows no namespaces: nodes are pretended (NEARFAR_NODE_SIZE).")
        return "pretend"

    def _command(self, ranks: int, program: list[str]) -> list[str]:
        if ranks == 1 and not self.is_bound:
            return program
        launcher = shutil.which(f"mpiexec.{self.mpi}") or shutil.which("mpiexec")
        if launcher is None:
            raise ExperimentError("no mpiexec found")
        is_free = not self.is_bound or ranks > (os.cpu_count() or 1)
        if self.mpi == "openmpi":
            flags = ["--oversubscribe", "--bind-to", "none"] if is_free else ["--bind-to", "core"]
        else:
            flags = [] if is_free else ["-bind-to", "core"]
        return [launcher, "-n", str(ranks), *flags, *program]

    def _environment(self, ranks: int, nodes: int) -> dict[str, str]:
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        if ranks == 1 and not self.is_bound:
            environment["OMPI_MCA_ess_singleton_isolated"] = "1"
        if ranks > (os.cpu_count() or 1):
            environment["OMPI_MCA_mpi_yield_when_idle"] = "1"
        if nodes > 1:
            environment["NEARFAR_NODE_SIZE"] = str(ranks // nodes)
        return environment


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """The line that says most about a failure: the last that is not empty, with 'error' if there is one."""
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower()] or lines
    return telling[-1] if telling else "it said nothing"


def machine() -> dict[str, object]:
    """What an experiment ran on."""
    model = ""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return {"processor": model or platform.machine(), "cores": os.cpu_count() or 1, "system": platform.system()}
