# SPDX-License-Identifier: BSD-3-Clause
"""The journal of a stream: which steps are whole (docs/output.md has the record)."""

from __future__ import annotations

import os
import stat
import struct
from dataclasses import dataclass
from pathlib import Path

from ._crc32c import crc32c

_RECORD = struct.Struct("<4I q d q 2I Q 8s")
_MAGIC = 0x314A464E
_HAS_SUM, _WAS_SYNCED = 1, 2
_TURN_SHIFT = 8


class StreamError(Exception):
    """A stream's files cannot be read, or do not belong together."""


def text_of(path: Path) -> bytes:
    """All of a small file that streams make; does not wait for a pipe nor read a device.

    Raises
    ------
    StreamError
        It cannot be read.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(file, "rb") as opened:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise StreamError(f"{path} cannot be read: it is no ordinary file")
            return opened.read()
    except OSError as problem:
        raise StreamError(f"{path} cannot be read: {problem.strerror}") from problem


@dataclass(frozen=True)
class Record:
    """One writer's part of a step is in the files."""

    writer: int
    writers: int
    step: int
    time: float
    bytes: int
    crc: int | None
    was_synced: bool
    signature: int
    format: str  # "" in journals of before records had it
    turn: int  # number of the stream among those that take turns; 0: takes none


@dataclass(frozen=True)
class Journal:
    """The whole steps, each with the records of its writers, and where the journal ends after them, in bytes."""

    steps: list[list[Record]]
    ends: list[int]

    @property
    def times(self) -> list[float]:
        return [records[0].time for records in self.steps]

    @property
    def format(self) -> str:
        """Of the files; "" where the journal does not say it."""
        return self.steps[0][0].format if self.steps else ""

    @property
    def end(self) -> int:
        return self.ends[-1] if self.ends else 0


def _record_of(raw: bytes) -> Record | None:
    magic, own, writer, writers, step, time, length, crc, flags, signature, label = _RECORD.unpack(raw)
    if magic != _MAGIC or own != crc32c(raw[8:]) or writer >= writers:
        return None
    return Record(
        writer,
        writers,
        step,
        time,
        length,
        crc if flags & _HAS_SUM else None,
        bool(flags & _WAS_SYNCED),
        signature,
        label.rstrip(b"\0").decode("ascii", "replace"),
        flags >> _TURN_SHIFT,
    )


def _step_at(data: bytes, at: int, step: int) -> list[Record] | None:
    """The records of a step that begins at a byte; None where it is not whole."""
    records: list[Record] = []
    writers = 1
    while len(records) < writers:
        raw = data[at + len(records) * _RECORD.size : at + (len(records) + 1) * _RECORD.size]
        record = _record_of(raw) if len(raw) == _RECORD.size else None
        if record is None or record.writer != len(records) or record.step != step:
            return None
        if records and (record.writers, record.signature) != (writers, records[0].signature):
            return None
        writers = record.writers
        records.append(record)
    return records


def _damage_behind(data: bytes, journal: Journal) -> str:
    """What is against the records behind the whole steps; those of a killed program are torn, or miss some writers."""
    first = _record_of(data[journal.end : journal.end + _RECORD.size]) if len(data) >= journal.end + 64 else None
    writers = first.writers if first else journal.steps[-1][0].writers if journal.steps else 1
    ended = set()
    for number, at in enumerate(range(journal.end, len(data) - _RECORD.size + 1, _RECORD.size)):
        raw = data[at : at + _RECORD.size]
        record, writer, step = _record_of(raw), number % writers, len(journal.steps) + number // writers
        words = f"the record at byte {at}, of step {step}, "
        if record is None and any(raw[56:]):  # a record is written at once, its format last: all of it was
            return words + "has another sum than when it was written"
        if record is None:
            ended.add(writer)
            continue
        if writer in ended:
            return words + "is there, but one before it is not"
        signature = journal.steps[0][0].signature if journal.steps else record.signature
        found = (record.writer, record.writers, record.step, record.signature)
        if found != (writer, writers, step, signature):
            return words + "belongs to another step or stream"
    return ""


def read_journal(path: Path) -> Journal:
    """The whole steps at the beginning of a journal.

    Raises
    ------
    StreamError
        The file cannot be read, is no journal, or was changed after it had been written.
    """
    data = text_of(path)
    magic = _MAGIC.to_bytes(4, "little")
    if any(data[:4]) and not magic.startswith(data[:4]):
        raise StreamError(f"{path} is no journal of an output stream: it does not begin with NFJ1")
    journal = Journal([], [])
    while (records := _step_at(data, journal.end, len(journal.steps))) is not None:
        if journal.steps and journal.steps[0][0].signature != records[0].signature:
            break
        journal.ends.append(journal.end + len(records) * _RECORD.size)
        journal.steps.append(records)
    if damage := _damage_behind(data, journal):
        raise StreamError(f"{path} is damaged: {damage}; the {len(journal.steps)} steps before it are whole")
    return journal


def stream_at(path: Path) -> Path:
    """The stream at a path: where it has no journal, but the two streams that take turns there, the newer one of these.

    Raises
    ------
    StreamError
        One of their journals cannot be read or was changed.
    """

    def journal_of(stream: Path) -> Path:
        return stream.with_name(stream.name + ".journal")

    def turn_of(stream: Path) -> int:
        steps = read_journal(journal_of(stream)).steps
        return steps[0][0].turn if steps else -1

    turns = [path.with_name(f"{path.name}-{letter}") for letter in "ab"]
    there = [stream for stream in turns if journal_of(stream).exists()]
    return path if journal_of(path).exists() or not there else max(there, key=turn_of)
