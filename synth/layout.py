# SPDX-License-Identifier: Apache-2.0
"""Design rules and netlist of a routed layout, by Debian's magic and netgen-lvs: whether its wires keep the rules of the process, and whether it connects
what the netlist connects.

Cells are known by their abstracts in the library's LEF: their pins and what a wire has to keep away from, without transistors. So the rules are those of
metals and vias. The layout has no straps of power, so each row has a supply of its own, and the supplies are left out of the comparison; a wire that touches
one is told apart."""
import re
import shutil

from tools import run

TECHNOLOGY = "SCN6M_SUBM.10"  # the rules of MOSIS, at the scale of osu018
MAGIC, NETGEN = "magic", "netgen-lvs"
SUPPLIES = ("vdd", "gnd")
STEPS = """path sys +{folder}
tech load {technology} -noprompt
drc off
lef read {lef}
def read unit_route.def
load unit
select top cell
drc euclidean on
drc check
drc catchup
puts "DRC TOTAL [drc list count total]"
foreach {{why boxes}} [drc listall why] {{ puts "DRC RULE [llength $boxes] $why" }}
extract all
ext2spice lvs
ext2spice -o layout_all.spice
quit -noprompt
"""


def available(technology):
    """The tools are there, and the rules are those of the library."""
    return technology.name == "osu018" and shutil.which(MAGIC) is not None and shutil.which(NETGEN) is not None


def circuits(text):
    """A SPICE file: subcircuit -> its pins, and the instances of all as (name, nets, subcircuit)."""
    pins, instances = {}, []
    for words in (line.split() for line in re.sub(r"\n\+ ?", " ", text).splitlines()):
        if words and words[0] == ".subckt":
            pins[words[1]] = words[2:]
        elif words and words[0].startswith("X"):
            instances.append((words[0][1:], words[1:-1], words[-1]))
    return pins, instances


def touched(text):
    """Nets of an extracted layout that join a supply and a signal."""
    pins, instances = circuits(text)
    of = {True: set(), False: set(pins["unit"]) - set(SUPPLIES)}
    for _, nets, kind in instances:
        for pin, net in zip(pins[kind], nets, strict=True):
            of[pin in SUPPLIES].add(net)
    return sorted(of[True] & of[False])


def without_supplies(text):
    """The extracted layout with its signals alone."""
    pins, instances = circuits(text)
    lines = [f".subckt {kind} {' '.join(pin for pin in found if pin not in SUPPLIES)}\n.ends" for kind, found in pins.items() if kind != "unit"]
    lines.append(".subckt unit " + " ".join(pin for pin in pins["unit"] if pin not in SUPPLIES))
    lines += [f"X{name} {' '.join(net for pin, net in zip(pins[kind], nets) if pin not in SUPPLIES)} {kind}" for name, nets, kind in instances]
    return "\n".join(lines + [".ends", ""])


def wanted(netlist, text):
    """What the extracted layout should be: the netlist, with the pins of a cell in the layout's order."""
    pins, _ = circuits(text)
    pins = {kind: [pin for pin in found if pin not in SUPPLIES] for kind, found in pins.items() if kind != "unit"}
    lines = [f".subckt {kind} {' '.join(found)}\n.ends" for kind, found in pins.items()]
    lines.append(".subckt unit " + " ".join(netlist.inputs + netlist.outputs))
    lines += [f"X{name} {' '.join(nets[pin] for pin in pins[kind])} {kind}" for name, kind, nets, _ in netlist.named()]
    return "\n".join(lines + [".ends", ""])


def rules(text):
    """What magic says: how many places break a rule, and of each rule how many rectangles."""
    total = re.search(r"^DRC TOTAL (\d+)$", text, re.M)
    return int(total.group(1)), {m[1]: int(m[0]) for m in re.findall(r"^DRC RULE (\d+) (.*)$", text, re.M)}


def verify(netlist, technology, work):
    """Of the folder's unit_route.def: places that break a design rule, the rules, nets that join a supply and a signal, and whether netgen finds the netlist in
    it. None where the tools are not installed."""
    if not available(technology):
        return None
    folder, lef = technology.liberty.parent, technology.liberty.with_name(f"{technology.name}_stdcells.lef")
    (work / "layout.tcl").write_text(STEPS.format(folder=folder, technology=TECHNOLOGY, lef=lef))
    said = run(["env", "-C", work, MAGIC, "-dnull", "-noconsole", "-rcfile", "/dev/null", "layout.tcl"], work / "magic.log")
    broken, by_rule = rules(said)
    text = (work / "layout_all.spice").read_text()
    (work / "layout.spice").write_text(without_supplies(text))
    (work / "wanted.spice").write_text(wanted(netlist, text))
    said = run(["env", "-C", work, NETGEN, "-batch", "lvs", "layout.spice unit", "wanted.spice unit", folder / f"{technology.name}_setup.tcl", "lvs.out"], work / "netgen.log")
    return {"broken_rules": broken, "rules": by_rule, "touched": touched(text), "same": "Result: Circuits match uniquely." in said}


def sentence(found):
    """What the terminal says of verify()."""
    if found is None:
        return "  layout: not checked; magic and netgen-lvs are not installed, or have no rules of these cells"
    touches = f"; {len(found['touched'])} wires touch a supply" if found["touched"] else ""
    worst = max(found["rules"], key=found["rules"].get, default=None)
    return (f"  layout: {found['broken_rules']} places break a design rule" + (f", most of them {worst}" if worst else "")
            + f"; it connects {'what' if found['same'] else 'other things than'} the netlist does{touches}")


def cell(found):
    """Two cells for synth/tables.txt."""
    if found is None:
        return "-", "-"
    return str(found["broken_rules"]), "equal" if found["same"] and not found["touched"] else "differs"
