# SPDX-License-Identifier: Apache-2.0
"""What an experiment leaves behind: CSV, pictures, a page with the paper's claims beside ours, and JSON, which other pages are made of."""
import json
import pathlib

import runs  # noqa: F401  (it puts the folder of schema.py into the path)
import schema
from pictures import draw
from report import Table, markdown, write_csv

TINY = "Tiny inputs (--quick): these numbers mean nothing"
NO_VERDICTS = f"{TINY}, so no claim is judged.\n"


def verdict_text(verdict):
    """crosses: with some seeds the claim holds, with others it does not. turns: with another size of the inputs it does not."""
    return ("yes" if verdict["holds"] else "no") + (", crosses" if verdict["crosses"] else "") + (", turns" if verdict.get("turns") else "")


COLUMNS = ("here", "range", "worst", "active", "sizes")  # of a verdict, beside its claim
HEADS = ("here", "range", "worst program", "cores active, %", "other sizes")


def shown(verdict):
    """Its columns; those that results of an older version do not have are not known."""
    return [verdict.get(name, "-") for name in COLUMNS]


def paper_text(row):
    """The paper's number with its unit, from a row of claims.csv."""
    return f"{row['value']} {row['unit']}".strip()


def claims_table(verdicts, paper, quick):
    """Without the column of verdicts for tiny inputs."""
    columns, rows = ["claim", "what", "paper", *HEADS, "holds"], []
    for verdict in verdicts:
        row = paper[verdict["claim"]]
        rows.append([verdict["claim"], row["what"], paper_text(row), *shown(verdict)] + ([] if quick else [verdict_text(verdict)]))
    return Table("Claims", columns[:-1] if quick else columns, rows, "none")


def record(verdict, quick):
    """What NAME.json keeps of a verdict."""
    return {name: value for name, value in verdict._asdict().items() if not (quick and name in ("holds", "crosses", "turns"))}


def papers_bars(table, published):
    """{(row, column): value} of the bars of the table's picture that the paper states; published: of its experiment, as load_published gives them."""
    return {place: value for place, (value, _) in published.items()} | {(row, column): value for row, column, value in table.paper}


def stems(name, tables):
    """The names of the tables' files, without their endings."""
    return [name] if len(tables) == 1 else [f"{name}-{i + 1}" for i in range(len(tables))]


def write(folder, name, tables, verdicts, paper, published, seeds, quick=False):
    """Writes name.csv, name.svg (one per table), name.md and name.json into folder; returns the Markdown text. paper, published: as loaded by
    report.py; seeds: those of which tables and verdicts (spread.py) are made; quick: inputs were tiny, so no claim is judged."""
    folder, verdicts = pathlib.Path(folder), [record(verdict, quick) for verdict in verdicts]
    folder.mkdir(parents=True, exist_ok=True)
    text = [f"## {name}\n"] + [NO_VERDICTS] * quick
    if len(seeds) > 1:
        text.append(f"Medians of seeds {', '.join(map(str, seeds))}. In parentheses: the least and the greatest, where these digits differ.\n")
    for stem, table in zip(stems(name, tables), tables):
        write_csv(folder / f"{stem}.csv", table, TINY if quick else "")
        text.append(markdown(table))
        if table.kind != "none":
            (folder / f"{stem}.svg").write_text(draw(table, papers_bars(table, published.get(name, {})), len(seeds), TINY if quick else ""))
            text.append(f"![{table.title}]({stem}.svg)\n")
    if verdicts:
        text.append(markdown(claims_table(verdicts, paper, quick)))
    (folder / f"{name}.md").write_text("\n".join(text))
    (folder / f"{name}.json").write_text(json.dumps(
        {"name": name, "quick": quick, "seeds": seeds, "claims": verdicts, "tables": [table._asdict() for table in tables]}, indent=1))
    return "\n".join(text)


class NotComparable(Exception):
    """Results that say nothing about the papers' claims; the text says which and what to do."""


def read(folder):
    """What reproduce.py left in the folder, one dict per experiment, in the order of their names."""
    try:
        found = [schema.load(path, schema.RESULT, "make it again", nan=True) for path in sorted(pathlib.Path(folder).glob("*.json"))]
    except schema.BadJson as bad:
        raise NotComparable(str(bad)) from None
    for result in found:
        if "seeds" not in result:
            raise NotComparable(f"{folder} holds results of an older version ({result['name']}); make them again")
        if result["quick"]:
            raise NotComparable(f"{folder} holds results of tiny inputs ({result['name']}); make full runs, or name their folder with --out")
    return found
