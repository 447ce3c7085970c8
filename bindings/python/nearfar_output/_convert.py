# SPDX-License-Identifier: BSD-3-Clause
"""Streams as files of other formats: NumPy's and SEG-Y."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._array import Array
from ._journal import StreamError
from ._stream import Stream

_MOST_16_BIT = 32767  # samples and sample interval of SEG-Y revision 1
_IEEE_FLOAT = 5


def to_npy(stream: Stream, name: str, path: str | os.PathLike[str]) -> None:
    """All steps of an array as one .npy file, shape (steps, …).

    Parameters
    ----------
    stream, name
        What to take.
    path
        The file to write.
    """
    found = stream[name]
    if isinstance(found, np.ndarray):
        np.save(path, found)
        return
    if stream.is_varying(name):
        raise StreamError(f"the extents of {name} vary from step to step; a .npy file has one shape")
    file = os.fspath(path)
    file = file if file.endswith(".npy") else file + ".npy"
    together = np.lib.format.open_memmap(file, "w+", found.dtype, found.shape)
    for step in range(len(found)):
        together[step] = found[step]
    together.flush()


def _traces_of_step(
    stream: Stream, array: Array, step: int
) -> tuple[NDArray[np.float32], tuple[int, int], float, float]:
    """Traces along the fastest axis of one step: (traces, samples), (inlines, crosslines), first sample, interval."""
    if not -stream.steps <= step < stream.steps:
        raise StreamError(f"step {step} of {array.name}: steps are 0 to {stream.steps - 1}")
    extents = (1, 1, *array.extents)[-3:]
    if len(array.extents) > 3:
        raise StreamError(f"{array.name} has {len(array.extents)} dimensions; traces are taken of 1 to 3")
    found = stream[array.name] if array.is_constant else stream[array.name][step]
    frame = np.asarray(found).reshape(-1, extents[2]).astype(np.float32)
    return frame, (extents[0], extents[1]), array.number("o1", 0.0), array.number("d1", 1.0)


def _traces_of_time(stream: Stream, array: Array) -> tuple[NDArray[np.float32], tuple[int, int], float, float]:
    """Traces along time, one per element."""
    if array.is_constant:
        raise StreamError(f"{array.name} is constant: it has no traces along time, but those of a step")
    times = stream.times
    if times.size < 2:
        raise StreamError(f"{stream.path} has {times.size} steps; traces along time need 2 or more")
    intervals = np.diff(times)
    if np.ptp(intervals) > 1e-6 * abs(intervals[0]):
        raise StreamError(f"the steps of {stream.path} are not equally long: SEG-Y has one sample interval")
    extents = (1, *array.extents)
    frames = np.asarray(stream[array.name], dtype=np.float32).reshape(times.size, -1)
    lines = (int(np.prod(extents[:-1])), extents[-1])
    return np.ascontiguousarray(frames.T), lines, float(times[0]), float(intervals[0])


def _interval_in_file(interval: float) -> int:
    """Microseconds, or millimetres of depth."""
    written = round(interval * 1e6) if interval < 0.1 else round(interval * 1e3)
    if not 1 <= written <= _MOST_16_BIT:
        raise StreamError(
            f"the sample interval {interval} is {written} in SEG-Y's units; 1 to {_MOST_16_BIT} are possible"
        )
    return written


def to_segy(
    stream: Stream, name: str, path: str | os.PathLike[str], step: int | None = None, segyio: Any = None
) -> tuple[int, int]:
    """An array as SEG-Y revision 1, IEEE floats, by segyio.

    The dimensions beside the traces are numbered from 1 as inlines and crosslines. Intervals below 0.1 are taken for
    seconds (and written as microseconds), others for metres of depth (written as millimetres).

    Parameters
    ----------
    stream, name
        What to take; complex arrays cannot be.
    path
        The file to write.
    step
        Traces along the fastest axis of this step; None: traces along time, one per element, as of receivers.
    segyio
        The module; None: imported here.

    Returns
    -------
    tuple of int
        Traces, samples per trace.

    Raises
    ------
    StreamError
        Arrays, intervals or lengths that SEG-Y cannot hold.
    ImportError
        segyio is not installed (pip install segyio).
    """
    if segyio is None:
        import segyio as installed  # type: ignore[import-not-found, import-untyped, unused-ignore]

        segyio = installed
    if name not in stream.arrays:
        raise StreamError(f"{name}: the arrays of {stream.path} are {', '.join(stream.arrays)}")
    array = stream.arrays[name]
    if array.dtype.kind == "c":
        raise StreamError(f"{name} is complex; SEG-Y has real samples")
    traces, (inlines, crosslines), first, interval = (
        _traces_of_time(stream, array) if step is None else _traces_of_step(stream, array, step)
    )
    if traces.shape[1] > _MOST_16_BIT:
        raise StreamError(f"{traces.shape[1]} samples per trace; SEG-Y has at most {_MOST_16_BIT}")
    written_interval = _interval_in_file(interval)
    spec = segyio.spec()
    spec.format, spec.sorting = _IEEE_FLOAT, 2
    spec.samples = (first + interval * np.arange(traces.shape[1])) * 1000.0
    spec.ilines, spec.xlines = np.arange(1, inlines + 1), np.arange(1, crosslines + 1)
    with segyio.create(os.fspath(path), spec) as file:
        file.text[0] = segyio.tools.create_text_header(
            {1: f"{array.name} of {stream.path.name}", 2: "traces along time" if step is None else f"step {step}"}
        )
        file.bin.update({segyio.BinField.Interval: written_interval, segyio.BinField.Samples: traces.shape[1]})
        for number, trace in enumerate(traces):
            file.header[number] = {
                segyio.TraceField.TRACE_SEQUENCE_LINE: number + 1,
                segyio.TraceField.TRACE_SEQUENCE_FILE: number + 1,
                segyio.TraceField.INLINE_3D: number // crosslines + 1,
                segyio.TraceField.CROSSLINE_3D: number % crosslines + 1,
                segyio.TraceField.TRACE_SAMPLE_COUNT: traces.shape[1],
                segyio.TraceField.TRACE_SAMPLE_INTERVAL: written_interval,
                segyio.TraceField.DelayRecordingTime: round(first * 1000.0),
            }
            file.trace[number] = trace
    return traces.shape[0], traces.shape[1]
