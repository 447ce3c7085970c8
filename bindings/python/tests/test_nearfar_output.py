#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the package on streams that the library wrote:  test_nearfar_output.py FOLDER  (see write_streams.c)."""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import io
import json
import os
import shutil
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from nearfar_output import Array, Stream, StreamError, combine, crc32c, recover, to_npy, to_segy  # noqa: E402
from nearfar_output.__main__ import main  # noqa: E402
from nearfar_output._journal import Record, read_journal, stream_at  # noqa: E402
from nearfar_output._parts import Parts  # noqa: E402

try:
    import segyio
except ImportError:
    segyio = None

WRITTEN = Path()  # folder of what write_streams wrote; set below
SHAPE, STEPS = (6, 5, 8), 4
PLACES = np.arange(np.prod(SHAPE)).reshape(SHAPE)


class TestSums(unittest.TestCase):
    def test_known_values(self) -> None:
        # RFC 3720, B.4
        self.assertEqual(crc32c(bytes(32)), 0x8A9136AA)
        self.assertEqual(crc32c(b"\xff" * 32), 0x62A8AB43)
        self.assertEqual(crc32c(bytes(range(32))), 0x46DD794E)
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)
        self.assertEqual(crc32c(b""), 0)

    def test_pieces_are_as_one(self) -> None:
        data = np.random.default_rng(7).integers(0, 256, 40_003, dtype=np.uint8)
        for size in (511, 512, 513, 4099, 40_003):
            with self.subTest(size=size):
                pieces = [data[at : min(at + 300, size)] for at in range(0, size, 300)]
                joined = 0
                for piece in pieces:
                    joined = combine(joined, crc32c(piece), piece.size)
                self.assertEqual(crc32c(data[:size]), joined)


def run_command(*arguments: object) -> tuple[int, str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        status = main([str(a) for a in arguments])
    return status, out.getvalue()


class TestStreams(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="nearfar_python."))
        self.addCleanup(shutil.rmtree, self.folder)
        for file in WRITTEN.iterdir():
            if file.name.startswith(("one.", "two.")):
                shutil.copy(file, self.folder)
        self.two, self.one = self.folder / "two", self.folder / "one"

    def change(self, name: str, at: int) -> None:
        with open(self.folder / name, "r+b") as file:
            file.seek(at)
            byte = file.read(1)
            file.seek(at)
            file.write(bytes([byte[0] ^ 1]))

    def test_arrays_are_views_of_whole_steps(self) -> None:
        stream = Stream(self.two)
        self.assertEqual(list(stream.arrays), ["b", "p"])
        self.assertEqual(stream.steps, STEPS)
        np.testing.assert_array_equal(stream.times, [0, 0.25, 0.5, 0.75])
        self.assertIsInstance(stream["p"], np.memmap)
        for step in range(STEPS):
            np.testing.assert_array_equal(stream["p"][step], 1000 * step + PLACES)
            np.testing.assert_array_equal(stream["b"][step], 1000 * step + np.arange(6))
        self.assertEqual((stream["p"].dtype, stream["b"].dtype), (np.float32, np.int64))
        self.assertEqual(stream.arrays["p"].number("d1", 0), 0.004)
        with self.assertRaises(ValueError):
            stream["p"][0, 0, 0, 0] = 1  # type: ignore[index]
        with self.assertRaisesRegex(KeyError, "b, p"):
            stream["q"]

    def test_sound_streams_verify(self) -> None:
        for path in (self.two, self.one):
            self.assertEqual([r.is_sound for r in Stream(path).verify()], [True] * STEPS)
        self.assertEqual(len(Stream(self.one).journal.steps[0]), 2, "two nodes have written")

    def test_of_streams_that_take_turns_the_newer_is_read(self) -> None:
        for letter, turn in (("a", 8), ("b", 7)):
            for file in list(self.folder.glob("two.*")):
                shutil.copy(file, self.folder / file.name.replace("two", f"saved-{letter}", 1))
            path = self.folder / f"saved-{letter}.journal"
            record = bytearray(path.read_bytes()[:64])
            record[45:48] = turn.to_bytes(3, "little")
            record[4:8] = crc32c(bytes(record[8:])).to_bytes(4, "little")
            path.write_bytes(record)
        self.assertEqual(stream_at(self.folder / "saved").name, "saved-a")
        self.assertEqual(stream_at(self.folder / "saved-b").name, "saved-b")
        (self.folder / "saved-a.journal").write_bytes(b"")  # killed while it was written
        self.assertEqual(stream_at(self.folder / "saved").name, "saved-b")
        self.change("saved-b.journal", 30)
        with self.assertRaisesRegex(StreamError, "saved-b.journal is damaged"):
            stream_at(self.folder / "saved")

    def test_changed_data_is_found(self) -> None:
        frame = int(np.prod(SHAPE)) * 4
        self.change("two.p.raw", 0)
        self.change("two.b.raw", 2 * 48 + 47)
        reports = Stream(self.two).verify()
        self.assertEqual([r.is_sound for r in reports], [False, True, False, True])
        self.change("one.p.raw", frame + 5)
        reports = Stream(self.one).verify()
        self.assertEqual([r.is_sound for r in reports], [True, False, True, True])
        self.assertIn("writer 0", reports[1].reason)
        (self.folder / "one.parts.json").unlink()
        self.assertEqual([r.is_sound for r in Stream(self.one).verify()], [None] * STEPS)
        self.assertEqual(run_command("verify", self.two)[0], 1)

    def test_all_formats_verify_without_their_readers(self) -> None:
        names = [p.name.removesuffix(".parts.json") for p in WRITTEN.glob("*.parts.json")]
        self.assertGreater(len(names), 3)
        for name in names:
            parts, steps = Parts(WRITTEN / name), read_journal(WRITTEN / f"{name}.journal").steps
            opinions = [parts.opinion_on(s, records) for s, records in enumerate(steps)]
            self.assertEqual(opinions, [(True, "") if parts.arrays else (None, opinions[0][1])] * len(steps), name)
        for file in WRITTEN.glob("hdf5_steps.*"):  # where the library has HDF5
            shutil.copy(file, self.folder)
        if (self.folder / "hdf5_steps.journal").exists():
            first = json.loads((self.folder / "hdf5_steps.parts.json").read_text())["arrays"][0]
            self.change("hdf5_steps.000002.h5", first["offset"] + 5)
            parts, steps = Parts(self.folder / "hdf5_steps"), read_journal(self.folder / "hdf5_steps.journal").steps
            sound = [parts.opinion_on(s, records)[0] for s, records in enumerate(steps)]
            self.assertEqual(sound, [True, True, False, True])

    def test_compressed_parts_that_do_not_divide_the_array_have_a_file_each(self) -> None:
        written = [bytes([number]) * (20 + number) for number in range(6)]
        for number, data in enumerate(written):
            (self.folder / f"cut.{number}").write_bytes(data)
        corners = [(y, x) for y in (0, 2) for x in (0, 2, 4)]
        parts = [{"array": 0, "lower": [y, x], "upper": [y + 2, min(x + 2, 5)]} for y, x in corners]
        array = {"name": "p", "extents": [4, 5], "bytes": 1, "is_constant": False, "file": 0, "offset": 0, "stride": 0}
        files = [{"before": f".{n}", "after": "", "digits": 0, "is_per_step": False} for n in range(6)]
        said = {"files": files, "arrays": [{**array, "chunk": [2, 2]}], "writers": [{"from_step": 0, "parts": [parts]}]}
        (self.folder / "cut.parts.json").write_text(json.dumps(said))
        data = b"".join(written)
        record = Record(0, 1, 0, 0.0, len(data), crc32c(data), False, 0, "zarr", 0)
        self.assertEqual(Parts(self.folder / "cut").opinion_on(0, [record]), (True, ""))

    def test_a_torn_journal_ends_the_stream_and_a_changed_one_is_refused(self) -> None:
        os.truncate(self.folder / "one.journal", 3 * 128 + 100)
        self.assertEqual(Stream(self.one).steps, 3)
        self.change("two.journal", 2 * 64 + 24)
        words = "two.journal is damaged: the record at byte 128, of step 2, has another sum"
        with self.assertRaisesRegex(StreamError, words):
            Stream(self.two)
        self.assertEqual(run_command("recover", self.two)[0], 2)
        shutil.copy(WRITTEN / "two.journal", self.folder)
        with open(self.folder / "two.journal", "r+b") as journal:
            journal.seek(64)
            journal.write(bytes(64))
        words = "two.journal is damaged: the record at byte 128, of step 2, is there, but one before it is not"
        with self.assertRaisesRegex(StreamError, words):
            Stream(self.two)
        (self.folder / "two.journal").write_text("Dear diary")
        with self.assertRaisesRegex(StreamError, "two.journal is no journal"):
            Stream(self.two)
        (self.folder / "two.journal").unlink()
        os.mkfifo(self.folder / "two.journal")
        with self.assertRaisesRegex(StreamError, "two.journal cannot be read: it is no ordinary file"):
            Stream(self.two)

    def test_recovery_cuts_what_no_journal_has(self) -> None:
        frame = int(np.prod(SHAPE)) * 4
        os.truncate(self.folder / "two.journal", 2 * 64 + 11)
        with open(self.folder / "two.b.raw", "ab") as file:
            file.write(b"torn")
        self.assertEqual(recover(self.two), 2)
        self.assertEqual((self.folder / "two.p.raw").stat().st_size, 2 * frame)
        self.assertEqual((self.folder / "two.b.raw").stat().st_size, 2 * 48)
        self.assertEqual((self.folder / "two.journal").stat().st_size, 2 * 64)
        stream = Stream(self.two)
        self.assertEqual([r.is_sound for r in stream.verify()], [True, True])
        self.assertEqual((stream.arrays["p"].header["n4"], stream.arrays["p"].header["d4"]), ("2", "0.25"))
        os.truncate(self.folder / "two.journal", 0)
        self.assertEqual(recover(self.two), 0)
        self.assertEqual(Stream(self.two)["p"].shape, (0, *SHAPE))

    def test_a_damaged_array_is_named_and_shortens_no_other(self) -> None:
        frame = int(np.prod(SHAPE)) * 4
        before = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.name != "two.p.raw"}
        os.truncate(self.folder / "two.p.raw", 2 * frame + 11)
        stream = Stream(self.two)
        self.assertEqual([r.is_sound for r in stream.verify()], [True, True, False, False])
        self.assertIn("two.p.raw is too short", stream.verify()[3].reason)
        status, words = run_command("verify", self.two)
        self.assertEqual((status, words.count("two.p.raw is too short")), (1, 2))
        np.testing.assert_array_equal(stream["b"][3], 3000 + np.arange(6))
        np.testing.assert_array_equal(stream["p"][1], 1000 + PLACES)
        with self.assertRaisesRegex(StreamError, "two.p.raw is too short"):
            stream["p"][2]
        with self.assertRaisesRegex(StreamError, "two.p.raw is too short: .*nothing was changed"):
            recover(self.two)
        (self.folder / "two.p.raw").unlink()
        self.assertEqual([r.is_sound for r in Stream(self.two).verify()], [False] * STEPS)
        self.assertIn("two.p.raw is missing", run_command("verify", self.two)[1])
        with self.assertRaisesRegex(StreamError, "two.p.raw is missing"):
            recover(self.two)
        self.assertEqual({p.name: p.read_bytes() for p in self.folder.iterdir()}, before)
        (self.folder / "two.p.rsf").unlink()
        with self.assertRaisesRegex(StreamError, "the array p of .* is missing"):
            Stream(self.two)

    def test_a_list_of_parts_of_another_stream_is_refused(self) -> None:
        parts = self.folder / "two.parts.json"
        whole = json.loads(parts.read_text())
        without_files = {**whole, "files": []}
        for said in (without_files, json.loads((WRITTEN / "constant_rsf.parts.json").read_text())):
            parts.write_text(json.dumps(said))
            with self.assertRaisesRegex(StreamError, "two.parts.json"):
                Stream(self.two)
        for words in ("[" * 100_000, "{", "7", "NaN", '{"files": 3}', ""):
            parts.write_text(words)
            with self.assertRaisesRegex(StreamError, "two.parts.json cannot be understood"):
                Stream(self.two)

    def test_recovery_leaves_what_is_being_written(self) -> None:
        with open(self.folder / "two.journal", "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            with self.assertRaisesRegex(StreamError, "being written"):
                recover(self.two)
        (self.folder / "two.b.raw").unlink()
        with self.assertRaisesRegex(StreamError, "missing"):
            recover(self.two)

    def test_what_is_missing_has_a_name(self) -> None:
        with self.assertRaisesRegex(StreamError, "nothing.journal"):
            Stream(self.folder / "nothing")
        (self.folder / "two.p.rsf").write_text('data_format="native_byte" n1=3 n2=4\n')
        with self.assertRaisesRegex(StreamError, "native_byte"):
            Stream(self.two)

    def test_npy(self) -> None:
        file = self.folder / "p.npy"
        to_npy(Stream(self.two), "p", file)
        self.assertEqual(np.load(file).shape, (STEPS, *SHAPE))
        np.testing.assert_array_equal(np.load(file)[3], 3000 + PLACES)

    def test_commands(self) -> None:
        status, words = run_command("info", self.two)
        self.assertEqual(status, 0)
        self.assertIn("rsf, 4 whole steps, time 0 to 0.75", words)
        self.assertIn("p: float32, 6 x 5 x 8, 960 bytes per step", words)
        self.assertEqual(run_command("verify", self.two), (0, "4 steps are sound, 0 are not, 0 cannot be compared\n"))
        self.assertEqual(run_command("recover", self.two), (0, "4 whole steps\n"))
        status, words = run_command("info", self.folder / "nothing")
        self.assertEqual(status, 2)
        self.assertIn("nothing.journal", words)

    @unittest.skipUnless(segyio, "segyio is not installed (pip install segyio)")
    def test_segy_of_a_step(self) -> None:
        file = self.folder / "p.segy"
        self.assertEqual(to_segy(Stream(self.two), "p", file, step=2), (30, 8))
        with segyio.open(file) as found:
            self.assertEqual((len(found.ilines), len(found.xlines)), (6, 5))
            np.testing.assert_array_equal(segyio.tools.cube(found), 2000 + PLACES)
            self.assertEqual(segyio.tools.dt(found), 4000)  # microseconds

    @unittest.skipUnless(segyio, "segyio is not installed (pip install segyio)")
    def test_segy_along_time(self) -> None:
        file = self.folder / "p.segy"
        status, words = run_command("segy", self.one, "p", file)
        self.assertEqual((status, words), (0, f"{file}: 240 traces of 4 samples\n"))
        with segyio.open(file, ignore_geometry=True) as found:
            np.testing.assert_array_equal(found.trace[7], [7, 1007, 2007, 3007])
            self.assertEqual(found.header[7][segyio.TraceField.CROSSLINE_3D], 8)

    def test_segy_refuses_what_it_cannot_hold(self) -> None:
        module = segyio or object()  # refused before it is used
        with self.assertRaisesRegex(StreamError, "steps are 0 to 3"):
            to_segy(Stream(self.two), "p", self.folder / "p.segy", step=4, segyio=module)
        with self.assertRaisesRegex(StreamError, "b, p"):
            to_segy(Stream(self.two), "q", self.folder / "p.segy", segyio=module)


class TestFormats(unittest.TestCase):
    """Streams p and b of every format, read where the library wrote them."""

    def stream(self, name: str) -> Stream:
        """Skips where the library or this Python lacks what it takes."""
        needed = "h5py" if "zarr" not in name else "zfpy" if name == "zarr_zfp" else "numcodecs"
        if not (WRITTEN / f"{name}.journal").exists():
            self.skipTest(f"the library was built without what {name} takes")
        needs_none = name.endswith(("rsf", "zarr")) or name.startswith("none_")
        if not needs_none and importlib.util.find_spec(needed) is None:
            self.skipTest(f"{needed} is not installed (pip install {needed})")
        return Stream(WRITTEN / name)

    def check(self, stream: Stream, *names: str) -> None:
        self.assertEqual(sorted(stream.arrays), sorted(names))
        self.assertEqual(stream.steps, STEPS)
        np.testing.assert_array_equal(stream.times, [0, 0.25, 0.5, 0.75])
        for name, numbers in (("p", PLACES), ("b", np.arange(6)))[: len(names)]:
            frames = stream[name]
            self.assertEqual((len(frames), frames.dtype), (STEPS, np.float32 if name == "p" else np.int64))
            self.assertEqual(frames.shape, (STEPS, *numbers.shape))
            for step in range(STEPS):
                np.testing.assert_array_equal(frames[step], 1000 * step + numbers)
            np.testing.assert_array_equal(frames[-1][2], 3000 + numbers[2])
            np.testing.assert_array_equal(frames[1:3], np.stack([1000 + numbers, 2000 + numbers]))
            np.testing.assert_array_equal(frames[1:, 2:4], np.stack([1000 * s + numbers[2:4] for s in (1, 2, 3)]))
            np.testing.assert_array_equal(np.asarray(frames)[:, 3], [1000 * s + numbers[3] for s in range(STEPS)])
            with self.assertRaises(IndexError):
                frames[STEPS]
            self.assertFalse(stream.is_varying(name))

    @staticmethod
    def forget_format(journal: Path) -> None:
        """As journals were before their records had it."""
        data = bytearray(journal.read_bytes())
        for at in range(0, len(data), 64):
            data[at + 56 : at + 64] = bytes(8)
            data[at + 4 : at + 8] = crc32c(bytes(data[at + 8 : at + 64])).to_bytes(4, "little")
        journal.write_bytes(data)

    def check_axes(self, array: Array) -> None:
        self.assertEqual([array.number(k, 0) for k in ("o3", "d3", "d1")], [10, 2, 0.004])
        self.assertEqual((array.header["label3"], array.header["label1"], array.header["unit1"]), ("z", "x", "s"))

    def test_netcdf_and_hdf5(self) -> None:
        for name in ("netcdf", "netcdf_steps", "hdf5", "hdf5_steps"):
            with self.subTest(name):
                stream = self.stream(name)
                self.assertEqual(stream.format, name.split("_")[0])
                self.check(stream, "b", "p")
                self.check_axes(stream.arrays["p"])
                self.assertIsInstance(stream["p"] if "_" not in name else stream["p"][0], np.memmap)

    def test_images(self) -> None:
        stream = self.stream("vtkhdf")
        self.check(stream, "b", "p")
        self.assertEqual([stream.arrays["p"].number(k, 0) for k in ("o3", "d3", "d1")], [10, 2, 0.004])

    def test_zarr(self) -> None:
        stream = self.stream("zarr")
        self.check(stream, "b", "p")
        self.check_axes(stream.arrays["p"])
        self.assertIsInstance(stream["p"][0], np.memmap)

    def test_compressed_zarr(self) -> None:
        for name in ("zarr_zstd", "zarr_blosc"):
            with self.subTest(name):
                self.check(self.stream(name), "b", "p")

    def test_lossy_zarr(self) -> None:
        stream = self.stream("zarr_zfp")
        for step in range(STEPS):
            worst = np.max(np.abs(stream["p"][step] - (1000 * step + PLACES)))
            self.assertLessEqual(worst, 0.01)

    def test_rows_that_vary(self) -> None:
        stream = self.stream("varying")
        rows = [2, 4, 4, 6]
        for step in range(STEPS):
            np.testing.assert_array_equal(stream["v"][step], 1000 * step + np.arange(3 * rows[step]).reshape(-1, 3))
        self.assertTrue(stream.is_varying("v"))
        with self.assertRaisesRegex(StreamError, "step by step"):
            np.asarray(stream["v"])
        with self.assertRaisesRegex(StreamError, "vary"):
            to_npy(stream, "v", "/nowhere/v.npy")
        self.assertIn("v: int64, 2 x 3, at first, varies", run_command("info", stream.path)[1])

    def test_constant_arrays(self) -> None:
        for name in ("constant_rsf", "constant_zarr", "constant_netcdf"):
            with self.subTest(name):
                stream = self.stream(name)
                self.assertEqual((stream.steps, stream["p"].shape), (STEPS, (STEPS, *SHAPE)))
                np.testing.assert_array_equal(stream["h"], np.arange(6))
                self.assertEqual((stream.arrays["h"].is_constant, stream.arrays["b"].is_constant), (True, False))
                self.assertIn("h: int64, 6, constant", run_command("info", stream.path)[1])
                with self.assertRaisesRegex(StreamError, "h is constant"):
                    to_segy(stream, "h", "/nowhere/h.segy", segyio=object())
        self.assertEqual([r.is_sound for r in self.stream("constant_rsf").verify()], [True] * STEPS)

    def test_grids(self) -> None:
        stream = self.stream("grid")
        self.assertEqual(sorted(stream.arrays), ["Connectivity", "Offsets", "Points", "Types", "c"])
        for step in range(STEPS):
            np.testing.assert_array_equal(stream["c"][step], 1000 * step + np.arange(2 * step + 2))
            self.assertEqual(stream["Points"][step].shape, (2 * step + 2, 3))

    def test_extents_of_1_are_kept(self) -> None:
        for name in ("rsf", "zarr", "netcdf", "hdf5", "vtkhdf"):
            with self.subTest(name):
                stream = self.stream(f"flat_{name}")
                self.assertEqual((stream.arrays["p"].extents, stream["p"].shape), ((3, 1, 2), (STEPS, 3, 1, 2)))
                np.testing.assert_array_equal(stream["p"][2], 2000 + np.arange(6).reshape(3, 1, 2))
                self.assertEqual(np.asarray(stream["p"]).shape, (STEPS, 3, 1, 2))
                self.assertEqual([r.is_sound for r in stream.verify()], [True] * STEPS)

    def test_streams_that_were_closed_with_no_step(self) -> None:
        for name in ("rsf", "zarr", "netcdf", "hdf5", "vtkhdf"):
            with self.subTest(name):
                stream = self.stream(f"none_{name}")
                self.assertEqual((stream.format, stream.steps, stream.times.size), (name, 0, 0))
                p = stream.arrays["p"]
                self.assertEqual((p.extents, p.dtype, p.header["units"]), ((3, 1, 2), np.float64, "m"))
                self.assertEqual((stream["p"].shape, stream["p"].dtype), ((0, 3, 1, 2), np.float64))
                self.assertEqual(stream.verify(), [])
                self.assertIn(f"{name}, 0 whole steps", run_command("info", stream.path)[1])

    def test_conversion_and_commands(self) -> None:
        stream = self.stream("netcdf_steps")
        with tempfile.TemporaryDirectory(prefix="nearfar_python.") as folder:
            to_npy(stream, "p", f"{folder}/p")
            np.testing.assert_array_equal(np.load(f"{folder}/p.npy")[3], 3000 + PLACES)
            if segyio:
                self.assertEqual(to_segy(stream, "p", f"{folder}/p.segy", step=2), (30, 8))
                with segyio.open(f"{folder}/p.segy") as found:
                    np.testing.assert_array_equal(segyio.tools.cube(found), 2000 + PLACES)
        status, words = run_command("info", stream.path)
        self.assertEqual(status, 0)
        self.assertIn("netcdf, 4 whole steps, time 0 to 0.75", words)
        status, words = run_command("recover", stream.path)
        self.assertEqual(status, 2)
        self.assertIn("only rsf", words)

    def test_files_that_are_missing_are_named(self) -> None:
        with tempfile.TemporaryDirectory(prefix="nearfar_python.") as folder:
            shutil.copytree(WRITTEN, folder, dirs_exist_ok=True)
            (Path(folder) / "zarr.zarr/b/c.2.0").unlink()
            stream = Stream(f"{folder}/zarr")
            self.assertEqual([r.is_sound for r in stream.verify()], [True, True, False, True])
            self.assertIn("zarr.zarr/b/c.2.0 is missing", stream.verify()[2].reason)
            np.testing.assert_array_equal(stream["b"][3], 3000 + np.arange(6))
            np.testing.assert_array_equal(stream["p"][2], 2000 + PLACES)
            with self.assertRaisesRegex(StreamError, "b/c.2.0"):
                stream["b"][2]
            self.stream("hdf5_steps")  # or skips the rest
            (Path(folder) / "hdf5_steps.000000.h5").unlink()
            stream = Stream(f"{folder}/hdf5_steps")
            np.testing.assert_array_equal(stream["p"][1], 1000 + PLACES)
            self.assertEqual([r.is_sound for r in stream.verify()], [False, True, True, True])
            shutil.copy(f"{folder}/netcdf.nc", f"{folder}/zarr.nc")
            self.assertEqual(Stream(f"{folder}/zarr").format, "zarr")
            self.forget_format(Path(folder) / "zarr.journal")
            self.assertEqual(Stream(f"{folder}/zarr").format, "zarr")  # the list of parts says it, too
            (Path(folder) / "zarr.parts.json").unlink()
            with self.assertRaisesRegex(StreamError, "zarr, netcdf at .*: say which"):
                Stream(f"{folder}/zarr")
            self.assertEqual(Stream(f"{folder}/zarr", format="zarr").steps, STEPS)
            self.assertIn("zarr, 4 whole", run_command("info", f"{folder}/zarr", "--format", "zarr")[1])
            with self.assertRaisesRegex(StreamError, "no reader of format paper; there are: rsf"):
                Stream(f"{folder}/zarr", format="paper")

    def test_a_missing_package_is_named(self) -> None:
        for name, package in (("netcdf", "h5py"), ("zarr_zstd", "numcodecs")):
            if not (WRITTEN / f"{name}.journal").exists():
                continue
            with self.subTest(name), unittest.mock.patch.dict(sys.modules, {package: None}):
                with tempfile.TemporaryDirectory(prefix="nearfar_python.") as folder:
                    status, words = run_command("npy", WRITTEN / name, "p", f"{folder}/p.npy")
                self.assertEqual(status, 2)
                self.assertIn(f"{package}, which is not installed: pip install {package}", words)


if __name__ == "__main__":
    WRITTEN = Path(sys.argv.pop(1))
    unittest.main()
