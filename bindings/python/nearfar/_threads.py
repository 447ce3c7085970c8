# SPDX-License-Identifier: BSD-3-Clause
"""Thread teams: collective calls by all threads of all ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arguments import text, whole
from ._arrays import Array, address_of, contiguous
from ._collective import IN_PLACE, kind_of, refuse_undefined
from ._errors import UsageError
from ._library import core
from ._objects import Handle
from ._makers import agreed, maker
from ._team import Team, team_of


class ThreadTeam(Handle):
    """The threads of all ranks of a team, which call collectives together.

    Parameters
    ----------
    team : Team or mpi4py.MPI.Comm
    threads : int
        Of this rank, from 1; ranks may have different numbers.

    Raises
    ------
    UsageError, ResourceError
        On every rank: a number of threads that cannot be; no memory.

    Notes
    -----
    Made and freed by one thread of each rank, collectively. All threads of all ranks make the calls in the same order;
    `thread` is the caller's number in its rank, from 0 on. Python's lock is given back while a call waits.
    """

    _free = staticmethod(core.threads_free)
    _what = "thread team"

    @maker
    def __init__(self, team: Team | Any, threads: int) -> None:
        self.team = team_of(team)
        self._owner = self.team.owner
        count = whole(threads, "threads")
        agreed(self.team)
        super().__init__(core.threads_create(self.team._handle, count))

    @property
    def threads(self) -> int:
        """Threads of this rank. Local, as the next ones."""
        return int(core.threads_threads(self._handle))

    @property
    def size(self) -> int:
        """Threads of all ranks."""
        return int(core.threads_size(self._handle))

    def first_of(self, rank: int) -> int:
        """The number of a rank's thread 0 among all threads."""
        first = int(core.threads_first_of(self._handle, whole(rank, "rank")))
        if first < 0:
            raise UsageError(f"there is no rank {rank}; ranks are 0 to {self.team.size - 1}")
        return first

    def describe(self) -> str:
        """A line per fact."""
        return str(core.threads_describe(self._handle))

    def barrier(self, thread: int) -> None:
        """Returns when all threads of all ranks have called it."""
        core.threads_barrier(self._handle, whole(thread, "thread"))

    def allreduce(self, thread: int, send: Array, receive: Array | None = None, op: str = "sum") -> Array:
        """All threads' `send` combined, the same bits for all; in place without `receive`. Returns the result."""
        sent, received = _pair(send, receive)
        core.threads_allreduce(
            self._handle, whole(thread, "thread"), sent, address_of(received), received.size, *_combined(received, op)
        )
        return send if receive is None else receive

    def reduce(
        self, thread: int, send: Array, receive: Array | None = None, op: str = "sum", root: int = 0,
        root_thread: int = 0,
    ) -> Array | None:  # fmt: skip
        """The same for the thread `root_thread` of the rank `root` alone; the others get None."""
        if (self.team.rank, thread) == (root, root_thread):
            sent, received = _pair(send, receive)
            result = send if receive is None else receive
        else:
            received, result = contiguous(send, "send"), None
            sent = address_of(received)
        core.threads_reduce(
            self._handle, whole(thread, "thread"), sent, 0 if result is None else address_of(received), received.size,
            *_combined(received, op), whole(root, "root"), whole(root_thread, "root_thread"),
        )  # fmt: skip
        return result

    def reduce_scatter_block(self, thread: int, send: Array, receive: Array, op: str = "sum") -> Array:
        """Each thread's share of the combination: as many elements of `send` per thread as `receive` has."""
        a, b = contiguous(send, "send"), contiguous(receive, "receive", is_written=True)
        if a.dtype != b.dtype or a.size != b.size * self.size:
            raise UsageError(
                f"send has {a.size} elements of {a.dtype}; for {self.size} threads with {b.size} elements of {b.dtype}"
                f" each it is to have {b.size * self.size}"
            )
        core.threads_reduce_scatter_block(
            self._handle, whole(thread, "thread"), address_of(a), address_of(b), b.size, *_combined(b, op)
        )
        return receive

    def bcast(self, thread: int, data: Array, root: int = 0, root_thread: int = 0) -> Array:
        """`data` of one thread of one rank is copied to that of all others."""
        is_root = (self.team.rank, thread) == (root, root_thread)
        a = contiguous(data, "data", is_written=not is_root)
        kind, units = kind_of(a)
        core.threads_bcast(
            self._handle,
            whole(thread, "thread"),
            address_of(a),
            a.size * units,
            kind,
            whole(root, "root"),
            whole(root_thread, "root_thread"),
        )
        return data

    def allgather(self, thread: int, send: Array, receive: Array | None = None) -> Array:
        """The `send` of all threads one after the other, in `receive` or a new array."""
        a = contiguous(send, "send")
        to = np.empty((self.size, *a.shape), a.dtype) if receive is None else receive
        b = contiguous(to, "receive", is_written=True)
        if a.dtype != b.dtype or b.size != a.size * self.size:
            raise UsageError(
                f"receive has {b.size} elements of {b.dtype}; for {self.size} threads with {a.size} elements of"
                f" {a.dtype} each it is to have {a.size * self.size}"
            )
        kind, units = kind_of(a)
        core.threads_allgather(
            self._handle, whole(thread, "thread"), address_of(a), address_of(b), a.size * units, kind
        )
        return to

    def abandon(self, thread: int) -> None:
        """This thread takes part no more: the others' calls raise an error instead of waiting for it."""
        core.threads_abandon(self._handle, whole(thread, "thread"))


def _combined(a: np.ndarray[Any, Any], op: str) -> tuple[str, str]:
    """The kind of the elements that are combined, and the name of the operation."""
    refuse_undefined(a, text(op, "op"), "a reduction")
    return kind_of(a)[0], op


def _pair(send: Array, receive: Array | None) -> tuple[int, np.ndarray[Any, Any]]:
    """The address to send from, 0 for in place, and the array that is combined into."""
    if receive is None or send is IN_PLACE:
        return 0, contiguous(send if receive is None else receive, "send", is_written=True)
    a, b = contiguous(send, "send"), contiguous(receive, "receive", is_written=True)
    if (a.dtype, a.size) != (b.dtype, b.size):
        raise UsageError(f"send has {a.size} elements of {a.dtype}, receive {b.size} of {b.dtype}; they are to agree")
    return address_of(a), b
