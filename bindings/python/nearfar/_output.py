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

from ._arrays import DTYPES, TYPES, Array, address_of, array_over, as_array, ints, pairs
from ._errors import UsageError
from ._library import core
from ._objects import Handle
from ._team import Team, team_of
from ._writers import OutputWriters

_POLICIES = ("automatic", "synchronous", "thread", "writer")
_OPENINGS = ("create", "append")
_PARTS = ("point_data", "cell_data", "field_data", "points", "connectivity", "offsets", "types")
_SOUNDNESS = ("sound", "damaged", "unknown")


def _words(attributes: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(str(key), str(value)) for key, value in attributes.items()]


def _number(value: str, known: Sequence[str], what: str) -> int:
    if value not in known:
        raise UsageError(f"{what} is {value!r}; it is one of {', '.join(known)}")
    return known.index(value)


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
        The first extent is another one in each step.
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
        count = len(self.extents)
        lower, upper = ([0] * count, [0] * count) if self.own is None else (ints(self.own[0]), ints(self.own[1]))
        if len(lower) != count or len(upper) != count:
            raise UsageError(f"array '{self.name}': own is {self.own}; there are {count} dimensions")
        return lower, upper

    def described(self) -> tuple[Any, ...]:
        """As the compiled module takes it."""
        kind = np.dtype(self.dtype)
        if kind not in TYPES:
            raise UsageError(f"array '{self.name}' is of the type {kind}; it is one of {', '.join(map(str, TYPES))}")
        return (
            self.name,
            TYPES[kind],
            ints(self.extents),
            self.box,
            pairs(self.padding, len(self.extents), "padding"),
            _words(self.attributes),
            None if self.dimension_names is None else list(self.dimension_names),
            self.compression,
            self.is_varying,
            _number(self.part, _PARTS, "part"),
            self.is_constant,
        )


@dataclass
class OutputAxis:
    """Where the elements of a dimension are, a value per element; one value of another name makes a scalar."""

    name: str
    values: Sequence[float]
    attributes: Mapping[str, Any] = field(default_factory=dict)


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
    opening : {"create", "append"}
        Replaces what is there, or goes on after its last whole step.
    append_before : float, optional
        Appending forgets steps of this time or later.
    format, compression : str, optional
        As `output_formats` has them; "rsf" by default, without compression.
    attributes : mapping
        Of all, such as title="…".
    axes : sequence of OutputAxis
    most_bytes, writers_per_node, is_durable_at_flush, expected_steps, through_cache, no_checksum, linger_s, verify
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

    def __init__(
        self,
        team: Team | Any,
        path: str | os.PathLike[str],
        arrays: Sequence[OutputArray],
        *,
        policy: str = "automatic",
        depth: int = 0,
        most_bytes: int = 0,
        writers_per_node: int = 0,
        is_durable_at_flush: bool = False,
        opening: str = "create",
        expected_steps: int = 0,
        through_cache: bool = False,
        no_checksum: bool = False,
        linger_s: float = 0.0,
        verify: bool = False,
        format: str | None = None,
        compression: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        axes: Sequence[OutputAxis] = (),
        append_before: float | None = None,
        writers: OutputWriters | None = None,
    ) -> None:
        self.team = team_of(team)
        self._owner = self.team.owner, writers
        self.arrays = {a.name: a for a in arrays}
        options = {
            "policy": _number(policy, _POLICIES, "policy"),
            "depth": depth,
            "most_bytes": most_bytes,
            "writers_per_node": writers_per_node,
            "is_durable_at_flush": is_durable_at_flush,
            "opening": _number(opening, _OPENINGS, "opening"),
            "expected_steps": expected_steps,
            "through_cache": through_cache,
            "no_checksum": no_checksum,
            "linger_s": linger_s,
            "verify": verify,
        }
        super().__init__(
            core.output_create(
                self.team._handle,
                os.fspath(path),
                [a.described() for a in arrays],
                options,
                format,
                compression,
                _words(attributes or {}),
                [(a.name, [float(v) for v in a.values], _words(a.attributes)) for a in axes],
                append_before,
                0 if writers is None else writers._handle,
            )
        )

    def begin_step(self, time: float, rows: Sequence[int] | None = None) -> int:
        """Waits until a frame is free, and returns the step's number. Collective.

        `rows` are this rank's of each varying array. Errors of steps before are told here, on all ranks.
        """
        if rows is not None:
            return int(core.output_begin_varying_step(self._handle, time, ints(rows)))
        return int(core.output_begin_step(self._handle, time))

    def _array(self, name: str) -> OutputArray:
        if name not in self.arrays:
            raise UsageError(f"there is no array '{name}'; there are {', '.join(self.arrays)}")
        return self.arrays[name]

    def put(self, name: str, data: Array) -> None:
        """Copies this rank's box out of `data`, of any strides, of the host or a GPU. Local."""
        of = self._array(name)
        a = as_array(data, f"array '{name}'", on_gpu=True)
        lower, upper = of.box
        wanted = [high - low for low, high in zip(lower, upper, strict=True)]
        if a.dtype != np.dtype(of.dtype):
            raise UsageError(f"array '{name}' is of the type {np.dtype(of.dtype)}, and {a.dtype} was put")
        for d, (low, high) in enumerate(pairs(of.padding, len(wanted), "padding") or []):
            if a.ndim == len(wanted) and wanted[d]:
                a = a[(slice(None),) * d + (slice(low, a.shape[d] - high),)]
        if of.is_varying and a.ndim == len(wanted):
            wanted[0] = a.shape[0]
        if a.size and list(a.shape) != wanted:
            raise UsageError(
                f"array '{name}' has the shape {a.shape} without its padding; this rank's is {tuple(wanted)}"
            )
        core.output_put_strided(self._handle, name, address_of(a), list(a.strides))

    def slot(self, name: str) -> np.ndarray[Any, Any]:
        """This rank's box in the frame of the step under way: fill it instead of `put`. Valid until `end_step`."""
        of = self._array(name)
        address, strides = core.output_slot_of(self._handle, name)
        shape = [high - low for low, high in zip(*of.box, strict=True)]
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
        Steps in memory at most; 0: 2.
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

    def __init__(
        self,
        team: Team | Any,
        path: str | os.PathLike[str],
        *,
        stride: int = 1,
        reads_ahead: bool = True,
        depth: int = 0,
        most_bytes: int = 0,
        checksum: bool = True,
    ) -> None:
        self.team = team_of(team)
        self._owner = self.team.owner
        super().__init__(
            core.reader_create(self.team._handle, os.fspath(path), stride, reads_ahead, depth, most_bytes, checksum)
        )
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

    def select(self, boxes: Mapping[str, tuple[Sequence[int], Sequence[int]]]) -> None:
        """What begin_step reads from now on: a box (lower, upper) of each named array. Collective, between steps."""
        wanted = {name: (ints(lower), ints(upper)) for name, (lower, upper) in boxes.items()}
        core.reader_select(self._handle, list(wanted.items()))
        self._selected = {
            name: tuple(high - low for low, high in zip(*box, strict=True)) for name, box in wanted.items()
        }

    def begin_step(self, step: int) -> float:
        """Waits until the boxes of the step are here, and returns its time. The same step on all ranks. Collective."""
        return float(core.reader_begin_step(self._handle, step))

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
    return [OutputStep(*s) for s in core.output_steps_at(os.fspath(path))]


def output_verify(path: str | os.PathLike[str]) -> list[OutputReport]:
    """The same steps, with what comparing their data with the journal's sums says of each. Local."""
    return [OutputReport(n, t, _SOUNDNESS[state], why) for n, t, state, why in core.output_verify(os.fspath(path))]
