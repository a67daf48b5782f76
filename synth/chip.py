# SPDX-License-Identifier: Apache-2.0
"""What the units of a mechanism take of a whole chip: all instances of a preset, from the figures that reference.json keeps. No tool is run."""
import csv
import pathlib
import re
import subprocess
import tomllib
from dataclasses import dataclass

import compiler
import sources
import sram
import tools
from units import Failed, suggestion

CHIPS = pathlib.Path(__file__).resolve().parent / "chips.csv"
OFF = 1.5  # times the paper's area
RAM = re.compile(r"(\d+) x (\d+)x(\d+) \((1RW|1R1W|(\d+) ports)\)")


@dataclass(frozen=True)
class Die:
    """A chip to compare with: mm2 at a node, and who says so."""
    mm2: float
    node_nm: int
    source: str


FERMI = Die(520.0, 40, "Fermi, Fung 2015, 4.4.4")
GTX_480 = Die(368.0, 32, "GTX 480 scaled to 32 nm, of which GETM's 0.736 mm2 are 0.2 percent (GETM VI)")
DIES = {"kilo": FERMI, "tbc": FERMI, "sitm": FERMI, "getm": GTX_480, "warptm": GTX_480, "eapg": GTX_480,
        "localtm": Die(365.0, 28, "Tahiti (HD 7970) at 28 nm, as reviews of 2011 give it")}


def rows():
    with CHIPS.open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def names():
    return list(dict.fromkeys(row["chip"] for row in rows()))


def machine(command, preset):
    """Numbers of a preset that counts are made of."""
    try:
        text = subprocess.run([str(command), "config", "--preset", preset], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as bad:
        raise Failed(f"'{command} config --preset {preset}' failed: {bad}; --cowarp names the simulator", 2) from None
    config = tomllib.loads(text)
    return {"cores": config["core"]["count"], "partitions": config["partition"]["count"], "resolvers": config["tm"]["resolvers"]}


def count(text, numbers):
    """A product of numbers and names of a machine's numbers: cores*32."""
    product = 1
    for word in text.split("*"):
        product *= numbers[word] if word in numbers else int(word)
    return product


def macros(rams):
    """(count, sram.Macro) of each shape that reference.json names: 4 x 256x123 (1R1W)."""
    ports = {"1RW": 1, "1R1W": 2}
    return [(int(n), sram.Macro(int(rows_), int(width), ports.get(kind) or int(more))) for n, rows_, width, kind, more in RAM.findall(rams)]


def sram_mm2(rams, node_nm):
    return sum(n * compiler.estimate(macro, node_nm).area_um2 for n, macro in macros(rams)) / 1e6


@dataclass
class Line:
    """All instances of a unit, or of a structure of the paper that no unit holds. Areas in mm2, power in mW; None: not known."""
    what: str
    instances: int
    logic: float
    logic_least: float
    logic_greatest: float
    ram: float
    power: float = None
    gated: float = None
    paper: float = None
    alike: bool = False  # the power is that of the instance that was counted, times the instances
    why: str = ""        # the cause, where the area is not the paper's

    @property
    def area(self):
        return self.logic + self.ram

    @property
    def is_off(self):
        """Whether its area is so far from the paper's that it needs a cause."""
        return self.paper is not None and not 1 / OFF <= self.area / self.paper <= OFF


def mean_mw(entry, busy, idle):
    """Of an instance that is asked as often as the mean of all: between one that is never asked and the busiest, which was counted. Where the load of the
    others is not known, of the one that was counted."""
    return entry[idle] + (entry[busy] - entry[idle]) * entry["load"] if idle in entry and busy in entry else entry.get(busy)


def paper_mm2(row):
    published = {line["id"]: line for line in sram.published()}
    ids = row["published"].split("+") if row["published"] else []
    return sum(published[name]["area_mm2"] for name in ids) if ids else None


def unit_line(row, entry, instances, node_nm):
    shrink = tools.scale(180, node_nm)
    mm2 = entry["logic_um2"] / 1e6 * instances
    busy, gated = mean_mw(entry, "power_mw", "idle_mw"), mean_mw(entry, "gated_power_mw", "idle_gated_mw")
    times = lambda value: None if value is None else value * instances
    return Line(row["unit"], instances, mm2 * shrink.area, mm2 * shrink.area_least, mm2 * shrink.area_greatest, instances * sram_mm2(entry["rams"], node_nm),
                times(busy), times(gated), paper_mm2(row), busy is not None and "idle_mw" not in entry)


def structure_line(row, node_nm):
    """A structure that no unit holds: the SRAM model on the paper's size."""
    published = next(line for line in sram.published() if line["id"] == row["published"])
    area, dynamic, leak = sram.of_row({**published, "node_nm": node_nm}, sram.load_factors())
    return Line(f"{published['structure']} (no unit)", published["instances"], 0.0, 0.0, 0.0, area, dynamic + leak, dynamic + leak, published["area_mm2"])


def lines_of(chip, reference, command, node_nm):
    chosen = [row for row in rows() if row["chip"] == chip]
    if not chosen:
        raise Failed(f"--system {chip}: {suggestion(chip, names())}", 2)
    numbers, found = machine(command, chosen[0]["preset"]), []
    for row in chosen:
        if row["unit"] and row["unit"] not in reference:
            raise Failed(f"{row['unit']}: not in the reference; run 'cowarp synth {row['unit']} --renew-reference'")
        line = (unit_line(row, reference[row["unit"]], count(row["count"], numbers), node_nm) if row["unit"] else structure_line(row, node_nm))
        line.why = row["why"]
        found.append(line)
    return chosen[0]["preset"], numbers, found


def sums(found):
    total = lambda name: sum(getattr(line, name) for line in found)
    return {"area": total("area"), "least": total("logic_least") + total("ram"), "greatest": total("logic_greatest") + total("ram"),
            "power": sum(line.power or 0.0 for line in found), "gated": sum(line.gated or line.power or 0.0 for line in found),
            "without_power": [line.what for line in found if line.power is None], "alike": [line.what for line in found if line.alike],
            "paper": sum(line.paper or 0.0 for line in found)}


def die_sentence(chip, total, node_nm):
    if chip not in DIES:
        return "No die is known to compare with."
    die = DIES[chip]
    mm2 = die.mm2 * (tools.factors.at("area", die.node_nm).value / tools.factors.at("area", node_nm).value)
    at = "" if node_nm == die.node_nm else f", {mm2:.0f} mm2 if it shrank as logic does to {node_nm} nm"
    return f"{100 * total['area'] / mm2:.2g} percent of a die of {die.mm2:.0f} mm2 at {die.node_nm} nm ({die.source}){at}."


def causes(found):
    """A sentence for each line that is far from the paper's area, and for each whose figures are older than its Verilog or this flow."""
    older = sources.known_older()
    told = [f"{line.what}, {line.area / line.paper:.2g} times the paper's: {line.why}." for line in found if line.is_off]
    return told + [f"{line.what}, older figures: {older[line.what]}." for line in found if line.what in older]


def text(chip, reference, command, node_nm, table):
    """The table of a chip, and what it adds up to. table: report.table."""
    preset, numbers, found = lines_of(chip, reference, command, node_nm)
    form = lambda value, digits=3: "" if value is None else f"{value:.{digits}g}"
    watts = lambda value: "not counted" if value is None else f"{value / 1e3:.3g}"
    head = ("unit", "instances", "logic mm2", "range", "SRAM mm2", "mm2", "paper mm2", "W", "with clock gates")
    body = [(line.what, line.instances, form(line.logic), f"{form(line.logic_least)} to {form(line.logic_greatest)}" if line.logic else "", form(line.ram),
             form(line.area), form(line.paper), watts(line.power), watts(line.gated)) for line in found]
    total = sums(found)
    notes = [f"Without {', '.join(total['without_power'])}, whose activity was not counted."] if total["without_power"] else []
    notes += [f"The power of {', '.join(total['alike'])} is that of one instance of the run times all; the others were not counted."] if total["alike"] else []
    told = [f"{chip}: preset {preset}, {numbers['cores']} cores, {numbers['partitions']} partitions; at {node_nm} nm, estimates (docs/synthesis.md)", "",
            table(head, body), "",
            f"In all {total['area']:.3g} mm2, {total['least']:.3g} to {total['greatest']:.3g} by the spread of logic areas, and {total['power'] / 1e3:.3g} W, "
            f"with clock gates {total['gated'] / 1e3:.3g} W.", *notes, *causes(found), die_sentence(chip, total, node_nm)]
    return "\n".join(told)
