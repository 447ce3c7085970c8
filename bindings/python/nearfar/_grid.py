# SPDX-License-Identifier: BSD-3-Clause
"""Grids, and the fields on them: NumPy arrays over memory that near ranks share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ._arguments import choice, data_type, entries, ints, ints_per, order, pairs
from ._arrays import near_array, owner_of
from ._collective import allreduce
from ._errors import UsageError
from ._library import core
from ._objects import Handle
from ._makers import agreed, maker
from ._team import Team, team_of
from ._words import PLACEMENT

Slices = tuple[slice, ...]


class _Field(Handle):
    """A field of the library: what the arrays of `Grid.zeros` keep alive."""

    _free = staticmethod(core.field_free)
    _what = "field"

    def __init__(self, grid: Grid, handle: int) -> None:
        super().__init__(handle)
        self.grid = grid
        self.lower, self.extents, self.strides = core.field_shape(self._value)

    def slices(self, box: tuple[Sequence[int], Sequence[int]]) -> Slices:
        """The cells of a box of global indices, as an index of the array."""
        return tuple(slice(low - at, high - at) for low, high, at in zip(*box, self.lower, strict=True))


class Grid(Handle):
    """A box of cells, cut into one tile per rank. Dimensions are listed slowest first.

    Parameters
    ----------
    team : Team or mpi4py.MPI.Comm
    extents : sequence of int
        Cells per dimension, 1 to 4 of them.
    periodic : sequence of bool, optional
        A flag per dimension; none is by default.
    process_grid : sequence of int, optional
        Ranks per dimension; 0: chosen, 1: not cut.
    tile_extents : sequence of sequences of int, optional
        Sizes of the tiles per dimension, for uneven cuts; an empty one: even.
    placement : {"rank_order", "node_tiles"}
    allow_idle : bool
        Allow more ranks than cells: some ranks then own none.
    tile : pair of sequences of int, optional
        This rank's own cells, (lower, upper), where the ranks say them: together they must cover the grid once.

    Raises
    ------
    UsageError
        On every rank: extents, cuts or tiles that cannot be.

    Notes
    -----
    Collective over the team.
    """

    _free = staticmethod(core.grid_free)
    _what = "grid"

    @maker
    def __init__(
        self,
        team: Team | Any,
        extents: Sequence[int],
        periodic: Sequence[bool] | None = None,
        *,
        process_grid: Sequence[int] | None = None,
        tile_extents: Sequence[Sequence[int]] | None = None,
        placement: str = "rank_order",
        allow_idle: bool = False,
        tile: tuple[Sequence[int], Sequence[int]] | None = None,
    ) -> None:
        self.team = team_of(team)
        self._owner = self.team.owner
        self.extents = tuple(ints(extents, "extents"))
        create, arguments = self._wanted(periodic, process_grid, tile_extents, placement, allow_idle, tile)
        agreed(self.team)
        naming = int(allreduce(self.team, int(tile is not None)))
        if 0 < naming < self.team.size:
            raise UsageError(f"{naming} of {self.team.size} ranks give a tile; it is all of them or none")
        super().__init__(create(self.team._handle, list(self.extents), *arguments))

    def _wanted(
        self, periodic: Any, process_grid: Any, tile_extents: Any, placement: Any, allow_idle: Any, tile: Any
    ) -> tuple[Any, tuple[Any, ...]]:
        """The function that makes the grid, and its arguments after the team and the extents."""
        count = len(self.extents)

        def per_dimension(given: Any, what: str) -> list[Any] | None:
            return None if given is None else entries(given, what, count, "dimensions")

        flags = per_dimension(periodic, "periodic")
        flags = None if flags is None else [int(bool(p)) for p in flags]
        cuts = per_dimension(process_grid, "process_grid")
        sizes = per_dimension(tile_extents, "tile_extents")
        if tile is not None:
            return core.grid_from_tiles, (*_bounds(tile, count), flags)
        return core.grid_create, (
            flags,
            None if cuts is None else ints(cuts, "process_grid", 32),
            None if sizes is None else [ints(t, "an entry of tile_extents") for t in sizes],
            choice(placement, PLACEMENT, "placement"),
            bool(allow_idle),
        )

    @property
    def own(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """This rank's cells, lower[d] <= i < upper[d] in global indices: (lower, upper). Local."""
        lower, upper = core.grid_box(self._handle)
        return tuple(lower), tuple(upper)

    def describe(self) -> str:
        """A line per fact. Local."""
        return str(core.grid_describe(self._handle))

    @maker
    def zeros(
        self, dtype: DTypeLike = "float64", ghosts: Any = 0, *, memory_order: Sequence[int] | None = None
    ) -> np.ndarray[Any, Any]:
        """A field: an array with an element per own cell and `ghosts` around them, in memory that near ranks share.

        Parameters
        ----------
        dtype : dtype
            Any of fixed size.
        ghosts : int, sequence of int, or sequence of (low, high)
            Widths of the ghost layers, of all sides, per dimension, or per side.
        memory_order : sequence of int, optional
            Dimensions from slowest to fastest; C order by default.

        Returns
        -------
        numpy.ndarray
            Of zeros; its shape is that of the tile with its ghosts. It keeps the memory alive, and so do views of it.

        Raises
        ------
        UsageError
            On every rank: a type, widths or an order that cannot be.
        ResourceError
            On every rank: the memory does not suffice.

        Notes
        -----
        Collective over the team.
        """
        kind, grid = data_type(dtype), self._handle
        widths = pairs(ghosts, len(self.extents), "ghosts")
        memory = order(memory_order, len(self.extents), "dimensions")
        agreed(self.team)
        field = _Field(self, core.field_create(grid, kind.itemsize, widths, memory))
        return near_array(field, core.field_data(field._value), field.extents, kind, field.strides)

    def cells(self, field: np.ndarray[Any, Any]) -> Slices:
        """The own cells in an array of `zeros`: `t[grid.cells(t)]` is it without ghosts. Local, as what follows."""
        return self._field(field).slices(self.own)

    def core(self, field: np.ndarray[Any, Any]) -> list[Slices]:
        """Own cells that need no ghost, as disjoint boxes: `for box in grid.core(t): t[box] …`."""
        found = self._field(field)
        return [found.slices(box) for box in core.field_core(found._handle)]

    def edge(self, field: np.ndarray[Any, Any]) -> list[Slices]:
        """Own cells that need a ghost, as disjoint boxes."""
        found = self._field(field)
        return [found.slices(box) for box in core.field_edge(found._handle)]

    def _field(self, array: Any) -> _Field:
        found = field_of(array)
        if found.grid is not self:
            raise UsageError(f"the array is a field of another grid, of extents {found.grid.extents}")
        return found

    def indices(self) -> tuple[np.ndarray[Any, Any], ...]:
        """Global indices of the own cells, an array per dimension that broadcasts against `t[grid.cells(t)]`."""
        return tuple(np.ogrid[tuple(slice(low, high) for low, high in zip(*self.own, strict=True))])


def _bounds(tile: Any, count: int) -> tuple[list[int], list[int]]:
    try:
        lower, upper = tile
    except (TypeError, ValueError):
        raise UsageError(f"tile is {tile!r}; it is a pair (lower, upper)") from None
    return ints_per(lower, count, "lower", "dimensions"), ints_per(upper, count, "upper", "dimensions")


def field_of(array: Any) -> _Field:
    """The field whose memory `array` is, all of it.

    Raises
    ------
    UsageError
        It is another array, or a part of a field.
    """
    field: _Field | None = owner_of(array, _Field)
    if field is None:
        raise UsageError("the array is not one of Grid.zeros(); for an array of your own say grid= and ghosts=")
    if list(array.shape) != list(field.extents) or list(array.strides) != list(field.strides):
        raise UsageError(
            f"the array of shape {array.shape} is a part of a field of shape"
            f" {tuple(field.extents)}; it is to be the whole"
        )
    return field
