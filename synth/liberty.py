# SPDX-License-Identifier: Apache-2.0
"""Cell libraries in Liberty files: which of their cells the flow can use, what those are for, and one file of them for all tools.

A library may come in several files and packed. Yosys, ABC and OpenSTA then read one plain file, of the cells that the flow uses: gates of
which each output has a function, and flip-flops without a scan chain. So no tool maps a clock gate, a filler or a cell of another supply."""
import fnmatch
import functools
import gzip
import itertools
import pathlib
import re
from dataclasses import dataclass

from units import Failed

TOKEN = re.compile(r'"[^"]*"|[{}]')
HEAD = re.compile(r'(\w+)\s*\(([^(){}]*)\)\s*$')
DRIVER_STRENGTH = 4.0  # a port's driver, in input capacitances of the smallest inverter
LOAD_INVERTERS = 3.0   # a port's load, in the same


@dataclass(frozen=True)
class Cell:
    """area: um2. leak_nw: leakage, or None where the library states none for the cell as a whole. flop: holds a bit. inputs: pin -> pF; outputs: pin ->
    function, '' where the library states none."""
    name: str
    area: float
    leak_nw: float
    flop: bool
    set_or_reset: bool
    inputs: dict
    outputs: dict


@dataclass(frozen=True)
class Library:
    """name, supply (V) and cells of one file that the flow reads."""
    name: str
    volt: float
    cells: dict

    @property
    def flops(self):
        return frozenset(name for name, cell in self.cells.items() if cell.flop)

    @property
    def areas(self):
        return {name: cell.area for name, cell in self.cells.items()}

    def smallest(self, wanted):
        """The cell with the least area, then the least name, of those that `wanted` accepts; or None."""
        return min(filter(wanted, self.cells.values()), key=lambda c: (c.area, c.name), default=None)

    def roles(self):
        """um2 of the cells that estimates by hand need: flop, and, mux (either polarity). A role that the library lacks is not there."""
        found = {"flop": self.smallest(lambda c: c.flop and not c.set_or_reset) or self.smallest(lambda c: c.flop),
                 "and": self.smallest(lambda c: is_a(c, AND)), "mux": self.smallest(lambda c: is_a(c, MUX))}
        return {role: cell.area for role, cell in found.items() if cell}

    def driver(self):
        """(name of the inverter that drives ports, load of a port in fF)."""
        inverters = {c.name: next(iter(c.inputs.values())) for c in self.cells.values() if is_a(c, NOT)}
        if not inverters:
            raise Failed(f"library {self.name}: no inverter, so nothing can drive a port", 2)
        least = min(inverters.values())
        name = min(inverters, key=lambda n: (abs(inverters[n] - DRIVER_STRENGTH * least), n))
        return name, 1000 * LOAD_INVERTERS * least


# ------------------------------------------------------------------------------------------- what a cell does

NOT, AND = {(1, 0)}, {(0, 0, 0, 1)}
# Select as any of three pins, either input first, either polarity.
MUX = {tuple(v ^ pins[order[1 + (pins[order[0]] == 1)]] for pins in itertools.product((0, 1), repeat=3))
       for order in itertools.permutations(range(3)) for v in (0, 1)}


class Function:
    """A Liberty function over pins: ! and ' are NOT, * & and nothing are AND, + | are OR, ^ is exclusive or."""

    def __init__(self, text):
        self.tokens, self.at = re.findall(r"\w+|[!'*&+|^()]", text), 0

    def next_is(self, *wanted):
        return self.at < len(self.tokens) and self.tokens[self.at] in wanted

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def value(self, pins):
        self.at = 0
        return self.either(pins)

    def either(self, pins):
        found = self.exclusive(pins)
        while self.next_is("+", "|"):
            self.take()
            found |= self.exclusive(pins)
        return found

    def exclusive(self, pins):
        found = self.both(pins)
        while self.next_is("^"):
            self.take()
            found ^= self.both(pins)
        return found

    def both(self, pins):
        found = self.one(pins)
        while self.at < len(self.tokens) and not self.next_is("+", "|", "^", ")"):
            if self.next_is("*", "&"):
                self.take()
            found &= self.one(pins)
        return found

    def one(self, pins):
        word = self.take()
        if word == "!":
            return 1 - self.one(pins)
        if word == "(":
            found = self.either(pins)
            self.take()
        else:
            found = pins[word] if word in pins else int(word)
        while self.next_is("'"):
            self.take()
            found = 1 - found
        return found


def truth(cell):
    """The output's value for each value of the inputs, the first input being the slowest; None for a cell of another shape."""
    if cell.flop or len(cell.outputs) != 1 or not 1 <= len(cell.inputs) <= 3:
        return None
    function = Function(next(iter(cell.outputs.values())))
    try:
        return tuple(function.value(dict(zip(cell.inputs, bits))) for bits in itertools.product((0, 1), repeat=len(cell.inputs)))
    except (IndexError, ValueError):
        return None  # a word that is no pin


def is_a(cell, tables):
    return truth(cell) in tables


# ------------------------------------------------------------------------------------------- reading

def plain_text(path):
    """The file's text without comments; .gz is unpacked."""
    try:
        data = pathlib.Path(path).read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError) as bad:
        raise Failed(f"--liberty {path}: {getattr(bad, 'strerror', None) or bad}", 2) from None
    return re.sub(r"/\*.*?\*/", "", data.decode("utf-8", "replace"), flags=re.S)


def statements(text):
    """(what stands before, kind, name, begin, end) of each group directly in the text: kind (name) { ... }."""
    depth, begin, last = 0, 0, 0
    for token in TOKEN.finditer(text):
        mark = token.group()
        if mark == "{":
            if depth == 0:
                begin = token.end()
            depth += 1
        elif mark == "}":
            depth -= 1
            if depth == 0:
                head = HEAD.search(text[last:begin - 1])
                if head:
                    yield text[last:last + head.start()], head[1], head[2].strip().strip('"'), last + head.start(), token.end()
                last = token.end()
    if depth:
        raise ValueError("a brace is not closed")


def inside(text):
    """What stands between the outer braces of a group."""
    return text[text.index("{") + 1:text.rindex("}")]


def attribute(text, name, default=None):
    found = re.search(rf"\b{name}\s*:\s*\"?([^\";\n]+)\"?\s*;?", text)
    return found[1].strip() if found else default


def nanowatts(body):
    """What the library's unit of leakage is, 0 where it states none."""
    found = re.fullmatch(r"([\d.]+)\s*([munp])W", attribute(body, "leakage_power_unit", "") or "")
    return float(found[1]) * {"m": 1e6, "u": 1e3, "n": 1.0, "p": 1e-3}[found[2]] if found else 0.0


def read_cell(name, body, picofarad, nanowatt=1.0):
    """A cell, or None for one that the flow does not use."""
    groups = [(kind, label, body[begin:end]) for _, kind, label, begin, end in statements(body)]
    kinds = {kind for kind, _, _ in groups}
    flat = "".join(before for before, *_ in statements(body))
    flat += body[list(statements(body))[-1][4]:] if groups else body
    inputs, outputs = {}, {}
    for _, label, text in (g for g in groups if g[0] == "pin"):
        if attribute(text, "direction") == "input":
            inputs[label] = float(attribute(text, "capacitance", "0")) * picofarad
        elif attribute(text, "direction") == "output":
            outputs[label] = attribute(text, "function", "")
    flop = "ff" in kinds
    left_out = kinds & {"latch", "statetable", "test_cell", "ff_bank", "latch_bank"} or attribute(flat, "dont_use") == "true" \
        or "clock_gating_integrated_cell" in flat or not outputs or not all(outputs.values())
    if left_out or attribute(flat, "area") is None:
        return None
    state = next((text for kind, _, text in groups if kind == "ff"), "")
    leak = attribute(flat, "cell_leakage_power")
    leak_nw = None if leak is None else float(leak) * nanowatt
    return Cell(name, float(attribute(flat, "area")), leak_nw, flop, bool(re.search(r"\b(clear|preset)\s*:", state)), inputs, outputs)


def picofarads(body, where):
    found = re.search(r"capacitive_load_unit\s*\(\s*([\d.eE+-]+)\s*,\s*\"?(\w+)\"?\s*\)", body)
    unit = found and {"pf": 1.0, "ff": 1e-3}.get(found[2].lower())
    if not unit:
        raise Failed(f"{where}: no capacitive_load_unit in pf or ff", 2)
    return float(found[1]) * unit


def parts(path):
    """(name of the library, what stands in it before and between its cells as a list, {cell: text})."""
    text = plain_text(path)
    try:
        found = [(name, inside(text[begin:end])) for _, kind, name, begin, end in statements(text) if kind == "library"]
        if len(found) != 1:
            raise ValueError("it has no group library (...), so it is no Liberty file")
        name, body = found[0]
        common, cells = [], {}
        for before, kind, label, begin, end in statements(body):
            common.append(before)
            if kind == "cell":
                cells[label] = body[begin:end]
            else:
                common.append(body[begin:end] + "\n")
    except ValueError as bad:
        raise Failed(f"--liberty {path}: {bad}", 2) from None
    return name, common, cells


@functools.lru_cache(maxsize=None)
def read(path):
    """The library in a file that is one already."""
    name, common, texts = parts(path)
    body = "".join(common)
    picofarad, nanowatt = picofarads(body, path), nanowatts(body)
    cells = {label: read_cell(label, inside(text), picofarad, nanowatt) for label, text in texts.items()}
    return Library(name, float(attribute(body, "nom_voltage", "0")), {label: cell for label, cell in cells.items() if cell})


TEMPLATE = re.compile(r"^(\w*template\w*|normalized_driver_waveform)$")


def renamed(texts, common, number):
    """Templates of a further file under names of its own, for another file may have others of the same name."""
    templates, names = [], set()
    for text in common:
        head = re.match(r"\s*(\w+)\s*\(([^(){}]*)\)\s*\{", text)
        if head and TEMPLATE.match(head[1]) and head[1] != "normalized_driver_waveform":
            names.add(head[2].strip().strip('"'))
            templates.append(text)
    if not names:
        return texts, templates
    ours = re.compile(r"\(\s*\"?(" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")\"?\s*\)")
    new = lambda text: ours.sub(lambda m: f"({m[1]}_{number})", text)
    return {label: new(text) for label, text in texts.items()}, [new(text) for text in templates]


def join(paths, unwanted, target):
    """Writes the cells of some files, which the flow can use and no pattern of `unwanted` names, as one library. Returns it as read() does."""
    name, common, texts = parts(paths[0])
    for number, path in enumerate(paths[1:], 1):
        _, more, cells = parts(path)
        if picofarads("".join(more), path) != picofarads("".join(common), paths[0]) \
                or attribute("".join(more), "time_unit") != attribute("".join(common), "time_unit"):
            raise Failed(f"--liberty {path}: its units of time or capacitance are not those of {paths[0]}", 2)
        cells, templates = renamed(cells, more, number)
        common, texts = common + templates, {**texts, **{label: text for label, text in cells.items() if label not in texts}}
    picofarad = picofarads("".join(common), paths[0])
    kept = [text for label, text in texts.items()
            if not any(fnmatch.fnmatchcase(label, pattern) for pattern in unwanted) and read_cell(label, inside(text), picofarad)]
    target.write_text(f"library ({name}) {{\n{''.join(common)}\n" + "\n".join(kept) + "\n}\n")
    read.cache_clear()
    library = read(target)
    for role in ("flop", "and"):
        if role not in library.roles():
            raise Failed(f"--liberty {', '.join(map(str, paths))}: no {'flip-flop' if role == 'flop' else 'AND gate of two inputs'} that the flow can use", 2)
    return library
