# SPDX-License-Identifier: BSD-3-Clause
"""Tables of one node with more and more ranks: a row for each case, a column for each number of ranks."""
from report_cells import find, ours, ratio, show, us


def best_mpi(records):
    return min((r for r in records if r["method"].startswith("mpi-")), key=lambda r: r["median_us"], default=None)


def cell(records, method):
    """How many times as fast as the best plain MPI, and our time."""
    mine = ours(records) if method is None else find(records, method)
    return "–" if mine is None else "%s (%s)" % (show(ratio(best_mpi(records), mine)), us(mine))


def tables(jobs, other):
    """`jobs`: records by job and case; `other`: per front, the name of the other one of ours and words for it."""
    fronts = {}
    for (front, mpi, ranks, nodes, _), cases in jobs.items():
        fronts.setdefault((front, mpi, nodes), {})[ranks] = cases
    for (front, mpi, nodes), by_ranks in fronts.items():
        counts = sorted(by_ranks)
        yield "### %s, %s, %s ranks on %d node%s" % (
            front, mpi, ", ".join(map(str, counts)), nodes, "" if nodes == 1 else "s")
        yield ""
        for method, words in ((None, "Nearfar"), other.get(front, (None, None))):
            if words is None:
                continue
            yield "%s: times as fast as the best plain MPI, and µs." % words
            yield ""
            yield from table(by_ranks, counts, method)
            yield ""


def table(by_ranks, counts, method):
    yield "| case | bytes | " + " | ".join("%d ranks" % n for n in counts) + " |"
    yield "|---|---:|" + "---:|" * len(counts)
    names = list(dict.fromkeys(name for n in counts for name in by_ranks[n]))
    for name in names:
        found = [by_ranks[n].get(name) for n in counts]
        size = next(records[0]["bytes"] for records in found if records)
        yield "| %s | %d | %s |" % (name, size, " | ".join(cell(r, method) if r else "–" for r in found))
