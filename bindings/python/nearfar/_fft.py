# SPDX-License-Identifier: BSD-3-Clause
"""Fourier, cosine and sine transforms along the axes of a distributed grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ._arguments import choice, data_type, instance, ints, ints_per, real, words
from ._arrays import Array
from ._errors import UsageError
from ._library import core
from ._objects import Described, Handle, Plan, plan_options
from ._makers import agreed, maker
from ._team import Team, team_of
from ._transpose import Decomposition, TransposeSide
from ._words import ELEMENT_TYPE, FFT_DIRECTION, FFT_FUSION, FFT_KIND, FFT_NYQUIST, FFT_SCALING



class FftShape(Described):
    """The physical grid, and what is done along each axis, slowest first.

    Parameters
    ----------
    extents : sequence of int
        Of the physical grid, 1 to 4 axes.
    kinds : sequence of str, or "c2c" or "r2c"
        Per axis one of none, c2c, r2c (at most one axis), dct1 to dct4, dst1 to dst4, as FFTW defines them; "c2c":
        along all axes; "r2c": along the last axis, c2c along the others.
    modes : sequence of int, optional
        Of an axis where fewer than all modes exist on the spectral side; 0: all of them.
    """

    def __init__(self, extents: Sequence[int], kinds: str | Sequence[str] = "c2c", modes: Sequence[int] | None = None):
        self.extents = tuple(ints(extents, "extents"))
        axes = len(self.extents)
        if isinstance(kinds, str):
            kinds = ["c2c"] * (axes - 1) + [kinds] if axes else []
        try:
            self.kinds = tuple(kinds)
        except TypeError:
            raise UsageError(f"kinds is {kinds!r}; it is a name, or a name per axis") from None
        if len(self.kinds) != axes:
            raise UsageError(f"kinds has {len(self.kinds)} entries; there are {axes} axes")
        self.modes = None if modes is None else tuple(ints_per(modes, axes, "modes", "axes"))
        self._numbers = [choice(kind, FFT_KIND, "kind") for kind in self.kinds]

    @property
    def _shape(self) -> tuple[Any, ...]:
        return list(self.extents), self._numbers, None if self.modes is None else list(self.modes)

    @property
    def spectral_extents(self) -> tuple[int, ...]:
        """The modes, m/2 + 1 of them along an axis of kind r2c. Local, as all that follow."""
        return tuple(core.fft_spectral_extents(self._shape))

    @property
    def roundtrip_factor(self) -> float:
        """What forward followed by backward multiplies by where nothing is scaled."""
        return float(core.fft_roundtrip_factor(self._shape))

    def padded(self, factor: float) -> FftShape:
        """The grid of `factor` (>= 1) times as many points with the modes of this one: 1.5 is the 3/2 rule."""
        extents, modes = core.fft_padded(self._shape, real(factor, "factor"))
        return FftShape(extents, self.kinds, modes)

    def truncated(self, factor: float) -> FftShape:
        """The same grid with `factor` (in (0, 1]) times as many modes: 2 / 3 is the 2/3 rule."""
        return FftShape(self.extents, self.kinds, core.fft_truncated(self._shape, real(factor, "factor")))


class FftLayout(Handle):
    """Where the elements of the physical and of the spectral grid lie.

    Parameters
    ----------
    team : Team or mpi4py.MPI.Comm
    shape : FftShape
    physical, spectral : TransposeSide, optional
        Any sides of these extents; chosen by default, the spectral one transposed.
    process_grid : sequence of int, optional
        Parts of the axes that a chosen physical side cuts: one number for slabs, two for pencils.

    Raises
    ------
    UsageError
        On every rank: extents, kinds, modes, process grids or sides that cannot be, and which can.

    Notes
    -----
    Collective over the team.
    """

    _free = staticmethod(core.fft_layout_free)
    _what = "FFT layout"

    @maker
    def __init__(
        self,
        team: Team | Any,
        shape: FftShape,
        *,
        physical: TransposeSide | None = None,
        spectral: TransposeSide | None = None,
        process_grid: Sequence[int] = (),
    ) -> None:
        self.team = team_of(team)
        self._owner = self.team.owner
        self.shape = instance(shape, FftShape, "shape")
        sides = [
            None if side is None else instance(side, TransposeSide, f"the {what} side")._side
            for what, side in (("physical", physical), ("spectral", spectral))
        ]
        wanted, cuts = self.shape._shape, ints(process_grid, "process_grid", 32)
        agreed(self.team)
        super().__init__(core.fft_layout_create(self.team._handle, wanted, sides[0], sides[1], cuts))

    def _side(self, side: tuple[Any, ...]) -> TransposeSide:
        parts, order, padding, _ = side
        return TransposeSide(Decomposition._over(self.team, parts, keeper=self), order, padding)

    @property
    def physical(self) -> TransposeSide:
        """The side of the physical grid. Local, as all that follow."""
        return self._side(core.fft_layout_physical(self._handle))

    @property
    def spectral(self) -> TransposeSide:
        """The side of the spectral grid."""
        return self._side(core.fft_layout_spectral(self._handle))

    @property
    def is_physical_complex(self) -> bool:
        """Whether elements of the physical grid are complex."""
        return bool(core.fft_layout_is_physical_complex(self._handle))

    @property
    def is_spectral_complex(self) -> bool:
        """Whether elements of the spectral grid are complex."""
        return bool(core.fft_layout_is_spectral_complex(self._handle))

    def describe(self) -> str:
        """A line per fact."""
        return str(core.fft_layout_describe(self._handle))


class FftPlan(Plan, front="fft"):
    """Transforms forward and backward, made and tuned once on their arrays and run many times.

    Parameters
    ----------
    layout : FftLayout
    physical, spectral : array, or sequence of arrays, optional
        One per field; `layout.physical.zeros(dtype)` makes some. Elements are float32 or float64, or complex of
        these, as the layout says. The same memory for both is in place; any other input is preserved. Without both
        the plan makes an array of zeros per side, which its properties `physical` and `spectral` are.
    dtype : {"float64", "float32"}, optional
        Of the elements of such arrays, or of their parts where they are complex.
    scaling : {"none", "forward", "backward", "orthonormal"}
        Who divides by the roundtrip factor: nobody, forward, backward (as NumPy), or both by its square root.
    nyquist : {"shared", "zero"}
        The mode m/2 of an axis that keeps an even number m of fewer than all modes.
    engines : str or sequence of str, optional
        Serial engines to choose from; NEARFAR_FFT_ENGINES or "own" by default.
    fusion : {"raced", "never", "always"}
        Transpositions and transforms in one pass where that is faster, never, or wherever it is possible.
    name, method, without, budget_s
        As in `HaloPlan`.

    Raises
    ------
    UsageError
        On every rank: numbers of arrays, types or sizes that are wrong, arrays that overlap, unknown engines.
    ResourceError
        On every rank: memory that does not suffice.

    Notes
    -----
    Collective over the team. The contents of the arrays stay while the plan is made.
    """

    @maker
    def __init__(
        self,
        layout: FftLayout,
        physical: Array | Sequence[Array] | None = None,
        spectral: Array | Sequence[Array] | None = None,
        *,
        dtype: DTypeLike | None = None,
        scaling: str = "none",
        nyquist: str = "shared",
        engines: str | Sequence[str] | None = None,
        fusion: str = "raced",
        name: str | None = None,
        method: str | None = None,
        without: str | Sequence[str] | None = None,
        budget_s: float = 0.0,
    ) -> None:
        self.layout = instance(layout, FftLayout, "layout")
        self._team, self._owner = layout.team, layout.team.owner
        self._sides = layout.physical, layout.spectral
        self._complex = layout.is_physical_complex, layout.is_spectral_complex
        self._physical: list[np.ndarray[Any, Any]] = []
        self._spectral: list[np.ndarray[Any, Any]] = []
        self._own: dict[int, np.ndarray[Any, Any]] = {}
        if physical is None and spectral is None:
            self._fields, self._precision = 1, self._precision_named(dtype)
            lengths = ([0], [0]), ([0], [0])
        else:
            if dtype is not None:
                raise UsageError(f"dtype is {dtype!r}; it is for plans without arrays, these have a type of their own")
            self._physical, self._spectral = self._taken(physical, spectral)
            self._fields, self._precision = len(self._physical), self._precision_of(self._physical, self._spectral)
            lengths = self._sides[0]._lengths(self._physical), self._sides[1]._lengths(self._spectral)
        options = plan_options(name, method, without, budget_s)
        how = choice(scaling, FFT_SCALING, "scaling"), choice(nyquist, FFT_NYQUIST, "nyquist")
        fused = choice(fusion, FFT_FUSION, "fusion")
        allowed, of = words(engines, "engines"), layout._handle
        precision = ELEMENT_TYPE.index(f"float{8 * self._precision}")
        agreed(layout.team)
        super().__init__(core.fft_create(of, precision, *lengths, options, self._fields, *how, fused, allowed))

    def _taken(
        self, physical: Any, spectral: Any, read: int | None = None
    ) -> tuple[list[np.ndarray[Any, Any]], list[np.ndarray[Any, Any]]]:
        """The arrays of both sides, of which that of the number `read` is not written."""
        a = self._sides[0]._taken(physical, "physical", is_written=read != 0, on_gpu=True)
        b = self._sides[1]._taken(spectral, "spectral", is_written=read != 1, on_gpu=True)
        if len(a) != len(b) or not a:
            raise UsageError(f"there are {len(a)} physical and {len(b)} spectral arrays; they are one per field")
        return a, b

    def _precision_of(self, *sides: Sequence[np.ndarray[Any, Any]]) -> int:
        found = set()
        for what, arrays, is_complex in zip(("physical", "spectral"), sides, self._complex, strict=True):
            for a in arrays:
                if a.dtype.kind != ("c" if is_complex else "f"):
                    raise UsageError(
                        f"{what} is of the type {a.dtype}; elements are {'complex' if is_complex else 'real'} there"
                    )
                found.add(a.itemsize // (2 if is_complex else 1))
        if len(found) != 1 or not found <= {4, 8}:
            raise UsageError("the arrays mix precisions, or are neither float32 nor float64; all are of one of these")
        return int(found.pop())

    @staticmethod
    def _precision_named(dtype: DTypeLike | None) -> int:
        kind = data_type("float64" if dtype is None else dtype)
        if kind not in (np.float32, np.float64):
            raise UsageError(f"dtype is {kind}; it is float32 or float64")
        return kind.itemsize

    def _own_array(self, side: int) -> np.ndarray[Any, Any]:
        if side not in self._own:
            memory = (core.fft_physical_array, core.fft_spectral_array)[side](self._handle)
            kind = np.dtype(f"c{2 * self._precision}" if self._complex[side] else f"f{self._precision}")
            self._own[side] = self._sides[side]._array_in(memory, kind)
        return self._own[side]

    @property
    def physical(self) -> np.ndarray[Any, Any]:
        """The array of the physical grid that the plan has made itself; it outlives the plan. Local.

        Raises
        ------
        UsageError
            The plan was made on the caller's arrays.
        """
        return self._own_array(0)

    @property
    def spectral(self) -> np.ndarray[Any, Any]:
        """That of the coefficients. Local."""
        return self._own_array(1)

    def _start_on(self, direction: int, given_in: Any, given_out: Any) -> None:
        if given_in is None and given_out is None:
            self._refuse_read_only(direction)
            return core.fft_start(self._handle, direction)
        if given_in is None or given_out is None:
            raise UsageError("only one of the two arrays is given; it is both or none")
        a, b = self._taken(*((given_in, given_out) if direction == 0 else (given_out, given_in)), read=direction)
        if len(a) != self._fields or self._precision_of(a, b) != self._precision:
            raise UsageError(f"other arrays are to be {self._fields} per side, of the plan's precision")
        lengths = self._sides[0]._lengths(a), self._sides[1]._lengths(b)
        core.fft_start_on(self._handle, direction, lengths[direction], lengths[1 - direction])
        self._physical, self._spectral = a, b
        return None

    def _refuse_read_only(self, direction: int) -> None:
        """Raises where the plan was started last on arrays of which this direction would write what it read."""
        what, written = (("spectral", self._spectral), ("physical", self._physical))[direction]
        if not all(a.flags.writeable for a in written):
            raise UsageError(f"{what} is read-only, and would be written")

    def start(self, direction: str = "forward") -> None:
        """Starts a transform of the plan's arrays. Collective.

        Until `finish` the input must not be written and the output not be touched.
        """
        self._start_on(choice(direction, FFT_DIRECTION, "direction"), None, None)

    def run(self, direction: str = "forward") -> None:
        """`start` and `finish`. Collective."""
        way = choice(direction, FFT_DIRECTION, "direction")
        self._refuse_read_only(way)
        core.fft_run(self._handle, way)

    def start_forward(self, physical: Any = None, spectral: Any = None) -> None:
        """Starts to transform `physical` to `spectral`, the plan's arrays if none are given. Collective."""
        self._start_on(0, physical, spectral)

    def start_backward(self, spectral: Any = None, physical: Any = None) -> None:
        """Starts to transform `spectral` to `physical`, the plan's arrays if none are given. Collective."""
        self._start_on(1, spectral, physical)

    def forward(self, physical: Any = None, spectral: Any = None) -> None:
        """`start_forward` and `finish`. Collective."""
        self._start_on(0, physical, spectral)
        core.fft_finish(self._handle)

    def backward(self, spectral: Any = None, physical: Any = None) -> None:
        """`start_backward` and `finish`. Collective."""
        self._start_on(1, spectral, physical)
        core.fft_finish(self._handle)

    @property
    def work_bytes(self) -> int:
        """Bytes of work arrays on this rank. Local."""
        return int(core.fft_work_bytes(self._handle))
