#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turns the records of bench programs (JSON Lines) into Markdown tables.

    bench/report.py FILE...                                   tables on stdout
    bench/report.py --write docs/performance.md --part near FILE...
    bench/report.py --by-ranks FILE...                        one node, more and more ranks

With --write, the text between <!-- bench PART --> and <!-- end PART --> of the page is replaced.
"""
import argparse
import collections
import json
import math
import os
import platform
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../tools"))
import report_gather  # noqa: E402
import report_ranks  # noqa: E402
from command import InputError, command  # noqa: E402
from report_cells import find, ours, ratio, show, us  # noqa: E402
from report_ranks import best_mpi  # noqa: E402


def fail(message):
    raise InputError(message)


def read(paths):
    """Records by job (mpi, ranks, nodes, timing), then by case, in the order of the files."""
    jobs = collections.OrderedDict()
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    record = json.loads(line)
                    job = (record["front"], record["mpi"], record["ranks"], record["nodes"], record["timing"])
                    cases = jobs.setdefault(job, collections.OrderedDict())
                    cases.setdefault(record["case"], []).append(record)
                except (ValueError, KeyError) as error:
                    fail("%s:%d is not a bench record (%r)" % (path, number, error))
    if not jobs:
        fail("no records in %s" % ", ".join(paths))
    return jobs


def verdict(records, near, own):
    if not all(r["ok"] for r in records):
        return "WRONG"
    if near is None:
        return ""
    bar = records[0]["bar"]
    if near < bar:
        return "short"
    return "other memory short" if own is not None and own < 0.97 else "met"


TEXT_COLUMNS = ("case", "best MPI", "", "chosen")  # and "best of …"
# Per front: the other one of ours that has bars (tuned in the other kind of memory, or with another serial engine), and words for it.
OTHER = {"halo": ("nearfar-own", "own memory"), "collective": ("nearfar-shared", "near memory"), "gather": report_gather.CALLERS_MEMORY,
         "transpose": report_gather.CALLERS_MEMORY, "fft": ("nearfar-fftw", "with FFTW")}
AGAINST_FAMILIES = ("gather", "transpose", "fft")


def summary(front, cases):
    """Lists of cells, the heading first. Ratios of medians; in brackets that of the 10th percentiles, where fronts are short."""
    other, words = OTHER.get(front, (None, None))
    has_p10 = front != "halo"
    heading = ["case", "bytes", "best MPI", "µs", "Nearfar µs (p10–p90)", "ratio (of p10)" if has_p10 else "ratio", "bar", ""]
    yield heading + ([words + " µs", "ratio"] if other else []) + ["chosen", "set-up ms"]
    for name, records in cases.items():
        best, near, own = best_mpi(records), ours(records), find(records, other)
        ratios = ratio(best, near), ratio(best, own)
        spread = " (%.2f–%.2f)" % (near["p10_us"], near["p90_us"]) if near else ""
        low = " (%.2f)" % (best["p10_us"] / near["p10_us"]) if has_p10 and best and near and near["p10_us"] > 0 else ""
        row = [name, str(records[0]["bytes"]), best["method"] if best else "–", us(best), us(near) + spread,
               show(ratios[0]) + low, "%.2f" % records[0]["bar"], verdict(records, *ratios)]
        choices = [near["choice"] if near else "–"]
        if other:
            row += [us(own), show(ratios[1])]
            choices.append(own["choice"] if own else "–")
        yield row + ["; ".join(choices), "%.1f" % near["setup_ms"] if near else "–"]


def as_table(rows):
    for number, row in enumerate(rows):
        yield "| " + " | ".join(row) + " |"
        if number == 0:
            yield "|" + "".join("---|" if cell in TEXT_COLUMNS or cell.startswith("best of ") else "---:|" for cell in row)


def every_method(cases):
    methods = list(collections.OrderedDict.fromkeys(r["method"] for records in cases.values() for r in records))
    yield "| µs | " + " | ".join(methods) + " |"
    yield "|---|" + "---:|" * len(methods)
    for name, records in cases.items():
        yield "| %s | %s |" % (name, " | ".join(us(find(records, m)) for m in methods))


def hidden(cases):
    """By how much longer a plan takes whose near work waits for far messages, with the standard error of a median of so many samples."""
    parts = {name: [find(records, m) for m in ("part:near", "nearfar:near-direct+parts", "part:hidden")] for name, records in cases.items()}
    parts = {name: three for name, three in parts.items() if all(three)}
    if parts:
        yield ["case", "near work µs", "whole µs", "longer without overlap µs", "near work hidden"]
    for name, (near, whole, saved) in parts.items():
        error = 1.25 * (saved["p90_us"] - saved["p10_us"]) / 2.56 / math.sqrt(saved["samples"])  # of normal samples
        share = "%.0f ± %.0f %%" % (100 * saved["median_us"] / near["median_us"], 100 * error / near["median_us"])
        yield [name, us(near), us(whole), "%.1f" % saved["median_us"],
               share if error < near["median_us"] / 2 else "within the spread"]


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def tables(jobs):
    for (front, mpi, ranks, nodes, timing), cases in jobs.items():
        flat = [r for records in cases.values() for r in records]
        yield "### %s, %s, %d ranks on %d node%s" % (front, mpi, ranks, nodes, "" if nodes == 1 else "s")
        yield ""
        yield "%s, %d cores; %d to %d samples; %s." % (
            processor(), os.cpu_count(), min(r["samples"] for r in flat), max(r["samples"] for r in flat),
            "a clock around each operation" if timing == "parts" else "whole iterations less the floor")
        yield ""
        for rows in report_gather.tables(cases, OTHER[front]) if front in AGAINST_FAMILIES else [summary(front, cases)]:
            yield from as_table(rows)
            yield ""
        if any(find(records, "part:near") for records in cases.values()):
            yield from as_table(hidden(cases))
            yield ""
        yield "<details><summary>every method</summary>"
        yield ""
        yield from every_method(cases)
        yield ""
        yield "</details>"
        yield ""


def write(page, part, text):
    with open(page, encoding="utf-8") as source:
        old = source.read()
    begin, end = "<!-- bench %s -->\n" % part, "<!-- end %s -->" % part
    if old.count(begin) != 1 or old.count(end) != 1 or old.index(end) < old.index(begin):
        fail("%s has no part '%s' between %s and %s" % (page, part, begin.strip(), end))
    new = old[:old.index(begin) + len(begin)] + text + old[old.index(end):]
    with open(page + ".new", "w", encoding="utf-8") as target:
        target.write(new)
    os.replace(page + ".new", page)


@command("report.py", status=1)
def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", metavar="PAGE", help="put the tables into this page instead of on stdout")
    parser.add_argument("--part", help="which part of the page (near, far, ...)")
    parser.add_argument("--by-ranks", action="store_true", help="a column for each number of ranks, ratios alone")
    parser.add_argument("files", nargs="+", metavar="FILE")
    given = parser.parse_args()
    if bool(given.write) != bool(given.part):
        parser.error("--write and --part go together")
    jobs = read(given.files)
    text = "\n".join(report_ranks.tables(jobs, OTHER) if given.by_ranks else tables(jobs)) + "\n"
    if given.write:
        write(given.write, given.part, text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    sys.exit(main())
