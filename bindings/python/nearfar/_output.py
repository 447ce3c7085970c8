# SPDX-License-Identifier: BSD-3-Clause
"""Output of time steps behind computing, and reading them back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ._arguments import choice, data_type, entries, instance, ints, ints_per, pairs, real, text, whole
from ._arrays import DTYPES, TYPES, Array, address_of, array_over, as_array
from ._errors import UsageError
from ._library import core
from ._objects import Handle
from ._makers import agreed, maker
from ._team import Team, team_of
from ._words import OUTPUT_DURABILITY, OUTPUT_OPENING, OUTPUT_PART, OUTPUT_POLICY, OUTPUT_SOUNDNESS
from ._writers import OutputWriters



def _words(attributes: Any, what: str) -> list[tuple[str, str]]:
    if not isinstance(attributes, Mapping):
        raise UsageError(f"{what} is of the type {type(attributes).__name__}; it is a mapping of names to values")
    return [(str(key), str(value)) for key, value in attributes.items()]


def _path(given: Any, what: str = "the path") -> str:
    try:
        return text(os.fsdecode(given), what)
    except TypeError:
        raise UsageError(f"{what} is of the type {type(given).__name__}; it is a string or a path") from None


def _box(given: Any, dimensions: int, what: str) -> tuple[list[int], list[int]]:
    """A box (lower, upper) of global indices."""
    try:
        lower, upper = given
    except (TypeError, ValueError):
        raise UsageError(f"{what} is {given!r}; it is a pair (lower, upper)") from None
    box = ints_per(lower, dimensions, what, "dimensions"), ints_per(upper, dimensions, what, "dimensions")
    if any(low > high for low, high in zip(*box, strict=True)):
        raise UsageError(f"{what} is {given!r}; no upper bound is below the lower one")
    return box


@dataclass
class OutputArray:
    """One of the arrays that each step consists of.

    Attributes
    ----------
    name : str
        Letters, digits, `_` and `-`: part of the file's name.
    extents : sequence of int
        Of the global array, 1 to 4 dimensions, slowest first.
    own : (lower, upper), optional
        This rank's box; None: nothing. The boxes of all ranks cover the array exactly once.
    dtype : dtype
        An integer of 1 to 8 bytes, float32, float64, complex64 or complex128.
    padding : int, sequence of int, or sequence of (low, high), optional
        Elements around the own box in the arrays given to put.
    attributes : mapping
        Such as units="m/s"; words that are a number are written as such.
    dimension_names : sequence of str, optional
        Slowest first; …, "z", "y", "x" by default.
    compression : str, optional
        Where it is another one than the stream's.
    is_varying : bool
        The first extent is another one in each step: `own` is then from 0 to the most rows that this rank has.
    part : str
        What the array is of a grid in the format "vtkhdf".
    is_constant : bool
        The same in all steps, put with the first one only.
    """

    name: str
    extents: Sequence[int]
    own: tuple[Sequence[int], Sequence[int]] | None = None
    dtype: DTypeLike = "float64"
    padding: Any = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    dimension_names: Sequence[str] | None = None
    compression: str | None = None
    is_varying: bool = False
    part: str = "point_data"
    is_constant: bool = False

    @property
    def box(self) -> tuple[list[int], list[int]]:
        """The own box; zeros for none."""
        count = len(ints(self.extents, f"extents of array '{self.name}'"))
        return ([0] * count, [0] * count) if self.own is None else _box(self.own, count, f"own of array '{self.name}'")

    def described(self) -> tuple[Any, ...]:
        """As the compiled module takes it."""
        kind, names = data_type(self.dtype), self.dimension_names
        if names is not None and len(names) != len(self.box[0]):
            raise UsageError(
                f"array '{self.name}' has {len(names)} dimension_names; it has {len(self.box[0])} dimensions"
            )
        if kind not in TYPES:
            raise UsageError(f"array '{self.name}' is of the type {kind}; it is one of {', '.join(map(str, TYPES))}")
        return (
            text(self.name, "the name of an array"),
            TYPES[kind],
            ints(self.extents, "extents"),
            self.box,
            pairs(self.padding, len(self.extents), "padding"),
            _words(self.attributes, "attributes"),
            None if names is None else [text(n, "a name of a dimension") for n in names],
            None if self.compression is None else text(self.compression, "compression"),
            bool(self.is_varying),
            choice(self.part, OUTPUT_PART, "part"),
            bool(self.is_constant),
        )


@dataclass
class OutputAxis:
    """Where the elements of a dimension are, a value per element; one value of another name makes a scalar."""

    name: str
    values: Sequence[float]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def described(self) -> tuple[Any, ...]:
        """As the compiled module takes it."""
        try:
            values = [real(v, f"a value of axis '{self.name}'") for v in self.values]
        except TypeError:
            raise UsageError(f"the values of axis '{self.name}' are {self.values!r}; they are numbers") from None
        return text(self.name, "the name of an axis"), values, _words(self.attributes, "attributes")


class OutputStep(NamedTuple):
    """A whole step of a stream."""

    step: int
    time: float


class OutputReport(NamedTuple):
    """What a step's data are: "sound", "damaged" or "unknown", and why."""

    step: int
    time: float
    state: str
    reason: str


class OutputStream(Handle):
    """A stream of steps in files that begin with `path`; steps are whole on disk or absent.

    Parameters
    ----------
    team : Team or mpi4py.MPI.Comm
    path : str or path
    arrays : sequence of OutputArray
    policy : {"automatic", "synchronous", "thread", "writer"}
        Who writes; the bytes are the same. "writer" needs `writers`.
    writers : OutputWriters, optional
        Whose `computing` is the team.
    depth : int
        Steps that may be under way; 0: 2.
    opening : {"create", "append", "take_turns"}
        Replaces what is there, goes on after its last whole step, or, of checkpoints, replaces that one of the
        streams path-a and path-b which is not the newest whole one; readers of `path` take the newest.
    append_before : float, optional
        Appending forgets steps of this time or later.
    format, compression : str, optional
        As `output_formats` has them; "rsf" by default, without compression.
    attributes : mapping
        Of all, such as title="…".
    axes : sequence of OutputAxis
    durability : {"step", "none"}
        Each step is synchronised to the disk before it counts, or only `flush` and `close` synchronise.
    kept : str, optional
        Taking turns: a stream (path-a) that is not replaced, though it is the older one.
    direct, checksum : bool
        Past the page cache where that is possible; sums of the data in the journal.
    is_pinned : bool
        Frames are locked in memory from the start, for a GPU that copies into slots; `put` does so by itself.
    throttle_bytes_per_s : float
        A slower disk, for tests; 0: none.
    most_bytes, writers_per_node, expected_steps, linger_s, verify
        As in docs/output.md.

    Raises
    ------
    UsageError, IoError, ResourceError
        On every rank: arrays or options that cannot be; files that cannot be made, or a full disk; no memory.

    Notes
    -----
    Collective over the team. `with OutputStream(…) as out:` closes it at the end.
    """

    _free = staticmethod(core.output_free)
    _what = "output stream"

    @maker
    def __init__(
        self,
        team: Team | Any,
        path: str | os.PathLike[str],
        arrays: Sequence[OutputArray],
        *,
        policy: str = "automatic",
        depth: int = 2,
        most_bytes: int = 0,
        writers_per_node: int = 0,
        durability: str = "step",
        opening: str = "create",
        expected_steps: int = 0,
        direct: bool = True,
        checksum: bool = True,
        throttle_bytes_per_s: float = 0.0,
        linger_s: float = 10.0,
        verify: bool = False,
        is_pinned: bool = False,
        kept: str | os.PathLike[str] | None = None,
        format: str = "rsf",
        compression: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        axes: Sequence[OutputAxis] = (),
        append_before: float | None = None,
        writers: OutputWriters | None = None,
    ) -> None:
        self.team = team_of(team)
        self._owner = self.team.owner, writers
        each = [instance(a, OutputArray, "an array of the stream") for a in entries(arrays, "arrays")]
        described = [a.described() for a in each]
        options = {
            "policy": choice(policy, OUTPUT_POLICY, "policy"),
            "depth": whole(depth, "depth"),
            "most_bytes": whole(most_bytes, "most_bytes", 64),
            "writers_per_node": whole(writers_per_node, "writers_per_node"),
            "durability": choice(durability, OUTPUT_DURABILITY, "durability"),
            "opening": choice(opening, OUTPUT_OPENING, "opening"),
            "expected_steps": whole(expected_steps, "expected_steps", 64),
            "direct": bool(direct),
            "checksum": bool(checksum),
            "throttle_bytes_per_s": real(throttle_bytes_per_s, "throttle_bytes_per_s"),
            "linger_s": real(linger_s, "linger_s"),
            "verify": bool(verify),
            "is_pinned": bool(is_pinned),
        }
        others = (
            text(format, "format"),
            None if compression is None else text(compression, "compression"),
            None if kept is None else _path(kept, "kept"),
            _words(attributes or {}, "attributes"),
            [instance(a, OutputAxis, "an axis").described() for a in entries(axes, "axes")],
            None if append_before is None else real(append_before, "append_before"),
            0 if writers is None else instance(writers, OutputWriters, "writers")._handle,
        )
        where = _path(path)
        agreed(self.team)
        self.arrays = {a.name: a for a in each}
        self._rows: dict[str, int] = {}
        super().__init__(core.output_create(self.team._handle, where, described, options, *others))

    def begin_step(self, time: float, rows: Sequence[int] | None = None) -> int:
        """Waits until a frame is free, and returns the step's number. Collective.

        `rows` are this rank's of each varying array. Errors of steps before are told here, on all ranks.
        """
        when = real(time, "time")
        varying = [a.name for a in self.arrays.values() if a.is_varying]
        if rows is None and not varying:
            return int(core.output_begin_step(self._handle, when))
        mine = [] if rows is None else ints(rows, "rows")
        step = int(core.output_begin_varying_step(self._handle, when, mine))
        self._rows = dict(zip(varying, mine, strict=True))
        return step

    def _array(self, name: str) -> OutputArray:
        if name not in self.arrays:
            raise UsageError(f"there is no array '{name}'; there are {', '.join(self.arrays)}")
        return self.arrays[name]

    def _shape(self, of: OutputArray) -> list[int]:
        """Of this rank's box of an array in the step under way."""
        shape = [high - low for low, high in zip(*of.box, strict=True)]
        if of.is_varying:
            shape[0] = self._rows.get(of.name, 0)
        return shape

    def put(self, name: str, data: Array) -> None:
        """Copies this rank's box out of `data`, of any strides, of the host or a GPU. Local."""
        of = self._array(name)
        a = as_array(data, f"array '{name}'", on_gpu=True)
        wanted = self._shape(of)
        if a.dtype != np.dtype(of.dtype):
            raise UsageError(f"array '{name}' is of the type {np.dtype(of.dtype)}, and {a.dtype} was put")
        for d, (low, high) in enumerate(pairs(of.padding, len(wanted), "padding") or []):
            if a.ndim == len(wanted) and wanted[d]:
                a = a[(slice(None),) * d + (slice(low, a.shape[d] - high),)]
        if (a.size or 0 not in wanted) and list(a.shape) != wanted:
            raise UsageError(
                f"array '{name}' has the shape {a.shape} without its padding; this rank's is {tuple(wanted)}"
            )
        core.output_put_strided(self._handle, name, address_of(a), list(a.strides))

    def slot(self, name: str) -> np.ndarray[Any, Any]:
        """This rank's box in the frame of the step under way: fill it instead of `put`. Valid until `end_step`."""
        of = self._array(name)
        address, strides = core.output_slot_of(self._handle, name)
        shape = self._shape(of)
        return array_over(self, address, shape, np.dtype(of.dtype), strides[: len(shape)])

    def end_step(self) -> None:
        """Hands the step over. Local, but waits until it is written with the policy "synchronous"."""
        core.output_end_step(self._handle)

    @contextmanager
    def step(self, time: float, rows: Sequence[int] | None = None) -> Iterator[int]:
        """`with out.step(time): out.put(…)`: begin_step and end_step. Collective."""
        yield self.begin_step(time, rows)
        self.end_step()

    def flush(self) -> None:
        """Returns when all steps are durable. Collective."""
        core.output_flush(self._handle)

    def close(self) -> None:
        """Flush, and the end of the stream; a second call does nothing. Collective."""
        core.output_close(self._handle)

    def __exit__(self, kind: Any = None, *_: object) -> None:
        if kind is None and self._value:
            self.close()

    @property
    def steps(self) -> int:
        """Steps that end_step accepted, or append found. Local."""
        return int(core.output_steps(self._handle))

    @property
    def written_steps(self) -> int:
        """Of these in the journal, by this rank's writer. Local."""
        return int(core.output_written_steps(self._handle))

    def describe(self) -> str:
        """Policy and why, depth, bytes, waiting and copying per step, throughput. Local."""
        return str(core.output_describe(self._handle))


class OutputReader(Handle):
    """Steps of a stream read back onto any decomposition, written by whatever number of ranks.

    Parameters
    ----------
    team : Team or mpi4py.MPI.Comm
    path : str or path
    stride : int
        After step s the program will ask for s + stride; -1: backwards.
    reads_ahead : bool
        A thread without MPI calls reads steps before they are asked for.
    depth : int
        Steps in memory at most.
    most_bytes : int
        Of all these on this rank; 0: no limit.
    checksum : bool
        Data are compared with the journal's sums.

    Raises
    ------
    IoError
        On every rank: no journal, descriptions that cannot be understood, a stream that cannot be read back.

    Notes
    -----
    Collective over the team.
    """

    _free = staticmethod(core.reader_free)
    _what = "output reader"

    @maker
    def __init__(
        self,
        team: Team | Any,
        path: str | os.PathLike[str],
        *,
        stride: int = 1,
        reads_ahead: bool = True,
        depth: int = 2,
        most_bytes: int = 0,
        checksum: bool = True,
    ) -> None:
        self.team = team_of(team)
        self._owner = self.team.owner
        where = _path(path)
        options = (
            whole(stride, "stride", 64), bool(reads_ahead), whole(depth, "depth"),
            whole(most_bytes, "most_bytes", 64), bool(checksum),
        )  # fmt: skip
        agreed(self.team)
        super().__init__(core.reader_create(self.team._handle, where, *options))
        self._selected: dict[str, tuple[int, ...]] = {}

    @property
    def steps(self) -> list[OutputStep]:
        """The whole steps. Local."""
        return [OutputStep(*s) for s in core.reader_steps(self._handle)]

    @property
    def arrays(self) -> dict[str, OutputArray]:
        """The arrays as they were written, `own` is nothing. Local."""
        return {
            name: OutputArray(name, tuple(extents), dtype=DTYPES[code])
            for name, code, extents in core.reader_arrays(self._handle)
        }

    @maker
    def select(self, boxes: Mapping[str, tuple[Sequence[int], Sequence[int]]]) -> None:
        """What begin_step reads from now on: a box (lower, upper) of each named array. Collective, between steps."""
        if not isinstance(boxes, Mapping):
            raise UsageError(f"boxes is of the type {type(boxes).__name__}; it is a mapping of names to boxes")
        there = self.arrays
        for name in boxes:
            if name not in there:
                raise UsageError(f"the stream has no array '{name}'; it has {', '.join(there)}")
        wanted = {
            name: _box(box, len(there[name].extents), f"the box of array '{name}'") for name, box in boxes.items()
        }
        agreed(self.team)
        core.reader_select(self._handle, list(wanted.items()))
        self._selected = {
            name: tuple(high - low for low, high in zip(*box, strict=True)) for name, box in wanted.items()
        }

    def begin_step(self, step: int) -> float:
        """Waits until the boxes of the step are here, and returns its time. The same step on all ranks. Collective."""
        return float(core.reader_begin_step(self._handle, whole(step, "step", 64)))

    def get(self, name: str, out: Array | None = None) -> np.ndarray[Any, Any]:
        """The box of an array in the step under way: a new array, or `out` of its shape. Local."""
        if name not in self._selected:
            raise UsageError(f"array '{name}' is not selected; there are {', '.join(self._selected) or 'none'}")
        shape, kind = self._selected[name], self.arrays[name].dtype
        address, strides = core.reader_slot_of(self._handle, name)
        found = array_over(self, address, shape, kind, strides[: len(shape)])
        if out is None:
            return np.array(found)
        to = as_array(out, "out", is_written=True)
        if to.shape != shape or to.dtype != kind:
            raise UsageError(f"out is {to.dtype} of shape {to.shape}; the box is {kind} of shape {shape}")
        to[...] = found
        return to

    def end_step(self) -> None:
        """The end of the step under way. Local."""
        core.reader_end_step(self._handle)

    @contextmanager
    def step(self, step: int) -> Iterator[float]:
        """`with reader.step(s): reader.get(…)`: begin_step and end_step. Collective."""
        yield self.begin_step(step)
        self.end_step()

    def describe(self) -> str:
        """A line per fact. Local."""
        return str(core.reader_describe(self._handle))


def output_formats() -> dict[str, str]:
    """The formats of this build with what they are. Local."""
    return dict(core.output_formats())


def output_steps_at(path: str | os.PathLike[str]) -> list[OutputStep]:
    """The steps that the journal at `path` says are whole. Local.

    Raises
    ------
    IoError
        There is no journal, or it cannot be read.
    """
    return [OutputStep(*s) for s in core.output_steps_at(_path(path))]


def output_verify(path: str | os.PathLike[str]) -> list[OutputReport]:
    """The same steps, with what comparing their data with the journal's sums says of each. Local."""
    return [OutputReport(n, t, OUTPUT_SOUNDNESS[state], why) for n, t, state, why in core.output_verify(_path(path))]
