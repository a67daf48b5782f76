# SPDX-License-Identifier: Apache-2.0
"""A folder with every figure as a picture, the paper's bars beside ours, and a page to look through."""
import pathlib
import re

from fidelity import item, seeds_text
from pictures import draw
from report import Table
from results import NotComparable, papers_bars, read, stems

PAPERS = {"getm": "GETM (HPCA 2018)", "tbc": "Thread block compaction (Fung's thesis, chapter 3)",
          "kilotm": "Kilo TM (Fung's thesis, chapter 4)", "warptm": "WarpTM (Fung's thesis, chapter 6)", "sbrp": "SBRP (ASPLOS 2023)",
          "sitm": "SI-TM (ISCA 2017)", "matrix": "All systems"}


def section(result, what, published, files):
    """Lines of one experiment; its pictures are put into files, by name."""
    name, lines = result["name"], []
    tables = [Table(**table) for table in result["tables"]]
    for stem, table in zip(stems(name, tables), tables):
        if table.kind != "none":
            files[f"{stem}.svg"] = draw(table, papers_bars(table, published), len(result["seeds"]))
            lines += [f"![{stem}]({stem}.svg)", ""]  # the heading and the picture have the words
    return [f"### {name}: {what}", "", *lines] if lines else []


def shown_before(page):
    """{experiment: its lines} of an earlier page, and the numbers of seeds that it names."""
    parts = re.split(r"(?m)^(?=###? )", page)
    seeds = re.search(r"is ours, with (\d+)(?: to (\d+))? seeds?", " ".join(page.split()))
    return ({part[4:].split(":")[0]: part.rstrip().split("\n") + [""] for part in parts if part.startswith("### ")},
            [int(count) for count in seeds.groups() if count] if seeds else [])


def write(folder, results_folder, what, published, note):
    """Writes the pictures and README.md into folder; experiments that are there already and not made anew stay as they are. what: one line on every
    experiment; published: as loaded by report.py."""
    folder, files = pathlib.Path(folder), {}
    page = folder / "README.md"
    shown, counts = shown_before(page.read_text() if page.exists() else "")
    for result in read(results_folder):
        name = result["name"]
        if name in what:
            shown[name] = section(result, what[name], published.get(name, {}), files)
            counts.append(len(result["seeds"]))
    if not files:
        raise NotComparable(f"{results_folder} holds no result with a picture; name experiments (see --list), or their folder with --out")
    sections = {}
    for name in what:
        sections.setdefault(name.split(".")[0], []).extend(shown.get(name, []))
    lines = ["<!-- SPDX-License-Identifier: Apache-2.0 -->", "# The papers' figures beside ours", "",
             "A table of ratios shows no shape. This page has every figure of the papers that an experiment computes. `cowarp reproduce NAME ... --figures",
             "docs/figures` writes it and its pictures; do not edit them by hand. `cowarp reproduce --claims` prints the claims that belong to them.", "", *(item("", note) + [""] if note else []),
             *item("", f"A picture has one panel per system. The orange bar is the paper's number, where its text states one; the blue bar is ours, with "
                       f"{seeds_text(counts)}; the thin line goes from the least to the greatest of the seeds. "
                       "An axis is logarithmic where the bars are of very different heights. Bars that a paper only draws are not copied from its picture. "
                       "`experiments/published.csv` says where a paper states a bar."), ""]
    for group, text in sections.items():
        if text:
            lines += [f"## {PAPERS.get(group, group)}", "", *text]
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "README.md").write_text("\n".join(lines).rstrip() + "\n")
