# SPDX-License-Identifier: BSD-3-Clause
"""Loads the compiled module that was built with the MPI that mpi4py has loaded, and refuses what does not fit."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from ._errors import UsageError

# What launchers tell the processes that they start: the variable, and the MPI whose launcher sets it.
_LAUNCHED = {"OMPI_COMM_WORLD_SIZE": "openmpi", "PMI_SIZE": "mpich"}
_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}


def _mpi() -> Any:
    try:
        from mpi4py import MPI
    except ModuleNotFoundError as e:
        raise ImportError("nearfar needs mpi4py, which this Python does not have: pip install mpi4py") from e
    except (ImportError, RuntimeError) as e:
        raise ImportError(
            f"nearfar needs an MPI library, and mpi4py cannot load one ({e}): install Open MPI or MPICH, or name its"
            " library in MPI4PY_LIBMPI"
        ) from e
    return MPI


def family(version: str) -> str:
    """The kind of MPI that calls itself so: "openmpi", "mpich" (and what has its binary interface), or ""."""
    if "Open MPI" in version:
        return "openmpi"
    return "mpich" if any(word in version for word in ("MPICH", "Intel(R) MPI", "MVAPICH")) else ""


def refuse_other_launcher(kind: str, world_size: int, environment: Any = os.environ) -> None:
    """Raises where the launcher of another MPI started several processes, each of which is a world of its own."""
    if world_size > 1:
        return
    for variable, launcher in _LAUNCHED.items():
        started = environment.get(variable, "1")
        if launcher != kind and started.isdigit() and int(started) > 1:
            raise UsageError(
                f"the launcher of {_NAMES[launcher]} started {started} processes ({variable}), but mpi4py has loaded"
                f" {_NAMES[kind]}, for which each is alone: launch with mpiexec.{kind}, or let mpi4py load the other"
                " MPI (MPI4PY_MPIABI)"
            )


def _load(kind: str) -> Any:
    folder = Path(__file__).parent
    path = folder / f"_core.{kind}.so"
    if not path.exists():
        built = sorted(_NAMES.get(p.name.split(".")[1], p.name) for p in folder.glob("_core.*.so"))
        has = f"is built for {' and '.join(built)}" if built else "has no compiled module"
        raise ImportError(
            f"mpi4py has loaded {_NAMES.get(kind, 'an MPI that is neither Open MPI nor MPICH')}, but this installation"
            f" of nearfar {has}: install it again with that MPI's compilers"
            f" (--config-settings=cmake.define.MPI_C_COMPILER=mpicc.{kind or 'NAME'})"
        )
    name = "nearfar._core"
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


MPI = _mpi()
_kind = family(MPI.Get_library_version())
if MPI.Is_initialized() and not MPI.Is_finalized():
    refuse_other_launcher(_kind, MPI.COMM_WORLD.Get_size())
core: Any = _load(_kind)
