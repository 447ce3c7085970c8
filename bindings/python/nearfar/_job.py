# SPDX-License-Identifier: BSD-3-Clause
"""An uncaught exception of one rank ends the job, which would wait for that rank for ever otherwise."""

from __future__ import annotations

import sys
from types import TracebackType

from ._library import MPI, core


def _end(code: int) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    core.end_job(code)


def _end_on_exception(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
    _previous(kind, value, trace)
    if MPI.Is_initialized() and not MPI.Is_finalized():
        _end(1)


_previous = sys.excepthook


def end_job_on_exceptions() -> None:
    """Called on import: from now on an uncaught exception ends all ranks, where there is more than one."""
    if MPI.Is_initialized() and not MPI.Is_finalized() and MPI.COMM_WORLD.Get_size() > 1:
        sys.excepthook = _end_on_exception


def run(run_program: object) -> None:
    """Runs `run_program()`; what leaves it other than by its end or a status of 0 ends all ranks."""
    assert callable(run_program)
    try:
        run_program()
    except SystemExit as e:
        if e.code not in (None, 0):
            if isinstance(e.code, str):
                print(e.code, file=sys.stderr)
            _end(e.code if isinstance(e.code, int) else 1)
        raise
    except BaseException as e:
        _previous(type(e), e, e.__traceback__)
        _end(1)
