#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each sentence of a unit's contract is shown by something, and something names a broken copy of it: testplan_test.py SOURCE.

tests/rtl/testplan/UNIT.txt says which; scripts/unit/testplan.py has the form. Refused: a sentence without a number, a number that the contract or
the plan lacks, an empty cell, a name that there is not, and a twin whose text is no longer in the sources."""
import importlib.machinery
import pathlib
import re
import sys
import types
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path[:0] = [str(SOURCE / "scripts/unit"), str(SOURCE / "tests/rtl/formal")]
sys.dont_write_bytecode = True

import facts  # noqa: E402
import properties  # noqa: E402
import testplan  # noqa: E402
from statsfile import Wrong  # noqa: E402

twins = types.ModuleType("twins")
twins.__file__ = str(SOURCE / "scripts/twins")
importlib.machinery.SourceFileLoader("twins", twins.__file__).exec_module(twins)

DEMAND = re.compile(r"\bmust\b|\bmay not\b|\bnot allowed\b|\ballowed\b|\billegal\b|\bnever\b")
LOCKSTEP = ("c_equals_rtl", "broken_copies_are_caught")  # they look at everything, so they show nothing in particular


def read(path):
    return (SOURCE / path).read_text(encoding="utf-8") if (SOURCE / path).exists() else ""


def directed(text, unit):
    """The directed tests of a test file's text that are run."""
    names = set(re.findall(rf"cmocka_unit_test\(test_{unit}__(\w+)\)", text))
    return {name for name in names if not name.startswith(LOCKSTEP) and f"void test_{unit}__{name}(" in text}


def named_twins(unit, conf, results):
    """The numbers of the mistakes that some judge has named."""
    count = len(re.findall(r"(?m)^mistake ", conf))
    part = re.search(rf"<!-- {unit} -->(.*?)<!-- end of {unit} -->", results, re.S)
    rows = [line.split("|")[1:-1] for line in part[1].splitlines() if re.match(r"\| \d+ \|", line)] if part else []
    return {int(number) for number, _, *judges in rows if int(number) <= count and any(j.strip() not in ("-", "not asked") for j in judges)}


class Known:
    """What there is of a unit that a plan may name."""

    def __init__(self, unit):
        text = read(f"tests/rtl/test_{unit}.c")
        conf = SOURCE / f"tests/rtl/formal/{unit}.conf"
        jobs = properties.jobs(conf) if conf.exists() else []
        self.names = {
            "test": directed(text, unit),
            "property": {str(p.number) for p in properties.Unit(str(SOURCE), unit).properties},
            "twin": {str(n) for n in named_twins(unit, read(f"tests/rtl/twins/{unit}.conf"), read("tests/rtl/twins/results.txt"))},
            "copy": set(re.findall(r'\{"([^"]+)",\s*(?:"cw_\w+"|UNIT),', text)),
            "mutant": {str(j.numbers[0]) for j in jobs if j.kind == "refute"},
            "user": {""}}


def cell_faults(number, what, cell, kinds, known):
    found = [] if cell else [f"[{number}]: nothing {what}"]
    for kind, name in cell:
        if kind not in kinds:
            found.append(f"[{number}]: '{kind} {name}' is none of {', '.join(kinds)}")
        elif name not in known.names[kind]:
            found.append(f"[{number}]: there is no {kind} '{name}'" + (" that something names" if kind == "twin" else ""))
    return found


def faults(header, plan, known):
    """What is wrong with a contract's numbers, and with the plan beside them."""
    told = testplan.sentences(header)
    found = [f"a sentence without a number: {sentence}" for sentence in testplan.unnumbered(header)]
    found += [f"[{number}] stands where [{n + 1}] should" for n, (number, _) in enumerate(told) if number != n + 1][:1]
    try:
        rows = testplan.rows(plan)
    except Wrong as wrong:
        return found + [str(wrong)]
    numbers, planned = [n for n, _ in told], [n for n, _, _ in rows]
    found += [f"[{n}] is not in the plan" for n in numbers if n not in planned]
    found += [f"[{n}] is not in the contract, or twice in the plan" for n in planned if n not in numbers or planned.count(n) > 1]
    sentences = dict(told)
    for number, shown, copies in rows:
        if (["user", ""] in shown) != (["user", ""] in copies) or (["user", ""] in shown and not DEMAND.search(sentences.get(number, ""))):
            found.append(f"[{number}]: 'user' is for a demand on the user, and stands in both places")
        found += cell_faults(number, "shows it", shown, ("test", "property", "user"), known)
        found += cell_faults(number, "is broken and named", copies, ("twin", "copy", "mutant", "user"), known)
    return found


class Testplan(unittest.TestCase):
    def test_all_contracts(self):
        for header in sorted((SOURCE / "include/cowarp/unit").glob("*.h")):
            unit, plan = header.stem, read(testplan.PLAN.format(header.stem))
            found = faults(header.read_text(encoding="utf-8"), plan, Known(unit))
            self.assertEqual(found, [], f"tests/rtl/testplan/{unit}.txt beside include/cowarp/unit/{unit}.h:\n" + "\n".join(found))

    def test_each_twin_can_be_planted(self):
        """Each text that a twin replaces stands once in its file, after the replacements of the twin before it."""
        for conf in sorted((SOURCE / "tests/rtl/twins").glob("*.conf")):
            for mistake in twins.Conf(conf.stem).mistakes:
                files = {}
                for name, old, new in mistake.edits:
                    text = files.get(name) or read(name)
                    with self.subTest(conf=conf.name, mistake=mistake.sentence):
                        self.assertEqual(text.count(old), 1, f"'{old}' in {name}")
                    files[name] = text.replace(old, new)

    def refuses(self, text, *, header=("", ""), plan=("", ""), unit="stall_buffer"):
        """The real contract and plan, of which a text is changed, are refused with that text."""
        files = [(facts.contract(unit), header), (read(testplan.PLAN.format(unit)), plan)]
        for whole, (old, _) in files:
            self.assertTrue(old in whole)
        changed = [whole.replace(old, new, 1) if old else whole for whole, (old, new) in files]
        self.assertIn(text, "\n".join(faults(*changed, Known(unit))))

    def test_refuses_gaps(self):
        self.refuses("a sentence without a number: What comes later", header=("[17] ", ""))
        self.refuses("a sentence without a number: Nothing else", header=("of it now", "of it now. Nothing else"))
        self.refuses("[18] stands where [17] should", header=("[17] ", "[18] "))
        self.refuses("[31] is not in the plan", header=("does not change.\n */", "does not change. [31] More.\n */"))
        self.refuses("[17] is not in the plan", plan=("\n17 |", "\n18 |"))
        self.refuses("[31] is not in the contract", plan=("\n30 |", "\n31 |"))
        self.refuses("[2]: nothing is broken and named", plan=("| mutant 10\n", "|\n"))
        self.refuses("[4]: nothing shows it", plan=("test answers_a_cycle_later |", "|"))

    def test_refuses_names_that_there_are_not(self):
        self.refuses("no test 'is_right'", plan=("test answers_a_cycle_later |", "test is_right |"))
        self.refuses("no test 'c_equals_rtl'", plan=("test answers_a_cycle_later |", "test c_equals_rtl |"))
        self.refuses("no property '99'", plan=("property 10", "property 99"))
        self.refuses("no mutant '99'", plan=("mutant 10", "mutant 99"))
        self.refuses("no twin '99' that something names", plan=("twin 8", "twin 99"))
        self.refuses("no copy 'an error'", plan=("copy an empty line is woken", "copy an error"))
        self.refuses("'proof 1' is none of", plan=("property 1 ", "proof 1 "))
        self.refuses("'user' is for a demand", plan=("11 | user | user", "11 | user | mutant 10"))
        self.refuses("'user' is for a demand", plan=("2 | test a_line_that_is_emptied_and_filled_again; property 10 | mutant 10", "2 | user | user"))
        self.refuses("is not NUMBER | what shows it", plan=("11 | user | user", "11 | user"))


if __name__ == "__main__":
    unittest.main()
