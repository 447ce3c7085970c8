# SPDX-License-Identifier: BSD-3-Clause
"""Loads the compiled module that was built for the MPI that mpi4py has loaded, and refuses what does not fit."""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._errors import UsageError

# What launchers tell the processes that they start: the variable, whose launcher sets it, and what it can start.
_LAUNCHED = {
    "OMPI_COMM_WORLD_SIZE": ("Open MPI", ("openmpi", "mpiabi")),
    "PMI_SIZE": ("MPICH", ("mpich", "mpiabi")),
}
_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "mpiabi": "an MPI of the standard ABI"}


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


def family(library: Any, version: str) -> str:
    """Whose handles an MPI library has: "mpiabi" (the standard ABI), "openmpi", "mpich" (and its kin), or ""."""
    if hasattr(library, "MPI_Abi_get_version"):  # MPI 5; a library with handles of its own says -1
        major, minor = ctypes.c_int(-1), ctypes.c_int(-1)
        if library.MPI_Abi_get_version(ctypes.byref(major), ctypes.byref(minor)) == 0 and major.value > 0:
            return "mpiabi"
    if hasattr(library, "ompi_mpi_comm_world"):
        return "openmpi"
    return "mpich" if any(word in version for word in ("MPICH", "Intel(R) MPI", "MVAPICH")) else ""


class _Place(ctypes.Structure):
    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


def file_of(library: ctypes.CDLL) -> str:
    """The file of the MPI itself, where `library` is linked with it."""
    place = _Place()
    function = ctypes.cast(library.MPI_Get_library_version, ctypes.c_void_p)
    found = ctypes.CDLL(None).dladdr(function, ctypes.byref(place))
    return os.fsdecode(place.file) if found and place.file else ""


def refuse_other_launcher(kind: str, world_size: int, environment: Any = os.environ) -> None:
    """Raises where the launcher of another MPI started several processes, each of which is a world of its own."""
    if world_size > 1:
        return
    for variable, (launcher, kinds) in _LAUNCHED.items():
        started = environment.get(variable, "1")
        if kind not in kinds and started.isdigit() and int(started) > 1:
            raise UsageError(
                f"the launcher of {launcher} started {started} processes ({variable}), but mpi4py has loaded"
                f" {_NAMES[kind]}, for which each is alone: launch with the mpiexec of that MPI, or let mpi4py load the"
                " other MPI (MPI4PY_MPIABI, MPI4PY_LIBMPI)"
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
            f" (--config-settings=cmake.define.MPI_C_COMPILER={'mpicc_abi' if kind == 'mpiabi' else 'mpicc'})"
        )
    # The module of a wheel is linked with no MPI: it takes the functions of the one that is loaded, whatever its name.
    ctypes.CDLL(file_of(_LIBRARY), mode=os.RTLD_NOLOAD | os.RTLD_NOW | os.RTLD_GLOBAL)
    name = "nearfar._core"
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


MPI = _mpi()
_LIBRARY = ctypes.CDLL(MPI.__file__)
KIND = family(_LIBRARY, MPI.Get_library_version())
if MPI.Is_initialized() and not MPI.Is_finalized():
    refuse_other_launcher(KIND, MPI.COMM_WORLD.Get_size())
if TYPE_CHECKING:
    from . import _core

    core = _core  # the stub, which is made when the module is built
else:
    core = _load(KIND)
