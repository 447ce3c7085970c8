#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What cannot be: exit status 2 and one sentence that names what was given and what is allowed, on any number of
ranks."""

from __future__ import annotations

import numpy as np
from program import Case, Run, main


class Refusals(Case):
    def refused(self, words: tuple[str, ...], *options: str, ranks: tuple[int, ...] = (2,)) -> None:
        for n in ranks:
            with self.subTest(ranks=n, options=options):
                complaint = self.complaint_of(n, *options)
                for word in words:
                    self.assertIn(word, complaint)

    def test_keys_and_values(self) -> None:
        self.refused(("grid has no key 'pionts'", "points"), "grid.pionts=[3, 3, 3]", ranks=(1, 2, 4))
        self.refused(("medium.kind", "granite", "iso", "vti", "tti"), "medium.kind=granite", ranks=(1,))
        self.refused(("medium.order", "6", "4, 8 or 12"), "medium.order=6", ranks=(1,))
        self.refused(("--wirte",), "--wirte=3")

    def test_places_outside(self) -> None:
        self.refused(("position", "960.1", "100", "960"), "sources.position=[960.1, 0.0, 10.0]")
        self.refused(("receivers", "x of a receiver"), "receivers.count=[50, 1, 1]", ranks=(1,))
        self.refused(
            ("snapshots", "no grid point lies between them along z"),
            "snapshots.from=[141, 0, 1]",
            "snapshots.to=[141, 600, 2]",
            ranks=(2,),
        )

    def test_quantities_of_receivers(self) -> None:
        self.refused(("receivers[0].quantities", "'speed'", "pressure, dp/dx"), "receivers.quantities=['vx', 'speed']")
        self.refused(("has vx", "needs receivers[0].density", "1 to 100000"), "receivers.quantities=['vx']")
        self.refused(("receivers[0].density = -1000", "from 1 to"), "receivers.density=-1000")

    def test_too_coarse_a_grid(self) -> None:
        self.refused(
            ("at least 3 are needed", "the shortest wave", "Hz is good", "a spacing of at most"), "sources.frequency=40"
        )

    def test_too_long_a_step(self) -> None:
        self.refused(("4.0", "not stable", "at most 1.57"), "time.step=0.004", "gathers.interval=0.004")
        self.refused(("gathers.interval", "0.0031", "multiple"), "gathers.interval=0.0031", ranks=(1,))

    def test_epsilon_below_delta(self) -> None:
        own = ("model.kind=properties", "model.epsilon=0.1", "model.delta=0.2")
        self.refused(("epsilon", "0.1", "at least delta, which is 0.2", "model.clamp"), *own)
        said = self.run_shot(2, *own, "model.clamp=true", "snapshots.path=").out
        self.assertRegex(said, r"delta was lowered to epsilon in 63360 cells, by 0\.1 at most")

    def test_models_that_are_not_there_or_wrong(self) -> None:
        own = ("model.kind=properties",)
        self.refused(("missing.rsf", "No such file"), *own, "model.vp=missing.rsf")
        self.refused(("vp.dat", ".rsf"), *own, "model.vp=vp.dat", ranks=(1,))
        np.save(self.folder / "small.npy", np.full((40, 36, 43), 2500, np.float32))
        self.refused(("small.npy", "43", "44"), *own, "model.vp=small.npy")
        holed = np.full((40, 36, 44), 2500, np.float32)
        holed[17, 3, 9] = np.nan
        np.save(self.folder / "holed.npy", holed)
        self.refused(("holed.npy", "nan", "finite"), *own, "model.vp=holed.npy")

    def test_files_of_settings_that_are_not_there(self) -> None:
        for ranks in (1, 3):
            complaint = self.complaint_of(ranks, file="nowhere.toml")
            self.assertIn("nowhere.toml", complaint)
            self.assertIn("No such file", complaint)

    def test_folders_that_are_not_there(self) -> None:
        self.refused(("nowhere/wave", "No such file"), "snapshots.path=nowhere/wave")

    def test_paths_that_cannot_be_written_are_found_before_the_run(self) -> None:
        (self.folder / "folder.sgy").mkdir()
        for words, options in (
            (("nowhere/shot.sgy", "No such file"), ("gathers.file=nowhere/shot.sgy",)),
            (("folder.sgy", "directory"), ("gathers.file=folder.sgy",)),
            (("nowhere/state", "No such file"), ("checkpoints.path=nowhere/state",)),
        ):
            self.refused(words, *options)
            self.assertEqual(sorted(f.name for f in self.folder.iterdir()), ["folder.sgy", "shot.toml"])

    def test_a_writer_without_a_rank_of_its_own(self) -> None:
        self.refused(("snapshots.policy = 'writer'", "one more", "'thread'"), "snapshots.policy=writer", ranks=(1,))
        self.refused(("snapshots.policy = 'far-writer'", "one more"), "snapshots.policy=far-writer", ranks=(1,))

    def test_waves_of_a_run_that_computes_none(self) -> None:
        pretended = ("run.pretended-step=0.001",)
        self.refused(("run.pretended-step", "neither gathers.file nor"), *pretended, ranks=(1,))
        self.refused(("--restart",), *pretended, "gathers.file=", "--restart=state")

    def test_more_memory_than_there_is(self) -> None:
        """The medium is not read before: a file that is not there would be complained of."""
        huge = (
            "grid.points=[100000, 20000, 20000]",
            "model.kind=properties",
            "model.vp=missing.rsf",
            "snapshots.to=[900, 650, 700]",
        )
        self.refused(
            ("100012 x 20012 x 20012 points", "on each node of 1 rank ", "TB", "GB free", "--force"), *huge, ranks=(1,)
        )
        self.refused(("on each node of 2 ranks", "each)"), *huge)
        self.refused(("missing.rsf", "No such file"), *huge, "--force", ranks=(1,))

    def test_a_full_disk(self) -> None:
        """The system refuses to let files grow beyond some bytes."""
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                limited = ("sh", "-c", 'trap "" XFSZ; ulimit -f 200; exec "$@"', "sh")
                run = Run(self.folder, ranks, "shot.toml", around=limited)
                self.assertEqual(run.status, 2, run.out + run.err)
                self.assertIn("File too large", run.complaint)


if __name__ == "__main__":
    main()
