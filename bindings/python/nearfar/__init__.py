# SPDX-License-Identifier: BSD-3-Clause
"""Nearfar: plans for the communication of scientific MPI programs that know which ranks are near.

>>> from mpi4py import MPI
>>> import nearfar as nf
>>> grid = nf.Grid(MPI.COMM_WORLD, extents=(64, 512, 512), periodic=(False, True, True))
>>> t = grid.zeros("float64", ghosts=1)  # a NumPy array over memory that near ranks share
>>> halo = nf.HaloPlan(t)
>>> with halo.overlap():
...     diffuse(t, grid.core(t))
>>> diffuse(t, grid.edge(t))

Names and arguments are those of the other languages (docs/interface.md). Errors are exceptions below NearfarError; one
that nobody catches ends all ranks of the job.
"""

from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from ._arguments import text as _text
from ._collective import (
    IN_PLACE,
    allgather,
    allgatherv,
    allreduce,
    alltoall,
    alltoallv,
    alltoallw,
    barrier,
    bcast,
    collectives_describe,
    exscan,
    gather,
    gatherv,
    reduce,
    reduce_scatter,
    reduce_scatter_block,
    scan,
    scatter,
    scatterv,
)
from ._collective_plans import CollectivePlan, plans
from ._errors import IoError, NearfarError, ResourceError, TransportError, UsageError
from ._fft import FftLayout, FftPlan, FftShape
from ._irregular import Distribution, IrregularPlan
from ._grid import Grid
from ._halo import HaloPlan
from ._job import end_job_on_exceptions as _end_job_on_exceptions
from ._library import core as _core
from ._output import (
    OutputArray,
    OutputAxis,
    OutputReader,
    OutputReport,
    OutputStep,
    OutputStream,
    output_formats,
    output_steps_at,
    output_verify,
)
from ._reproducible import reproducible_allreduce, reproducible_dot, reproducible_sum
from ._team import Team
from ._threads import ThreadTeam
from ._transpose import Decomposition, TransposePlan, TransposeSide
from ._writers import OutputWriters

try:
    __version__ = version("nearfar")
except PackageNotFoundError:  # in a build tree
    __version__ = _core.version()


class Method(NamedTuple):
    """A method of a front: which kind of peer it can serve, and whether the tuner tries it unasked."""

    name: str
    description: str
    near: bool
    far: bool
    is_candidate: bool


def methods(front: str) -> list[Method]:
    """The methods of a front: "halo", "transpose", "fft", "irregular", "collective.KIND". Local.

    Raises
    ------
    UsageError
        There is no such front.
    """
    return [Method(*m) for m in _core.methods(_text(front, "front"))]


__all__ = [
    "IN_PLACE",
    "CollectivePlan",
    "Decomposition",
    "Distribution",
    "FftLayout",
    "FftPlan",
    "FftShape",
    "IrregularPlan",
    "Grid",
    "HaloPlan",
    "IoError",
    "Method",
    "NearfarError",
    "OutputArray",
    "OutputAxis",
    "OutputReader",
    "OutputReport",
    "OutputStep",
    "OutputStream",
    "OutputWriters",
    "ResourceError",
    "Team",
    "ThreadTeam",
    "TransportError",
    "TransposePlan",
    "TransposeSide",
    "UsageError",
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "barrier",
    "bcast",
    "collectives_describe",
    "exscan",
    "gather",
    "gatherv",
    "methods",
    "output_formats",
    "output_steps_at",
    "output_verify",
    "plans",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "reproducible_allreduce",
    "reproducible_dot",
    "reproducible_sum",
    "scan",
    "scatter",
    "scatterv",
]

_end_job_on_exceptions()
