# SPDX-License-Identifier: BSD-3-Clause
"""Which bytes each writer of a stream wrote (PATH.parts.json): what the journal's sums are of, in any format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._array import whole_or_part
from ._crc32c import combine, crc32c
from ._journal import Record, StreamError


class Parts:
    """Compares data with sums, straight from the files: no format's reader is needed.

    Parameters
    ----------
    path
        Of the stream.

    Attributes
    ----------
    format
        Of the files; "" where it is not said.

    Raises
    ------
    StreamError
        There is a file of the parts, but it cannot be understood.
    """

    def __init__(self, path: Path) -> None:
        self._path, name = str(path), path.with_name(path.name + ".parts.json")
        self.is_known, self.format = name.exists(), ""
        if not self.is_known:
            return
        try:
            all_parts = json.loads(name.read_text())
            self.format = str(all_parts.get("format", ""))
            self._files, self._arrays, self._entries = (all_parts[key] for key in ("files", "arrays", "writers"))
        except (ValueError, KeyError, TypeError) as why:
            raise StreamError(f"{name} cannot be understood: {why!r}") from None

    def _file(self, number: int, step: int) -> Path:
        file = self._files[number]
        of_step = f"{step:0{file['digits']}d}" if file["is_per_step"] else ""
        return whole_or_part(Path(self._path + file["before"] + of_step + file["after"]))

    def _data(self, part: dict[str, Any], step: int) -> NDArray[np.uint8]:
        """The bytes of a box of an array, as its file has them."""
        array, number = self._arrays[part["array"]], 0
        if "chunk" in array:  # a file of its own, one for each in C order
            for lower, chunk, extent in zip(part["lower"], array["chunk"], array["extents"]):
                number = number * -(-extent // chunk) + lower // chunk
            return np.fromfile(self._file(array["file"] + number, step), np.uint8)
        begin, shape = array["offset"] + step * array["stride"], (*array["extents"], array["bytes"])
        file = np.memmap(self._file(array["file"], step), np.uint8, "r", begin, shape)
        box = tuple(slice(lower, upper) for lower, upper in zip(part["lower"], part["upper"]))
        return np.ascontiguousarray(file[box]).reshape(-1)

    def fault_in(self, step: int, records: list[Record]) -> str:
        """What is against a step; "": it is sound."""
        entry = [e for e in self._entries if e["from_step"] <= step][-1]
        if len(entry["parts"]) != len(records):
            return f"the journal has {len(records)} writers, their parts are of {len(entry['parts'])}"
        for record, parts in zip(records, entry["parts"]):
            crc = size = 0
            for part in parts:
                if step > 0 and self._arrays[part["array"]]["is_constant"]:
                    continue
                try:
                    data = self._data(part, step)
                except (OSError, ValueError) as why:
                    return f"what writer {record.writer} wrote cannot be read: {why}"
                crc, size = combine(crc, crc32c(data), data.size), size + data.size
            if (size, crc) != (record.bytes, record.crc):
                return f"what writer {record.writer} wrote has another sum than when it was written"
        return ""
