# SPDX-License-Identifier: Apache-2.0
"""What was measured on a card, from the tables that profilers write: nvprof --csv (summary, --print-gpu-trace, --metrics, --events), ncu --csv (details
and --page raw), and plain tables with the columns `kernel` and `cycles` or `time_us`. Every reader gives rows of the same kind (class Row)."""
import csv
import dataclasses
import io
import pathlib
import re
import sys

from statsfile import Wrong

TIME, CYCLES, CORE_CYCLES = "time_ns", "cycles", "core_cycles"  # the last: summed over the card's cores
SECTOR = 32
# The profilers' names: what each is here, and by what it is multiplied. A later name of the same quantity replaces an earlier one.
METRICS = {
    "Duration": (TIME, 1), "gpu__time_duration.avg": (TIME, 1), "gpu__time_duration.sum": (TIME, 1), "elapsed_cycles_sm": (CORE_CYCLES, 1),
    "Elapsed Cycles": (CYCLES, 1), "gpc__cycles_elapsed.max": (CYCLES, 1), "sm__cycles_elapsed.avg": (CYCLES, 1), "sm__cycles_elapsed.max": (CYCLES, 1),
    "gld_transactions": ("l1_read_sectors", 1), "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": ("l1_read_sectors", 1),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum": ("l1_fetched_sectors", 1), "l1tex__m_xbar2l1tex_read_sectors.sum": ("l1_fetched_sectors", 1),
    "l2_read_transactions": ("l2_read_sectors", 1), "lts__t_sectors_op_read.sum": ("l2_read_sectors", 1), "lts__t_sectors_srcunit_tex_op_read.sum": ("l2_read_sectors", 1),
    "l2_write_transactions": ("l2_write_sectors", 1), "lts__t_sectors_op_write.sum": ("l2_write_sectors", 1), "lts__t_sectors_srcunit_tex_op_write.sum": ("l2_write_sectors", 1),
    "lts__t_sectors_op_read_lookup_miss.sum": ("l2_fetched_sectors", 1), "lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum": ("l2_fetched_sectors", 1),
    "dram_read_transactions": ("dram_read_bytes", SECTOR), "dram_read_bytes": ("dram_read_bytes", 1), "dram__sectors_read.sum": ("dram_read_bytes", SECTOR),
    "dram__bytes_read.sum": ("dram_read_bytes", 1),
    "dram_write_transactions": ("dram_write_bytes", SECTOR), "dram_write_bytes": ("dram_write_bytes", 1), "dram__sectors_write.sum": ("dram_write_bytes", SECTOR),
    "dram__bytes_write.sum": ("dram_write_bytes", 1),
}
COUNTERS = tuple(dict.fromkeys(ours for ours, _ in METRICS.values() if ours not in (TIME, CYCLES, CORE_CYCLES)))
PLAIN = {CYCLES: (CYCLES, 1), "time_ns": (TIME, 1), "time_us": (TIME, 1e3), "time_ms": (TIME, 1e6), **{name: (name, 1) for name in COUNTERS},
         **{name: metric for name, metric in METRICS.items() if metric[0] != TIME}}
UNITS = {"s": 1e9, "second": 1e9, "ms": 1e6, "msecond": 1e6, "us": 1e3, "usecond": 1e3, "ns": 1, "nsecond": 1,
         **{prefix + word: factor for prefix, factor in (("K", 1e3), ("M", 1e6), ("G", 1e9)) for word in ("byte", "B")}}
ALL = 0  # in the place of a launch: the mean of all


@dataclasses.dataclass
class Row:
    place: str   # file and line
    kernel: str  # as the profiler writes it
    launch: int  # the first is 1; ALL
    values: dict = dataclasses.field(default_factory=dict)


class Table:
    """A heading, and rows with the line of the file that each stands in."""

    def __init__(self, path, heading, rows):
        self.path, self.heading, self.rows = path, heading, rows

    def place(self, line):
        return f"{self.path}:{line}"

    def number(self, text, line, what):
        try:
            return float(text.replace(",", ""))
        except ValueError:
            raise Wrong(f"{self.place(line)}: {what} is {text!r}, and should be a number") from None

    def cells(self):
        """(line, {column: text}) of each row."""
        for line, row in self.rows:
            if len(row) > len(self.heading):
                raise Wrong(f"{self.place(line)}: {len(row)} cells under a heading of {len(self.heading)}; is this one table?")
            yield line, dict(zip(self.heading, row + [""] * (len(self.heading) - len(row))))


def _take(table, row, name, text, unit, line, metrics):
    """The value of a metric goes into the row, if there is one here that it can stand beside."""
    ours, factor = metrics.get(name, (None, 1))
    if ours is None or text.strip() in ("", "n/a", "nan"):
        return
    if ours == TIME and metrics is METRICS and unit not in UNITS:
        raise Wrong(f"{table.place(line)}: {name} has the unit {unit!r}; s, ms, us and ns are known")
    row.values[ours] = table.number(text, line, name) * factor * UNITS.get(unit, 1)


def _numbered(rows):
    """Launches of a kernel are counted in the order of the rows."""
    seen = {}
    for row in rows:
        seen[row.kernel] = row.launch = seen.get(row.kernel, 0) + 1
    return rows


def _ncu_details(table):
    """A line for each metric of each launch."""
    rows = {}
    for line, cell in table.cells():
        row = rows.setdefault(cell["ID"], Row(table.place(line), cell["Kernel Name"], 1))
        _take(table, row, cell["Metric Name"], cell["Metric Value"], cell.get("Metric Unit", ""), line, METRICS)
    return _numbered(list(rows.values()))


def _columns(table, kernel, names=METRICS):
    """A line for each launch, a column for each metric, and a line of units behind the heading."""
    rows, units = [], {}
    for line, cell in table.cells():
        if not cell[kernel]:
            units = units or cell
            continue
        row = Row(table.place(line), re.sub(r" \[\d+\]$", "", cell[kernel]), 1)
        for name, text in cell.items():
            _take(table, row, name, text, units.get(name, ""), line, names)
        if not row.kernel.startswith("[CUDA "):
            rows.append(row)
    return _numbered(rows)


def _nvprof_metrics(table):
    """A line for each metric of a kernel: means over its launches."""
    name = next(column for column in table.heading if column in ("Metric Name", "Event Name"))
    rows = {}
    for line, cell in table.cells():
        row = rows.setdefault(cell["Kernel"], Row(table.place(line), cell["Kernel"], ALL))
        text = re.sub(r"(?i)(B|%|[kmg]?b/s)$", "", cell["Avg"])
        _take(table, row, cell[name], text, "", line, METRICS)
    return list(rows.values())


def _nvprof_summary(table):
    """A line for each kernel: the mean time of its launches."""
    rows, units = [], {}
    for line, cell in table.cells():
        if not cell["Name"]:
            units = cell
        elif cell.get("Type", "GPU activities") == "GPU activities" and not cell["Name"].startswith("[CUDA "):
            rows.append(Row(table.place(line), cell["Name"], ALL))
            _take(table, rows[-1], "Duration", cell["Avg"], units.get("Avg", ""), line, METRICS)
    return rows


def _plain(table):
    rows, unknown = [], [name for name in table.heading if name not in PLAIN and name not in ("kernel", "launch")]
    if unknown:
        print(f"cowarp validate: {table.path}: left out, since no counter here has the name (--metrics lists all): {', '.join(unknown)}", file=sys.stderr)
    for line, cell in table.cells():
        launch = cell.get("launch") or "all"
        if not re.fullmatch(r"all|[1-9]\d*", launch):
            raise Wrong(f"{table.place(line)}: launch is {launch!r}, and should be all, or a number from 1 on")
        rows.append(Row(table.place(line), cell["kernel"], ALL if launch == "all" else int(launch)))
        for name, text in cell.items():
            _take(table, rows[-1], name, text, "", line, PLAIN)
    return rows


# The columns that tell a table, and its reader.
KINDS = (({"ID", "Kernel Name", "Metric Name", "Metric Value"}, _ncu_details), ({"ID", "Kernel Name"}, lambda table: _columns(table, "Kernel Name")),
         ({"Kernel", "Invocations", "Avg"}, _nvprof_metrics), ({"Name", "Calls", "Avg"}, _nvprof_summary), ({"Name", "Duration"}, lambda table: _columns(table, "Name")),
         ({"Device", "Kernel", "Correlation_ID"}, lambda table: _columns(table, "Kernel")), ({"kernel", "cycles"}, _plain), ({"kernel", "time_ns"}, _plain),
         ({"kernel", "time_us"}, _plain), ({"kernel", "time_ms"}, _plain))
HINT = "nvprof --csv, ncu --csv, and tables with the columns kernel and cycles are known"


def lines_of(path):
    """[(line, cells)] of the file's lines that are no comments and no words of a profiler."""
    try:
        text = sys.stdin.read() if path == "-" else pathlib.Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Wrong(f"{path}: is no text; {HINT}") from None
    found, reader = [], csv.reader(io.StringIO(text, newline=""))
    try:
        for cells in reader:
            if cells and not cells[0].startswith(("==", "#")):
                found.append((reader.line_num, cells))
    except csv.Error as error:
        raise Wrong(f"{path}:{reader.line_num}: is no CSV: {error}") from None
    return found


def read(path):
    """The rows of a profiler's table. Raises Wrong where there is none, or none with a time."""
    lines = lines_of(path)
    for at, (_, cells) in enumerate(lines):  # before the heading stands what the program has said
        reader = next((reader for columns, reader in KINDS if columns <= set(cells)), None)
        if reader is not None:
            rows = reader(Table(path, cells, lines[at + 1:]))
            break
    else:
        raise Wrong(f"{path}: has no heading of a profiler's table; {HINT}")
    rows = [row for row in rows if row.values]
    if not rows:
        raise Wrong(f"{path}: has no row with a metric that is known here; see 'cowarp validate --metrics'")
    return rows


def base_name(kernel):
    """A kernel's own name, of a mangled or of a written one: without namespaces, arguments of templates and parameters."""
    mangled = re.match(r"_Z(N[KVr]*)?", kernel)
    if mangled is None:
        plain = re.sub(r"^(void|static|inline) ", "", kernel.strip().replace("(anonymous namespace)", "_"))
        return re.split(r"[<(]", plain)[0].rsplit("::", 1)[-1].strip()
    name, at = kernel, mangled.end()
    while (length := re.match(r"(\d+)", kernel[at:])) is not None:
        at += len(length[1])
        name, at = kernel[at:at + int(length[1])], at + int(length[1])
        if mangled[1] is None:
            break
    return name
