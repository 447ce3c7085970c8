# SPDX-License-Identifier: BSD-3-Clause
"""Results of the experiment: medians of what the programs say, and what overlap could give at best."""

from __future__ import annotations

import json
import re
import statistics
from dataclasses import asdict, dataclass
from pathlib import Path

from launch import ExperimentError
from setup import NONE, METHODS, Setup

PUBLISHED = {520.0: "1.13", 136.0: "1.02-1.09"}  # MB/s: speed-up of Machado, Lorenzon and Navaux


@dataclass(frozen=True)
class Timing:
    """Seconds of a run until the last snapshot is on disk, and those that the run waited in between."""

    seconds: float
    waited_s: float = 0.0
    at_end_s: float = 0.0

    @property
    def stall_s(self) -> float:
        return self.waited_s - self.at_end_s


@dataclass(frozen=True)
class Bounds:
    """Seconds of computing alone, and of writing one snapshot."""

    compute_s: float
    write_s: float

    def ideal_s(self, frames: int) -> float:
        """The first snapshot is written before the first step, so one more than there are intervals."""
        return max(self.compute_s, (frames - 1) * self.write_s) + self.write_s


def read_log(text: str) -> Timing:
    done = re.search(r"^done +([\d.]+) s", text, re.MULTILINE)
    waited = re.search(r"the run waited ([\d.]+) s for them, ([\d.]+) s of it at the end", text)
    if done is None:
        raise ExperimentError("the program did not say how long it took; its log ends with: " + text[-200:].strip())
    return Timing(float(done[1]), *(map(float, waited.groups()) if waited else ()))


def middle(rounds: list[Timing]) -> Timing:
    """Of rounds, the one whose seconds are the median, or the faster of the two in the middle."""
    return sorted(rounds, key=lambda t: t.seconds)[(len(rounds) - 1) // 2]


def bounds_of(setup: Setup, by_method: dict[str, list[Timing]], mb_per_s: float, frames: int) -> Bounds:
    """Computing is known where it is pretended, else measured; writing likewise where the disk is throttled."""
    compute_s = setup.step_s * setup.steps
    if not setup.step_s:
        compute_s = statistics.median(t.seconds for t in by_method[NONE])
    if mb_per_s:
        return Bounds(compute_s, setup.frame_bytes / (1e6 * mb_per_s))
    own = by_method.get("synchronous") or next(rounds for name, rounds in by_method.items() if name != NONE)
    return Bounds(compute_s, statistics.median(t.waited_s for t in own) / frames)


def share(seconds: float, base_s: float, ideal_s: float) -> float | None:
    """Of what overlap could save at best; none where there is nothing to save."""
    return (base_s - seconds) / (base_s - ideal_s) if base_s > ideal_s else None


def table(setup: Setup, by_method: dict[str, list[Timing]], mb_per_s: float, base: str) -> str:
    frames = setup.frames
    bounds = bounds_of(setup, by_method, mb_per_s, frames)
    ideal_s, base_s = bounds.ideal_s(frames), middle(by_method[base]).seconds
    lines = [
        f"| method | | seconds | over {base} | share of the ideal | stall per snapshot | published |",
        "|---|---|--:|--:|--:|--:|--:|",
        f"| ideal | all but the last are hidden | {ideal_s:.2f} | {base_s / ideal_s:.2f} | 100 % | | |",
    ]
    for name, rounds in by_method.items():
        method, t = METHODS[name], middle(rounds)
        if name == NONE:
            lines.append(f"| {name} | {method.words} | {t.seconds:.2f} | | | | |")
            continue
        part = share(t.seconds, base_s, ideal_s)
        shown = "" if name == base or part is None else f"{100 * part:.0f} %"
        published = PUBLISHED.get(mb_per_s, "") if method.is_published else ""
        lines.append(
            f"| {name} | {method.words} | {t.seconds:.2f} | {base_s / t.seconds:.2f} | {shown} "
            f"| {1e3 * t.stall_s / frames:.2f} ms | {published} |"
        )
    return "\n".join(lines) + "\n"


def heading(setup: Setup, by_method: dict[str, list[Timing]], mb_per_s: float) -> str:
    bounds = bounds_of(setup, by_method, mb_per_s, setup.frames)
    disk = f"a disk of {mb_per_s:g} MB/s" if mb_per_s else "the disk as it is"
    between_s = bounds.compute_s / max(1, setup.frames - 1)
    return (
        f"{disk[0].upper()}{disk[1:]}: writing a snapshot takes {1e3 * bounds.write_s:.1f} ms, computing to the next "
        f"{1e3 * between_s:.1f} ms, write : compute {bounds.write_s / between_s:.2f}"
    )


def write(base: Path, text: str, records: list[dict[str, object]], about: dict[str, object]) -> None:
    """BASE.md and BASE.json."""
    try:
        base.with_suffix(".md").write_text(text)
        base.with_suffix(".json").write_text(json.dumps({**about, "disks": records}, indent=1) + "\n")
    except OSError as error:
        raise ExperimentError(f"{base}.md or .json cannot be written ({error.strerror})") from error


def record(setup: Setup, by_method: dict[str, list[Timing]], mb_per_s: float) -> dict[str, object]:
    rounds = {name: [asdict(t) for t in found] for name, found in by_method.items()}
    ideal_s = bounds_of(setup, by_method, mb_per_s, setup.frames).ideal_s(setup.frames)
    return {"mb_per_s": mb_per_s, "setup": asdict(setup), "ideal_s": ideal_s, "rounds": rounds}
