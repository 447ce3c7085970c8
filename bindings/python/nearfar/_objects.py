# SPDX-License-Identifier: BSD-3-Clause
"""What all objects have in common: a handle of the library, freed once, and the verbs of plans."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from ._arguments import real, text, words
from ._errors import UsageError
from ._library import core

_Self = TypeVar("_Self", bound="Handle")


def refuse_copies(what: str) -> Callable[[Any], Any]:
    """A __reduce__ of what is one object of all its ranks."""

    def refuse(_: Any) -> Any:
        raise UsageError(f"a {what} can be neither copied nor pickled: it is one object of all its ranks")

    return refuse


class Described:
    """What one rank makes for itself and gives to makers: what is wrong with it is told where it is used first.

    There all ranks hear of it, which would wait for the one that has raised an error alone.
    """

    def __init_subclass__(cls) -> None:
        fill = cls.__init__

        @functools.wraps(fill)
        def described(self: Described, *arguments: Any, **named: Any) -> None:
            try:
                fill(self, *arguments, **named)
            except UsageError as e:
                self.__dict__["_complaint"] = str(e)

        cls.__init__ = described  # type: ignore[method-assign, assignment]

    def __getattr__(self, name: str) -> Any:
        if "_complaint" in self.__dict__ and not name.startswith("__"):
            raise UsageError(self.__dict__["_complaint"])
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")


class Handle:
    """An object of the library. It lives until `free()`, the end of its `with` block, or the last reference.

    Objects are freed in one order on all ranks where the program drops them in one order; let none of them become
    part of a cycle of references, which Python's collector takes apart at a time of its own.
    """

    _free: Callable[[int], None]
    _owner: Any = None  # what has to live as long
    _what = "object"

    def __init__(self, handle: int) -> None:
        self._value = handle

    @property
    def _handle(self) -> int:
        return self._value or self._is_freed()

    def _is_freed(self) -> int:
        raise UsageError(f"the {self._what} is freed already")

    def free(self) -> None:
        """Frees the object; a second call does nothing. Collective for plans and teams."""
        value, self._value = getattr(self, "_value", 0), 0
        if value:
            type(self)._free(value)

    def __reduce__(self) -> Any:
        return refuse_copies(self._what)(self)

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()

    def __del__(self) -> None:
        self.free()


def plan_options(
    name: str | None,
    method: str | None,
    without: str | Sequence[str] | None,
    budget_s: float,
    elements: np.dtype[Any] | None = None,
) -> tuple[str | None, str | None, str | None, float, str]:
    """The options of all plans as the compiled module takes them; `without` may be a list of methods."""
    return (
        None if name is None else text(name, "name"),
        None if method is None else text(method, "method"),
        words(without, "without"),
        real(budget_s, "budget_s"),
        "" if elements is None else str(elements),
    )


class Plan(Handle):
    """What every plan can be asked and told, by the functions `_core.FRONT_start` and so on."""

    _front = ""
    _team: Any = None  # set by each front

    def __init_subclass__(cls, front: str = "", **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if front:
            cls._front = front
            cls._what = f"{front} plan"
            verbs = ("start", "test", "finish", "run", "method", "describe", "describe_json", "tuned_seconds", "free")
            for verb in verbs:
                setattr(cls, f"_{verb}", staticmethod(getattr(core, f"{front}_{verb}")))

    def test(self) -> bool:
        """Whether `finish` would not wait; makes progress. Local."""
        return bool(self._test(self._value or self._is_freed()))  # type: ignore[attr-defined]

    def finish(self) -> None:
        """Waits until what was started is done: all arrays are the caller's again.

        Raises
        ------
        UsageError
            Nothing was started.
        TransportError
            A peer does not answer within the watchdog's time (NEARFAR_WATCHDOG).
        """
        self._finish(self._value or self._is_freed())  # type: ignore[attr-defined]

    @property
    def team(self) -> Any:
        """The `Team` whose ranks exchange."""
        return self._team

    @property
    def method(self) -> str:
        """What was chosen. Local."""
        return str(self._method(self._handle))  # type: ignore[attr-defined]

    def describe(self) -> str:
        """What was tried and chosen, bytes, messages and times, a line per fact. Local."""
        return str(self._describe(self._handle))  # type: ignore[attr-defined]

    def describe_json(self) -> str:
        """What was tried and chosen, as JSON: C++'s ``describe_json()`` says what is in it. Local."""
        return str(self._describe_json(self._handle))  # type: ignore[attr-defined]

    @property
    def tuned_seconds(self) -> float:
        """Median seconds of one run when the plan was tuned; 0 if unknown."""
        return float(self._tuned_seconds(self._handle))  # type: ignore[attr-defined]

    def start(self) -> None:
        """Starts; until `finish` the arrays belong to the plan. Collective."""
        self._start(self._value or self._is_freed())  # type: ignore[attr-defined]

    def run(self) -> None:
        """`start` and `finish`. Collective."""
        self._run(self._value or self._is_freed())  # type: ignore[attr-defined]

    @contextmanager
    def overlap(self) -> Iterator[None]:
        """`start` on entry, `finish` on exit: `with plan.overlap(): …` computes while data is under way."""
        self.start()
        try:
            yield
        finally:
            self.finish()
