# SPDX-License-Identifier: BSD-3-Clause
"""Reads what Nearfar's output streams wrote: steps, times, arrays as views of the files; verifies, recovers, converts.

>>> from nearfar_output import Stream
>>> stream = Stream("run/wave")          # run/wave.journal, run/wave.p.rsf, run/wave.p.raw
>>> stream.times[-1], stream["p"].shape  # (steps, nz, ny, nx); only steps that are whole
>>> [report for report in stream.verify() if not report.is_sound]
"""

from ._convert import to_npy, to_segy
from ._crc32c import combine, crc32c
from ._journal import Journal, Record, StreamError, read_journal
from ._rsf import read_header
from ._stream import Array, StepReport, Stream, recover

__all__ = [
    "Array",
    "Journal",
    "Record",
    "StepReport",
    "Stream",
    "StreamError",
    "combine",
    "crc32c",
    "read_header",
    "read_journal",
    "recover",
    "to_npy",
    "to_segy",
]
