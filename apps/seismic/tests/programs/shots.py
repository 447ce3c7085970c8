#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whole shots: the same bits for any ranks and threads, and what the files say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from program import PROGRAM, Case, Run, main
from rsf import read_rsf, read_segy

RANDOM = (
    "medium.system=fletcher",
    "model.kind=fletcher",
    "sides.kind=random",
    "sides.cells=8",
    "snapshots.with-sides=true",
    "sources.wavelet=fletcher",
    "sources.frequency=30",
    "sources.scaling=none",
)


class Shots(Case):
    def files(self) -> dict[str, bytes]:
        return {name: (self.folder / name).read_bytes() for name in ("wave.p.raw", "shot.sgy")}

    def same_bits(self, *options: str) -> None:
        self.run_shot(1, *options)
        once = self.files()
        self.assertGreater(np.abs(np.frombuffer(once["wave.p.raw"], "<f4")).max(), 0)
        for ranks, threads in ((1, 2), (2, 1), (4, 1)):
            with self.subTest(ranks=ranks, threads=threads):
                self.run_shot(ranks, *options, threads=threads)
                self.assertEqual(self.files(), once)

    def test_ranks_and_threads_make_no_difference_in_tilted_ground(self) -> None:
        self.same_bits()

    def test_nor_behind_random_sides(self) -> None:
        text = "".join(
            line
            for line in (self.folder / "shot.toml").read_text().splitlines(True)
            if not line.startswith(("from", "to ", "delay"))
        )
        (self.folder / "shot.toml").write_text(text)
        self.same_bits(*RANDOM)

    def test_nor_who_writes(self) -> None:
        self.run_shot(1, "snapshots.policy=synchronous")
        once = self.files()
        for ranks, policy in ((1, "thread"), (3, "writer"), (2, "automatic")):
            with self.subTest(policy=policy):
                self.run_shot(ranks, f"snapshots.policy={policy}")
                self.assertEqual(self.files(), once)

    def test_snapshots_lie_where_their_header_says(self) -> None:
        self.run_shot(2)
        some = read_rsf(self.folder / "wave.p.rsf")
        time, z, y, x = some.axes
        self.assertEqual(some.values.shape, (5, 36, 18, 39))
        stretch = 1 + 7 / 4 * (20 * np.pi * 0.0015) ** 2 / 24  # time_stretch() of this wavelet
        np.testing.assert_allclose(time, 0.015 * stretch * np.arange(5), rtol=1e-4)
        self.assertEqual((z[0], z[-1], y[0], y[-1], x[0], x[-1]), (0, 700, -50, 630, 140, 900))
        (self.folder / "shot.toml").write_text((self.folder / "shot.toml").read_text().split("from =")[0])
        self.run_shot(1, "snapshots.path=all")
        every = read_rsf(self.folder / "all.p.rsf")
        np.testing.assert_array_equal(every.values[:, :36, ::2, 2:41], some.values)

    def test_snapshots_as_images_have_the_same_numbers(self) -> None:
        self.run_shot(2)
        frames = (self.folder / "wave.p.raw").read_bytes()
        one = len(frames) // 5
        image = Run(self.folder, 2, "shot.toml", "--set=snapshots.format=vtkhdf")
        if "there is no output format 'vtkhdf'" in image.err:
            self.skipTest("the library was built without HDF5")
        self.assertEqual(image.status, 0, image.err)
        for step in range(5):
            file = (self.folder / f"wave.{step:06}.vtkhdf").read_bytes()
            self.assertIn(frames[step * one : (step + 1) * one], file)

    def test_fletchers_system_keeps_delta_as_given(self) -> None:
        own = ("medium.system=fletcher", "model.kind=properties", "model.epsilon=0.1", "model.delta=0.2")
        self.run_shot(1, *own, "snapshots.path=")
        as_given = (self.folder / "shot.sgy").read_bytes()
        said = self.run_shot(1, *own, "snapshots.path=", "model.clamp=true").out
        self.assertEqual((self.folder / "shot.sgy").read_bytes(), as_given)
        self.assertNotIn("fields grow", said)
        said = self.run_shot(1, *own, "snapshots.path=", "model.vs=0").out
        self.assertRegex(said, r"WARNING: fields grow in 63360 cells: delta is above epsilon .* not 0\.209 vp")

    def test_snapshots_have_what_sources_add_at_the_end_of_a_step(self) -> None:
        """Blocks go into frames before sources act; receivers on grid points read the field that the next step begins
        with."""
        (self.folder / "shot.toml").write_text((self.folder / "shot.toml").read_text().split("from =")[0])
        near = ((21, 17, 6), (19, 16, 5), (22, 18, 7))
        at = ", ".join(f"[{100 + 20 * i}, {-50 + 20 * j}, {20 * k}]" for i, j, k in near)
        for ranks, options in ((1, ()), (2, ()), (1, ("medium.kind=iso", "sides.kind=cpml"))):
            with self.subTest(ranks=ranks, options=options):
                own = (f"receivers.at=[{at}]", "receivers.count=[1, 1, 1]", "time.correction=false")
                self.run_shot(ranks, *own, *options)
                waves, traces = read_rsf(self.folder / "wave.p.rsf").values, read_segy(self.folder / "shot.sgy").values
                read = np.array([waves[1:4, k, j, i] for i, j, k in near])
                self.assertGreater(np.abs(read).min(), 0)
                np.testing.assert_allclose(read, traces[-3:, 5:20:5], rtol=1e-5)

    def test_the_gather_is_what_was_asked_for(self) -> None:
        self.run_shot(2)
        data = (self.folder / "shot.sgy").read_bytes()
        cards = data[:3200].decode("cp037")
        self.assertTrue(cards.startswith("C 1 Written by nearfar-seismic"), cards[:80])
        self.assertIn("C40 END TEXTUAL HEADER", cards)
        self.assertEqual(data[3500:3502], b"\x01\x00")  # revision 1
        shot = read_segy(self.folder / "shot.sgy")
        self.assertEqual((shot.values.shape[0], round(shot.interval_s, 9)), (41, 0.003))
        np.testing.assert_allclose(shot.source, [513, 287, 121])
        np.testing.assert_allclose(shot.receivers[:40, 0], 105 + 19.0 * np.arange(40))
        np.testing.assert_allclose(shot.receivers[:40, 1:], np.tile([291.0, 33.0], (40, 1)))
        np.testing.assert_allclose(shot.receivers[40], [500, 200, 700])
        # The wave arrives first where the source is near.
        strength = np.abs(shot.values).max(1)
        self.assertLess(abs(int(strength[:40].argmax()) - 21), 3)
        self.assertLess(strength[40], 0.05 * strength.max())

    def test_gathers_as_rsf_have_the_same_numbers(self) -> None:
        self.run_shot(1)
        self.run_shot(1, "gathers.format=rsf", "gathers.file=shot.rsf")
        np.testing.assert_array_equal(
            read_rsf(self.folder / "shot.rsf").values, read_segy(self.folder / "shot.sgy").values
        )
        places = read_rsf(self.folder / "shot_places.rsf").values
        np.testing.assert_allclose(places[40], [513, 287, 121, 500, 200, 700])

    def test_the_ground_that_is_written_is_the_ground(self) -> None:
        self.run_shot(2, "--write-model=ground")
        self.assertFalse((self.folder / "shot.sgy").exists())
        vp = read_rsf(self.folder / "ground_vp.rsf")
        self.assertEqual(vp.values.shape, (40, 36, 44))
        self.assertEqual((vp.axes[2][0], vp.axes[1][0], vp.axes[0][-1]), (100, -50, 780))
        self.assertTrue((vp.values >= 2300).all() and (vp.values <= 5200).all())
        self.run_shot(1)
        once = read_segy(self.folder / "shot.sgy").values
        kinds = ("vp", "vs", "epsilon", "delta", "tilt", "azimuth")
        self.run_shot(1, "model.kind=properties", *(f"model.{kind}=ground_{kind}.rsf" for kind in kinds))
        again = read_segy(self.folder / "shot.sgy").values
        np.testing.assert_allclose(again, once, atol=1e-5 * np.abs(once).max())

    def test_the_template_runs_as_it_is(self) -> None:
        run = Run(self.folder, 1, "--write-template")
        self.assertEqual(run.status, 0)
        (self.folder / "own.toml").write_text(run.out)
        said = self.run_shot(1, "time.end=0.01", file="own.toml").out
        self.assertRegex(said, r"(?m)^done +[\d.]+ s, [\d.]+ Mpts/s")

    def test_waves_in_salt_die_away(self) -> None:
        """Where shear waves of one rock are much slower than those of its neighbour the self-adjoint system could
        grow."""
        (self.folder / "salt.toml").write_text((Path(__file__).resolve().parents[2] / "settings/demo.toml").read_text())
        flat = (
            "grid.points=[160, 1, 90]",
            "snapshots.stride=[1, 1, 1]",
            "snapshots.path=wave",
            "snapshots.interval=0.2",
            "time.end=3",
            "receivers.first=[0, 0, 40]",
            "receivers.count=[160, 1, 1]",
            "sources.position=[1210, 0, 50]",
        )
        self.run_shot(1, *flat, file="salt.toml")
        largest = np.abs(read_rsf(self.folder / "wave.p.rsf").values).max((1, 2, 3))
        self.assertGreater(largest[2], 0)
        self.assertLess(largest[-1], 0.3 * largest[2])

    def test_what_may_not_be_meant_is_said(self) -> None:
        """Layers, files and wavelets that are other than asked; on a grid of two dimensions."""
        np.full((40, 44), 4000, "<f4").tofile(self.folder / "vp.raw")
        (self.folder / "vp.rsf").write_text('n1=44 d1=25 o1=100\nn2=40 d2=0.02 o2=0 unit2=km\nin="vp.raw"\n')
        (self.folder / "small.toml").write_text(
            "[grid]\npoints = [44, 1, 40]\nspacing = [20, 20, 20]\norigin = [100, 0, 0]\n"
            "[time]\nend = 0.02\n[model]\nvp = 'vp.rsf'\n"
        )
        said = self.run_shot(1, file="small.toml").out
        for words in (
            "vp.raw says of itself, along x, a spacing of 25 m, not 20; the grid",
            "ricker of 15 Hz, 0.01",
            "x, y, z = 540, 0, 400 m: the settings have none, and this is the default",
            "% of the wavelet's energy comes after the end of the run, at 0.02 s",
            "that of time steps is taken out of wavelets and traces",
            "nothing is written",
        ):
            self.assertIn(words, said)
        gather = ("receivers.at=[[500, 0, 100]]", "gathers.file=a.sgy")
        cut = ("sources.position=[400, 0, 300]", "sources.delay=0")
        said = self.run_shot(1, *gather, *cut, "time.end=0.1", file="small.toml").out
        self.assertRegex(said, r"source 1: (49|50)[.\d]* % of the wavelet's energy lies before time 0")
        self.assertRegex(said, r"(?m)^receivers 1, from x, y, z = 500, 0, 100 m to x")
        self.assertRegex(said, r"(?m)^files +gather a.sgy$")
        self.assertNotIn("after the end", said)
        with (self.folder / "small.toml").open("a") as file:
            file.write("[[sources]]\nfrequency = 10\n[[sources]]\nfrequency = 12\n")
        said = self.run_shot(1, *gather, file="small.toml").out
        self.assertIn("2 sources act in one run, and the gather is of their sum", said)

    def test_help_needs_no_settings(self) -> None:
        for option, words in (
            ("--help", "--write-template"),
            ("--version", "nearfar-seismic"),
            ("--write-tables", "| `points` |"),
        ):
            run = Run(self.folder, 2 if option == "--help" else 1, option)
            self.assertEqual((run.status, run.err), (0, ""))
            self.assertEqual(run.out.count(words), 1, run.out)


if __name__ == "__main__":
    assert PROGRAM.exists()
    main()
