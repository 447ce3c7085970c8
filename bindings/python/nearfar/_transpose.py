# SPDX-License-Identifier: BSD-3-Clause
"""Decompositions of a global grid, how a rank's part lies in memory, and plans that move it from one to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ._arguments import data_type, instance, ints, ints_per, order, pairs, whole
from ._arrays import Array, address_of, as_array, near_array, owner_of
from ._errors import UsageError
from ._library import core
from ._objects import Described, Handle, Plan, plan_options
from ._makers import agreed, maker
from ._team import Team, team_of

Box = tuple[tuple[int, ...], tuple[int, ...]]


class Decomposition(Handle):
    """Which rank owns which box of a global grid of 1 to 4 axes, listed slowest first.

    Made by `blocks`, `slab`, `pencil` or `from_boxes`, all collective over the team; what cannot be is a UsageError
    on every rank. Axes are cut into blocks as equal as possible, the larger ones first.
    """

    team: Team
    _keeper: Handle | None
    _free = staticmethod(core.decomposition_free)
    _what = "decomposition"

    def __init__(self, *_: object) -> None:
        raise UsageError("a Decomposition is made by blocks, slab, pencil or from_boxes")

    @classmethod
    def _over(cls, team: Team, handle: int, keeper: Handle | None = None) -> Decomposition:
        """One of this handle, which is of the keeper where there is one."""
        parts = cls.__new__(cls)
        Handle.__init__(parts, handle)
        parts.team, parts._owner, parts._keeper = team, team.owner, keeper
        return parts

    @property
    def _handle(self) -> int:
        if self._keeper is not None:
            assert self._keeper._handle  # raises once that is freed
        return super()._handle

    def free(self) -> None:
        """Plans and arrays made with it keep working. Local."""
        if getattr(self, "_keeper", None) is None:
            super().free()

    @classmethod
    def _make(cls, team: Any, create: Callable[..., int], arguments: Callable[[], tuple[Any, ...]]) -> Decomposition:
        members = team_of(team)
        given = arguments()
        agreed(members)
        return cls._over(members, create(members._handle, *given))

    @classmethod
    @maker
    def blocks(cls, team: Team | Any, extents: Sequence[int], process_grid: Sequence[int]) -> Decomposition:
        """process_grid[d] parts along axis d, ranks numbered along the last axis first."""

        def arguments() -> tuple[Any, ...]:
            whole_grid = ints(extents, "extents")
            return whole_grid, ints_per(process_grid, len(whole_grid), "process_grid", "axes", 32)

        return cls._make(team, core.decomposition_blocks, arguments)

    @classmethod
    @maker
    def slab(cls, team: Team | Any, extents: Sequence[int], cut_axis: int) -> Decomposition:
        """One axis cut over all ranks."""
        return cls._make(team, core.decomposition_slab, lambda: (ints(extents, "extents"), whole(cut_axis, "cut_axis")))

    @classmethod
    @maker
    def pencil(
        cls, team: Team | Any, extents: Sequence[int], whole_axis: int, process_grid: Sequence[int] | None = None
    ) -> Decomposition:
        """One axis whole; the others, in their order, are cut as process_grid says, or as square as can be."""

        def arguments() -> tuple[Any, ...]:
            whole_grid, axis, cuts = ints(extents, "extents"), whole(whole_axis, "whole_axis"), None
            if process_grid is not None:
                cuts = ints_per(process_grid, len(whole_grid) - 1, "process_grid", "axes that are cut", 32)
            return whole_grid, axis, cuts

        return cls._make(team, core.decomposition_pencil, arguments)

    @classmethod
    @maker
    def from_boxes(
        cls, team: Team | Any, extents: Sequence[int], lower: Sequence[int], upper: Sequence[int]
    ) -> Decomposition:
        """lower[d] <= i < upper[d] on this rank, which may be empty; each element must have exactly one owner."""

        def arguments() -> tuple[Any, ...]:
            whole_grid = ints(extents, "extents")
            axes = len(whole_grid)
            return whole_grid, (ints_per(lower, axes, "lower", "axes"), ints_per(upper, axes, "upper", "axes"))

        return cls._make(team, core.decomposition_from_boxes, arguments)

    @property
    def extents(self) -> tuple[int, ...]:
        """Elements per axis. Local, as all that follow."""
        return tuple(core.decomposition_extents(self._handle))

    @property
    def process_grid(self) -> tuple[int, ...] | None:
        """Parts per axis; None for `from_boxes`."""
        found = core.decomposition_process_grid(self._handle)
        return None if found is None else tuple(found)

    def box(self, rank: int) -> Box:
        """(lower, upper) of any rank; all zero if it owns nothing."""
        lower, upper = core.decomposition_box(self._handle, whole(rank, "rank"))
        return tuple(lower), tuple(upper)

    @property
    def own(self) -> Box:
        """(lower, upper) of this rank."""
        return self.box(self.team.rank)

    def describe(self) -> str:
        """A line per fact."""
        return str(core.decomposition_describe(self._handle))


class _SideArray(Handle):
    """Near memory for the arrays of sides."""

    _free = staticmethod(core.transpose_array_free)
    _what = "array"

    def __init__(self, team: Team, handle: int) -> None:
        super().__init__(handle)
        self._owner = team.owner


class TransposeSide(Described):
    """Who owns what, and how a rank's part lies in the array of a field.

    Parameters
    ----------
    parts : Decomposition
    memory_order : sequence of int, optional
        Axes from slowest to fastest; by default the last axis is contiguous.
    padding : int, sequence of int, or sequence of (low, high), optional
        Elements per axis that are in the array and never touched.

    Notes
    -----
    Arrays of a side have the axes of the grid in their order, whatever lies next to each other in memory: an element
    is `a[k - lower[0], j - lower[1], …]`. Arrays of one dimension, of all elements in memory order, are taken too.
    """

    def __init__(self, parts: Decomposition, memory_order: Sequence[int] | None = None, padding: Any = None) -> None:
        self.parts = instance(parts, Decomposition, "parts")
        axes = len(parts.extents)
        given = order(memory_order, axes, "axes")
        self.memory_order = None if given is None else tuple(given)
        self.padding = pairs(padding, axes, "padding")

    @property
    def _side(self) -> tuple[Any, ...]:
        memory = None if self.memory_order is None else list(self.memory_order)
        return self.parts._handle, memory, self.padding, 0

    def _layout(self) -> tuple[list[int], list[int], list[int], int]:
        (lower, upper), strides, elements = core.transpose_shape(self._side)
        return lower, [high - low for low, high in zip(lower, upper, strict=True)], strides, elements

    @property
    def lower(self) -> tuple[int, ...]:
        """Global index of an array's first element, padding included. Local."""
        return tuple(self._layout()[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the arrays on this rank, padding included. Local."""
        return tuple(self._layout()[1])

    @property
    def elements(self) -> int:
        """Of an array on this rank, padding included. Local."""
        return self._layout()[3]

    def indices(self) -> tuple[np.ndarray[Any, Any], ...]:
        """Global indices of an array's elements, an array per axis, which broadcast. Local."""
        lower, extents, _, _ = self._layout()
        return tuple(np.ogrid[tuple(slice(low, low + n) for low, n in zip(lower, extents, strict=True))])

    @maker
    def zeros(self, dtype: DTypeLike = "float64") -> np.ndarray[Any, Any]:
        """An array of zeros for this rank's part, in memory that near ranks read where it is. Collective."""
        kind, side = data_type(dtype), self._side
        agreed(self.parts.team)
        return self._array_in(core.transpose_array_create([side], 1, kind.itemsize), kind)

    def _array_in(self, memory: int, kind: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """The array of a handle of near memory for one field."""
        array = _SideArray(self.parts.team, memory)
        _, extents, strides, _ = self._layout()
        data = core.transpose_array_data(array._value, 0)
        return near_array(array, data, extents, kind, [s * kind.itemsize for s in strides])

    def _taken(
        self, given: Array | Sequence[Array], what: str, *, is_written: bool, on_gpu: bool = False
    ) -> list[np.ndarray[Any, Any]]:
        each = list(given) if isinstance(given, (list, tuple)) else [given]
        return [self._fitting(as_array(a, what, is_written=is_written, on_gpu=on_gpu), what) for a in each]

    def _fitting(self, a: np.ndarray[Any, Any], what: str) -> np.ndarray[Any, Any]:
        _, extents, strides, elements = self._layout()
        if a.ndim == 1 and (a.flags.c_contiguous or a.size < 2):
            if a.size < elements:
                raise UsageError(f"{what} has {a.size} elements; this rank's part has {elements}")
            return a
        wanted = [s * a.itemsize for s in strides]
        fits = list(a.shape) == extents and all(
            n < 2 or s == w for n, s, w in zip(a.shape, a.strides, wanted, strict=True)
        )
        if elements and not fits:
            raise UsageError(
                f"{what} has the shape {a.shape} and strides of {a.strides} bytes; on this rank they are"
                f" {tuple(extents)} and {tuple(wanted)}"
            )
        return a

    def _lengths(self, each: Sequence[np.ndarray[Any, Any]]) -> tuple[list[int], list[int]]:
        """Where the arrays begin, and their elements in memory."""
        elements = self._layout()[3]
        addresses = [_address(a) if elements else 0 for a in each]
        return addresses, [max(elements, a.size) if elements else 0 for a in each]


def _address(a: np.ndarray[Any, Any]) -> int:
    owner = owner_of(a, _SideArray)
    return address_of(a) if a.size or owner is None else int(core.transpose_array_data(owner._value, 0))


def same_elements(a: Sequence[np.ndarray[Any, Any]], b: Sequence[np.ndarray[Any, Any]], what: str) -> np.dtype[Any]:
    """The type of the elements of all arrays.

    Raises
    ------
    UsageError
        They differ.
    """
    kinds = {x.dtype for x in (*a, *b)}
    if len(kinds) != 1:
        raise UsageError(f"{what} are of the types {', '.join(sorted(map(str, kinds)))}; they are to be of one type")
    return next(iter(kinds))


class TransposePlan(Plan, front="transpose"):
    """A plan that moves a grid from one side to another, made and tuned once on its arrays and run many times.

    Parameters
    ----------
    source, target : TransposeSide
        Of the same extents and team.
    send, receive : array, or sequence of arrays
        One per field, which move together, in one message per peer. `TransposeSide.zeros` makes some that near ranks
        read in place; any array of the host is taken. The same array for both is in place and costs a copy.
    counts_rewriting : bool
        Tuning counts the time in which `send` is taken back from the caches of ranks that have read it: what a program
        pays that writes it anew before each operation.
    name, method, without, budget_s
        As in `HaloPlan`.

    Raises
    ------
    UsageError
        On every rank: sides, numbers, types or sizes that are wrong or differ between ranks, arrays that overlap.

    Notes
    -----
    Collective over the team. `receive` has its contents back after the tuning.
    """

    @maker
    def __init__(
        self,
        source: TransposeSide,
        target: TransposeSide,
        send: Array | Sequence[Array],
        receive: Array | Sequence[Array],
        *,
        counts_rewriting: bool = True,
        name: str | None = None,
        method: str | None = None,
        without: str | Sequence[str] | None = None,
        budget_s: float = 0.0,
    ) -> None:
        self.source = instance(source, TransposeSide, "source")
        self.target = instance(target, TransposeSide, "target")
        self._team, self._owner = source.parts.team, source.parts.team.owner
        self._send, self._receive = self._taken(send, receive)
        self._dtype = same_elements(self._send, self._receive, "the arrays")
        options = plan_options(name, method, without, budget_s, self._dtype)
        sides = source._side, target._side
        lengths = source._lengths(self._send), target._lengths(self._receive)
        others = len(self._send), bool(counts_rewriting)
        agreed(source.parts.team)
        super().__init__(core.transpose_create(*sides, self._dtype.itemsize, *lengths, options, *others))

    def _taken(self, send: Any, receive: Any) -> tuple[list[np.ndarray[Any, Any]], list[np.ndarray[Any, Any]]]:
        a = self.source._taken(send, "send", is_written=False)
        b = self.target._taken(receive, "receive", is_written=True)
        if len(a) != len(b) or not a:
            raise UsageError(f"there are {len(a)} arrays to send and {len(b)} to receive; they are one per field")
        return a, b

    def start(
        self, send: Array | Sequence[Array] | None = None, receive: Array | Sequence[Array] | None = None
    ) -> None:
        """Starts to move; on other arrays if both are given, near memory if the plan was made on some.

        Until `finish`, `send` must not be written and `receive` not be touched. Collective; errors are this rank's.
        """
        if send is None and receive is None:
            return core.transpose_start(self._handle)
        if send is None or receive is None:
            raise UsageError("only one of send and receive is given; it is both or none")
        a, b = self._taken(send, receive)
        if len(a) != len(self._send) or same_elements(a, b, "the arrays") != self._dtype:
            raise UsageError(
                f"there are {len(a)} arrays of the type {a[0].dtype}; the plan is for {len(self._send)} of the type"
                f" {self._dtype}"
            )
        core.transpose_start_on(self._handle, self.source._lengths(a), self.target._lengths(b))
        self._send, self._receive = a, b
        return None

    def run(self, send: Array | Sequence[Array] | None = None, receive: Array | Sequence[Array] | None = None) -> None:
        """`start` and `finish`. Collective."""
        self.start(send, receive)
        core.transpose_finish(self._handle)
