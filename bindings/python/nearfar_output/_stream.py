# SPDX-License-Identifier: BSD-3-Clause
"""Streams on disk: arrays as views of the files, verification by the journal's sums, recovery of torn files."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ._crc32c import combine, crc32c
from ._journal import Record, StreamError, read_journal
from ._rsf import dtype_of, extents_of, read_header

_MOST_ORDERED = 8  # arrays whose order is found by trying


@dataclass(frozen=True)
class Array:
    """One of the arrays of a stream.

    Attributes
    ----------
    name
        As the program called it.
    path
        Of the data: frames back to back.
    dtype, extents
        Of one frame, slowest dimension first.
    header
        All of the text header.
    """

    name: str
    path: Path
    dtype: np.dtype[np.generic]
    extents: tuple[int, ...]
    header: dict[str, str]

    @property
    def frame_bytes(self) -> int:
        """Bytes of a step."""
        return int(np.prod(self.extents, dtype=np.int64)) * self.dtype.itemsize

    def number(self, key: str, otherwise: float) -> float:
        """A number of the header, such as d1."""
        try:
            return float(self.header.get(key, otherwise))
        except ValueError:
            return otherwise


@dataclass(frozen=True)
class StepReport:
    """What verification says of a step: is_sound is None where its sums cannot be compared, and `reason` says why."""

    step: int
    time: float
    is_sound: bool | None
    reason: str = ""


def _array_of(path: Path, header_path: Path) -> Array:
    header = read_header(header_path)
    name = header_path.name[len(path.name) + 1 : -len(".rsf")]
    return Array(
        name, header_path.with_suffix(".raw"), dtype_of(header, header_path), extents_of(header, header_path), header
    )


def _frames_in(array: Array) -> int:
    try:
        return array.path.stat().st_size // array.frame_bytes
    except OSError:
        return 0


class Stream:
    """The whole steps of a stream in the format rsf, also of one that is being written or was killed. Changes nothing.

    Parameters
    ----------
    path
        As the program gave it: the files are PATH.journal, PATH.NAME.rsf and PATH.NAME.raw.

    Raises
    ------
    StreamError
        Files that are missing or do not belong together.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.journal = read_journal(self.path.with_name(self.path.name + ".journal"))
        # A name has no dot: a stream "run.b" beside a stream "run" is not one of its arrays.
        headers = sorted(
            p
            for p in self.path.parent.glob(f"{self.path.name}.*.rsf")
            if "." not in p.name[len(self.path.name) + 1 : -4]
        )
        self.arrays = {a.name: a for a in (_array_of(self.path, p) for p in headers)}
        if not self.arrays:
            raise StreamError(f"there is no {self.path}.NAME.rsf: another format than rsf has readers of its own")
        self._order: list[Array] | None = None

    @property
    def steps(self) -> int:
        """Steps that are in the journal and in all files."""
        return min([len(self.journal.steps), *(_frames_in(a) for a in self.arrays.values())])

    @property
    def times(self) -> NDArray[np.float64]:
        """One per step."""
        return np.array(self.journal.times[: self.steps], np.float64)

    def __getitem__(self, name: str) -> NDArray[np.generic]:
        """The array of this name, shape (steps, …), as a view of the file that cannot be written."""
        if name not in self.arrays:
            raise KeyError(f"{name}: the arrays of {self.path} are {', '.join(self.arrays)}")
        array, steps = self.arrays[name], self.steps
        if steps == 0:
            return np.empty((0, *array.extents), array.dtype)
        return np.memmap(array.path, array.dtype, "r", shape=(steps, *array.extents))

    def _frame(self, array: Array, step: int) -> NDArray[np.uint8]:
        return np.memmap(array.path, np.uint8, "r", step * array.frame_bytes, (array.frame_bytes,))

    def _joined(self, step: int, order: list[Array], sums: dict[str, int]) -> int:
        crc = 0
        for array in order:
            crc = combine(crc, sums[array.name], array.frame_bytes)
        return crc

    def _is_sound_of_one(self, step: int, record: Record) -> bool:
        """One writer's sum is that of all arrays, whole, in the order in which the program named them."""
        arrays = list(self.arrays.values())
        sums = {a.name: crc32c(self._frame(a, step)) for a in arrays}
        if self._order is None and len(arrays) <= _MOST_ORDERED:
            orders = (list(o) for o in permutations(arrays))
            self._order = next((o for o in orders if self._joined(step, o, sums) == record.crc), None)
        return self._joined(step, self._order or arrays, sums) == record.crc

    def _is_sound_of_slabs(self, step: int, records: list[Record]) -> bool | None:
        """Several writers of one array that is cut along its slowest axis; None: it is cut otherwise, or not sound."""
        (array,) = self.arrays.values()
        frame, begin, is_sound = self._frame(array, step), 0, True
        for record in records:
            is_sound = is_sound and crc32c(frame[begin : begin + record.bytes]) == record.crc
            begin += record.bytes
        return True if is_sound and begin == array.frame_bytes else None

    def verify_step(self, step: int) -> StepReport:
        """Compares one step with the sums in the journal."""
        records = self.journal.steps[step]

        def report(is_sound: bool | None, reason: str = "") -> StepReport:
            return StepReport(step, records[0].time, is_sound, reason)

        if any(r.crc is None for r in records):
            return report(None, "the stream was written without sums")
        if sum(r.bytes for r in records) != sum(a.frame_bytes for a in self.arrays.values()):
            return report(False, "the journal tells of other sizes than the headers")
        if len(records) == 1:
            is_sound = self._is_sound_of_one(step, records[0])
            return report(is_sound, "" if is_sound else "the sum is another than when it was written")
        if len(self.arrays) == 1 and self._is_sound_of_slabs(step, records):
            return report(True)
        return report(None, f"{len(records)} writers: how they cut the arrays is not in the files")

    def verify(self) -> list[StepReport]:
        """Compares all steps with the sums in the journal. Reads all data."""
        reports = [self.verify_step(s) for s in range(self.steps)]
        if self._order is not None:  # steps before the first sound one were compared with a wrong order
            reports = [r if r.is_sound is not False else self.verify_step(r.step) for r in reports]
        return reports


def _cut(path: Path, size: int) -> None:
    if path.stat().st_size > size:
        os.truncate(path, size)


def recover(path: str | os.PathLike[str]) -> int:
    """Cuts the files of a stream that was killed to their whole steps, and makes its headers say so.

    Returns
    -------
    int
        The number of steps.

    Raises
    ------
    StreamError
        It is being written, or files are missing.
    """
    stream = Stream(path)
    journal = stream.path.with_name(stream.path.name + ".journal")
    for array in stream.arrays.values():
        if not array.path.exists():
            raise StreamError(f"{array.path} is missing: what it held cannot be recovered")
    with open(journal, "r+b") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            raise StreamError(f"{journal} is being written by a program") from problem
        steps = stream.steps
        for array in stream.arrays.values():
            _rewrite_header(stream, array, steps)
            _cut(array.path, steps * array.frame_bytes)
        _cut(journal, stream.journal.ends[steps - 1] if steps else 0)
    return steps


def _rewrite_header(stream: Stream, array: Array, steps: int) -> None:
    axis, times = len(array.extents) + 1, stream.times
    late = {f"n{axis}": f"{steps}", f"label{axis}": '"time"'}
    if steps > 0:
        late[f"o{axis}"] = f"{times[0]:.15g}"
    if steps > 1:
        late[f"d{axis}"] = f"{times[1] - times[0]:.15g}"
    header = array.path.with_suffix(".rsf")
    keys = tuple(f"{letter}{axis}=" for letter in ("n", "o", "d", "label"))
    kept = [line for line in header.read_text(encoding="utf-8").splitlines() if not line.startswith(keys)]
    fresh = header.with_name(header.name + ".new")
    fresh.write_text("\n".join([*kept, *(f"{key}={value}" for key, value in late.items())]) + "\n", encoding="utf-8")
    fresh.replace(header)
