#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A unit's parameters have the same ranges wherever they stand. The list in include/cowarp/unit/<unit>.h says them; `cowarp` and the C model
check against that list. The Verilog says them again, in a generate block that stops elaboration. For each unit this script compares
  - the parameters of the module with the list: names, order, defaults
  - the conditions of the generate blocks g_bad_... with the list: the smallest and the largest value pass, the numbers beyond them do not.
    A parameter without a block of its own has to be passed to a module below that has one, with the same range; a part cw_..._parameters
    speaks for the unit, whatever other parts refuse
  - the comment behind a parameter of the module, "// 2 .. 64", with the list
  - the name of the module that the block makes, which is the message of the error: "..._must_be_2_to_64" has the numbers of the list
  - the C model: its create function calls cw_unit_params_check, and compares no parameter with a number of its own
A list may say "in RTL at most N" of a parameter: hardware that stops earlier than the C model.

Usage: param_ranges.py SOURCE_DIR"""
import pathlib
import re
import sys

LIST = re.compile(r"#define CW_\w+_PARAMS\(P\)(.*?[^\\])\n", re.DOTALL)
ROW = re.compile(r'P\((\w+), (\w+), (\d+), (\d+), (\d+), "([^"]*)"\)')
PARAMETER = re.compile(r"^\s*parameter\s+(?:\[[^\]]*\]\s*)?(\w+)\s*=\s*([^,\n/)]+?)\s*(?:,|//|\n|\))", re.MULTILINE)
COMMENT = re.compile(r"^\s*parameter\s+(?:\[[^\]]*\]\s*)?(\w+)\s*=[^/\n]*//\s*(.*)", re.MULTILINE)
BLOCK = re.compile(r"if \(((?:[^()]|\([^()]*\))*)\) begin : g_bad_\w+\s+(cw_error_\w+)")
RANGE = re.compile(r"_must_be_(\d+)_(?:to|or)_(\d+)$")
INSTANCE = re.compile(r"\b(cw_\w+) #\((.*?)\)\s*\w+ \(", re.DOTALL)
CREATE = re.compile(r"static int \w*create\(void \*\*self, const void \*params\)\n\{(.*?)\n\}", re.DOTALL)


def refuses(condition, name, value):
    """Whether a condition over one parameter holds; a value that a width cannot have does not count."""
    # Nothing is in reach of the condition but the parameter.
    return bool(eval(condition.replace("||", " or ").replace("&&", " and "), {"__builtins__": {}}, {name: value}))


class Ranges:
    def __init__(self, root):
        self.root, self.bad, self.seen = root, [], 0
        self.modules = {path.stem: path.read_text() for path in sorted((root / "rtl").rglob("cw_*.v"))}

    def conditions(self, module, name):
        """What g_bad_ blocks ask of this parameter alone: [(condition, name there, error)], of the module or of those below it."""
        text = self.modules[module]
        own = []
        for condition, error in BLOCK.findall(text):  # what compares it with another parameter is not about its range
            parts = [part for part in condition.split("||") if set(re.findall(r"[A-Za-z_]\w*", part)) == {name}]
            if parts:
                own.append(("||".join(parts), name, error))
        below, spoken = [], []
        for inner, connections in INSTANCE.findall(text.split("\n);", 1)[-1]) if not own else []:
            for port, value in re.findall(r"\.(\w+)\s*\(([^()]*)\)", connections):
                if value.strip() == name and inner in self.modules and inner != module:
                    (spoken if inner.endswith("_parameters") else below).extend(self.conditions(inner, port))
        return own or spoken or below

    def check_range(self, unit, name, least, most):
        found = self.conditions(f"cw_{unit}", name)
        if not found:
            self.bad.append(f"{unit}: the Verilog does not refuse any value of {name}; the list says {least} to {most}")
        for value, wrong in ((least, False), (most, False), (least - 1, True), (most + 1, True)):
            if found and value >= 0 and any(refuses(c, there, value) for c, there, _ in found) != wrong:
                self.bad.append(f"{unit}: the Verilog {'takes' if wrong else 'refuses'} {name} = {value}; the list says {least} to {most}")
        for _, there, error in found:
            said = RANGE.search(error)
            if said and there == name and (int(said[1]), int(said[2])) != (least, most):
                self.bad.append(f"{unit}: {error} is the message for {name}; the list says {least} to {most}")

    def check_c(self, unit):
        path = self.root / f"csim/unit/{unit}.c"
        create = CREATE.search(path.read_text())
        if create is None or f"cw_unit_params_check(&cw_{unit}_unit, p, NULL) != CW_OK" not in create[1]:
            self.bad.append(f"{unit}: create of the C model does not check its parameters against the list")
        elif (own := re.search(r"p->\w+ [<>]=? \d+|p->\w+ [!=]= \d+ &&", create[1].split("CW_EINVAL")[0])) is not None:
            self.bad.append(f"{unit}: create of the C model has a range of its own: {own[0]}")

    def check(self, header):
        unit, rows = header.stem, LIST.search(header.read_text())
        if rows is None:
            return
        rows = ROW.findall(rows[1])
        module = self.modules.get(f"cw_{unit}")
        if module is None:
            self.bad.append(f"{unit}: no rtl/*/cw_{unit}.v")
            return
        has, comments = dict(PARAMETER.findall(module.split("\n);", 1)[0])), dict(COMMENT.findall(module.split("\n);", 1)[0]))
        want = [name for _, name, *_ in rows]
        if [name for name in has if name in want] != want:
            self.bad.append(f"{unit}: the list has the parameters {', '.join(want)}, the Verilog {', '.join(has)}")
        for _, name, default, least, most, what in rows:
            self.seen += 1
            if has.get(name) not in (None, default):
                self.bad.append(f"{unit}: {name} is {has[name]} by default in Verilog, {default} in the list")
            stop = re.search(r"in RTL at most (\d+)", what)
            most = stop[1] if stop else most
            self.check_range(unit, name, int(least), int(most))
            said = re.match(r"(\d+) \.\. (\d+)\b", comments.get(name, ""))
            if said and (said[1], said[2]) != (least, most):
                self.bad.append(f"{unit}: the comment on {name} in the Verilog says {said[0]}, the list {least} to {most}")
        self.check_c(unit)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    ranges = Ranges(root)
    for header in sorted((root / "include/cowarp/unit").glob("*.h")):
        ranges.check(header)
    print("\n".join(ranges.bad))
    print(f"{ranges.seen} parameters, {len(ranges.bad)} wrong")
    return 1 if ranges.bad or ranges.seen == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
