#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tables and plots of the records of measurements.

    bench/report.py FILE...                      tables of records that bench programs wrote (--json), on stdout
    bench/report.py --by-ranks FILE...           one node, more and more ranks: ratios alone
    bench/report.py --show NAME...               everything in bench/results/NAME.jsonl.xz, on stdout
    bench/report.py --keep NAME --command WORDS FILE...
                                                 replaces bench/results/NAME.jsonl.xz by these records and writes pages
    bench/report.py --pages [--check]            writes tables and plots into the pages; --check: says what is stale

Pages have parts between <!-- figures ... --> or <!-- table ... --> and <!-- end -->; bench/pages.py tells more.
"""
import argparse
import math
import os
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../tools"))
import figures  # noqa: E402
import pages  # noqa: E402
from command import command  # noqa: E402

TEXT_COLUMNS = ("case", "best MPI", "best peer", "", "chosen", "best")


def rivals(records):
    """(name, the best of them, our bar, the bar of our other one): plain MPI and families of peers."""
    bar = records[0].get("bar", 0)
    yield "plain MPI", figures.best(records, figures.PLAIN), bar, 0.97 if bar else 0
    for rival in records[0].get("rivals", []):
        yield rival["name"], figures.best(records, rival["prefixes"]), rival["bar"], rival["other_bar"]


def verdict(records, other, words):
    """What is below its bar, with the bar."""
    if not all(r.get("ok", True) for r in records):
        return "WRONG"
    mine, short, limit = figures.ours(records), [], records[0].get("limit_us", 0)
    for name, record, bar, other_bar in rivals(records):
        for what, least, kind in ((mine, bar, ""), (other, other_bar, ", " + words)):
            value = figures.ratio(record, what)
            if value is not None and value < least:
                short.append("%s%s: %.2f of %.2f" % (name, kind, value, least))
    if mine and limit and mine["median_us"] > limit:
        short.append("more than %.0f µs" % limit)
    return "short: " + "; ".join(short) if short else "met" if any(bar for _, _, bar, _ in rivals(records)) else ""


def summary(front, cases):
    """Lines of cells: a case, the best of plain MPI and of peers, and ours."""
    other, words = figures.OTHER.get(front, (None, ""))
    yield ["case", "bytes", "best MPI", "µs", "best peer", "µs", "Nearfar µs (p10–p90)", "times MPI", "times peer"] + (
        [words + " µs", "times MPI"] if other else []) + ["chosen", "set-up ms", ""]
    for name, records in cases.items():
        mpi, peer = figures.best(records, figures.PLAIN), figures.best(records, figures.PEERS)
        mine = figures.ours(records)
        second = figures.find(records, other)
        row = [name, str(records[0].get("bytes", "–")), mpi["method"] if mpi else "–", figures.us(mpi),
               peer["method"] if peer else "–", figures.us(peer), figures.spread(mine),
               figures.times(figures.ratio(mpi, mine)), figures.times(figures.ratio(peer, mine))]
        if other:
            row += [figures.us(second), figures.times(figures.ratio(mpi, second))]
        chosen = mine.get("choice") or "–" if mine else "–"
        setup = "%.1f" % mine["setup_ms"] if mine and "setup_ms" in mine else "–"
        yield row + [chosen, setup, verdict(records, second, words)]


def every_method(cases):
    methods = list(dict.fromkeys(r["method"] for records in cases.values() for r in records))
    yield ["case"] + methods
    for name, records in cases.items():
        yield [name] + [figures.us(figures.find(records, m)) for m in methods]


def memory(cases):
    """Heap bytes of a plan per reference of 8 bytes."""
    held = {name: {r["method"]: "%.1f" % (8 * r["heap_bytes"] / r["bytes"]) for r in records
                   if "heap_bytes" in r and r.get("bytes")} for name, records in cases.items()}
    holders = list(dict.fromkeys(method for of in held.values() for method in of))
    if holders:
        yield ["heap bytes per reference"] + holders
    for name, of in held.items():
        if of:
            yield [name] + [of.get(method, "–") for method in holders]


def hidden(cases):
    """By how much longer a plan takes whose near work waits for far messages, with the standard error of the median."""
    names = ("part:near", "nearfar:near-direct+parts", "part:hidden")
    parts = {case: [figures.find(records, m) for m in names] for case, records in cases.items()}
    parts = {case: three for case, three in parts.items()
             if all(three) and {"p10_us", "p90_us"} <= three[2].keys() and three[2].get("samples", 0) > 0}
    if parts:
        yield ["case", "near work µs", "whole µs", "longer without overlap µs", "near work hidden"]
    for case, (near, whole, saved) in parts.items():
        error = 1.25 * (saved["p90_us"] - saved["p10_us"]) / 2.56 / math.sqrt(saved["samples"])  # of normal samples
        share = "%.0f ± %.0f %%" % (100 * saved["median_us"] / near["median_us"], 100 * error / near["median_us"])
        yield [case, figures.us(near), figures.us(whole), "%.1f" % saved["median_us"],
               share if error < near["median_us"] / 2 else "within the spread"]


def tables(records, where):
    for (front, mpi, ranks, nodes, timing), cases in figures.by_case(records, where).items():
        yield "### %s, %s, %d ranks on %d node%s" % (front, mpi, ranks, nodes, "" if nodes == 1 else "s")
        clock = {"parts": "A clock around each operation", "loop": "Whole iterations less the floor"}
        yield "\n%s.\n" % clock.get(timing, "The whole run")
        for lines in map(list, (summary(front, cases), memory(cases), hidden(cases), every_method(cases))):
            if lines:
                yield "\n".join(figures.as_table(lines, TEXT_COLUMNS)) + "\n"


def by_ranks(records, where):
    """Per front a table with a row for each case and a column for each number of ranks."""
    fronts = {}
    for (front, mpi, ranks, nodes, _), cases in figures.by_case(records, where).items():
        fronts.setdefault((front, mpi, nodes), {})[ranks] = cases
    for (front, mpi, nodes), of in fronts.items():
        for method, words in ((None, "near memory"), figures.OTHER.get(front, (None, None))):
            if words is None:
                continue
            yield "### %s, %s, %d node%s, %s\n" % (front, mpi, nodes, "" if nodes == 1 else "s", words)
            yield "Times as fast as the best plain MPI, and µs.\n"
            yield from figures.as_table(columns_of_ranks(of, method), TEXT_COLUMNS)
            yield ""


def columns_of_ranks(of, method):
    counts = sorted(of)
    yield ["case"] + ["%d ranks" % n for n in counts]
    for case in dict.fromkeys(name for n in counts for name in of[n]):
        yield [case] + [ratio_and_us(of[n].get(case), method) for n in counts]


def ratio_and_us(records, method):
    mine = records and (figures.find(records, method) if method else figures.ours(records))
    if not mine:
        return "–"
    return "%s (%s)" % (figures.times(figures.ratio(figures.best(records, figures.PLAIN), mine)), figures.us(mine))


def everything(name):
    """All that was kept under a name: measured operations, rows of tables, notes."""
    records = figures.kept(name)
    measured = [r for r in records if "front" in r]
    if measured:
        yield from tables(measured, name)
    for table in dict.fromkeys(r["table"] for r in records if "table" in r):
        yield from pages.table_of(records, name, table)
        yield ""
    yield from ("%s: %s\n" % (r["note"], r["text"]) for r in records if "note" in r)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--by-ranks", action="store_true", help="a column for each number of ranks, ratios alone")
    parser.add_argument("--show", metavar="NAME", nargs="+", help="what bench/results/NAME.jsonl.xz holds")
    parser.add_argument("--keep", metavar="NAME", help="keep the records as bench/results/NAME.jsonl.xz")
    parser.add_argument("--command", metavar="WORDS", help="what made the records, for whoever wants to repeat it")
    parser.add_argument("--pages", action="store_true", help="write the tables and plots of all pages")
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 where a page is stale")
    parser.add_argument("files", nargs="*", metavar="FILE")
    given = parser.parse_args()
    if bool(given.keep) != bool(given.command):
        parser.error("--keep and --command go together")
    if given.check and not given.pages:
        parser.error("--check goes with --pages")
    if bool(given.files) == bool(given.pages or given.show):
        parser.error("give files, --show or --pages")
    return given


@command("report.py", status=1)
def main():
    given = parse()
    if given.show:
        print("\n".join(line for name in given.show for line in everything(name)))
    if given.files:
        records = [record for path in given.files for record in figures.read(path)]
        print("\n".join((by_ranks if given.by_ranks else tables)(records, ", ".join(given.files))))
    if given.keep:
        print("kept in", figures.keep(given.keep, records, given.command))
    if given.keep or given.pages:
        return pages.write(given.check)
    return 0


if __name__ == "__main__":
    sys.exit(main())
