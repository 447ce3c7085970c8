# SPDX-License-Identifier: BSD-3-Clause
"""What all of our Python programs have in common: an error ends in one line and a status, never in a traceback."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any


class InputError(Exception):
    """Something the user can put right: a file, an option or a missing package. The text is the whole message."""


def command(name: str, status: int = 2) -> Callable[[Callable[..., Any]], Callable[..., int]]:
    """Decorates a program's `main`: whatever it raises becomes one line on stderr that starts with `name`.

    An InputError or OSError is told as it is; any other exception is a fault of the program's own, told with its
    kind and the line of the source. `status` is the exit status then. NEARFAR_TRACEBACK=1 lets all of them through,
    to look for such a fault.
    """

    def decorated(main: Callable[..., Any]) -> Callable[..., int]:
        @functools.wraps(main)
        def run(*words: Any, **options: Any) -> int:
            if os.environ.get("NEARFAR_TRACEBACK") == "1":
                return main(*words, **options) or 0
            try:
                with warnings.catch_warnings():
                    # Libraries' warnings of bad numbers name their own lines; what matters is checked and told.
                    warnings.simplefilter("ignore")
                    return main(*words, **options) or 0
            except BrokenPipeError:
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the interpreter complains at exit
                return 141
            except KeyboardInterrupt:
                return 130
            except Exception as error:  # noqa: BLE001
                print(f"{name}: error: {' '.join(said(error).split())}", file=sys.stderr)
                return status

        run.program = functools.partial(_in_a_process, name, status, run)  # type: ignore[attr-defined]
        return run

    return decorated


def _in_a_process(name: str, status: int, main: Callable[..., int], *words: Any) -> int:
    """Runs `main` in a process of its own, so that a library that a damaged file crashes is told in a sentence too."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        end_with_parent()
        ended = status
        try:
            ended = main(*words)
        except SystemExit as ending:
            ended = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(ended)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the child gets it too, and ends
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended >= 0:
        return ended
    print(
        f"{name}: error: a library that reads files ended it by {signal.Signals(-ended).name}: is one of the input "
        "files damaged?",
        file=sys.stderr,
    )
    return status


def end_with_parent() -> None:
    """Lets the kernel kill this process when the one that made it is gone."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def said(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        names = [str(one) for one in (error.filename, error.filename2) if one is not None]
        return ": ".join([*names, error.strerror])
    if isinstance(error, (InputError, OSError)):
        return str(error)
    if isinstance(error, MemoryError):
        return f"not enough memory ({error})"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace is not None else "?"
    return f"{type(error).__name__} at {where}: {error} (NEARFAR_TRACEBACK=1 shows more)"


def regular_file(path: Path, most_bytes: int | None = None) -> Path:
    """The path, if it is a file that ends: no folder, pipe or device, nor more than `most_bytes`."""
    try:
        size = path.stat().st_size
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from error
    if not path.is_file():
        raise InputError(f"{path}: not a regular file but a {'folder' if path.is_dir() else 'pipe or device'}")
    if most_bytes is not None and size > most_bytes:
        raise InputError(f"{path}: has {size} bytes, allowed up to {most_bytes}")
    return path
