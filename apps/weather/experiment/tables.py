# SPDX-License-Identifier: BSD-3-Clause
"""Results of the experiment: from the model's comparison files to Markdown and JSON."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass
from pathlib import Path

from launch import ExperimentError
from setup import Case

WHOLE = 1440  # long steps of the published experiment
PLAIN, BARRIER, TUNED = "isend", "node-barrier", "nearfar (tuned)"
VARIANTS = {PLAIN: "plain MPI (Isend/Irecv)", BARRIER: "shared memory, node barriers", TUNED: "Nearfar, tuned"}

# Souza, Panetta and Stephany: seconds for 1440 steps, shared memory and plain, by (ranks, nodes).
PUBLISHED = {
    (2, 1): (462.25, 459.46), (4, 1): (223.89, 231.94), (8, 1): (115.26, 112.11), (16, 1): (67.17, 67.13),
    (32, 1): (43.39, 40.27), (44, 1): (38.14, 33.15), (64, 2): (31.61, 34.86), (128, 4): (46.93, 48.87),
    (256, 8): (16.41, 17.18), (352, 8): (25.81, 16.62), (512, 16): (19.07, 15.36), (704, 16): (26.56, 16.64),
    (1024, 32): (23.17, 15.60), (1408, 32): (24.04, 17.23),
}  # fmt: skip


@dataclass(frozen=True)
class Timing:
    """Seconds of one variant, medians over long steps: the slowest rank's step, the ranks' mean in the exchange."""

    step_s: float
    halo_s: float

    @property
    def share(self) -> float:
        return self.halo_s / self.step_s


@dataclass(frozen=True)
class Result:
    case: Case
    by_variant: dict[str, Timing]

    def ratio(self, variant: str, over: str) -> float:
        return self.by_variant[variant].step_s / self.by_variant[over].step_s


def read_comparison(path: Path) -> dict[str, Timing]:
    """The model's own comparison of one run."""
    try:
        methods = json.loads(path.read_text())["methods"]
        found = {entry["method"]: Timing(entry["step_s"], entry["halo_s"]) for entry in methods if entry["steps"] > 0}
    except (OSError, ValueError, KeyError) as error:
        raise ExperimentError(f"{path}: no comparison of the model ({error!r})") from error
    missing = [name for name in VARIANTS if name not in found]
    if missing:
        raise ExperimentError(f"{path}: no counted steps of {', '.join(missing)}; use more steps")
    return {name: found[name] for name in VARIANTS}


def middle(rounds: list[dict[str, Timing]]) -> dict[str, Timing]:
    """Medians over repeated runs."""
    return {
        name: Timing(
            statistics.median(found[name].step_s for found in rounds),
            statistics.median(found[name].halo_s for found in rounds),
        )
        for name in VARIANTS
    }


def scaling_table(results: list[Result]) -> str:
    """Ranks, per node, nodes as in the publication; times of each variant, speed-up, halo share, ratios."""
    alone = next((r.by_variant[PLAIN].step_s for r in results if r.case.ranks == 1), None)
    lines = [
        "| ranks-per node-nodes | variant | ms per step | s for 1440 steps | speed-up | in halo | step / plain "
        "| published |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for result in results:
        case = result.case
        shape = f"{case.ranks}-{case.ranks // case.nodes}-{case.nodes}"
        published = PUBLISHED.get((case.ranks, case.nodes))
        for name, label in VARIANTS.items():
            t = result.by_variant[name]
            speed_up = f"{alone / t.step_s:.2f}" if alone else "–"
            theirs = f"{published[0] / published[1]:.3f}" if published and name == BARRIER else ""
            lines.append(
                f"| {shape} | {label} | {1e3 * t.step_s:.3f} | {WHOLE * t.step_s:.2f} | {speed_up} "
                f"| {100 * t.share:.1f} % | {result.ratio(name, PLAIN):.3f} | {theirs} |"
            )
    return "\n".join(lines) + "\n"


def tile_table(results: list[Result]) -> str:
    lines = [
        "| columns of a rank | plain: ms (in halo) | node barriers: ms (in halo) | tuned: ms (in halo) "
        "| plain / tuned | node barriers / tuned |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for result in results:
        case, cells = result.case, []
        for name in VARIANTS:
            t = result.by_variant[name]
            cells.append(f"{1e3 * t.step_s:.4g} ({100 * t.share:.1f} %)")
        lines.append(
            f"| {case.nx // max(case.px, 1)} × {case.ny // max(case.py, 1)} | {' | '.join(cells)} "
            f"| {result.ratio(PLAIN, TUNED):.3f} | {result.ratio(BARRIER, TUNED):.3f} |"
        )
    return "\n".join(lines) + "\n"


def write(
    base: Path, title: str, words: list[str], table: str, results: list[Result], about: dict[str, object]
) -> None:
    """BASE.md and BASE.json."""
    text = f"# {title}\n\n" + "\n".join(words) + "\n\n" + table
    records = [
        {"case": asdict(r.case), "variants": {name: asdict(t) for name, t in r.by_variant.items()}} for r in results
    ]
    try:
        base.with_suffix(".md").write_text(text)
        base.with_suffix(".json").write_text(json.dumps({**about, "results": records}, indent=1) + "\n")
    except OSError as error:
        raise ExperimentError(f"{base}.md or .json cannot be written ({error.strerror})") from error
