# SPDX-License-Identifier: BSD-3-Clause
"""Damaged checkpoints: a run that goes on from one ends as it would have from a whole one, or refuses."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import mutate
import numpy as np
from runs import of_program, status_and_fault

HERE = Path(__file__).resolve().parent


def program(variable: str) -> str:
    found = os.environ.get(variable, "")
    if not os.access(found, os.X_OK):
        raise FileNotFoundError(f"{variable} names no program")
    return found


class Checkpoints:
    """Two of a run, which take turns; `more` is the command that goes on from them and writes `result`."""

    def __init__(self, folder: Path, name: str, first: list[str], more: list[str], result: str) -> None:
        self.folder, self.name, self.more, self.result = folder, name, more, folder / result
        wrong = of_program(first, folder, (), name)
        self.good = {path: path.read_bytes() for path in sorted(folder.glob("state-*"))}
        if wrong or not self.good:
            raise RuntimeError(f"{name} {wrong or 'wrote no checkpoint'}")
        journals = {path: b"" for path in self.good if path.suffix == ".journal"}
        self.ends = [self.end_after({})]
        self.ends += [self.end_after({journal: b""}) for journal in journals]  # as a kill leaves one of the two
        if b"" in self.ends or len(set(self.ends)) > 2:
            raise RuntimeError(f"{name} does not go on from whole checkpoints")

    def end(self) -> bytes:
        """The numbers of the result, without what a file says of when it was made; nothing if there is none."""
        import h5py

        if not self.result.exists() or self.result.suffix not in (".h5", ".nc"):
            return self.result.read_bytes() if self.result.exists() else b""
        with h5py.File(self.result) as file:
            return b"".join(np.asarray(file[name]).tobytes() for name in sorted(file) if len(file[name].shape) > 0)

    def restore(self, changed: dict[Path, bytes]) -> None:
        for path in set(self.folder.glob("state-*")) - self.good.keys() | set(self.folder.glob("more*")):
            path.unlink()
        for path, contents in {**self.good, **changed}.items():
            path.write_bytes(contents)

    def end_after(self, changed: dict[Path, bytes]) -> bytes:
        self.restore(changed)
        wrong = of_program(self.more, self.folder, (), self.name)
        return b"" if wrong else self.end()

    def attempt(self, seed: int) -> str:
        chance = random.Random(seed)
        changed = {}
        for path in chance.sample(list(self.good), chance.choice((1, 1, 1, 2, 3))):
            good = self.good[path]
            is_text = path.suffix in (".json", ".rsf")
            changed[path] = mutate.text(good.decode(), seed) if is_text else mutate.binary(good, seed)
        self.restore(changed)
        status, wrong = status_and_fault(self.more, self.folder, (1, 2), self.name)
        # One that refuses may have begun its result: that the other checkpoint cannot be replaced shows later.
        if status != 0 or self.end() in self.ends:
            return wrong
        return f"went on from damaged {', '.join(path.name for path in changed)} to another end"


def weather_history(folder: Path) -> Callable[[int], str]:
    binary = program("NEARFAR_WEATHER")
    text = (HERE / "weather.nml").read_text().replace("'o.nc'", "'out.nc'\n  history_file = 'state'")
    text = text.replace("  stations = 'A 3 4; B 5 6'\n", "").replace("frqhis = 20.0", "frqhis = 10.0")
    first, more = folder / "first.nml", folder / "again.nml"
    first.write_text(text)
    text = text.replace("'out.nc'", "'more.nc'").replace("timmax  = 20.0", "timmax = 30.0\n  runtype = 'history'")
    more.write_text(text)
    return Checkpoints(folder, "nearfar-weather", [binary, str(first)], [binary, str(more)], "more.nc").attempt


def heat_checkpoint(folder: Path) -> Callable[[int], str]:
    binary = program("NEARFAR_HEAT")
    first = [binary, f"--settings={HERE / 'heat.toml'}", "--steps=2", "--checkpoint=state", "--checkpoint-every=1"]
    more = [binary, "--restart=state", "--steps=3", "--checkpoint=more"]
    first += ["--iterations=2", "--form=ordered"]
    return Checkpoints(folder, "nearfar-adaptive-heat", first, [*more, "--form=ordered"], "more-a.h5").attempt


def turbulence_checkpoint(folder: Path) -> Callable[[int], str]:
    binary = program("NEARFAR_TURBULENCE")
    settings = folder / "run.toml"
    settings.write_text((HERE / "turbulence.toml").read_text())
    more = [binary, str(settings), "--restart=state"]
    for change in ("time.end=0.15", "checkpoints.path='more'", "series.path='more.series'"):
        more += ["--set", change]
    first = [binary, str(settings)]
    return Checkpoints(folder, "nearfar-turbulence", first, more, "more-a.u.raw").attempt
