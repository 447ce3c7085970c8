# SPDX-License-Identifier: BSD-3-Clause
"""Disks that are full (a small tmpfs in a mount namespace of its own) or slow, while jobs write steps.

Full: all ranks that compute are told the same step and why, nobody is ended or hangs, closing the stream works, all
steps before that one are there and
the headers speak of exactly these; when there is room again, the next job goes on.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from output_job import FORMATS, RANKS, Job, Launcher, must_be_whole

IN_NAMESPACE = "NEARFAR_TEST_OWN_MOUNTS"
STEP_BYTES = 8 * 32 * 64 * (4 + 8)
MANY = 900  # steps: more than there is room for
SKIP = 77


def enter_namespace() -> None:
    """Runs this program again where it may mount what nobody else sees."""
    if IN_NAMESPACE in os.environ:
        return
    become = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    own = ["unshare", "--mount", *become]
    if subprocess.run([*own, "mount", "-t", "tmpfs", "none", "/mnt"], stderr=subprocess.DEVNULL).returncode != 0:
        print("left out: no mount namespace can be had here")
        sys.exit(SKIP)
    os.environ[IN_NAMESPACE] = "1"
    os.execvp("unshare", [*own, sys.executable, *sys.argv])


def _mount(folder: str, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], check=True)


def steps_in_headers(path: Path, format: str) -> int:
    """What a reader that knows no journal takes for the number of steps."""
    if format == "rsf":
        return int(re.findall(r"^n4=(\d+)$", path.with_name("s.p.rsf").read_text(), re.MULTILINE)[-1])
    if format == "zarr":
        shapes = [
            json.loads((path.with_name("s.zarr") / a / "zarr.json").read_text())["shape"][0] for a in ("p", "q", "time")
        ]
        assert len(set(shapes)) == 1, shapes
        return shapes[0]
    if format == "vtkhdf" and path.with_name("s.vtkhdf.series").exists():
        return len(json.loads(path.with_name("s.vtkhdf.series").read_text())["files"])
    ending = {"netcdf": "nc", "hdf5": "h5", "vtkhdf": "vtkhdf"}[format]
    return len(list(path.parent.glob(f"s.??????.{ending}")))


def _step_that_failed(job: Job) -> int:
    told = re.findall(
        r"goes on without the disk: .*?step (\d+) of \S+ cannot be written: "
        r"No space left on device; the (\d+) steps before it are whole",
        job.output,
    )
    assert len(told) == 2 and len(set(told)) == 1 and told[0][0] == told[0][1], (
        f"the ranks that compute were told {told}:\n{job.output}"
    )
    return int(told[0][0])


def full_disk(launcher: Launcher, format: str, policy: str, dice: random.Random) -> None:
    with tempfile.TemporaryDirectory(prefix="nearfar_output_disk.") as folder:
        capacity = dice.randrange(4 * STEP_BYTES, 12 * STEP_BYTES)
        _mount(folder, f"size={capacity}")
        try:
            path = Path(folder) / "s"
            started = time.monotonic()
            job = Job(launcher, path, format, policy, MANY, "goes-on", "pause=0")
            job.end()
            seconds = time.monotonic() - started
            job.must_have_ended_well()
            step = _step_that_failed(job)
            writers = 2 if policy == "two" else 1
            assert must_be_whole(path, step, writers) == step and step >= 1
            # There may be no room even for the headers.
            if "opening it to append makes up for that" not in job.output:
                assert steps_in_headers(path, format) == step, (
                    f"headers speak of {steps_in_headers(path, format)} steps, {step} are whole"
                )
            _mount(folder, f"remount,size={capacity + 8 * STEP_BYTES}")
            job = Job(launcher, path, format, policy, step + 3, "append")
            job.end()
            job.must_have_ended_well()
            assert must_be_whole(path, step + 3, writers) == steps_in_headers(path, format) == step + 3
        finally:
            subprocess.run(["umount", folder], check=True)
    print(
        f"ok      full disk ({policy}, {format}): told of step {step} of {capacity / STEP_BYTES:.2f} that fit, "
        f"in {seconds:.1f} s",
        flush=True,
    )


def slow_disk(launcher: Launcher, policy: str) -> None:
    """Who computes waits, is never further ahead than was agreed (the victim looks), and is told how long it will
    take."""
    rate, steps = 300_000, 5
    with tempfile.TemporaryDirectory(prefix="nearfar_output_disk.") as folder:
        path = Path(folder) / "s"
        job = Job(launcher, path, "rsf", policy, steps, f"rate={rate}", "pause=0", NEARFAR_LOG="info")
        job.end()
        job.must_have_ended_well()
        assert must_be_whole(path, steps) == steps
        told = re.findall(
            rf"nearfar\[0\] info: output: {path}: step (\d+) is being written; "
            r"(\d+) steps? \(([\d.]+) kB\) to be written at ([\d.]+) kB/s, "
            r"about [\d.]+ m?s more",
            job.output,
        )
        assert told, f"no line says how far it is:\n{job.output}"
        for step, left, kilobytes, per_second in told:
            assert int(step) + int(left) <= steps and abs(float(kilobytes) - int(left) * STEP_BYTES / 1000) < 1, told
            assert float(per_second) <= rate / 1000 * 1.01, f"{per_second} kB/s from a disk of {rate / 1000}"
        assert re.search(
            r"5 steps accepted, 5 written; per step [1-9][\d.]* m?s waiting \(longest [1-9]", job.output
        ), job.output
    print(f"ok      slow disk ({policy}): waits, and says so {len(told)} times", flush=True)


def full_disks(launcher: Launcher, kinds: list[tuple[str, str]], seed: int) -> None:
    print(f"full disks, seed {seed}", flush=True)
    dice = random.Random(seed)
    for format, policy in kinds:
        try:
            full_disk(launcher, format, policy, dice)
        except AssertionError as why:
            raise AssertionError(f"{format}, {policy}, seed {seed}: {why}") from why


def all_kinds() -> list[tuple[str, str]]:
    return [(format, policy) for format in FORMATS for policy in RANKS]
