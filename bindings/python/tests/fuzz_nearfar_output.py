#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Changes PATH.parts.json and PATH.journal in many ways:  fuzz_nearfar_output.py [--inputs N] FOLDER COMMAND …

FOLDER has what write_streams wrote, COMMAND starts judge_streams. Whatever the files say: the library and the Python
package come to the same opinion, in a sentence and soon, take no more memory than the files justify, and what they call
sound is what was written. `--inputs` of each kind of file (1000 are all that there are seeds for).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from nearfar_output import Stream, StreamError, crc32c  # noqa: E402

SEED, MOST = 20261126, 1000
STREAMS = ("two", "one", "constant_rsf", "zarr", "zarr_zstd")
RECORD = 64
ABSURD = (
    -1,
    0,
    1,
    2,
    3,
    255,
    2**31 - 1,
    2**31,
    2**32,
    2**40,
    2**53 + 1,
    2**63 - 1,
    2**63,
    10**30,
    -(2**63),
    1.5,
    1e300,
)
OTHER = (None, True, False, "", "rsf", "zstd", "../../etc/passwd", "\x00", "float64", [], [0], {}, [[[[]]]])
MOST_SECONDS, MOST_MEGABYTES = 1.0, 400  # of one input (a busy machine is given ten times that); of all in one process


def places_in(said: Any, at: tuple = ()) -> list[tuple]:
    """Where values stand in JSON."""
    children = said.items() if isinstance(said, dict) else enumerate(said) if isinstance(said, list) else ()
    return [at] + [place for key, child in children for place in places_in(child, (*at, key))]


def changed_json(text: str, others: list[str], dice: random.Random) -> bytes:
    """One or two values are other ones, or are gone, or twice there."""
    said = json.loads(text)
    for _ in range(dice.choice((1, 1, 2))):
        *above, key = dice.choice(places_in(said)[1:])
        holder = said
        for step in above:
            holder = holder[step]
        how = dice.randrange(6)
        if how == 0:
            del holder[key]
        elif how == 1 and isinstance(holder, list):
            holder.insert(key, holder[key])
        elif how == 2:
            there = json.loads(dice.choice(others))
            *above_there, key_there = dice.choice(places_in(there)[1:])
            for step in above_there:
                there = there[step]
            holder[key] = there[key_there]
        else:
            holder[key] = dice.choice(ABSURD if how < 5 else OTHER)
    return json.dumps(said).encode()


def changed_bytes(data: bytes, dice: random.Random) -> bytes:
    """A bit is another one, bytes are gone or twice there, or the end is missing."""
    changed, at = bytearray(data), dice.randrange(max(len(data), 1))
    how, count = dice.randrange(5), dice.choice((1, 2, 8, RECORD))
    if how == 0:
        changed[at] ^= 1 << dice.randrange(8)
    elif how == 1:
        del changed[at : at + count]
    elif how == 2:
        changed[at:at] = changed[at : at + count]
    elif how == 3:
        changed[at : at + count] = bytes(min(count, len(changed) - at))
    else:
        del changed[at:]
    return bytes(changed)


def changed_parts(text: str, others: list[str], dice: random.Random) -> bytes:
    how = dice.randrange(10)
    if how == 0:
        return dice.choice(others).encode()
    return changed_bytes(text.encode(), dice) if how < 3 else changed_json(text, others, dice)


def changed_journal(data: bytes, others: list[bytes], dice: random.Random) -> bytes:
    """Also with numbers that cannot be under a sum that is right."""
    how, records = dice.randrange(8), len(data) // RECORD
    if how == 0:
        return dice.choice(others)
    if how == 1:
        return data + dice.choice(others)[-RECORD:]
    if how == 2:
        one, two = (dice.randrange(records) * RECORD for _ in range(2))
        return data[:one] + data[two : two + RECORD] + data[one + RECORD :]
    if how < 5:
        changed, at = bytearray(data), dice.randrange(records) * RECORD
        field, size = dice.choice(((8, 4), (12, 4), (16, 8), (24, 8), (32, 8), (40, 4), (44, 4), (48, 8), (56, 8)))
        value = dice.choice([v for v in ABSURD if isinstance(v, int)]) % (1 << (8 * size))
        changed[at + field : at + field + size] = value.to_bytes(size, "little")
        changed[at + 4 : at + 8] = crc32c(bytes(changed[at + 8 : at + RECORD])).to_bytes(4, "little")
        return bytes(changed)
    return changed_bytes(data, dice)


def written_frame(stream: Stream, name: str, step: int) -> np.ndarray:
    array = stream.arrays[name]
    number = 0 if array.is_constant else step
    return 1000 * number + np.arange(np.prod(array.extents)).reshape(array.extents)


def python_opinion(path: Path) -> tuple[str, str]:
    try:
        stream = Stream(path)
        reports = stream.verify()
    except StreamError as why:
        return "refused", str(why)
    letters = "".join({True: "s", False: "d", None: "u"}[r.is_sound] for r in reports)
    for report in reports:
        for name in stream.arrays if report.is_sound else ():
            found = stream[name] if stream.arrays[name].is_constant else stream[name][report.step]
            assert np.array_equal(found, written_frame(stream, name, report.step)), (
                f"{path}: {name} in step {report.step}"
            )
    return letters, next((r.reason for r in reports if r.reason), "")


def is_readable(name: str) -> bool:
    """Whether this Python has what the arrays of a stream take."""
    return name != "zarr_zstd" or importlib.util.find_spec("numcodecs") is not None


class Inputs:
    """Streams with one file that was changed, in folders of their own."""

    def __init__(self, written: Path, folder: Path, inputs: int) -> None:
        self.written, self.folder, self.inputs = written, folder, inputs
        self.names = [n for n in STREAMS if (written / f"{n}.journal").exists() and is_readable(n)]

    def make(self) -> list[Path]:
        files = [(self.changed_parts, ".parts.json"), (self.changed_journal, ".journal")]
        made = []
        for change, ending in files:
            for number in range(self.inputs):
                dice = random.Random(f"{SEED} {ending} {number}")
                name = dice.choice(self.names)
                own = self.folder / f"{ending[1:]}.{number}"
                own.mkdir()
                for file in self.written.glob(f"{name}.*"):
                    (own / file.name).symlink_to(file)
                changed = own / (name + ending)
                data = change(changed, dice)
                changed.unlink()
                changed.write_bytes(data)
                made.append(own / name)
        return made

    def others(self, ending: str) -> list[Path]:
        return [self.written / (n + ending) for n in self.names]

    def changed_parts(self, file: Path, dice: random.Random) -> bytes:
        return changed_parts(file.read_text(), [o.read_text() for o in self.others(".parts.json")], dice)

    def changed_journal(self, file: Path, dice: random.Random) -> bytes:
        return changed_journal(file.read_bytes(), [o.read_bytes() for o in self.others(".journal")], dice)


def library_opinions(command: list[str], paths: list[Path]) -> dict[str, list[str]]:
    said = subprocess.run(
        command, input="\n".join(map(str, paths)) + "\n", capture_output=True, text=True, errors="replace"
    )
    lines = [line.split("\t") for line in said.stdout.splitlines() if "\t" in line]
    assert said.returncode == 0 and len(lines) == len(paths), (
        f"{said.returncode} after {lines[-1:]}: {said.stderr[-2000:]}"
    )
    return {line[0]: line[1:] for line in lines}


def check(path: Path, library: list[str]) -> str:
    """The opinion that both have."""
    letters, reason, reading, seconds, megabytes = library
    began = time.monotonic()
    ours, why = python_opinion(path)
    took = max(time.monotonic() - began, float(seconds))
    assert took < 10 * MOST_SECONDS, f"{path}: took {took:.1f} s"
    assert int(megabytes) < MOST_MEGABYTES, f"{path}: {megabytes} MB"
    assert ours == letters, f"{path}: the library says {letters} ({reason}), Python {ours} ({why})"
    for words in (reason, why) if ours == "refused" else ():
        assert re.search(rf"{path.parent}/\S+", words) and "Traceback" not in words, (
            f"{path}: no file is named in '{words}'"
        )
    # Reading does not ask how long a file is beyond what it reads.
    assert set(ours) <= set("su") or reading or "too short" in reason, (
        f"{path}: {ours} ({reason}), and yet all of it is read"
    )
    return ours


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=MOST, help="of each kind of file, from the first seed on")
    parser.add_argument("folder", type=Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="nearfar_fuzz."))
    try:
        paths = Inputs(options.folder.resolve(), folder, min(options.inputs, MOST)).make()
        library = library_opinions(options.command, paths)
        opinions = [check(path, library[str(path)]) for path in paths]
    finally:
        shutil.rmtree(folder)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    assert memory < MOST_MEGABYTES, f"Python took {memory} MB"
    counts = {kind: sum(o == kind for o in opinions) for kind in sorted(set(opinions))}
    assert counts.get("refused", 0) > len(paths) // 10, counts
    print(f"{len(paths)} inputs: {counts}")


if __name__ == "__main__":
    main()
