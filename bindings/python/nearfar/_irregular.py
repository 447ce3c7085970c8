# SPDX-License-Identifier: BSD-3-Clause
"""Distributions of a global array, and plans for irregular gather, scatter and scatter-add."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ._arguments import choice, data_type, instance, int64s, whole
from ._arrays import TYPES, Array, address_of, array_over, contiguous, is_on_gpu, near_array, owner_of
from ._errors import UsageError
from ._library import core
from ._objects import Handle, Plan, plan_options
from ._makers import agreed, maker
from ._team import Team, _SharedMemory, team_of
from ._words import IRREGULAR_KIND, REDUCE_OP, SCATTER_ORDER

# By the numbers of nearfar_reduce_op.
_OPS = tuple(op for op in REDUCE_OP if not op.startswith("logical"))  # those of truth values are of no scatter
_GATHER_GHOSTS, _SCATTER_GHOSTS, _ASSEMBLE_GHOSTS, _GATHER, _SCATTER, _ASSEMBLE = range(6)


class Distribution(Handle):
    """Which rank owns each element of a global array, and where it lies among that rank's own.

    Made by its class methods, all collective over the team; what cannot be is a UsageError on every rank. Global
    indices are from 0. A rank may own nothing.
    """

    team: Team
    _free = staticmethod(core.distribution_free)
    _what = "distribution"

    def __init__(self, *_: object) -> None:
        raise UsageError("a Distribution is made by block, cyclic, from_owned or another of its class methods")

    @classmethod
    def _make(cls, team: Any, create: Callable[..., int], **numbers: int) -> Distribution:
        """One of these numbers of elements."""
        members = team_of(team)
        given = [whole(n, what, 64) for what, n in numbers.items()]
        agreed(members)
        return cls._over(members, create(members._handle, *given))

    @classmethod
    def _over(cls, team: Team, handle: int) -> Distribution:
        made = cls.__new__(cls)
        Handle.__init__(made, handle)
        made.team, made._owner = team, team.owner
        return made

    @classmethod
    @maker
    def block(cls, team: Team | Any, elements: int) -> Distribution:
        """Contiguous blocks in rank order; the first elements % ranks ranks have one element more."""
        return cls._make(team, core.distribution_block, elements=elements)

    @classmethod
    @maker
    def block_sizes(cls, team: Team | Any, own_elements: int) -> Distribution:
        """Contiguous blocks in rank order, of the sizes that the ranks name."""
        return cls._make(team, core.distribution_block_sizes, own_elements=own_elements)

    @classmethod
    @maker
    def cyclic(cls, team: Team | Any, elements: int) -> Distribution:
        """Element g belongs to rank g % ranks."""
        return cls._make(team, core.distribution_cyclic, elements=elements)

    @classmethod
    @maker
    def block_cyclic(cls, team: Team | Any, elements: int, block_elements: int) -> Distribution:
        """Blocks of `block_elements` elements, dealt out in turn."""
        return cls._make(team, core.distribution_block_cyclic, elements=elements, block_elements=block_elements)

    @classmethod
    @maker
    def two_block(cls, team: Team | Any, elements: int, first_elements: int) -> Distribution:
        """Elements [0, first_elements) and the others, each in blocks: rank r has block r of both."""
        return cls._make(team, core.distribution_two_block, elements=elements, first_elements=first_elements)

    @classmethod
    @maker
    def reversed_two_block(cls, team: Team | Any, elements: int, first_elements: int) -> Distribution:
        """The same with the second part's blocks in reverse order of ranks."""
        return cls._make(team, core.distribution_reversed_two_block, elements=elements, first_elements=first_elements)

    @classmethod
    @maker
    def from_owned(cls, team: Team | Any, owned: ArrayLike) -> Distribution:
        """Each rank lists the indices that it owns, in the order of its offsets; together 0 … N-1, each once."""
        members = team_of(team)
        mine = int64s(owned, "owned indices")
        agreed(members)
        return cls._over(members, core.distribution_from_owned(members._handle, mine.size, address_of(mine)))

    @property
    def elements(self) -> int:
        """Of the whole array. Local."""
        return int(core.distribution_elements(self._handle))

    @property
    def owned(self) -> int:
        """Elements of this rank. Local."""
        return int(core.distribution_owned(self._handle))

    def locate(self, indices: ArrayLike) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """(owners, offsets) of the elements with these global indices. Local; of `from_owned` collective."""
        wanted = int64s(indices, "indices")
        owners, offsets = np.empty(wanted.shape, np.int32), np.empty(wanted.shape, np.int64)
        core.distribution_locate(self._handle, wanted.size, address_of(wanted), address_of(owners), address_of(offsets))
        return owners, offsets

    def globals(self, offsets: ArrayLike | None = None) -> np.ndarray[Any, Any]:
        """Global indices of this rank's elements, of all or of those at `offsets`. Local."""
        at = np.arange(self.owned) if offsets is None else int64s(offsets, "offsets")
        found = np.empty(at.shape, np.int64)
        core.distribution_globals(self._handle, at.size, address_of(at), address_of(found))
        return found

    @maker
    def check(self, sample: int = 0) -> None:
        """Tests that own elements (at most `sample`; 0: all) are located where they are. Collective."""
        tested, most = self._handle, whole(sample, "sample", 64)
        agreed(self.team)
        core.distribution_check(tested, most)

    def describe(self) -> str:
        """A line per fact. Local."""
        return str(core.distribution_describe(self._handle))


def _op(name: str) -> int:
    return REDUCE_OP.index(_OPS[choice(name, _OPS, "op")])


class IrregularPlan(Plan, front="irregular"):
    """A plan made from the global indices that this rank refers to, run many times on arrays of any type.

    Parameters
    ----------
    distribution : Distribution
    indices : array_like of int
        The references of this rank, of any number and order, with repetitions.
    order : {"plan", "canonical"}
        In which what is scattered to one element is added: repeatable for a number of ranks, or that of a serial loop
        over all references (more travels).
    element_bytes : int
        What the tuning is for.
    threads : int
        Of this rank for loops over references and ghosts.
    name, method, without, budget_s
        As in `HaloPlan`.

    Raises
    ------
    UsageError
        On every rank: an index out of range, unknown methods.

    Notes
    -----
    Collective over the team. An array called `x` has `owned` elements, or `owned` + `ghosts`; `values`, `out` have
    one per reference. Elements are what stands behind the first dimension, so that shape (n, 3) has elements of three
    values. Arrays are contiguous in C order. Operations are collective, in one order on all ranks; sizes are checked
    on this rank.
    """

    @maker
    def __init__(
        self,
        distribution: Distribution,
        indices: ArrayLike,
        *,
        order: str = "plan",
        element_bytes: int = 8,
        threads: int = 1,
        name: str | None = None,
        method: str | None = None,
        without: str | Sequence[str] | None = None,
        budget_s: float = 0.0,
    ) -> None:
        self.distribution = instance(distribution, Distribution, "distribution")
        self._team, self._owner = distribution.team, distribution.team.owner
        refers, is_32_bits = _references(indices)
        options = plan_options(name, method, without, budget_s)
        added, size = choice(order, SCATTER_ORDER, "order"), whole(element_bytes, "element_bytes", 64)
        if size < 1:
            raise UsageError(f"element_bytes is {size}; it is 1 or more")
        where, workers = distribution._handle, whole(threads, "threads")
        agreed(distribution.team)
        super().__init__(
            core.irregular_create(where, refers.size, address_of(refers), is_32_bits, options, added, size, workers)
        )
        self._in_flight: tuple[Any, ...] = ()

    @maker
    def update(self, indices: ArrayLike, distribution: Distribution | None = None) -> None:
        """Other references, and another distribution if one is given; memory and decisions are kept. Collective."""
        refers, is_32_bits = _references(indices)
        where = self.distribution if distribution is None else instance(distribution, Distribution, "distribution")
        plan, new = self._handle, 0 if distribution is None else where._handle
        agreed(self.distribution.team)
        change = core.irregular_update_i32 if is_32_bits else core.irregular_update
        change(plan, new, refers.size, address_of(refers))
        self.distribution = where

    @property
    def owned(self) -> int:
        """Own elements of the distribution. Local, as all that follow."""
        return int(core.irregular_owned(self._handle))

    @property
    def ghosts(self) -> int:
        """Remote elements referred to."""
        return int(core.irregular_ghosts(self._handle))

    @property
    def references(self) -> int:
        """Indices that the plan was made from."""
        return int(core.irregular_references(self._handle))

    @property
    def local_indices(self) -> np.ndarray[Any, Any]:
        """int32, a copy: x[local_indices[k]] is the element of reference k once ghosts are gathered."""
        address = core.irregular_local_indices(self._handle)
        return np.array(array_over(self, address, (self.references,), np.int32))

    @property
    def ghost_indices(self) -> np.ndarray[Any, Any]:
        """Global index of each ghost."""
        found = np.empty(self.ghosts, np.int64)
        core.irregular_ghost_indices(self._handle, address_of(found))
        return found

    @maker
    def zeros(self, dtype: DTypeLike = "float64", components: int = 1) -> np.ndarray[Any, Any]:
        """An array of zeros for own elements and ghosts, in memory that near ranks read in place. Collective.

        Its shape is (owned + ghosts,), with a second dimension for more components than one.
        """
        kind = data_type(dtype)
        if kind not in TYPES:
            raise UsageError(f"the type is {kind}; it is one of {', '.join(map(str, TYPES))}")
        plan, values = self._handle, whole(components, "components")
        agreed(self.distribution.team)
        address = core.irregular_allocate(plan, TYPES[kind], values)
        shape = (self.owned + self.ghosts,) + ((components,) if components > 1 else ())
        return near_array(_SharedMemory(self._owner, address), address, shape, kind)

    def _call(self, function: Callable[..., None], kind: int, op: str, x: Any, values: Any) -> None:
        if x and values:
            if len(x) != len(values):
                raise UsageError(f"there are {len(x)} arrays x and {len(values)} of values; they are in pairs")
            for a, b in zip(x, values, strict=True):
                if a.dtype != b.dtype or a.shape[1:] != b.shape[1:]:
                    raise UsageError(
                        f"elements of x are {a.dtype} of shape {a.shape[1:]}, those of the values {b.dtype} of shape"
                        f" {b.shape[1:]}; they are to agree"
                    )
        function(self._handle, kind, _op(op), _described(x), _described(values))
        if function is core.irregular_start:
            self._in_flight = x, values

    def _x(self, x: Array | Sequence[Array], *, is_written: bool = True) -> list[np.ndarray[Any, Any]]:
        return [contiguous(a, "x", is_written=is_written, on_gpu=True) for a in _each(x)]

    def _values(self, values: Any, what: str, *, is_written: bool) -> list[np.ndarray[Any, Any]]:
        each = [contiguous(a, what, is_written=is_written, on_gpu=True) for a in _each(values)]
        for a in each:
            if a.ndim == 0 or a.shape[0] != self.references:
                raise UsageError(f"{what} has the shape {a.shape}; the plan has {self.references} references")
        return each

    def _out(self, x: list[np.ndarray[Any, Any]], out: Any) -> list[np.ndarray[Any, Any]]:
        if out is None and any(is_on_gpu(a) for a in x):
            raise UsageError("x is in memory of a GPU; out= is to be an array there, which NumPy cannot make")
        if out is None:
            return [np.empty((self.references, *a.shape[1:]), a.dtype) for a in x]
        return self._values(out, "out", is_written=True)

    def _gather(self, function: Callable[..., None], x: Any, out: Any) -> Any:
        mine = self._x(x, is_written=False)
        to = self._out(mine, out)
        self._call(function, _GATHER, "sum", mine, to)
        return out if out is not None else to if isinstance(x, (list, tuple)) else to[0]

    def gather(self, x: Any, out: Any = None) -> Any:
        """out[k] = x[indices[k]]; a new array without `out`.

        Ghosts of x, if it has any, are filled as well, unless x is read-only.
        """
        return self._gather(core.irregular_run, x, out)

    def scatter(self, values: Any, x: Any, op: str = "sum") -> None:
        """x[indices[k]] = op(x[indices[k]], values[k]) for all references of all ranks.

        `op` is sum, product, min, max, replace or, of integers, bit_and, bit_or or bit_xor. Ghosts of x, if it has any,
        are scratch.
        """
        self._call(core.irregular_run, _SCATTER, op, self._x(x), self._values(values, "values", is_written=False))

    def assemble(self, values: Any, op: str = "sum") -> None:
        """values[k] = op over the values of all references to the same element, the same bits everywhere."""
        self._call(core.irregular_run, _ASSEMBLE, op, [], self._values(values, "values", is_written=True))

    def gather_ghosts(self, x: Any) -> None:
        """The ghosts of x = the owners' elements."""
        self._call(core.irregular_run, _GATHER_GHOSTS, "sum", self._x(x), [])

    def scatter_ghosts(self, x: Any, op: str = "sum") -> None:
        """Own elements of x = op(own element, the ghost of each rank that has one)."""
        self._call(core.irregular_run, _SCATTER_GHOSTS, op, self._x(x), [])

    def assemble_ghosts(self, x: Any, op: str = "sum") -> None:
        """scatter_ghosts, then gather_ghosts: the same bits in every copy."""
        self._call(core.irregular_run, _ASSEMBLE_GHOSTS, op, self._x(x), [])

    def start_gather(self, x: Any, out: Any = None) -> Any:
        """Starts `gather`; until `finish` the arrays must not be touched, and the plan do nothing else."""
        return self._gather(core.irregular_start, x, out)

    def start_scatter(self, values: Any, x: Any, op: str = "sum") -> None:
        """Starts `scatter`."""
        self._call(core.irregular_start, _SCATTER, op, self._x(x), self._values(values, "values", is_written=False))

    def start_assemble(self, values: Any, op: str = "sum") -> None:
        """Starts `assemble`."""
        self._call(core.irregular_start, _ASSEMBLE, op, [], self._values(values, "values", is_written=True))

    def start_gather_ghosts(self, x: Any) -> None:
        """Starts `gather_ghosts`."""
        self._call(core.irregular_start, _GATHER_GHOSTS, "sum", self._x(x), [])

    def start_scatter_ghosts(self, x: Any, op: str = "sum") -> None:
        """Starts `scatter_ghosts`."""
        self._call(core.irregular_start, _SCATTER_GHOSTS, op, self._x(x), [])

    def start_assemble_ghosts(self, x: Any, op: str = "sum") -> None:
        """Starts `assemble_ghosts`."""
        self._call(core.irregular_start, _ASSEMBLE_GHOSTS, op, self._x(x), [])

    def finish(self) -> None:
        """Waits until what was started is done. Collective."""
        core.irregular_finish(self._handle)
        self._in_flight = ()

    def start(self, operation: str = "", *arrays: Any, **options: Any) -> Any:  # type: ignore[override]
        """Starts an operation by its name: `plan.start("scatter", values, x, op="max")` is `plan.start_scatter(…)`."""
        return getattr(self, "start_" + _known(operation))(*arrays, **options)

    def run(self, operation: str = "", *arrays: Any, **options: Any) -> Any:  # type: ignore[override]
        """An operation by its name: `plan.run("gather", x)` is `plan.gather(x)`."""
        return getattr(self, _known(operation))(*arrays, **options)

    @contextmanager
    def overlap(self, operation: str = "", *arrays: Any, **options: Any) -> Iterator[Any]:  # type: ignore[override]
        """`start` on entry, `finish` on exit: `with plan.overlap("gather", x) as values: …`, whose end fills them."""
        started = self.start(operation, *arrays, **options)
        try:
            yield started
        finally:
            self.finish()


def _known(operation: Any) -> str:
    return IRREGULAR_KIND[choice(operation, IRREGULAR_KIND, "operation")]


def _references(indices: ArrayLike) -> tuple[np.ndarray[Any, Any], bool]:
    if isinstance(indices, np.ndarray) and indices.dtype == np.int32:
        return np.ascontiguousarray(indices), True
    return int64s(indices, "indices"), False


def _each(arrays: Any) -> list[Any]:
    return list(arrays) if isinstance(arrays, (list, tuple)) else [arrays]


def _described(arrays: Sequence[np.ndarray[Any, Any]]) -> list[tuple[int, int, int, int, int, bool]]:
    """Address, elements, values per element, type (0: bytes), bytes of a value, whether it may not be written."""
    found = []
    for a in arrays:
        if a.ndim == 0:
            raise UsageError("an array has no dimensions; the first one is that of its elements")
        per_element = int(np.prod(a.shape[1:], dtype=np.int64))
        found.append((_address(a), a.shape[0], per_element, TYPES.get(a.dtype, 0), a.itemsize, not a.flags.writeable))
    return found


def _address(a: np.ndarray[Any, Any]) -> int:
    """Where it is; also of an array of no elements, which must be known as near memory where it is."""
    memory = owner_of(a, _SharedMemory)
    return int(memory._value) if memory is not None and not a.size else address_of(a)
