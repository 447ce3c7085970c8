# SPDX-License-Identifier: BSD-3-Clause
"""Halo plans: filling ghost cells from the ranks that own those cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arguments import choice, instance, pairs
from ._arrays import Array, address_of, as_array, owner_of
from ._errors import UsageError
from ._grid import Grid, _Field, field_of
from ._library import core
from ._makers import agreed, maker
from ._objects import Plan, plan_options
from ._words import STENCIL



class HaloPlan(Plan, front="halo"):
    """A plan that fills the ghost cells of arrays, made and tuned once and run many times.

    Arrays of one plan share messages: at most one per far neighbour, none between near ranks.

    Parameters
    ----------
    *arrays : array
        Of `Grid.zeros`, or the caller's own in any memory of the host or of a GPU (then `grid` and `ghosts` say where
        they lie). Own arrays must not move and cost near ranks a copy. What a GPU writes is to be finished before
        `start`.
    grid : Grid, optional
        Of own arrays, whose shapes are those of the tile with `ghosts` around it.
    ghosts : int, sequence of int, or sequence of (low, high), optional
        Ghost layers that own arrays have.
    fill : the same, optional
        The layers to fill; all by default.
    stencil : {"box", "star"}
        Ghost cells across faces, edges and corners, or across faces only.
    name, method, without, budget_s
        As for all plans: shown in reports; a method instead of tuning; methods that the tuner leaves out; seconds for
        tuning (0: NEARFAR_BUDGET or 0.1; negative: nothing is measured).

    Raises
    ------
    UsageError
        On every rank: arrays that do not fit their tiles or differ between ranks, layers wider than a neighbouring
        tile, unknown methods.

    Notes
    -----
    Collective over the team, plans in one order on all ranks. Between `start` and `finish` own cells next to ghosts
    must not be written, and ghosts neither read nor written.
    """

    @maker
    def __init__(
        self,
        *arrays: Array,
        grid: Grid | None = None,
        ghosts: Any = None,
        fill: Any = None,
        stencil: str = "box",
        name: str | None = None,
        method: str | None = None,
        without: str | Sequence[str] | None = None,
        budget_s: float = 0.0,
    ) -> None:
        across = choice(stencil, STENCIL, "stencil")
        fields = [owner_of(a, _Field) for a in arrays]
        if grid is None and (not fields or fields[0] is None):
            raise UsageError("the array is not one of Grid.zeros(); for an array of your own say grid= and ghosts=")
        self.grid: Grid = instance(grid, Grid, "grid") if grid is not None else fields[0].grid
        self._team, self._owner = self.grid.team, self.grid.team.owner
        options = plan_options(name, method, without, budget_s)
        agreed(self.grid.team)
        super().__init__(core.halo_begin(self.grid.team._handle, options, across))
        # What is wrong with an array of this rank is told by commit, on all of them.
        self._arrays: list[np.ndarray[Any, Any]] = []
        for array in arrays:
            try:
                self._arrays.append(self._add(array, ghosts, fill))
                core.halo_name_type(self._value, str(self._arrays[-1].dtype))
            except UsageError as e:
                core.halo_refuse(self._value, str(e))
        core.halo_commit(self._value)

    def _add(self, array: Array, ghosts: Any, fill: Any) -> np.ndarray[Any, Any]:
        a = as_array(array, "the array", is_written=True, on_gpu=True)
        dimensions = len(self.grid.extents)
        to_fill = pairs(fill, dimensions, "fill")
        if owner_of(a, _Field) is not None and ghosts is None:
            core.halo_add_field(self._value, field_of(a)._handle, to_fill)
            return a
        if ghosts is None:
            raise UsageError("an array of the caller's needs ghosts=, the layers around the tile that it has")
        if a.ndim != dimensions:
            raise UsageError(f"the array has {a.ndim} dimensions; its grid has {dimensions}")
        widths = pairs(ghosts, dimensions, "ghosts")
        core.halo_add_array(
            self._value,
            self.grid._handle,
            address_of(a),
            a.itemsize,
            list(a.shape),
            list(a.strides),
            widths,
            to_fill,
        )
        return a

    def start(self, *arrays: Array) -> None:
        """Starts to fill the ghost cells; on other `arrays` of the same shapes and kinds if any are given.

        The plan keeps to them from then on. Collective over neighbours.

        Raises
        ------
        UsageError
            On this rank: in flight already, another number of arrays, other shapes or another kind of memory.
        """
        if not arrays:
            return core.halo_start(self._value or self._is_freed())
        if len(arrays) != len(self._arrays):
            raise UsageError(f"{len(arrays)} arrays are given; the plan is for {len(self._arrays)}")
        others = [as_array(a, "the array", is_written=True, on_gpu=True) for a in arrays]
        for a, b in zip(others, self._arrays, strict=True):
            if (a.shape, a.strides, a.itemsize) != (b.shape, b.strides, b.itemsize):
                raise UsageError(
                    f"the array has shape {a.shape}, strides {a.strides} and {a.itemsize} bytes per element; the plan"
                    f" was made for {b.shape}, {b.strides} and {b.itemsize}"
                )
        core.halo_start_on(self._handle, [address_of(a) for a in others])
        self._arrays = others
        return None

    def run(self, *arrays: Array) -> None:
        """`start` and `finish`. Collective."""
        if arrays:
            self.start(*arrays)
            core.halo_finish(self._handle)
        else:
            core.halo_run(self._value or self._is_freed())
