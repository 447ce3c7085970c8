# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls as plans, made once for their arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from . import _collective
from ._errors import UsageError
from ._library import core
from ._objects import Plan, plan_options
from ._makers import agreed, maker
from ._team import Team, team_of


class CollectivePlan(Plan, front="collective"):
    """A call made and tuned once for given arrays, which must not move, and carried out many times.

    Made by the functions of `nearfar.plans`. Between `start` and `finish` the arrays belong to the plan; plans may be
    started and finished in any order.
    """

    def __init__(self, call: _collective.Call, options: Any) -> None:
        if not isinstance(call, _collective.Call):
            raise UsageError("a CollectivePlan is made by the functions of nearfar.plans")
        self._call, self._team, self._owner = call, call.team, call.team.owner
        super().__init__(core.collective_create(call.team._handle, *(*call.arguments, options)))

    @property
    def start_method(self) -> str:
        """What was chosen for start and finish; `method` is that of run. Local."""
        return str(core.collective_start_method(self._handle))


class plans:
    """`plans.allreduce(team, send, receive, …, name=, method=, without=, budget_s=)` and so on.

    A `CollectivePlan` of the call of that name, with its arguments. Collective over the team; what is wrong with the
    arrays of one rank is a UsageError on every one.
    """

    barrier: ClassVar[Callable[..., CollectivePlan]]
    bcast: ClassVar[Callable[..., CollectivePlan]]
    reduce: ClassVar[Callable[..., CollectivePlan]]
    allreduce: ClassVar[Callable[..., CollectivePlan]]
    gather: ClassVar[Callable[..., CollectivePlan]]
    gatherv: ClassVar[Callable[..., CollectivePlan]]
    scatter: ClassVar[Callable[..., CollectivePlan]]
    scatterv: ClassVar[Callable[..., CollectivePlan]]
    allgather: ClassVar[Callable[..., CollectivePlan]]
    allgatherv: ClassVar[Callable[..., CollectivePlan]]
    reduce_scatter: ClassVar[Callable[..., CollectivePlan]]
    reduce_scatter_block: ClassVar[Callable[..., CollectivePlan]]
    alltoall: ClassVar[Callable[..., CollectivePlan]]
    alltoallv: ClassVar[Callable[..., CollectivePlan]]
    alltoallw: ClassVar[Callable[..., CollectivePlan]]
    scan: ClassVar[Callable[..., CollectivePlan]]
    exscan: ClassVar[Callable[..., CollectivePlan]]


def _maker(kind: str) -> Any:
    call = getattr(_collective, f"_{kind}")

    @maker
    def make(
        team: Team | Any,
        *arguments: Any,
        name: str | None = None,
        method: str | None = None,
        without: str | Sequence[str] | None = None,
        budget_s: float = 0.0,
        **named: Any,
    ) -> CollectivePlan:
        members = team_of(team)
        wanted = call(members, *arguments, **named)
        options = plan_options(name, method, without, budget_s, wanted.elements)
        agreed(members)
        return CollectivePlan(wanted, options)

    make.__name__ = kind
    make.__doc__ = f"A plan of `{kind}`, with its arguments and the options of all plans. Collective."
    return staticmethod(make)


for _kind in _collective.KINDS:
    setattr(plans, _kind, _maker(_kind))
