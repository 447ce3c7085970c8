# SPDX-License-Identifier: BSD-3-Clause
"""Reads what Nearfar's output streams wrote: steps, times, arrays as views of the files; verifies, recovers, converts.

All formats are read: rsf and zarr that is not compressed with NumPy alone; netcdf, hdf5 and vtkhdf with h5py;
compressed zarr with numcodecs or zfpy.

>>> from nearfar_output import Stream
>>> stream = Stream("run/wave")          # run/wave.journal, run/wave.p.rsf, run/wave.p.raw
>>> stream.times[-1], stream["p"].shape  # (steps, nz, ny, nx); only steps that are whole
>>> [report for report in stream.verify() if not report.is_sound]
"""

from ._array import Array, Frames
from ._convert import to_npy, to_segy
from ._crc32c import combine, crc32c
from ._journal import Journal, Record, StreamError, read_journal
from ._rsf import read_header
from ._stream import StepReport, Stream, formats_at, recover

__all__ = [
    "Array",
    "Frames",
    "Journal",
    "Record",
    "StepReport",
    "Stream",
    "StreamError",
    "combine",
    "crc32c",
    "formats_at",
    "read_header",
    "read_journal",
    "recover",
    "to_npy",
    "to_segy",
]
