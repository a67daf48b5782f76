# SPDX-License-Identifier: Apache-2.0
"""What `--profile` has written: of each kernel its hottest lines, words that threads contend for, and counts of each line."""
import pathlib
import re

FIRST = "cowarp profile 2"
HOT_LINE = re.compile(r" *([0-9.]+%) +(\d+) +(\d+)  (\S+(?: \d+%)?) +(\S+(?: \d+%)?) +(\d+): (.*)$")
WORD = re.compile(r"(aborts|atomics|bank_cycles) +(\d+) +([0-9.]+%)  (.+)$")
LISTED = re.compile(r"([ \d.]*\d[ \d.]*|[ .]+)\| +(\d+) (.*)$")


class Kernel:
    """hot: [(share, cycles, waits, reason, where, line, text)]; counts: {line: {column: number}}; text: {line: PTX}; words: [(what, count, share, name)]."""

    def __init__(self):
        self.hot, self.counts, self.text, self.words = [], {}, {}, []

    def listed(self, names, cells, number, text):
        if len(names) == len(cells):
            self.counts[number] = {name: int(cell) if cell != "." else 0 for name, cell in zip(names, cells)}
        self.text[number] = text

    def listed_lines(self):
        """(line, counts, text) of each line that has been executed."""
        return [(line, counts, self.text[line]) for line, counts in self.counts.items() if counts["warps"]]

    def events(self, what):
        """How many of the kind there were, by the first word's share."""
        rows = [row for row in self.words if row[0] == what]
        return int(rows[0][1]) / (float(rows[0][2][:-1]) / 100) if rows else 0


def read(path):
    """{kernel: Kernel}; of a file that is no such one, nothing."""
    try:
        lines = pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    if not lines or lines[0] != FIRST:
        return {}
    found, kernel, part, names = {}, None, "", []
    for line in lines:
        if line.startswith("kernel "):
            kernel, part = found.setdefault(line[len("kernel "):], Kernel()), ""
        elif line in ("hottest lines", "contended words", "listing"):
            part, names = line, []
        elif part == "hottest lines" and (match := HOT_LINE.match(line)):
            kernel.hot.append(match.groups())
        elif part == "contended words" and (match := WORD.match(line)):
            kernel.words.append(match.groups())
        elif part == "listing" and not names:
            names = line.replace("|", " ").split()[:-1]
        elif part == "listing" and (match := LISTED.match(line)):
            kernel.listed(names, match[1].split(), int(match[2]), match[3])
    return found
