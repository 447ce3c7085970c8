# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls on arrays of any type and on numbers.

All are collective over the team, in one order on all ranks. Arrays are contiguous in C order; `counts` and `displs` are
in elements, one per rank, and displs follow one another where none are given. `op` is sum, product, min, max, and, or,
xor (of booleans and integers), bit_and, bit_or, bit_xor (of integers), or an mpi4py.MPI.Op. What is wrong with the
arguments of one rank is a UsageError there, and an uncaught one ends the job.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from numbers import Number
from typing import Any

import numpy as np

from ._arguments import ints_per, whole
from ._arrays import Array, address_of, contiguous
from ._errors import UsageError
from ._library import MPI, core
from ._team import Team, team_of

KINDS = (
    "barrier", "bcast", "reduce", "allreduce", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv",
    "reduce_scatter", "reduce_scatter_block", "alltoall", "alltoallv", "alltoallw", "scan", "exscan",
)  # fmt: skip
_REDUCING = ("reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan")
# Which kinds of NumPy's types each operation is defined on.
_DEFINED = (
    dict.fromkeys(("sum", "product"), "iufc")
    | dict.fromkeys(("min", "max"), "iuf")
    | dict.fromkeys(("logical_and", "logical_or", "logical_xor"), "biu")
    | dict.fromkeys(("bit_and", "bit_or", "bit_xor"), "iu")
)
NUMBERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16")


class _InPlace:
    """Stands for the send array (on scatter's root: the receive array) where MPI allows MPI_IN_PLACE."""


    def __reduce__(self) -> str:
        return "IN_PLACE"  # copies are the same, which is asked for by `is`


IN_PLACE = _InPlace()
_NOTHING: tuple[Any, ...] = (0, False, 0, 0, [], None, None)


def kind_of(a: np.ndarray[Any, Any]) -> tuple[str, int]:
    """The name of the type of MPI, and how many of it an element is: other types than numbers move as bytes."""
    name = a.dtype.str[1:]
    return (name, 1) if name in NUMBERS else ("", a.itemsize)


def refuse_undefined(a: Any, op: Any, kind: str) -> None:
    """Raises where a call of this kind cannot combine the elements of an array by `op`."""
    if not isinstance(a, np.ndarray):
        return
    if not kind_of(a)[0]:
        raise UsageError(f"the elements are {a.dtype}; {kind} is for {', '.join(NUMBERS)}")
    if isinstance(op, str) and a.dtype.kind not in _DEFINED.get(op, a.dtype.kind):
        possible = [name for name, kinds in _DEFINED.items() if a.dtype.kind in kinds]
        raise UsageError(f"op is {op!r} on elements of {a.dtype}; on these it is one of {', '.join(possible)}")


def _side(a: Any, *, shares: bool = False, counts: Any = None, displs: Any = None) -> tuple[Any, ...]:
    if a is None:
        return _NOTHING
    if a is IN_PLACE:
        return 0, True, 0, -1, [], None, None
    kind, units = kind_of(a)
    capacity = a.size * units
    if counts is not None:
        counts = [n * units for n in counts]
        displs = list(accumulate(counts[:-1], initial=0)) if displs is None else [n * units for n in displs]
    return address_of(a), False, -1 if shares else capacity, capacity, [kind], counts, displs


class Call:
    """The arguments of a call as the compiled module takes them; keeps the arrays."""

    def __init__(
        self, team: Any, kind: str, send: Any, receive: Any, *, op: Any = "", root: int = 0, sides: Any = None,
        receive_counts: Any = None, receive_displs: Any = None, send_counts: Any = None, send_displs: Any = None,
    ) -> None:  # fmt: skip
        self.team = team_of(team)
        ranks = self.team.size
        receive_counts, receive_displs, send_counts, send_displs = (
            None if given is None else ints_per(given, ranks, what, "ranks")
            for what, given in (
                ("counts", receive_counts), ("displs", receive_displs), ("counts", send_counts),
                ("displs", send_displs),
            )
        )  # fmt: skip
        self.arrays = send, receive
        self.receive = receive
        name = op if isinstance(op, str) else ""
        if not isinstance(op, (str, MPI.Op)):
            raise UsageError(f"op is of the type {type(op).__name__}; it is a name or an mpi4py.MPI.Op")
        if kind in _REDUCING and isinstance(op, str) and op not in _DEFINED:
            raise UsageError(f"op is {op!r}; it is {', '.join(_DEFINED)}, or an mpi4py.MPI.Op")
        both = [a for a in (send, receive) if isinstance(a, np.ndarray)]
        if kind in _REDUCING:
            for a in both:
                refuse_undefined(a, op, kind)
        if len(both) == 2 and send.dtype != receive.dtype:
            raise UsageError(
                f"{kind}: send has elements of {send.dtype}, receive of {receive.dtype}; they are to agree"
            )
        self.elements = both[0].dtype if both else None  # in alltoallw, lists of arrays, ranks may differ
        if sides is None:
            sides = (
                _side(send, shares=kind in ("scatter", "alltoall"), counts=send_counts, displs=send_displs),
                _side(
                    receive,
                    shares=kind in ("gather", "allgather", "alltoall")
                    or (kind == "reduce_scatter_block" and send is IN_PLACE),
                    counts=receive_counts,
                    displs=receive_displs,
                ),
            )
        custom = None if isinstance(op, str) else MPI._handleof(op)
        self.arguments: tuple[Any, ...] = (KINDS.index(kind), whole(root, "root"), name, custom, *sides)

    def run(self) -> None:
        core.run_call(self.team._handle, *self.arguments)


def _sent(a: Array | None) -> Any:
    return a if a is IN_PLACE else contiguous(a, "send")


def _received(a: Array | None) -> Any:
    return a if a is IN_PLACE else contiguous(a, "receive", is_written=True)


def _like(send: Any, *leading: int) -> np.ndarray[Any, Any]:
    return np.empty((*leading, *send.shape), send.dtype)


def _reduction(kind: str, team: Any, send: Any, receive: Any, op: Any) -> Call:
    if receive is None:  # in place
        return Call(team, kind, IN_PLACE, contiguous(send, "send", is_written=True), op=op)
    return Call(team, kind, _sent(send), _received(receive), op=op)


def _barrier(team: Any) -> Call:
    return Call(team, "barrier", None, None)


def _bcast(team: Any, data: Array, root: int = 0) -> Call:
    return Call(team, "bcast", None, contiguous(data, "data", is_written=team_of(team).rank != root), root=root)


def _reduce(team: Any, send: Array, receive: Array | None = None, op: Any = "sum", root: int = 0) -> Call:
    mine, is_root = _sent(send), team_of(team).rank == root
    if receive is None and is_root:
        return Call(team, "reduce", IN_PLACE, contiguous(send, "send", is_written=True), op=op, root=root)
    return Call(team, "reduce", mine, _received(receive) if is_root else None, op=op, root=root)


def _allreduce(team: Any, send: Array, receive: Array | None = None, op: Any = "sum") -> Call:
    return _reduction("allreduce", team, send, receive, op)


def _scan(team: Any, send: Array, receive: Array | None = None, op: Any = "sum") -> Call:
    return _reduction("scan", team, send, receive, op)


def _exscan(team: Any, send: Array, receive: Array | None = None, op: Any = "sum") -> Call:
    return _reduction("exscan", team, send, receive, op)


def _reduce_scatter(team: Any, send: Array, receive: Array, counts: Sequence[int], op: Any = "sum") -> Call:
    return Call(team, "reduce_scatter", _sent(send), _received(receive), op=op, receive_counts=counts)


def _reduce_scatter_block(team: Any, send: Array, receive: Array | None = None, op: Any = "sum") -> Call:
    return _reduction("reduce_scatter_block", team, send, receive, op)


def _gather(team: Any, send: Array, receive: Array | None = None, root: int = 0) -> Call:
    members, mine = team_of(team), _sent(send)
    if members.rank == root and receive is None:
        receive = _like(contiguous(send, "send"), members.size)
    return Call(members, "gather", mine, _received(receive) if members.rank == root else None, root=root)


def _gatherv(
    team: Any,
    send: Array,
    receive: Array | None = None,
    counts: Sequence[int] | None = None,
    displs: Sequence[int] | None = None,
    root: int = 0,
) -> Call:
    if team_of(team).rank != root:
        return Call(team, "gatherv", _sent(send), None, root=root)
    return Call(
        team, "gatherv", _sent(send), _received(receive), root=root, receive_counts=counts, receive_displs=displs
    )


def _scatter(team: Any, send: Array | None, receive: Array, root: int = 0) -> Call:
    is_root = team_of(team).rank == root
    return Call(team, "scatter", _sent(send) if is_root else None, _received(receive), root=root)


def _scatterv(
    team: Any,
    send: Array | None,
    receive: Array,
    counts: Sequence[int] | None = None,
    displs: Sequence[int] | None = None,
    root: int = 0,
) -> Call:
    if team_of(team).rank != root:
        return Call(team, "scatterv", None, _received(receive), root=root)
    return Call(team, "scatterv", _sent(send), _received(receive), root=root, send_counts=counts, send_displs=displs)


def _allgather(team: Any, send: Array, receive: Array | None = None) -> Call:
    members, mine = team_of(team), _sent(send)
    to = _like(contiguous(send, "send"), members.size) if receive is None else _received(receive)
    return Call(members, "allgather", mine, to)


def _allgatherv(
    team: Any, send: Array, receive: Array, counts: Sequence[int], displs: Sequence[int] | None = None
) -> Call:
    return Call(team, "allgatherv", _sent(send), _received(receive), receive_counts=counts, receive_displs=displs)


def _alltoall(team: Any, send: Array, receive: Array | None = None) -> Call:
    to = _like(contiguous(send, "send")) if receive is None else _received(receive)
    return Call(team, "alltoall", _sent(send), to)


def _alltoallv(
    team: Any,
    send: Array,
    send_counts: Sequence[int],
    receive: Array,
    receive_counts: Sequence[int],
    send_displs: Sequence[int] | None = None,
    receive_displs: Sequence[int] | None = None,
) -> Call:
    return Call(
        team,
        "alltoallv",
        _sent(send),
        _received(receive),
        send_counts=send_counts,
        send_displs=send_displs,
        receive_counts=receive_counts,
        receive_displs=receive_displs,
    )


def _alltoallw(team: Any, send: Sequence[Array], receive: Sequence[Array]) -> Call:
    for what, given in (("send", send), ("receive", receive)):
        if not isinstance(given, (list, tuple)):
            raise UsageError(f"{what} is of the type {type(given).__name__}; it is a list of arrays, one per rank")
    mine = [contiguous(a, "send") for a in send]
    others = [contiguous(a, "receive", is_written=True) for a in receive]
    ranks = team_of(team).size
    if len(mine) != ranks or len(others) != ranks:
        raise UsageError(f"there are {len(mine)} arrays to send and {len(others)} to receive; there are {ranks} ranks")
    return Call(team, "alltoallw", mine, others, sides=(_side_of_each(mine), _side_of_each(others)))


def _side_of_each(arrays: Sequence[np.ndarray[Any, Any]]) -> tuple[Any, ...]:
    """An array per rank as one memory that begins at the lowest of them."""
    begin = min((address_of(a) for a in arrays if a.size), default=0)
    kinds = [kind_of(a) for a in arrays]
    counts = [a.size * units for a, (_, units) in zip(arrays, kinds, strict=True)]
    displs = [address_of(a) - begin if a.size else 0 for a in arrays]
    return begin, False, 0, -1, [kind for kind, _ in kinds], counts, displs


def _run(call: Call) -> Any:
    call.run()
    return call.receive


def _is_number(value: Any) -> bool:
    return isinstance(value, (Number, np.generic))


def _common_type(team: Team, value: Any, *, counts: bool = True) -> np.dtype[Any]:
    """The type that holds the numbers of all ranks whose value counts: 0 on one and 0.5 on another are floats."""
    mine = np.array(value)
    if mine.dtype.str[1:] not in NUMBERS:
        raise UsageError(f"the number {value!r} is of the type {mine.dtype}; it is one of {', '.join(NUMBERS)}")
    used = np.array(1 << NUMBERS.index(mine.dtype.str[1:]) if counts else 0)
    _allreduce(team, used, None, "bit_or").run()
    return np.result_type(*(np.dtype(name) for at, name in enumerate(NUMBERS) if int(used) >> at & 1))


def _number(call: Any, team: Any, value: Any, op: Any, *arguments: Any) -> Any:
    """The same on a number, which comes back as one."""
    members = team_of(team)
    both = np.array(value, _common_type(members, value))
    call(members, both, None, op, *arguments).run()
    return both[()]


def barrier(team: Team | Any) -> None:
    """Returns when every rank has called it."""
    _barrier(team).run()


def bcast(team: Team | Any, data: Any, root: int = 0) -> Any:
    """The root's data on every rank. Returns `data`.

    `data` is an array of one shape and type on all ranks, which is filled except on the root, or a number on all of
    them, of which the root's is returned.
    """
    if _is_number(data):
        members = team_of(team)
        kind = _common_type(members, data, counts=members.rank == root)
        return _run(_bcast(members, np.array(data).astype(kind), root))[()]
    return _run(_bcast(team, data, root))


def reduce(team: Team | Any, send: Any, receive: Array | None = None, op: Any = "sum", root: int = 0) -> Any:
    """As `allreduce`, on the root alone; returns None elsewhere, of a number what this rank gave."""
    if _is_number(send):
        return _number(_reduce, team, send, op, root)
    return _run(_reduce(team, send, receive, op, root))


def allreduce(team: Team | Any, send: Any, receive: Array | None = None, op: Any = "sum") -> Any:
    """The inputs of all ranks combined element by element, on every rank. Returns the result.

    `send` is an array of one shape and type on all ranks, `receive` another one of as many elements; without it the
    result replaces `send`. Of numbers the result is returned, of a type that holds those of all ranks.
    """
    return _number(_allreduce, team, send, op) if _is_number(send) else _run(_allreduce(team, send, receive, op))


def scan(team: Team | Any, send: Any, receive: Array | None = None, op: Any = "sum") -> Any:
    """The inputs of ranks up to this one combined, as `allreduce`."""
    return _number(_scan, team, send, op) if _is_number(send) else _run(_scan(team, send, receive, op))


def exscan(team: Team | Any, send: Any, receive: Array | None = None, op: Any = "sum") -> Any:
    """The inputs of ranks below this one combined, as `allreduce`; not defined on rank 0."""
    return _number(_exscan, team, send, op) if _is_number(send) else _run(_exscan(team, send, receive, op))


def reduce_scatter(team: Team | Any, send: Array, receive: Array, counts: Sequence[int], op: Any = "sum") -> Any:
    """As `allreduce`, of which rank r gets counts[r] elements: sum(counts) are in `send`, counts[rank] in `receive`."""
    return _run(_reduce_scatter(team, send, receive, counts, op))


def reduce_scatter_block(team: Team | Any, send: Array, receive: Array | None = None, op: Any = "sum") -> Any:
    """As `allreduce`, of which rank r gets block r: `send` has as many elements per rank as `receive`.

    Without `receive` the block replaces the first elements of `send`.
    """
    return _run(_reduce_scatter_block(team, send, receive, op))


def gather(team: Team | Any, send: Array, receive: Array | None = None, root: int = 0) -> Any:
    """The `send` of all ranks in rank order, on the root. Returns `receive`, None elsewhere.

    `send` has one shape and type on all ranks, `receive` as many elements per rank; without it the root gets a new
    array of shape (ranks, *send.shape).
    """
    return _run(_gather(team, send, receive, root))


def gatherv(
    team: Team | Any,
    send: Array,
    receive: Array | None = None,
    counts: Sequence[int] | None = None,
    displs: Sequence[int] | None = None,
    root: int = 0,
) -> Any:
    """As `gather` with counts[r] elements of rank r, from displs[r] on in `receive`; these matter on the root only."""
    return _run(_gatherv(team, send, receive, counts, displs, root))


def scatter(team: Team | Any, send: Array | None, receive: Array, root: int = 0) -> Any:
    """Parts of the root's `send` for the `receive` of the ranks in their order, all of one size. Returns `receive`."""
    return _run(_scatter(team, send, receive, root))


def scatterv(
    team: Team | Any,
    send: Array | None,
    receive: Array,
    counts: Sequence[int] | None = None,
    displs: Sequence[int] | None = None,
    root: int = 0,
) -> Any:
    """As `scatter` with counts[r] elements for rank r, from displs[r] on in `send`; these matter on the root only."""
    return _run(_scatterv(team, send, receive, counts, displs, root))


def allgather(team: Team | Any, send: Array, receive: Array | None = None) -> Any:
    """As `gather`, on every rank: without `receive` in a new array of shape (ranks, *send.shape)."""
    return _run(_allgather(team, send, receive))


def allgatherv(
    team: Team | Any, send: Array, receive: Array, counts: Sequence[int], displs: Sequence[int] | None = None
) -> Any:
    """As `allgather` with counts[r] elements of rank r, from displs[r] on in `receive`; the same on all ranks."""
    return _run(_allgatherv(team, send, receive, counts, displs))


def alltoall(team: Team | Any, send: Array, receive: Array | None = None) -> Any:
    """Block r of `send` goes to rank r, whose `receive` has them in rank order. Returns `receive`.

    Both have as many elements per rank everywhere; without `receive` the result is a new array like `send`.
    """
    return _run(_alltoall(team, send, receive))


def alltoallv(
    team: Team | Any,
    send: Array,
    send_counts: Sequence[int],
    receive: Array,
    receive_counts: Sequence[int],
    send_displs: Sequence[int] | None = None,
    receive_displs: Sequence[int] | None = None,
) -> Any:
    """As `alltoall` with send_counts[r] elements for rank r, and receive_counts[r] of it.

    They are from send_displs[r] on in `send` and from receive_displs[r] on in `receive`.
    """
    return _run(_alltoallv(team, send, send_counts, receive, receive_counts, send_displs, receive_displs))


def alltoallw(team: Team | Any, send: Sequence[Array], receive: Sequence[Array]) -> Any:
    """The same with an array of any type per rank on either side."""
    return _run(_alltoallw(team, send, receive))


def collectives_describe(team: Team | Any) -> str:
    """What the calls made so far came to, a line per kind and size. Local."""
    return str(core.collectives_describe(team_of(team)._handle))
