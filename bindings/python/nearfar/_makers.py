# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong on one rank is told on all of them: the agreement that every call has that makes something.

A maker is a function with the decorator `maker`. It looks at its arguments first, which may raise anything, then calls
`agreed(team)`, once, then does what is collective. What it raises before that call is agreed on in its stead.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import numpy as np

from ._arrays import owner_of
from ._errors import UsageError
from ._library import MPI, core
from ._objects import Handle

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Result = TypeVar("_Result")
_teams_made: list[weakref.ref[TeamHandle]] = []  # the first two


class TeamHandle(Handle):
    """The team of the library; everything that is made of it, arrays included, keeps it."""

    _free = staticmethod(core.team_free)
    _what = "team"

    def __init__(self, handle: int) -> None:
        super().__init__(handle)
        if len(_teams_made) < 2:
            _teams_made.append(weakref.ref(self))


class _Call:
    """A maker that has begun."""

    def __init__(self) -> None:
        self.is_agreed = False
        self.team: Any = None


class _Calls(threading.local):
    def __init__(self) -> None:
        self.nested: list[_Call] = []


_calls = _Calls()


def note(team: Any) -> None:
    """The maker that has begun last is a call of this team, whatever its arguments say."""
    if _calls.nested and _calls.nested[-1].team is None:
        _calls.nested[-1].team = team


def agreed(team: Any) -> None:
    """What this rank was given is as it should be. Raises what others say of theirs. Collective, once in a maker."""
    handle = team._handle
    _calls.nested[-1].is_agreed = True
    core.agree(handle, "")


def agreed_over(comm: Any, look: Callable[[], _Result]) -> _Result:
    """The same before there is a team, with what looks at the arguments: returns what that returns."""
    _calls.nested[-1].is_agreed = True
    complaint, found = "", None
    try:
        found = look()
    except UsageError as e:
        complaint = str(e)
    first = np.array([comm.rank if complaint else comm.size])
    comm.Allreduce(MPI.IN_PLACE, first, MPI.MIN)
    if first[0] < comm.size:
        raise UsageError(f"{comm.bcast(complaint, root=int(first[0]))} [on rank {first[0]}]")
    return found  # type: ignore[return-value]


def maker(function: _Function) -> _Function:
    """A function that makes something, collectively: what it raises before it has agreed is raised on every rank."""

    @functools.wraps(function)
    def made(*arguments: Any, **named: Any) -> Any:
        call = _Call()
        _calls.nested.append(call)
        try:
            result = function(*arguments, **named)
            assert call.is_agreed, f"{function.__qualname__} has made something without agreed()"
            return result
        except Exception as e:
            is_of_call = e.__traceback__ is None or e.__traceback__.tb_next is None  # there is no such argument
            if call.is_agreed or is_of_call:
                raise
            _tell(e, call.team or _team_among((arguments, tuple(named.values()))) or _only_team())
        finally:
            _calls.nested.pop()

    made.is_maker = True  # type: ignore[attr-defined]
    return made  # type: ignore[return-value]


def _tell(e: Exception, team: Any) -> NoReturn:
    """Raises on all ranks of the team what this one has to say; here alone where nothing tells which team it is."""
    handle = getattr(team if isinstance(team, Handle) else getattr(team, "_owner", None), "_value", 0)
    if handle:
        core.agree(handle, str(e) if isinstance(e, UsageError) else f"{type(e).__name__}: {e}")
    raise e


def _only_team() -> TeamHandle | None:
    """The team of a program that has made one: nothing else may be right in the arguments.

    Not the only one that is alive: when Python drops an object may differ between ranks.
    """
    return _teams_made[0]() if len(_teams_made) == 1 else None


def _team_among(given: Any, depth: int = 6) -> Any:
    """The team that an argument is, is made of, or lies in the memory of; freed ones, too; None for none."""
    if isinstance(given, TeamHandle) or getattr(type(given), "is_team", False):
        return given
    if isinstance(given, (list, tuple)):
        within = given
    elif isinstance(given, np.ndarray):
        within = (owner_of(given, Handle),)
    else:
        known = getattr(given, "__dict__", {})
        within = [known.get(name) for name in ("_owner", "team", "parts", "grid", "distribution")]
    found = (_team_among(inner, depth - 1) for inner in within if inner is not None and depth > 0)
    return next((team for team in found if team is not None), None)
