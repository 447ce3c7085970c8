#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios of preload.py about the report: what it says of a run, and what was saved."""

import os
import sys
import tempfile

sys.dont_write_bytecode = True


def report_in_words(setup):
    job = setup.run(2, "preload_sums", report=False, NEARFAR_REPORT="1").must_end_well()
    job.must_say(r"^nearfar report: sum of 2 ranks: 200 collective calls, 9\d\.\d % of them carried out by Nearfar", 1)
    job.must_say(r"^allreduce +8 \.\.\. 15 +200 +9.* unknown +near-", 1)  # no race was held
    job.must_say(r", saved: unknown \(estimated from the races; unknown of \d+ calls of a rank\)", 1)


def gains(setup):
    """What was saved is known after a race, also by wisdom, and no more than the run has measured."""
    with tempfile.TemporaryDirectory() as folder:
        wisdom = {"NEARFAR_WISDOM": os.path.join(folder, "wisdom"), "NEARFAR_TUNE_AGAIN": "0"}
        raced = setup.run(2, "preload_sums", NEARFAR_TUNE_AFTER="20", **wisdom).must_end_well()
        remembered = setup.run(2, "preload_sums", **wisdom).must_end_well()
    without = setup.run(2, "preload_sums", NEARFAR_TUNE_AFTER="-1").must_end_well()
    for job in (raced, remembered):
        job.must(None not in job.saved and max(job.saved) <= job.seconds, "a gain that was not measured here")
    without.must(without.saved == [None], "a gain that is not known")
