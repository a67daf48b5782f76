# SPDX-License-Identifier: Apache-2.0
"""The PTX of a report: each line with what schedulers have waited for there, hot lines marked."""
import hashlib
import pathlib

from charts import PARTS, escape, legend
from causes import key_of, said

KERNELS, LINES = 4, 400  # of a run, of a kernel
MARKED = 0.02            # of a run's cycles: a hot line
BAR = 130                # pixels of the hottest line


def text_of(run, kernel):
    """The lines of the kernel's module; none when it is not as it was."""
    modules = {launch.get("module") for launch in run.made.get("launches", []) if launch["kernel"] == kernel}
    for entry in run.made.get("files", []):
        if entry["role"] != "module" or (None not in modules and entry["path"] not in modules):
            continue
        for folder in (run.made.get("directory") or ".", pathlib.Path(run.path).parent):
            try:
                content = (pathlib.Path(folder) / entry["path"]).read_bytes()
            except OSError:
                continue
            if hashlib.sha256(content).hexdigest() == entry["sha256"]:
                return content.decode("utf-8", errors="replace").splitlines()
    return []


def lines_of(run):
    """{kernel: {line: {cause: cycles}}}, the kernel with most cycles first."""
    found = {}
    for row in run.stats.get("waits", []):
        if "line" in row:
            causes = found.setdefault(row["kernel"], {}).setdefault(row["line"], {})
            causes[key_of(row)[0]] = causes.get(key_of(row)[0], 0) + row["cycles"]
    return dict(sorted(found.items(), key=lambda pair: -sum(sum(causes.values()) for causes in pair[1].values())))


def bar(causes, most, order):
    """Parts of a line's cycles, as long as they are."""
    out, x = [], 0.0
    for cause, cycles in sorted(causes.items(), key=lambda pair: order.index(pair[0])):
        width = BAR * cycles / most
        out.append(f'<rect class="p{order.index(cause) % PARTS}" x="{x:.1f}" y="1" width="{width:.1f}" height="10"><title>{escape(said(cause))}: {cycles:,}</title></rect>')
        x += width
    return f'<svg class="bar" viewBox="0 0 {BAR} 12" width="{BAR}" height="12" role="img" aria-label="{sum(causes.values()):,} cycles">{"".join(out)}</svg>'


def listing(lines, text, whole, order):
    """Rows of a table, from the first line that has cycles to the last one."""
    most, rows = max(sum(causes.values()) for causes in lines.values()), []
    for number in range(min(lines), min(max(lines) + 1, min(lines) + LINES)):
        causes = lines.get(number, {})
        cycles = sum(causes.values())
        greatest = max(causes, key=causes.get) if causes else None
        mark = ' class="hot"' if cycles >= MARKED * whole else ""
        rows.append(f'<tr{mark}><td class="n">{number}</td><td class="n">{f"{100 * cycles / whole:.1f}%" if cycles else ""}</td><td>{bar(causes, most, order) if cycles else ""}</td>'
                    f'<td>{escape(said(greatest)) if mark else ""}</td><td><code>{escape(text[number - 1]) if number <= len(text) else ""}</code></td></tr>')
    head = "".join(f'<th scope="col">{name}</th>' for name in ("line", "share", "cycles", "most of it", "PTX"))
    return f'<div class="scroll" tabindex="0"><table class="lines"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def listings(run):
    """Of each kernel a listing that can be opened; empty without waits."""
    found = lines_of(run)
    whole = sum(sum(causes.values()) for lines in found.values() for causes in lines.values())
    sums = {}
    for causes in (causes for lines in found.values() for causes in lines.values()):
        for cause, cycles in causes.items():
            sums[cause] = sums.get(cause, 0) + cycles
    order = sorted(sums, key=lambda cause: -sums[cause])
    body = [f"<h3>{escape(kernel)} in {escape(run.name)}</h3>{legend([said(cause) for cause in order])}" * (n == 0)
            + f"<details{' open' * (n == 0)}><summary>{escape(kernel)}</summary>{listing(lines, text_of(run, kernel), whole, order)}</details>"
            for n, (kernel, lines) in enumerate(list(found.items())[:KERNELS])]
    return "".join(body)
