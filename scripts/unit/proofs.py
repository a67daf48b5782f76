#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is proved about hardware units: `cowarp proofs` calls it. It reads tests/rtl/proofs.txt, which the test proofs.table holds to the Verilog and
the .conf files. Exit status: 0 done, 2 the request was wrong."""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import facts  # noqa: E402  (after the path is set)
from statsfile import Parser, run_main  # noqa: E402

FILE = "tests/rtl/proofs.txt"
Job = collections.namedtuple("Job", "unit what numbers set engine depth seconds")
PROVING = ("induction", "pdr", "bmc")


class Proofs:
    """The sections of the file. Rows of `properties`: unit, number, sentence; of `equiv`: pair, what, parameters, seconds."""

    def __init__(self):
        def rows(name):
            return facts.tables(facts.section(FILE, name))[0][1]
        self.properties, self.contracts, self.equiv = rows("properties"), rows("contracts"), rows("equiv")
        self.jobs = [Job(*row) for row in rows("jobs")]
        self.sets, self.limits = (facts.items(facts.section(FILE, name)) for name in ("sets", "limits"))
        self.units = list(dict.fromkeys(row[0] for row in self.properties))
        self.pairs = list(dict.fromkeys(row[0] for row in self.equiv))

    def about(self, job, number):
        return job.numbers == "all" or number in job.numbers.split(", ")

    def of_property(self, unit, number):
        """(jobs that prove it, that reach its situation, that refute a broken copy)."""
        jobs = [j for j in self.jobs if j.unit == unit and self.about(j, number)]
        kinds = [(j.what.split(",")[0].split(":")[0], j) for j in jobs]
        return ([j for k, j in kinds if k in PROVING], [j for k, j in kinds if k == "cover"], [j for k, j in kinds if k == "refuted"])


def job_text(job):
    kind, comma, run = job.what.partition(", ")
    head = {"induction": f"proved for all time, by induction of depth {job.depth}", "pdr": "proved for all time, by PDR",
            "bmc": f"no counterexample within {job.depth} cycles after power-up", "cover": f"reached within {job.depth} cycles"}[kind]
    seconds = f", {job.seconds} s" if job.seconds != "-" else ""
    return f"{head}{comma}{run}, set {job.set}, {job.engine}{seconds}"


def property_lines(proofs, unit, number, sentence):
    """Without the jobs about all properties of the unit, which stand above."""
    proving, covers, mutants = proofs.of_property(unit, number)
    return [facts.wrap(f"P{number}. {sentence}", "  "), *(f"      {job_text(job)}" for job in proving + covers if job.numbers != "all"),
            *(f"      {job.what}, within {job.depth} cycles" for job in mutants)]


def unit_lines(proofs, unit):
    own = [row for row in proofs.properties if row[0] == unit]
    lines = [f"{unit}: {len(own)} properties", *(f"  all: {job_text(j)}" for j in proofs.jobs if j.unit == unit and j.numbers == "all")]
    for _, number, sentence in own:
        lines += property_lines(proofs, unit, number, sentence)
    for title, texts in (("Parameter sets", [f"{head.split()[1]}: {text}" for head, text in proofs.sets if head.split()[0] == unit]),
                         ("Assumed of the surroundings", [text for name, text in proofs.contracts if name == unit]),
                         ("Not shown", [f"{head.partition(', ')[2]}: {text}" for head, text in proofs.limits if head.split(",")[0] == unit])):
        if texts:
            lines += [f"  {title}", *(facts.wrap(text, "    ") for text in texts)]
    return lines


def pair_lines(proofs, pair):
    rows = [row for row in proofs.equiv if row[0] == pair]
    lines = [f"{pair}: the C model equals the Verilog, transition by transition"]
    return lines + [f"  {what:<9} {params}, {seconds} s" for _, what, params, seconds in rows]


def counted(proofs):
    def line(unit):
        numbers = [row[1] for row in proofs.properties if row[0] == unit]
        ever = sum(any(not job.what.startswith("bmc") for job in proofs.of_property(unit, n)[0]) for n in numbers)
        mutants = sum(len(proofs.of_property(unit, n)[2]) for n in numbers)
        return (f"{unit:22} {len(numbers):10} {ever:13} {len(numbers) - ever:14} {mutants:16} "
                f"{'yes' if unit in proofs.pairs else '':>20}").rstrip()
    return [f"{'unit':22} {'properties':>10} {'for all time':>13} {'to a bound':>14} {'refuted mutants':>16} {'C equals Verilog':>20}",
            *map(line, proofs.units), "", f"Pairs of C and Verilog with a proof: {', '.join(proofs.pairs)}.",
            "`cowarp proofs UNIT` has each property; `cowarp proofs --all` has all of them."]


def main(arguments):
    parser = Parser(prog="cowarp proofs", description="What is proved about hardware units, for which parameters, and what is not shown (docs/proofs.md).")
    parser.add_argument("units", nargs="*", metavar="UNIT", help="unit, or pair of C and Verilog; without it a table of all units")
    parser.add_argument("--all", action="store_true", help="everything about all units")
    options = parser.parse_args(arguments)
    proofs = Proofs()
    known = list(dict.fromkeys(proofs.units + proofs.pairs))
    if not options.units and not options.all:
        print("\n".join(counted(proofs)))
        return 0
    for name in facts.chosen(options.units, known):
        lines = unit_lines(proofs, name) if name in proofs.units else []
        print("\n".join(lines + (pair_lines(proofs, name) if name in proofs.pairs else [])))
    return 0


if __name__ == "__main__":
    sys.exit(run_main("cowarp proofs", lambda: main(sys.argv[1:])))
