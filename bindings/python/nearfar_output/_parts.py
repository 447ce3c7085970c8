# SPDX-License-Identifier: BSD-3-Clause
"""Which bytes each writer of a stream wrote (PATH.parts.json): what the journal's sums are of, in any format.

The file may be damaged, or another stream's: nothing is believed that would lead out of the stream's files or take
more memory than they.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._array import whole_or_part
from ._crc32c import combine, crc32c
from ._journal import Journal, Record, StreamError, text_of

TYPES = ("int8", "int16", "int32", "int64", "float32", "float64", "complex64", "complex128")
_MOST_BYTES, _MOST_OFFSET, _MOST_DIGITS, _MOST_NAMED, _MOST_PARTS = 1 << 55, 1 << 60, 20, 3, 7
_NOT_UNDERSTOOD = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError)


@dataclass(frozen=True)
class _File:
    before: str
    after: str
    digits: int
    is_per_step: bool
    bytes: int


@dataclass(frozen=True)
class NotedArray:
    """An array, and where its frames lie; chunk: extents of a compressed part, of which each has a file."""

    name: str
    extents: tuple[int, ...]
    bytes: int
    type: str
    compression: str
    is_constant: bool
    file: int
    offset: int
    stride: int
    chunk: tuple[int, ...]
    part: int
    attributes: dict[str, str]

    @property
    def frame_bytes(self) -> int:
        """Of a step."""
        return math.prod(self.extents) * self.bytes


@dataclass(frozen=True)
class _Part:
    array: int
    lower: tuple[int, ...]
    upper: tuple[int, ...]

    @property
    def cells(self) -> int:
        return math.prod(u - low for low, u in zip(self.lower, self.upper, strict=True))


def _require(is_right: bool, complaint: str) -> None:
    if not is_right:
        raise ValueError(complaint)


def _whole(value: Any, least: int, most: int, what: str) -> int:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    _require(is_whole and least <= value <= most, f"{what} is {str(value)[:40]}")
    return int(value)


def _numbers(values: Any, least: int, most: int, what: str) -> tuple[int, ...]:
    _require(isinstance(values, list) and 1 <= len(values) <= 4, f"{what} is no list of 1 to 4 numbers")
    return tuple(_whole(v, least, most, what) for v in values)


def _kind(value: Any, kind: type, what: str) -> Any:
    _require(isinstance(value, kind), f"{what} is {str(value)[:40]}")
    return value


def _name(value: Any, what: str) -> str:
    _require("\0" not in _kind(value, str, what), f"{what} has a zero")
    return str(value)


def _require_words(values: Any, what: str) -> None:
    _require(isinstance(values, list) and all(isinstance(v, str) for v in values), f"{what} are no words")


def _require_header(header: dict[str, Any]) -> None:
    _name(header["name"], "name of a header")
    _kind(header["is_numbered"], bool, "is_numbered")


def _require_description(a: dict[str, Any]) -> dict[str, str]:
    """What the library tells its readers besides the places: the attributes."""
    for pair in _kind(a["attributes"], list, "attributes"):
        _require_words(_kind(pair, list, "an attribute")[:2], "an attribute")
        _require(len(pair) >= 2, "an attribute is no pair")
    _require_words(a["dimensions"], "dimensions")
    _kind(a["compression"], str, "compression")
    return {pair[0]: pair[1] for pair in a["attributes"]}


def _file_of(f: dict[str, Any]) -> _File:
    return _File(
        _name(f["before"], "before"),
        _name(f["after"], "after"),
        _whole(f["digits"], 0, _MOST_DIGITS, "digits"),
        _kind(f["is_per_step"], bool, "is_per_step"),
        _whole(f.get("bytes", 0), 0, _MOST_OFFSET, "bytes of a file"),
    )


def _array_of(a: dict[str, Any], files: int) -> NotedArray:
    attributes = _require_description(a) if "type" in a else {}
    extents = _numbers(a["extents"], 1, _MOST_BYTES, "extents")
    chunk = _numbers(a["chunk"], 1, _MOST_BYTES, "chunk") if "chunk" in a else ()
    array = NotedArray(
        _kind(a["name"], str, "name"),
        extents,
        _whole(a["bytes"], 1, 16, "bytes of an element"),
        _kind(a.get("type", ""), str, "type"),
        _kind(a.get("compression", ""), str, "compression"),
        _kind(a["is_constant"], bool, "is_constant"),
        _whole(a["file"], 0, max(files - 1, 0), "the number of a file"),
        _whole(a["offset"], 0, _MOST_OFFSET, "offset"),
        _whole(a["stride"], 0, _MOST_BYTES, "stride"),
        chunk,
        _whole(a["part"], 0, _MOST_PARTS - 1, "part") if "type" in a else 0,
        attributes,
    )
    _require(array.frame_bytes <= _MOST_BYTES, f"{array.name} has the extents {extents}")
    _require(
        not array.type or (array.type in TYPES and np.dtype(array.type).itemsize == array.bytes),
        f"{array.name} has the type {array.type[:40]} and {array.bytes} bytes per element",
    )
    _require(not chunk or len(chunk) == len(extents), f"a chunk has other dimensions than {array.name}")
    _require(all(c <= e for c, e in zip(chunk, extents, strict=False)), f"a chunk is larger than {array.name}")
    own_files = math.prod(-(-e // c) for c, e in zip(chunk, extents, strict=False))
    _require(array.file + own_files <= files, f"there is no file {array.file} of {array.name}")
    return array


def _part_of(p: dict[str, Any], arrays: list[NotedArray]) -> _Part:
    number = _whole(p["array"], 0, len(arrays) - 1, "the number of an array")
    extents = arrays[number].extents
    part = _Part(number, *(_numbers(p[key], 0, _MOST_BYTES, key) for key in ("lower", "upper")))
    _require(
        len(part.lower) == len(part.upper) == len(extents)
        and all(low <= up <= e for low, up, e in zip(part.lower, part.upper, extents, strict=True)),
        f"a part of {arrays[number].name} is from {part.lower} to {part.upper}",
    )
    return part


def _entry_of(e: dict[str, Any], arrays: list[NotedArray]) -> tuple[int, list[list[_Part]]]:
    """The first step, and the parts of each writer. Each element is written once: no more is read than there is."""
    step = _whole(e["from_step"], 0, _MOST_OFFSET, "from_step")
    writers = [[_part_of(p, arrays) for p in _kind(parts, list, "parts")] for parts in _kind(e["parts"], list, "parts")]
    for number, array in enumerate(arrays):
        cells = sum(p.cells for parts in writers for p in parts if p.array == number)
        _require(cells == math.prod(array.extents), f"the parts of {array.name} have {cells} elements")
    return step, writers


class _Hash:
    """The library's hash of a few words and numbers (hash64)."""

    def __init__(self) -> None:
        self._state = 0xCBF29CE484222325

    def add(self, value: str | int) -> None:
        if isinstance(value, str):
            self._mix(value.encode("utf-8", "surrogateescape"))
            value = len(value.encode("utf-8", "surrogateescape"))
        self._mix(value.to_bytes(8, "little", signed=True))

    def _mix(self, data: bytes) -> None:
        for byte in data:
            self._state = (self._state ^ byte) * 0x100000001B3 % (1 << 64)

    def value(self) -> int:
        v = self._state
        v = (v ^ (v >> 30)) * 0xBF58476D1CE4E5B9 % (1 << 64)
        v = (v ^ (v >> 27)) * 0x94D049BB133111EB % (1 << 64)
        return v ^ (v >> 31)


def _signature_of(format: str, arrays: list[NotedArray]) -> int:
    total = _Hash()
    total.add(format)
    for a in arrays:
        words: list[str | int] = [a.name, a.compression, TYPES.index(a.type), len(a.extents), *a.extents]
        for word in words + ([-2] if a.is_constant else []) + ([a.part] if a.part else []):
            total.add(word)
    return total.value()


class Parts:
    """Compares data with sums, straight from the files: no format's reader is needed.

    Parameters
    ----------
    path
        Of the stream.
    journal
        Whose arrays these must be; None: that is not compared.

    Attributes
    ----------
    format
        Of the files; "" where it is not said.
    arrays
        Those of the stream, in the order in which it was made; none where they vary.

    Raises
    ------
    StreamError
        There is a file of the parts, but it cannot be understood, or is of other arrays than the journal.
    """

    def __init__(self, path: Path, journal: Journal | None = None) -> None:
        self._path, self.name = str(path), path.with_name(path.name + ".parts.json")
        self.format = ""
        self.arrays: list[NotedArray] = []
        self._files: list[_File] = []
        self._entries: list[tuple[int, list[list[_Part]]]] = []
        self.is_known = os.path.lexists(self.name)
        if not self.is_known:
            return
        try:
            self._understand(json.loads(text_of(self.name)))
        except _NOT_UNDERSTOOD as why:
            words = f"there is no {why}" if isinstance(why, KeyError) else str(why)
            raise StreamError(f"{self.name} cannot be understood: {words[:200]}") from None
        has_types = bool(self.arrays) and all(a.type for a in self.arrays)
        if journal is not None and journal.steps and has_types:
            is_same = journal.format in ("", self.format)
            if not is_same or _signature_of(self.format, self.arrays) != journal.steps[0][0].signature:
                raise StreamError(
                    f"{self.name} does not have the arrays that the journal is of: one of both is damaged"
                )

    def _understand(self, said: Any) -> None:
        _kind(said, dict, "all of it")
        self.format = _kind(said.get("format", ""), str, "format")
        _whole(said.get("layout", 0), -(1 << 31), (1 << 31) - 1, "layout")
        self._files = [_file_of(f) for f in _kind(said["files"], list, "files")]
        for header in _kind(said.get("headers", []), list, "headers"):
            _require_header(header)
        _name(said.get("folder", ""), "folder")
        self.arrays = [_array_of(a, len(self._files)) for a in _kind(said["arrays"], list, "arrays")]
        self._entries = [_entry_of(e, self.arrays) for e in _kind(said["writers"], list, "writers")]

    def _name_of(self, number: int, step: int) -> Path:
        file = self._files[number]
        of_step = f"{step:0{file.digits}d}" if file.is_per_step else ""
        return Path(self._path + file.before + of_step + file.after)

    def missing_of(self, step: int) -> str:
        """Words on the first file that has not all of a step; "": all have."""
        for number, file in enumerate(self._files):
            if file.is_per_step and (words := _words_about(self._name_of(number, step), max(file.bytes, 1))):
                return words
        for a in self.arrays:
            if self._files[a.file].is_per_step or (a.is_constant and step > 0):
                continue
            if words := _words_about(self._name_of(a.file, step), a.offset + step * a.stride + a.frame_bytes):
                return words
        return ""

    def _file_of_part(self, part: _Part, step: int) -> Path:
        array, number = self.arrays[part.array], 0
        for lower, chunk, extent in zip(part.lower, array.chunk, array.extents, strict=False):
            number = number * -(-extent // chunk) + lower // chunk
        return whole_or_part(self._name_of(array.file + number, step))

    def _data(self, part: _Part, step: int) -> NDArray[np.uint8]:
        """The bytes of a box of an array, as its file has them."""
        array, path = self.arrays[part.array], self._file_of_part(part, step)
        if array.chunk:  # a file of its own, one for each in C order
            return np.fromfile(path, np.uint8)
        begin, shape = array.offset + step * array.stride, (*array.extents, array.bytes)
        file = np.memmap(path, np.uint8, "r", begin, shape)
        box = tuple(slice(lower, upper) for lower, upper in zip(part.lower, part.upper, strict=True))
        return np.ascontiguousarray(file[box]).reshape(-1)

    def _of_step(self, parts: list[_Part], step: int) -> list[_Part]:
        return [p for p in parts if step == 0 or not self.arrays[p.array].is_constant]

    def _fault_of_writer(self, record: Record, parts: list[_Part], step: int) -> str:
        crc = size = 0
        files = sorted({str(self._file_of_part(p, step)) for p in parts})
        names = ", ".join(files[:_MOST_NAMED]) + (" and others" if len(files) > _MOST_NAMED else "")
        # Of what is not compressed the size is known before it is read.
        if all(not self.arrays[p.array].chunk for p in parts):
            size = sum(p.cells * self.arrays[p.array].bytes for p in parts)
            if size != record.bytes:
                return f"what writer {record.writer} wrote has {size} bytes instead of {record.bytes} ({names})"
            size = 0
        for part in parts:
            try:
                data = self._data(part, step)
            except (OSError, ValueError) as why:
                return f"what writer {record.writer} wrote cannot be read: {self._file_of_part(part, step)}: {why}"
            crc, size = combine(crc, crc32c(data), data.size), size + data.size
        if size != record.bytes:
            return f"what writer {record.writer} wrote has {size} bytes instead of {record.bytes} ({names})"
        if crc != record.crc:
            return f"what writer {record.writer} wrote has another sum than when it was written ({names})"
        return ""

    def opinion_on(self, step: int, records: list[Record]) -> tuple[bool | None, str]:
        """Whether a step is sound, or None where that cannot be known, and why not."""
        if missing := self.missing_of(step):
            return False, missing
        if any(r.crc is None for r in records):
            return None, "the stream was written without sums"
        entries = [writers for first, writers in self._entries if first <= step]
        if not entries:
            return None, "which writer wrote what is not known of it" + (
                "" if self.is_known else f": there is no {self.name.name}"
            )
        if len(entries[-1]) != len(records):
            return False, f"the journal has {len(records)} writers, their parts are of {len(entries[-1])}"
        for record, parts in zip(records, entries[-1], strict=True):
            if fault := self._fault_of_writer(record, self._of_step(parts, step), step):
                return False, fault
        return True, ""


def _words_about(path: Path, least: int) -> str:
    sizes = []
    for name in (path, path.with_name(path.name + ".part")):
        try:
            sizes.append(name.stat().st_size)
        except OSError:
            sizes.append(-1)
    there = max(sizes)
    if there >= least:
        return ""
    return (
        f"{path} is missing" if there < 0 else f"{path} is too short: it has {there} bytes, and {least} are the least"
    )
