# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that write output and do nothing else."""

from __future__ import annotations

from typing import Any

from ._arguments import choice, whole
from ._errors import UsageError
from ._library import core
from ._objects import Handle
from ._makers import TeamHandle, agreed, maker
from ._team import Team, team_of
from ._words import OUTPUT_PLACEMENT



class _Computing(Team):
    """The computing ranks of `OutputWriters`, which keeps them."""

    def __init__(self, writers: OutputWriters) -> None:  # what Team does is done: this one is lent
        self.comm = None
        self._owner = _Lent(writers)


class _Lent(TeamHandle):
    """A handle that another object frees."""

    _free = staticmethod(lambda handle: None)
    _what = "team of computing ranks"

    def __init__(self, writers: OutputWriters) -> None:
        self.writers = writers
        handle = core.writers_computing(writers._handle)
        if not handle:
            raise UsageError("this rank is a writer (is_writer), which calls serve; the others have the computing team")
        super().__init__(handle)

    @property
    def _handle(self) -> int:
        assert self.writers._handle  # raises once these are freed
        return super()._handle


class OutputWriters(Handle):
    """Ranks that do nothing but write, and the team of the others, which compute.

    Parameters
    ----------
    team : Team or mpi4py.MPI.Comm
    placement : {"near", "far"}
        The last rank of each node that has ranks to spare, which takes steps from near memory; or the last ranks of the
        team, which get them by messages.
    ranks_to_spare : int
        near: ranks that a node must have for its last one to become a writer.
    far_writers : int
        far: how many.

    Raises
    ------
    UsageError
        On every rank: numbers of which no rank would compute.

    Notes
    -----
    Collective over the team. A writer calls `serve`, the others make streams over `computing` with
    `OutputStream(writers.computing, …, writers=writers)`, close them, and free this object.
    """

    _free = staticmethod(core.writers_free)
    _what = "group of output writers"

    @maker
    def __init__(
        self, team: Team | Any, placement: str = "near", *, ranks_to_spare: int = 2, far_writers: int = 1
    ) -> None:
        self.team = team_of(team)
        self._owner = self.team.owner
        where = choice(placement, OUTPUT_PLACEMENT, "placement")
        numbers = whole(ranks_to_spare, "ranks_to_spare"), whole(far_writers, "far_writers")
        agreed(self.team)
        super().__init__(core.writers_create(self.team._handle, where, *numbers))

    @property
    def is_writer(self) -> bool:
        """Whether this rank is to call `serve`. Local, as the next ones."""
        return bool(core.writers_is_writer(self._handle))

    @property
    def count(self) -> int:
        """Writers in the team."""
        return int(core.writers_count(self._handle))

    @property
    def computing(self) -> Team:
        """The ranks that compute; a UsageError on a writer."""
        return _Computing(self)

    def serve(self) -> None:
        """On a writer: writes until the computing ranks have freed this object and their streams, or died."""
        core.writers_serve(self._handle)
