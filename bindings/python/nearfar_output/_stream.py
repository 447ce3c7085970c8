# SPDX-License-Identifier: BSD-3-Clause
"""Streams on disk: arrays as views of the files, verification by the journal's sums, recovery of torn files."""

from __future__ import annotations

import errno
import fcntl
import glob
import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ._adios2 import Adios2Files
from ._array import Array, Files, Frames, understood
from ._hdf5 import Hdf5Files
from ._journal import StreamError, read_journal, stream_at
from ._parts import NotedArray, Parts
from ._rsf import RsfFiles
from ._zarr import ZarrFiles

_HDF5_ENDINGS = {"netcdf": ".nc", "hdf5": ".h5", "vtkhdf": ".vtkhdf"}


@dataclass(frozen=True)
class StepReport:
    """What verification says of a step: is_sound is None where its sums cannot be compared, and `reason` says why."""

    step: int
    time: float
    is_sound: bool | None
    reason: str = ""


def _endings(path: Path) -> set[str]:
    """What follows the stream's name in the names of its files."""
    begin = len(path.name)
    return {p.name[begin:] for p in path.parent.glob(f"{glob.escape(path.name)}.*")}


def formats_at(path: Path) -> list[str]:
    """The formats that there are files of."""
    endings = _endings(path)
    found = ["rsf"] if any(e.endswith(".rsf") and e.count(".") == 2 for e in endings) else []
    if (path.with_name(path.name + ".zarr") / "zarr.json").exists():
        found.append("zarr")
    if ".bp" in endings:
        found.append("adios2")
    for name, ending in _HDF5_ENDINGS.items():
        if f".000000{ending}" in endings or (ending in endings and name != "vtkhdf"):
            found.append(name)
    return found


def _files_of(path: Path, format: str, steps: int, names: frozenset[str]) -> Files:
    with understood(f"the {format} files of {path}"):
        if format == "rsf":
            return RsfFiles(path)
        if format == "zarr":
            return ZarrFiles(path)
        if format == "adios2":
            return Adios2Files(path, steps)
        if format in _HDF5_ENDINGS:
            return Hdf5Files(path, _HDF5_ENDINGS[format], steps, names)
    known = ", ".join(["rsf", "zarr", "adios2", *_HDF5_ENDINGS])
    raise StreamError(f"there is no reader of format {format[:40]}; there are: {known}")


class Stream:
    """The whole steps of a stream, also of one that is being written or was killed. Changes nothing.

    Parameters
    ----------
    path
        As the program gave it: there is PATH.journal, and files of the format (docs/output.md). Of streams that
        take turns at a path (checkpoints) the newer one is taken.
    format
        Which: rsf, netcdf, hdf5, vtkhdf, zarr or adios2; None: what the journal says, or else the one that there are
        files of.

    Attributes
    ----------
    steps
        Those that the journal has. One that a file has not all of is an error when it is read, which names the file,
        and keeps no other from being read.

    Raises
    ------
    StreamError
        Files that are missing or do not belong together, a package that reads them and is not installed (h5py for
        netcdf, hdf5 and vtkhdf; numcodecs or zfpy for compressed zarr; adios2), or files of several formats.
    """

    def __init__(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        self.path = stream_at(Path(path))
        self.journal = read_journal(self.path.with_name(self.path.name + ".journal"))
        self._parts = Parts(self.path, self.journal)
        known = format or self.journal.format or self._parts.format
        found = [known] if known else formats_at(self.path)
        if len(found) != 1:
            raise StreamError(
                f"there are files of {', '.join(found)} at {self.path}: say which format it is"
                if found
                else f"there is a journal at {self.path}, but no file of a format that is known, such as "
                f"{self.path}.NAME.rsf"
            )
        self.format = found[0]
        self.steps = len(self.journal.steps)
        self._files = _files_of(self.path, self.format, self.steps, frozenset(a.name for a in self._parts.arrays))
        self.arrays = self._own(self._files.arrays) if self.format == self._parts.format else self._files.arrays
        if not self.arrays and self.steps > 0:
            raise StreamError(f"there is no array at {self.path} in the format {self.format}")

    def _own(self, found: dict[str, Array]) -> dict[str, Array]:
        """The arrays that the stream was made with, as they were; others are not the stream's."""
        noted = {a.name: a for a in self._parts.arrays}
        if not self.steps and all(a.type for a in noted.values()):
            # Files of formats with one per step are not there yet.
            found = {name: self._noted(a) for name, a in noted.items()} | found
        for name, array in noted.items():
            if name not in found:
                raise StreamError(
                    f"the array {name} of {self.path} is missing: there is no header of it that can be read"
                )
            if self.format == "vtkhdf" and found[name].frame_bytes == array.frame_bytes:
                found[name] = replace(found[name], extents=array.extents)  # grids have no extents of 1, or more of them
            if (found[name].frame_bytes, found[name].extents) != (array.frame_bytes, array.extents):
                raise StreamError(
                    f"{found[name].path}: {name} has the extents {found[name].extents} of {found[name].dtype} in its "
                    f"header, and was made with {array.extents} of {array.bytes} bytes"
                )
        return {name: found[name] for name in sorted(noted)} if noted else found

    def _noted(self, array: NotedArray) -> Array:
        """As it was said when the stream was made."""
        return Array(
            array.name, self.path, np.dtype(array.type), array.extents, dict(array.attributes), array.is_constant
        )

    @property
    def times(self) -> NDArray[np.float64]:
        """One per step."""
        return np.array(self.journal.times[: self.steps], np.float64)

    def __getitem__(self, name: str) -> NDArray[np.generic] | Frames:
        """The array of this name, shape (steps, …), as a view of the file that cannot be written; of constant ones (…).

        Where steps are in files of their own: Frames, which gives them one by one, or all when NumPy takes it.
        """
        if name not in self.arrays:
            raise KeyError(f"{name}: the arrays of {self.path} are {', '.join(self.arrays)}")
        array = self.arrays[name]
        if self.steps == 0:
            return np.empty((0, *array.extents), array.dtype)
        with understood(f"the {self.format} files of {self.path}"):
            return self._files.frame(array, 0) if array.is_constant else self._files.frames(array, self.steps)

    def is_varying(self, name: str) -> bool:
        """The extents of the array are not the same in all steps."""
        if self._parts.arrays:
            return False
        found = self[name]
        return isinstance(found, Frames) and any(found[s].shape != found[0].shape for s in range(1, self.steps))

    def verify_step(self, step: int) -> StepReport:
        """Compares one step with the sums in the journal."""
        records = self.journal.steps[step]
        is_sound, reason = self._parts.opinion_on(step, records)
        return StepReport(step, records[0].time, is_sound, reason)

    def verify(self) -> list[StepReport]:
        """Compares all steps with the sums in the journal. Reads all data."""
        return [self.verify_step(s) for s in range(self.steps)]


def _cut(path: Path, size: int) -> None:
    if path.stat().st_size > size:
        os.truncate(path, size)


def recover(path: str | os.PathLike[str]) -> int:
    """Cuts off what the files of a killed stream have beyond the steps of its journal, and makes its headers say so.

    Of the format rsf; of others files are cut when a program opens the stream to append.

    Returns
    -------
    int
        The number of steps.

    Raises
    ------
    StreamError
        It is being written, or files are missing or shorter than the journal says; nothing is changed then.
    """
    stream = Stream(path)
    if stream.format != "rsf":
        raise StreamError(f"{path} is of format {stream.format}: only rsf is cut here, others when a program appends")
    journal = stream.path.with_name(stream.path.name + ".journal")
    with open(journal, "r+b") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            raise StreamError(f"{journal} is being written by a program") from problem
        except OSError as problem:
            if problem.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):  # a file system without locks
                raise
        stream = Stream(path)  # as it is now that nobody writes
        for array in stream.arrays.values():
            _require_whole(array, stream.steps)
        for array in stream.arrays.values():
            if not array.is_constant:
                _rewrite_header(stream, array, stream.steps)
                _cut(array.path, stream.steps * array.frame_bytes)
        _cut(journal, stream.journal.end)
    return stream.steps


def _require_whole(array: Array, steps: int) -> None:
    """A step that the journal has is not given up, nor those of other arrays, because a file of it is damaged."""
    if not array.path.exists():
        raise StreamError(f"{array.path} is missing: what it held cannot be recovered; nothing was changed")
    there, least = array.path.stat().st_size, array.frame_bytes * (min(steps, 1) if array.is_constant else steps)
    if there < least:
        raise StreamError(
            f"{array.path} is too short: it has {there} bytes, and the {steps} steps of the journal are {least}; "
            "nothing was changed (a program that appends with verify goes on before the first such step)"
        )


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
