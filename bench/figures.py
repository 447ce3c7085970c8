# SPDX-License-Identifier: BSD-3-Clause
"""Records of measurements: reading and keeping them, finding the figures of a case, writing cells.

A record is a line of JSON. Measured operations have `front`, `case`, `method`, `mpi`, `ranks`, `nodes`, `median_us` and
what bench/harness/report.cpp adds; rows of tables that programs make of their own have `table`, `columns`, `cells`;
notes have `note` and `text`. In bench/results all of them also say `date`, `commit` and, but for notes, `machine` and
`command`. `rounded`: the figures were taken from a page, with its digits.
"""
import collections
import gzip
import json
import lzma
import os
import platform
import re
import subprocess
import time

from command import InputError

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
RESULTS = os.path.join(ROOT, "bench/results")
OPENERS = {".xz": lzma.open, ".gz": gzip.open}
PLAIN, PEERS = ("mpi-",), ("peer-", "adios2")  # what methods of others begin with: plain MPI, libraries
# Per front: our other measurement that has bars (in the other kind of memory, or by another serial engine), and words.
OTHER = {"halo": ("nearfar-own", "own memory"), "collective": ("nearfar-shared", "near memory"),
         "irregular": ("nearfar-own", "own memory"), "transpose": ("nearfar-own", "own memory"),
         "fft": ("nearfar-fftw", "with FFTW")}


def read(path):
    """The records of a file, plain or compressed."""
    found = []
    try:
        with OPENERS.get(os.path.splitext(path)[1], open)(path, "rt", encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise ValueError("no object")
                found.append(record)
    except (ValueError, EOFError, lzma.LZMAError) as error:
        raise InputError("%s:%d is not a record (%s)" % (path, len(found) + 1, error)) from error
    return found


def kept(name):
    """The records of bench/results/NAME.jsonl.xz."""
    path = os.path.join(RESULTS, name + ".jsonl.xz")
    if not os.path.exists(path):
        raise InputError("no records %s in %s" % (name, RESULTS))
    return read(path)


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def keep(name, records, command):
    """Replaces bench/results/NAME.jsonl.xz by records of this machine, date, commit and command."""
    git = ["git", "-C", ROOT, "describe", "--always", "--dirty", "--exclude=*"]
    commit = subprocess.run(git, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    where = {"machine": "%s, %d cores" % (processor(), os.cpu_count()),
             "date": time.strftime("%Y-%m-%d", time.gmtime()), "commit": commit or "unknown", "command": command}
    path = os.path.join(RESULTS, name + ".jsonl.xz")
    with lzma.open(path + ".new", "wt", preset=9, encoding="utf-8") as target:
        for record in records:
            target.write(json.dumps(dict(record, **where), ensure_ascii=False) + "\n")
    os.replace(path + ".new", path)
    return os.path.relpath(path, ROOT)


def rows(table, columns, lines):
    """The records of a table that a program makes of its own."""
    return [{"table": table, "columns": list(columns), "cells": [str(cell) for cell in line]} for line in lines]


NUMBER = (int, float)
MUST = {"front": str, "case": str, "method": str, "mpi": str, "ranks": int, "nodes": int, "median_us": NUMBER}
MAY = {"bytes": NUMBER, "bar": NUMBER, "limit_us": NUMBER, "p10_us": NUMBER, "p90_us": NUMBER, "setup_ms": NUMBER,
       "heap_bytes": NUMBER, "samples": int, "timing": str, "choice": str, "ours": str, "rivals": list}
RIVAL = {"name": str, "prefixes": list, "bar": NUMBER, "other_bar": NUMBER}


def fault_of(record):
    """What is wrong with a record of a measured operation, or nothing."""
    for key in MUST:
        if key not in record:
            return "has no %s" % key
    rivals = record.get("rivals", [])
    parts = [(record, dict(MUST, **MAY))]
    if isinstance(rivals, list):
        parts += [(rival if isinstance(rival, dict) else {}, RIVAL) for rival in rivals]
    for part, kinds in parts:
        for key, kind in kinds.items():
            if key in part and not isinstance(part[key], kind):
                return "has %s for %s" % (json.dumps(part[key])[:40], key)
    if any(not RIVAL.keys() <= part.keys() or not all(isinstance(word, str) for word in part["prefixes"])
           for part, _ in parts[1:]):
        return "has rivals without name, prefixes, bar and other_bar"
    return ""


def by_case(records, where):
    """Measured operations by job (front, MPI, ranks, nodes, timing), then by case, in the order of the records."""
    jobs = collections.OrderedDict()
    for number, record in enumerate(records, 1):
        fault = fault_of(record)
        if fault:
            raise InputError("record %d of %s %s" % (number, where, fault))
        job = (record["front"], record["mpi"], record["ranks"], record["nodes"], record.get("timing", "whole"))
        jobs.setdefault(job, collections.OrderedDict()).setdefault(record["case"], []).append(record)
    if not jobs:
        raise InputError("no records in %s" % where)
    return jobs


def find(records, method):
    return next((r for r in records if r["method"] == method), None)


def ours(records):
    """The one of ours that bars are for."""
    return find(records, records[0].get("ours", "nearfar"))


def best(records, prefixes):
    found = [r for r in records if r["method"].startswith(tuple(prefixes))]
    return min(found, key=lambda r: r["median_us"], default=None)


def ratio(record, mine):
    """How many times as fast as `record`."""
    return record["median_us"] / mine["median_us"] if record and mine and mine["median_us"] > 0 else None


def three_digits(value):
    return ("%.2f" if value < 10 else "%.1f" if value < 100 else "%.0f") % value


def us(record):
    return "–" if record is None else three_digits(record["median_us"])


def span(record):
    """A time with its unit."""
    if record is None:
        return "–"
    value, unit = record["median_us"], "µs"
    for larger in ("ms", "s"):
        if value >= 1000:
            value, unit = value / 1000, larger
    return "%s %s" % (three_digits(value), unit)


def spread(record):
    if record is None or not {"p10_us", "p90_us"} <= record.keys():
        return us(record)
    return "%s (%s–%s)" % (us(record), three_digits(record["p10_us"]), three_digits(record["p90_us"]))


def times(value):
    return "–" if value is None else "%.2f" % value


def picked(lines, columns):
    """Some columns of a table: "1,2,4", or all."""
    wanted = [int(c) - 1 for c in columns.split(",")] if columns else range(len(lines[0]))
    return [[line[c] for c in wanted] for line in lines]


def word_columns(lines):
    """The heads of columns that are no numbers."""
    return [head for head, *cells in zip(*lines) if any(re.match("[^\\W\\d]|[`*]", cell) for cell in cells)]


def as_table(lines, words):
    """Lines of Markdown; the first of `lines` is the heading, `words` the columns that are no numbers."""
    for number, line in enumerate(lines):
        yield "| " + " | ".join(line) + " |"
        if number == 0:
            yield "|" + "".join("---|" if cell in words else "--:|" for cell in line)
