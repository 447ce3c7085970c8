#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Models in files: SEG-Y of both byte orders and both kinds of floats give the bits that NPY gives, on any number of
ranks; files that are wrong, disagree or hold no numbers are refused with the limit and what was found."""

from __future__ import annotations

import numpy as np
from program import Case, main

NX, NY, NZ = 24, 16, 22
OWN = ("medium.kind=iso", "model.kind=properties", f"grid.points=[{NX}, {NY}, {NZ}]", "grid.origin=[0, 0, 0]",
       "sources.position=[233.0, 147.0, 121.0]", "time.end=0.03", "sides.cells=4", "gathers.interval=0.0015",
       "snapshots.from=[0, 0, 0]", "snapshots.to=[460, 300, 420]", "snapshots.steps=5")
RECEIVERS = """
[[receivers]]
first = [105.0, 91.0, 33.0]
step = [19.0, 0.0, 0.0]
count = [10, 1, 1]
[gathers]"""


def velocities() -> np.ndarray:
    """z, y, x: numbers that IBM floats hold exactly."""
    k, j, i = np.meshgrid(np.arange(NZ), np.arange(NY), np.arange(NX), indexing="ij")
    return (2500 + 16 * k + 2 * j + i % 5).astype(np.float32)


def ibm(values: np.ndarray) -> np.ndarray:
    """Positive numbers: value = fraction * 16^(exponent - 64), a fraction of 24 bits from 1/16 to 1."""
    exponent = np.floor(np.log2(values.astype(float)) / 4).astype(int) + 1
    fraction = np.round(values * 16.0 ** -exponent * 2**24).astype(np.uint32)
    return (((exponent + 64).astype(np.uint32) << 24) | fraction).astype(np.uint32)


def segy(values: np.ndarray, order: str = ">", is_ibm: bool = False, code: int | None = None) -> bytes:
    """z, y, x as traces along z, crosslines along x."""
    nz, ny, nx = values.shape
    header = np.zeros(3600, np.uint8)

    def put(into: np.ndarray, at: int, kind: str, value: int) -> None:
        raw = np.array([value], order + kind).view(np.uint8)
        into[at:at + raw.size] = raw

    put(header, 3220, "i2", nz)
    put(header, 3224, "i2", code if code is not None else 1 if is_ibm else 5)
    put(header, 3500, "u2", 0x100)
    traces = []
    for j in range(ny):
        for i in range(nx):
            trace = np.zeros(240, np.uint8)
            put(trace, 114, "i2", nz)
            put(trace, 188, "i4", j + 1)
            put(trace, 192, "i4", i + 1)
            samples = values[:, j, i]
            raw = ibm(samples).astype(order + "u4") if is_ibm else samples.astype(order + "f4")
            traces.append(trace.tobytes() + raw.tobytes())
    return header.tobytes() + b"".join(traces)


class BadFiles(Case):
    def setUp(self) -> None:
        super().setUp()
        text = (self.folder / "shot.toml").read_text()
        begin, end = text.index("[[receivers]]"), text.index("[gathers]") + len("[gathers]")
        (self.folder / "shot.toml").write_text(text[:begin] + RECEIVERS.strip() + text[end:])

    def refused(self, words: tuple[str, ...], *options: str, ranks: int = 2) -> None:
        complaint = self.complaint_of(ranks, *OWN, *options)
        for word in words:
            self.assertIn(word, complaint)

    def results(self, model: str, ranks: int) -> tuple[bytes, bytes]:
        self.run_shot(ranks, *OWN, f"model.vp={model}")
        return (self.folder / "shot.sgy").read_bytes(), next(self.folder.glob("wave*.raw")).read_bytes()

    def test_segy_of_all_kinds_is_what_npy_is(self) -> None:
        vp = velocities()
        np.save(self.folder / "vp.npy", vp)
        gather, film = self.results("vp.npy", 1)
        self.assertTrue(any(film))
        for order, is_ibm, ranks in ((">", True, 2), ("<", True, 1), (">", False, 1), ("<", False, 2)):
            with self.subTest(order=order, is_ibm=is_ibm):
                (self.folder / "vp.sgy").write_bytes(segy(vp, order, is_ibm))
                its_gather, its_film = self.results("vp.sgy", ranks)
                self.assertEqual(its_gather[3600:], gather[3600:])
                self.assertEqual(its_film, film)

    def test_wrong_segy(self) -> None:
        sound = segy(velocities())
        (self.folder / "cut.sgy").write_bytes(sound[:-100])
        self.refused(("cut.sgy", "truncated"), "model.vp=cut.sgy")
        (self.folder / "integers.sgy").write_bytes(segy(velocities(), code=2))
        self.refused(("integers.sgy", "format 2", "1 (IBM floats) and 5 (IEEE floats)"), "model.vp=integers.sgy")
        (self.folder / "empty.sgy").write_bytes(b"")
        self.refused(("empty.sgy", "0 bytes"), "model.vp=empty.sgy", ranks=1)

    def test_files_that_disagree(self) -> None:
        (self.folder / "vp.sgy").write_bytes(segy(velocities()))
        (self.folder / "small.sgy").write_bytes(segy(velocities()[:, :, :-1]))
        self.refused(("small.sgy", "23", "24"), "model.vp=small.sgy")
        np.save(self.folder / "epsilon.npy", np.zeros((NZ, NY - 1, NX), np.float32))
        self.refused(("epsilon.npy", "15", "16"), "medium.kind=vti", "model.vp=vp.sgy", "model.epsilon=epsilon.npy")

    def test_what_is_no_number(self) -> None:
        wrong = (("nan", np.nan, ("nan",)), ("inf", np.inf, ("inf",)), ("negative", -1500, ("-1500", "above 0")))
        for name, value, words in wrong:
            vp = velocities()
            vp[7, 3, 11] = value
            (self.folder / f"{name}.sgy").write_bytes(segy(vp))
            np.save(self.folder / f"{name}.npy", vp)
            for ending in ("sgy", "npy"):
                with self.subTest(name=name, ending=ending):
                    self.refused((f"{name}.{ending}", *words, "(11, 3, 7)"), f"model.vp={name}.{ending}")

    def test_wavelets_that_are_none(self) -> None:
        np.save(self.folder / "w.npy", np.array([0, 1, np.nan, 0], np.float32))
        self.refused(("w.npy", "finite"), "model.vp=2500", "sources.wavelet=file", "sources.file=w.npy",
                     "sources.interval=0.002")


if __name__ == "__main__":
    main()
