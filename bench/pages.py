# SPDX-License-Identifier: BSD-3-Clause
"""Tables and plots of pages, made of the records in bench/results.

A page says what it shows in a comment, and report.py --pages writes the text from there to <!-- end -->:

    <!-- figures NAME mpi="Open MPI 4.1.4" ranks=2 nodes=1 plot=halo-near
    CASE [NAME] [key=value...] | words for it
    ... -->
    <!-- table NAME TABLE [rows=10] [columns=1,2,4] -->
    <!-- paper EXPERIMENT "TABLE" [columns=1,2,4] -->

NAME is a file of bench/results; key=value must hold of the records, and the keys of a row go before those of the part.
`plot=` also draws PLOT.svg into docs/images. With `where` each row says its machine and command, else lines below do.
"""
import html
import os
import re
import shlex
import subprocess
import sys

import figures
from command import InputError

sys.path.insert(0, os.path.join(figures.ROOT, "bench/papers"))
import paper as papers  # noqa: E402

BEGINNING, END = re.compile(r"^<!-- (?:figures|table|paper) ", re.M), re.compile(r"^<!-- end -->$", re.M)
PART = re.compile(r"^<!-- (figures|table|paper) ((?:(?!<!--).)*?)-->\n((?:(?!<!--).)*)^<!-- end -->$", re.S | re.M)
NUMBERS = ("ranks", "nodes")
BARS = (("plain MPI", "#4477aa", figures.PLAIN), ("the best peer", "#ee6677", figures.PEERS))


def settings(text):
    """Words without '=' in their order, and a dictionary of the others."""
    words = shlex.split(text)
    keys = dict(word.split("=", 1) for word in words if "=" in word)
    return [word for word in words if "=" not in word], {k: int(v) if k in NUMBERS else v for k, v in keys.items()}


class Part:
    """What a page asks for: rows of (words, records of one case)."""

    def __init__(self, text, page):
        head, *lines = text.strip().split("\n")
        self.words, self.keys = settings(head)
        self.page, self.kept = page, {}
        self.plot = self.keys.pop("plot", None)
        self.has_where = "where" in self.words
        self.rows = [self.row(line) for line in lines if line.strip()]

    def records(self, name):
        return self.kept.setdefault(name, [r for r in figures.kept(name) if "front" in r])

    def row(self, line):
        asked, _, words = line.partition("|")
        (case, *names), own = settings(asked)
        keys = dict(self.keys, **own)
        name = names[0] if names else self.words[0]
        mine = keys.pop("ours", None)
        found = [r for r in self.records(name) if r["case"] == case and all(r.get(k) == v for k, v in keys.items())]
        jobs = {(r["front"], r["mpi"], r["ranks"], r["nodes"]) for r in found}
        if len(jobs) != 1:
            raise InputError("%s: %d jobs of %s have the case %s" % (self.page, len(jobs), name, line.strip()))
        if mine:
            found = [dict(r, ours=mine) for r in found]
        if figures.ours(found) is None:
            raise InputError("%s: nothing of ours in %s" % (self.page, line.strip()))
        return words.strip() or case, found


def fraction(records, prefixes):
    return figures.ratio(figures.best(records, prefixes), figures.ours(records))


def method_and_time(record):
    return "–" if record is None else "%s (%s)" % (figures.span(record), re.sub("^(mpi|peer)-", "", record["method"]))


def table(part):
    has_peer = any(fraction(records, figures.PEERS) for _, records in part.rows)
    heading = ["", "plain MPI (best variant)"] + (["best peer"] if has_peer else []) + ["Nearfar", "speed-up over MPI"]
    heading += ["speed-up over peer"] if has_peer else []
    yield heading + (["where", "command"] if part.has_where else ["method"])
    for words, records in part.rows:
        mine, peer = figures.ours(records), figures.best(records, figures.PEERS)
        row = [words, method_and_time(figures.best(records, figures.PLAIN))]
        row += [method_and_time(peer)] if has_peer else []
        row += [figures.span(mine), figures.times(fraction(records, figures.PLAIN))]
        row += [figures.times(fraction(records, figures.PEERS))] if has_peer else []
        yield row + (place(mine) if part.has_where else [mine.get("choice") or "–"])


def machine(record):
    return record["machine"].replace("(R)", "")


def ranks_on(record):
    nodes = record["nodes"]
    return "%d ranks on %s" % (record["ranks"], "one node" if nodes == 1 else "%d emulated nodes" % nodes)


def place(record):
    return ["%s; %s, %s; %s" % (machine(record), record["mpi"], ranks_on(record), record["date"]),
            "`%s`" % record["command"].replace("|", "\\|")]


def origin(records):
    """One line for each machine, date and command of the rows."""
    yield ""
    for r in {(r["machine"], r["mpi"], r["ranks"], r["nodes"], r["date"], r["commit"], r["command"]): r
              for r in records}.values():
        where = "%s; %s, %s; %s at %s" % (machine(r), r["mpi"], ranks_on(r), r["date"], r["commit"])
        yield from made_by(where, r["command"])


def made_by(where, what):
    """A command stays on a line of its own, to be copied."""
    yield "- %s:" % where
    yield "  `%s`" % what


def as_figures(part):
    if part.plot:
        folder = "" if part.page.startswith("docs/") else "docs/"
        yield "![How many times as fast Nearfar is](%simages/%s.svg)\n" % (folder, part.plot)
    yield from figures.as_table(table(part), ("", "method", "where", "command"))
    if not part.has_where:
        yield from origin([figures.ours(records) for _, records in part.rows])


def table_of(records, name, wanted, columns=None, rows=None):
    found = [r for r in records if r.get("table") == wanted]
    if not found:
        raise InputError("no table %s in bench/results/%s.jsonl.xz" % (wanted, name))
    lines = figures.picked([found[0]["columns"]] + [r["cells"] for r in found[:rows]], columns)
    yield from figures.as_table(lines, figures.word_columns(lines))
    yield ""
    yield from made_by("%(machine)s; %(date)s at %(commit)s" % found[0], found[0]["command"])


def as_rows(text):
    (name, wanted), keys = settings(text)
    rows = int(keys["rows"]) if "rows" in keys else None
    yield from table_of(figures.kept(name), name, wanted, keys.get("columns"), rows)


def as_paper(text):
    """A table that an experiment of bench/papers makes of its records."""
    (name, wanted), keys = settings(text)
    records = figures.kept(papers.record_name(name))
    found = papers.load(name).tables(records)
    if wanted not in found:
        raise InputError("no table %s of the experiment %s; there are %s" % (wanted, name, ", ".join(found)))
    lines = figures.picked(found[wanted], keys.get("columns"))
    yield from figures.as_table(lines, figures.word_columns(lines))
    yield ""
    first = records[0]
    yield from made_by("%s, load %d; %s; %s at %s" % (
        machine(first), first["load"], first["mpi"], first["date"], first["commit"]), first["command"])


# ---- plots ----

def plot(part):
    """Bars of how many times as fast Nearfar is; a line where both are equally fast."""
    bars = [(words, [(label, colour, fraction(records, prefixes)) for label, colour, prefixes in BARS])
            for words, records in part.rows]
    shown = {label for _, values in bars for label, _, value in values if value}
    wide = 430 / max(value for _, values in bars for _, _, value in values if value)  # of one time as fast
    left, height = 300, 14 * len(shown) + 8
    total = 46 + height * len(bars)
    look = 'font-family="sans-serif" font-size="12"'
    yield '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 %d" %s>' % (total, look)
    yield '<rect width="800" height="%d" fill="#ffffff"/>' % total
    for number, (label, colour, _) in enumerate(b for b in BARS if b[0] in shown):
        yield '<rect x="%d" y="8" width="12" height="12" fill="%s"/>' % (left + 190 * number, colour)
        yield '<text x="%d" y="18">times as fast as %s</text>' % (left + 190 * number + 18, label)
    for number, (words, values) in enumerate(bars):
        top = 34 + height * number
        label = html.escape(plain(words))
        yield '<text x="%d" y="%d" text-anchor="end">%s</text>' % (left - 8, top + height // 2, label)
        for label, colour, value in values:
            if label not in shown:
                continue
            if value:
                yield '<rect x="%d" y="%d" width="%.1f" height="12" fill="%s"/>' % (left, top, wide * value, colour)
                yield '<text x="%.1f" y="%d">%.2f</text>' % (left + wide * value + 4, top + 10, value)
            top += 14
    yield '<path d="M%.1f 28V%d" stroke="#222222" stroke-dasharray="4 3"/>' % (left + wide, total - 8)
    yield "</svg>"


def plain(words):
    return re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", lambda m: m.group(1) or "", words)


# ---- pages ----

def made(page, text):
    """The page with all parts anew, and its plots by path."""
    plots = {}

    def anew(match):
        kind, asked = match.group(1), match.group(2)
        if kind != "figures":
            lines = (as_rows if kind == "table" else as_paper)(asked)
        else:
            part = Part(asked, page)
            lines = as_figures(part)
            if part.plot:
                plots["docs/images/%s.svg" % part.plot] = "\n".join(plot(part)) + "\n"
        return "<!-- %s %s-->\n%s\n<!-- end -->" % (kind, asked, "\n".join(lines))

    return PART.sub(anew, text), plots


def markdown(root):
    """All pages of the tree, but those of build trees."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=root,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if listed.returncode == 0:
        return [page for page in listed.stdout.splitlines() if os.path.exists(os.path.join(root, page))]
    return [os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names
            if name.endswith(".md") and "build" not in os.path.relpath(folder, root).split(os.sep)]


def out_of_date(root):
    """Path and right content of each page or plot that is not what the records say."""
    for page in markdown(root):
        with open(os.path.join(root, page), encoding="utf-8") as source:
            old = source.read()
        if not len(BEGINNING.findall(old)) == len(PART.findall(old)) == len(END.findall(old)):
            raise InputError("%s: a part without its beginning or its <!-- end -->" % page)
        new, plots = made(page, old)
        for path, text in [(page, new)] + list(plots.items()):
            target = os.path.join(root, path)
            try:
                with open(target, encoding="utf-8") as file:
                    there = file.read()
            except FileNotFoundError:
                there = None
            if there != text:
                yield path, text


def write(is_check, root=figures.ROOT):
    """Writes what is out of date, or only says so. -> exit status"""
    status = 0
    for path, text in out_of_date(root):
        if is_check:
            print("%s is not what bench/results holds: bench/report.py --pages" % path)
            status = 1
            continue
        print("%s is written" % path)
        with open(os.path.join(root, path), "w", encoding="utf-8") as target:
            target.write(text)
    return status
