# SPDX-License-Identifier: Apache-2.0
"""What the machine allows beside what a run has reached: a roofline of its kernels (Williams, Waterman, Patterson: CACM 52(4), 2009), in thread
instructions and bytes, and what memory has moved between its levels."""
import math

from charts import PARTS, WIDTH, escape, legend, short

LEFT, HEIGHT, TOP, BOTTOM = 64, 300, 14, 44


class Machine:
    """Roofs of a preset. issue: thread instructions per core cycle; bytes per core cycle by level."""

    def __init__(self, config):
        self.issue = config["core.count"] * config["core.schedulers"] * config["core.warp_width"] / config["core.issue_cycles"]
        of_core = config["clock.core"]
        self.dram = config["partition.count"] / config["dram.sharing"] * config["dram.bytes_per_cycle"] * config["clock.dram"] / of_core
        self.crossbar = config["partition.count"] * config["noc.flit_bytes"] * config["clock.noc"] / of_core
        self.roofs = (("DRAM", self.dram), ("crossbar down", self.crossbar))


def bytes_of(counters, config):
    """{level: bytes}; counters: {name: value}."""
    return {"DRAM": (counters.get("dram_reads", 0) + counters.get("dram_writes", 0)) * config["dram.burst_bytes"],
            "crossbar down": counters.get("noc_down_flits", 0) * config["noc.flit_bytes"], "crossbar up": counters.get("noc_up_flits", 0) * config["noc.flit_bytes"]}


def kernels_of(stats):
    """[(name, cycles, counters)] of the launches of each kernel together, when the run has counted them; else of the whole run."""
    found = {}
    for row in stats.get("per_launch", []):
        if row["kernel"] and row["cycles"]:
            cycles, counters = found.get(row["kernel"], (0, {}))
            found[row["kernel"]] = cycles + row["cycles"], {name: counters.get(name, 0) + row["counters"].get(name, 0) for name in {*counters, *row["counters"]}}
    if found:
        return [(name, *pair) for name, pair in found.items()]
    return [("all launches", stats["cycles"], {name: entry["value"] for name, entry in stats["counters"].items()})] if stats["cycles"] else []


def points_of(stats):
    """[(kernel, level, thread instructions per byte, per cycle)] of what has moved bytes."""
    found = []
    for name, cycles, counters in kernels_of(stats):
        moved = bytes_of(counters, stats["config"])
        found += [(name, level, counters["thread_instructions"] / moved[level], counters["thread_instructions"] / cycles)
                  for level, _ in Machine(stats["config"]).roofs if moved[level] and counters.get("thread_instructions")]
    return found


class Axes:
    """Logarithmic in both directions, whole decades."""

    def __init__(self, xs, ys):
        self.x, self.y = self.decades(xs), self.decades(ys)

    @staticmethod
    def decades(values):
        return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)

    def at(self, x, y):
        across = (math.log10(x) - self.x[0]) / (self.x[1] - self.x[0])
        up = (math.log10(y) - self.y[0]) / (self.y[1] - self.y[0])
        return LEFT + (WIDTH - LEFT - 16) * across, TOP + (HEIGHT - TOP - BOTTOM) * (1 - up)

    def grid(self):
        for power in range(self.x[0], self.x[1] + 1):
            x, y = self.at(10.0 ** power, 10.0 ** self.y[0])
            yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{y:.1f}"/><text class="tick" x="{x:.1f}" y="{y + 15:.1f}" text-anchor="middle">{short(10.0 ** power)}</text>'
        for power in range(self.y[0], self.y[1] + 1):
            x, y = self.at(10.0 ** self.x[0], 10.0 ** power)
            yield f'<line class="grid" x1="{x:.1f}" x2="{WIDTH - 16}" y1="{y:.1f}" y2="{y:.1f}"/><text class="tick" x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{short(10.0 ** power)}</text>'


def roofline(stats):
    """The SVG, with its legend; "" where nothing was counted."""
    machine, points = Machine(stats["config"]), points_of(stats)
    if not points:
        return ""
    ridges = [machine.issue / rate for _, rate in machine.roofs]
    axes = Axes([x / 2 for _, _, x, _ in points] + [2 * x for _, _, x, _ in points] + [r / 10 for r in ridges] + [4 * r for r in ridges], [y / 2 for *_, y in points] + [machine.issue * 1.5])
    right, floor = 10.0 ** axes.x[1], 10.0 ** axes.y[0]
    out = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Roofline">', *axes.grid()]
    for number, (level, rate) in enumerate(machine.roofs):
        corners = [(max(10.0 ** axes.x[0], floor / rate), None), (machine.issue / rate, machine.issue), (right, machine.issue)]
        path = " ".join("{:.1f},{:.1f}".format(*axes.at(x, min(machine.issue, x * rate) if y is None else y)) for x, y in corners)
        out.append(f'<polyline class="roof l{number}" points="{path}"><title>{escape(level)}: {rate:.1f} bytes per core cycle; issue: {machine.issue:.0f} thread instructions</title></polyline>')
    for name, level, x, y in points:
        number = [roof for roof, _ in machine.roofs].index(level)
        cx, cy = axes.at(x, y)
        most = min(machine.issue, x * dict(machine.roofs)[level])
        out.append(f'<circle class="p{number % PARTS}" cx="{cx:.1f}" cy="{cy:.1f}" r="5"><title>{escape(name)}, {level}: {x:.3g} thread instructions per byte, {y:.3g} per cycle; '
                   f'{100 * y / most:.0f}% of the roof</title></circle>')
        if level == machine.roofs[0][0]:
            out.append(f'<text x="{cx + 8:.1f}" y="{cy + 4:.1f}">{escape(name[:28])}</text>')
    out.append(f'<text class="tick" x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">thread instructions / byte</text>'
               f'<text class="tick" transform="translate(14 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">thread instructions / core cycle</text></svg>')
    return legend([level for level, _ in machine.roofs]) + "".join(out)


def roof_rows(stats):
    """Rows of a table beside the picture: kernel, level, per byte, per cycle, percent of the roof."""
    machine = Machine(stats["config"])
    rates = dict(machine.roofs)
    return [[name, level, f"{x:.3g}", f"{y:.3g}", f"{100 * y / min(machine.issue, x * rates[level]):.0f}%"] for name, level, x, y in points_of(stats)]


def levels(stats):
    """[(level, what has come to it, hits, bytes to the next level)] from the cores to DRAM."""
    value = {name: entry["value"] for name, entry in stats["counters"].items()}.get
    moved = bytes_of({name: entry["value"] for name, entry in stats["counters"].items()}, stats["config"])

    def hits(reads, misses):
        return f"{100 * (1 - value(misses, 0) / value(reads, 0)):.0f}% of {short(value(reads, 0))} reads hit" if value(reads, 0) else "no reads"
    shared = f", {short(value('shared_conflict_cycles', 0))} conflict cycles" if value("shared_conflict_cycles", 0) else ""
    return [("cores", f"{short(value('mem_instructions', 0))} loads and stores", f"{short(value('mem_accesses', 0))} lines"),
            ("shared memory", f"{short(value('shared_accesses', 0))} instructions{shared}", ""),
            ("L1", hits("l1_reads", "l1_read_misses"), f"{short(moved['crossbar up'])}B up, {short(moved['crossbar down'])}B down"),
            ("L2", hits("l2_reads", "l2_read_misses"), f"{short(moved['DRAM'])}B"),
            ("DRAM", f"{short(value('dram_row_hits', 0))} row hits, {short(value('dram_activates', 0))} activations", "")]


def memory_chart(stats):
    """Boxes from the cores to DRAM, with what goes between them."""
    wide, high, gap = 132, 62, 74
    boxes = [box for box in levels(stats) if box[0] != "shared memory"]
    out = [f'<svg viewBox="0 0 {WIDTH} 176" role="img" aria-label="Memory">']

    def box(x, y, name, lines):
        out.append(f'<rect class="box" x="{x}" y="{y}" width="{wide}" height="{high}"/><text x="{x + 8}" y="{y + 18}" font-weight="600">{escape(name)}</text>')
        out.extend(f'<text class="tick" x="{x + 8}" y="{y + 36 + 15 * n}">{escape(line)}</text>' for n, line in enumerate(lines))
    for number, (name, what, to_next) in enumerate(boxes):
        x = 4 + number * (wide + gap)
        box(x, 10, name, what.split(", "))
        if number + 1 < len(boxes):
            mid = x + wide + gap / 2
            out.append(f'<line class="grid" x1="{x + wide + 4}" x2="{x + wide + gap - 4}" y1="41" y2="41"/>')
            out.extend(f'<text class="tick" x="{mid}" y="{34 + 24 * n}" text-anchor="middle">{escape(part)}</text>' for n, part in enumerate(to_next.split(", ")))
    _, what, _ = next(level for level in levels(stats) if level[0] == "shared memory")
    box(4, 104, "shared memory", what.split(", "))
    out.append('<line class="grid" x1="72" x2="72" y1="74" y2="102"/></svg>')
    return "".join(out)
