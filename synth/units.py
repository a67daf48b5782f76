# SPDX-License-Identifier: Apache-2.0
"""Which units there are and which parameters they have. A unit is rtl/<stem>/cw_<stem>.v with a contract include/cowarp/unit/<stem>.h; nothing else
has to be told."""
import pathlib
import re
import sys
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "scripts" / "results"))

import command_words  # noqa: E402  (after the path is set)


class Failed(Exception):
    """One line for the user: what, where, what to do. status 1: a tool or a check failed; 2: the request was wrong. log: the file in which
    a tool says more; it is in the line, and not in what, which is for pages that outlive the file."""

    def __init__(self, what, status=1, log=None):
        super().__init__(f"{what}; see {log}" if log else what)
        self.what, self.status = what, status


@dataclass(frozen=True)
class Param:
    default: int
    minimum: int
    maximum: int
    text: str


@dataclass(frozen=True)
class Clock:
    """The clock that a unit has to reach, from its contract."""
    mhz: float
    node_nm: int
    source: str


@dataclass
class Unit:
    stem: str
    verilog: pathlib.Path
    params: dict = field(default_factory=dict)  # NAME as in Verilog -> Param
    clock: Clock = None
    ecc: bool = False  # RAMs correct errors (rtl/README.md)

    @property
    def home(self):
        """The folder that has its rtl/ and include/."""
        return self.verilog.parent.parent.parent

    @property
    def top(self):
        return f"cw_{self.stem}"

    @property
    def defines(self):
        return ["-DCW_RAM_ECC"] if self.ecc else []


PARAM = re.compile(r'P\(\s*\w+\s*,\s*(\w+)\s*,\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*,\s*"([^"]*)"\s*\)')


def contract_params(text):
    body = re.search(r"#define\s+CW_\w+_PARAMS\(P\)((?:.*\\\n)*.*\n)", text)
    return {m[0]: Param(int(m[1]), int(m[2]), int(m[3]), m[4]) for m in PARAM.findall(body.group(1))} if body else {}


CLOCK = re.compile(r'#define\s+CW_\w+_CLOCK\(C\)\s*(?:\\\n)?\s*C\(\s*(\d+)\s*,\s*(\d+)\s*,\s*"([^"]+)"\s*\)')


def contract_clock(text, path):
    found = CLOCK.search(text)
    if found is None:
        raise Failed(f"{path}: no clock; a contract has a line like #define CW_<UNIT>_CLOCK(C) C(700, 32, \"paper, and what has this clock\")", 2)
    return Clock(float(found[1]), int(found[2]), found[3])


def verilog_folders(unit):
    """Where its modules may be: its own home, then the source tree, for the library RAMs."""
    return [folder for root in dict.fromkeys((unit.home, ROOT)) for folder in sorted({path.parent for path in root.glob("rtl/*/*.v")})]


def discover(root=ROOT):
    units = {}
    for verilog in sorted(pathlib.Path(root).glob("rtl/*/cw_*.v")):
        stem = verilog.stem[len("cw_"):]
        contract = pathlib.Path(root) / "include" / "cowarp" / "unit" / f"{stem}.h"
        if verilog.parent.name == stem and contract.exists():
            text = contract.read_text()
            units[stem] = Unit(stem, verilog, contract_params(text), contract_clock(text, contract))
    return units


def suggestion(name, names):
    return command_words.hint(name, names, f"there are {', '.join(sorted(names))}")


def find(units, name):
    if name not in units:
        raise Failed(f"unknown unit '{name}'; {suggestion(name, units)}", 2)
    return units[name]


def checked_value(unit, name, text):
    """A parameter's value as a number in the contract's range."""
    if name not in unit.params:
        raise Failed(f"{unit.stem} has no parameter '{name}'; {suggestion(name, unit.params)}", 2)
    param = unit.params[name]
    try:
        value = int(text, 0)
    except ValueError:
        raise Failed(f"{name}={text}: not a number", 2) from None
    if not param.minimum <= value <= param.maximum:
        raise Failed(f"{name}={value}: {unit.stem} takes {param.minimum} to {param.maximum} ({param.text})", 2)
    return value


# A size that stands for the unit where nothing else is asked for, when Yosys takes too long for the default.
STANDARD = {}
# (system, settings) of a run whose GPU has the unit in that size. One that stands in STANDARD alone is in no GPU in that size: no activity is counted.
# The default size of the units of versions is that of a chip with many rows, which preset si-tm does not have.
MANY_ROWS = ("sitm-ts", ("dram.row_bytes=256", "dram.subarray_rows=16384", "mem.mbytes=12288"))
# And one list of readers at its standard size, in place of eight small ones.
ONE_LIST = ("sitm-ts", ("si.lists=1",))
# The parts of a partition, and the slice, which stands for two of them.
PARTS = ("every machine", ("l2.tags_unit=on", "l2.mshr_unit=on", "noc.port_unit=on", "dram.unit=on"))
SLICE = ("every machine", ("l2.slice_unit=on",))
STANDARD_RUN = {"row_copy_engine": MANY_ROWS, "version_index_table": MANY_ROWS, "scalable_reader_list": ONE_LIST, "l2_slice": SLICE,
                **dict.fromkeys(("l2_tags", "l2_mshr", "crossbar_port", "dram_scheduler"), PARTS)}
# An instance in the simulator stands for one at each bank, and is asked by several in a cycle. A trace shows the last of them, and no enable fits it.
SHARED = {"shadow_address"}


def settings(unit, given):
    """NAME=VALUE texts: those given, else the unit's standard size."""
    return given or STANDARD.get(unit.stem, [])


def values(unit, overrides):
    """All parameters: the contract's defaults, then NAME=VALUE texts."""
    result = {name: param.default for name, param in unit.params.items()}
    for item in overrides:
        name, equals, text = item.partition("=")
        if not equals:
            raise Failed(f"--set {item}: expected NAME=VALUE", 2)
        result[name] = checked_value(unit, name, text)
    return result
