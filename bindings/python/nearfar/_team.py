# SPDX-License-Identifier: BSD-3-Clause
"""Teams: the ranks of a communicator, and which of them are near."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ._arguments import data_type, ints, whole
from ._arrays import near_array
from ._errors import UsageError
from ._library import KIND, MPI, core, refuse_other_launcher
from ._makers import TeamHandle, agreed, agreed_over, maker, note
from ._objects import Handle, refuse_copies

_keyval = 0


class _SharedMemory(Handle):
    """Near memory of `nearfar_allocate`."""

    _what = "shared array"

    def __init__(self, team: Handle, address: int) -> None:
        super().__init__(address)
        self.team = team

    def free(self) -> None:
        value, self._value = getattr(self, "_value", 0), 0
        if value:
            core.free(self.team._value, value)


def _communicator(comm: Any, what: str) -> Any:
    """An intracommunicator of a running MPI; MPI.COMM_WORLD for None."""
    comm = MPI.COMM_WORLD if comm is None else comm
    if not isinstance(comm, MPI.Comm):
        raise UsageError(f"{what} is of the type {type(comm).__name__}; it is to be a Team or an mpi4py.MPI.Comm")
    if not MPI.Is_initialized() or MPI.Is_finalized():
        raise UsageError(f"MPI is {'finalized' if MPI.Is_initialized() else 'not initialized'}")
    if comm == MPI.COMM_NULL or comm.Is_inter():
        raise UsageError(
            f"{what} is MPI.COMM_NULL, as it is once freed, or an intercommunicator; it is to be an intracommunicator"
        )
    return comm


class Team:
    """Who is near (on the same node) and who is far.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        Is duplicated; MPI.COMM_WORLD by default. Collective over it.
    node_size : int, optional
        Cuts nodes into pretend nodes of that many ranks; 0: NEARFAR_NODE_SIZE, or the real ones.

    Raises
    ------
    UsageError
        On every rank: a `node_size` that cannot be. On this rank: `comm` is no intracommunicator, or MPI is not
        initialised.
    """

    is_team = True

    @maker
    def __init__(self, comm: Any = None, node_size: int = 0) -> None:
        note(self)  # without a communicator there is nobody to tell
        self.comm = _communicator(comm, "the communicator")
        refuse_other_launcher(KIND, MPI.COMM_WORLD.Get_size())
        size = agreed_over(self.comm, lambda: whole(node_size, "node_size"))
        self._owner: Handle | None = TeamHandle(core.team_create(MPI._handleof(self.comm), size))

    @property
    def owner(self) -> Handle:
        """What objects made of the team hold."""
        if self._owner is None:
            raise UsageError("the team is freed already")
        return self._owner

    @property
    def _handle(self) -> int:
        return self.owner._handle

    def free(self) -> None:
        """Gives the team up: its memory goes with the last array and plan that was made from it. Collective."""
        self._owner = None

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()

    @property
    def rank(self) -> int:
        """This rank, from 0. Local, as all that follows."""
        return int(core.team_rank(self._handle))

    @property
    def size(self) -> int:
        """Ranks in the team."""
        return int(core.team_size(self._handle))

    @property
    def is_root(self) -> bool:
        """Whether this is rank 0."""
        return self.rank == 0

    @property
    def node(self) -> int:
        """Number of this rank's node, from 0."""
        return int(core.team_node(self._handle))

    @property
    def nodes(self) -> int:
        """Nodes in the team."""
        return int(core.team_nodes(self._handle))

    @property
    def near_rank(self) -> int:
        """This rank among those of its node."""
        return int(core.team_near_rank(self._handle))

    @property
    def near_size(self) -> int:
        """Ranks of this node."""
        return int(core.team_near_size(self._handle))

    def describe(self) -> str:
        """A line per fact."""
        return str(core.team_describe(self._handle))

    __reduce__ = refuse_copies("team")

    @maker
    def zeros(self, shape: int | Sequence[int], dtype: DTypeLike = "float64") -> np.ndarray[Any, Any]:
        """An array of zeros in memory that near ranks share; shapes may differ between ranks. Collective.

        Raises
        ------
        UsageError
            On every rank: a shape or type of one of them that cannot be.
        ResourceError
            On every rank: the memory does not suffice.
        """
        extents = ints((shape,) if np.ndim(shape) == 0 else shape, "shape")
        if min(extents, default=0) < 0:
            raise UsageError(f"shape is {tuple(extents)}; extents are 0 or more")
        kind = data_type(dtype)
        count = whole(math.prod(extents) * kind.itemsize, "the size of the array in bytes", 64)
        agreed(self)
        address = core.allocate(self._handle, count)
        return near_array(_SharedMemory(self.owner, address), address, extents, kind)


def team_of(team: Any) -> Team:
    """`team`, or the one of a communicator, which is made at the first use and kept with the communicator."""
    if isinstance(team, Team):
        return team
    found = _kept_with(team)
    note(found)
    return found


def _kept_with(team: Any) -> Team:
    global _keyval
    comm = _communicator(team, "the team")
    if not _keyval:
        _keyval = MPI.Comm.Create_keyval()
    found: Team | None = comm.Get_attr(_keyval)
    if found is None or found._owner is None:
        found = Team(comm)
        comm.Set_attr(_keyval, found)
    return found
