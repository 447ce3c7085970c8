# SPDX-License-Identifier: BSD-3-Clause
"""Tables of operations against families of peers, for report.py, and of the making of plans for gathers."""
import report_cells as cells

CALLERS_MEMORY = ("nearfar-own", "own memory")


def best_of(records, prefixes):
    return min((r for r in records if r["method"].startswith(tuple(prefixes))), key=lambda r: r["median_us"], default=None)


def families(cases):
    """The rivals of all cases by name, in order: MPI first."""
    names = ["MPI"] if any(best_of(records, ["mpi-"]) for records in cases.values()) else []
    for records in cases.values():
        names += [r["name"] for r in records[0].get("rivals", []) if r["name"] not in names]
    return names


def rival(records, name):
    if name == "MPI":
        return {"name": name, "prefixes": ["mpi-"], "bar": records[0]["bar"], "other_bar": 0.97 if records[0]["bar"] else 0}
    return next((r for r in records[0].get("rivals", []) if r["name"] == name), None)


def against(records, name, other):
    """Cells of one family: its best, µs, ratio and bar, ratio and bar of our other one; and what is short."""
    family, short = rival(records, name), []
    best = best_of(records, family["prefixes"]) if family else None
    if best is None:
        return ["–"] * 4, short
    row = ["%s" % best["method"].split("-", 1)[1], cells.us(best)]
    for record, bar, kind in ((cells.ours(records), family["bar"], ""), (cells.find(records, other[0]), family["other_bar"], ", " + other[1])):
        value = cells.ratio(best, record)
        row.append(cells.show(value) + (" (%.2f)" % bar if bar else ""))
        if value is not None and value < bar:
            short.append(name + kind)
    return row, short


def verdict(records, short):
    if not all(r["ok"] for r in records):
        return "WRONG"
    if cells.ours(records) is None:
        return ""
    return "short: " + "; ".join(short) if short else "met"


def operations(cases, other):
    """`other`: the name of the other one of ours that has bars, and words for it."""
    names = families(cases)
    heading = ["case", "bytes", "Nearfar µs (p10–p90)", other[1] + " µs (p10–p90)", "chosen"]
    for name in names:
        heading += ["best of " + name, "µs", "ratio (bar)", other[1] + " ratio (bar)"]
    yield heading + [""]
    for case, records in cases.items():
        near, own = cells.ours(records), cells.find(records, other[0])
        row = [case, str(records[0]["bytes"]), cells.spread(near), cells.spread(own), near["choice"] if near else "–"]
        short = []
        for name in names:
            part, missed = against(records, name, other)
            row += part
            short += missed
        yield row + [verdict(records, short)]


def millions_per_s(record, count):
    return "–" if record is None or record["median_us"] <= 0 else "%.0f" % (count / record["median_us"])


def plans(cases):
    names = [n for n in families(cases) if n != "MPI"]
    heading = ["case", "references", "Nearfar µs (p10–p90)", "M/s", "least", "update µs"]
    for name in names:
        heading += ["best of " + name, "µs", "ratio (bar)"]
    yield heading + [""]
    for case, records in cases.items():
        near, count, limit = cells.ours(records), records[0]["bytes"] // 8, records[0].get("limit_us", 0)
        row = [case, str(count), cells.spread(near), millions_per_s(near, count), "%.0f" % (count / limit) if limit else "–",
               cells.us(cells.find(records, "nearfar:update"))]
        short = ["rate"] if near and limit and near["median_us"] > limit else []
        for name in names:
            part, missed = against(records, name, CALLERS_MEMORY)
            row += part[:3]
            short += [m for m in missed if m == name]
        yield row + [verdict(records, short)]


def memory(cases):
    """Heap bytes that each way holds for a plan, per reference."""
    holders = [r["method"] for records in cases.values() for r in records if "heap_bytes" in r]
    holders = list(dict.fromkeys(holders))
    yield ["heap bytes per reference"] + holders
    for case, records in cases.items():
        row = [case]
        for method in holders:
            found = cells.find(records, method)
            row.append("%.1f" % (8 * found["heap_bytes"] / found["bytes"]) if found and "heap_bytes" in found else "–")
        yield row


def tables(cases, other):
    """Lists of rows, one for each table."""
    making = {name: records for name, records in cases.items() if name.endswith("-plan")}
    acting = {name: records for name, records in cases.items() if name not in making}
    if acting:
        yield operations(acting, other)
    if making:
        yield plans(making)
        yield memory(making)
