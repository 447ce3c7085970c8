# SPDX-License-Identifier: BSD-3-Clause
"""Processes of a job, found in /proc, and that they are gone.

A launcher may return before the ranks that it has ended are gone, and what they have open is locked and busy till then.
"""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Iterable
from pathlib import Path


def working_in(folder: Path, program: Path | None = None) -> list[int]:
    """Those whose working folder is this one; of the program alone, if one is given: the launcher works there, too."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # it is another user's, or gone
            is_there = os.path.samefile(f"/proc/{entry}/cwd", folder)
            if is_there and (program is None or os.path.samefile(f"/proc/{entry}/exe", program)):
                found.append(int(entry))
    return found


def wait_until_gone(processes: Iterable[int], hang_s: float) -> None:
    """
    Raises
    ------
    AssertionError
        One goes on for longer.
    """
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            handle = os.pidfd_open(process)
            is_over = select.select([handle], [], [], hang_s)[0]  # the handle of a process that is over can be read
            os.close(handle)
            assert is_over, f"process {process} outlives its job by {hang_s} s"
