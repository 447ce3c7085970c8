# SPDX-License-Identifier: BSD-3-Clause
"""Cells of the tables that report.py and its parts write."""


def find(records, method):
    return next((r for r in records if r["method"] == method), None)


def ours(records):
    """The one of ours that bars are for."""
    return find(records, records[0].get("ours", "nearfar"))


def us(record):
    if record is None:
        return "–"
    median = record["median_us"]
    return ("%.2f" if median < 10 else "%.1f" if median < 100 else "%.0f") % median


def spread(record):
    return us(record) + (" (%.2f–%.2f)" % (record["p10_us"], record["p90_us"]) if record else "")


def ratio(best, ours):
    return best["median_us"] / ours["median_us"] if best and ours and ours["median_us"] > 0 else None


def show(value):
    return "–" if value is None else "%.2f" % value
