"""Compare two folders of results, number by number: ``compare_results.py OLD NEW [STUDY ...]``.

Says of the ledger and of every table how many numbers are the same, how many moved but stay within
the older interval, and lists those that moved further, are gone, or are new. Rows are matched by
their words. Exit status 1 where a number moved out of its interval or a row is gone.
With ``--table``, prints each claim and printed number of both ledgers instead: verdicts and numbers
before and after, and of claims why they changed, from ``data/published/reread.md``.
"""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd

#: Two numbers count as the same if their relative difference is at most this number.
SAME = 1e-6
#: Columns that tell how a number is known, and no number of its own.
ENDS = ("ci95_low", "ci95_high", "low", "high")
#: What changed in claims when their sentences were read again.
REREAD = Path(__file__).parents[1] / "data" / "published" / "reread.md"
#: A row of `reread.md`: a claim, what its verdict was, why it changed, the paper's words.
CHANGED = r"^\| (\w\w-\d+) \| [\w ]+ \| (.*) \|$"


def keyed(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return a table by its words; rows of the same words are told apart by their order."""
    words = table[keys].astype(str).fillna("")
    return table.set_index([words[k] for k in keys] + [words.groupby(keys).cumcount().rename("#")])


def compare(old: pd.DataFrame, new: pd.DataFrame, keys: list[str]) -> tuple[dict, list[str]]:
    """Return how many numbers are the same, moved within the interval, moved; and what to read."""
    old, new = keyed(old, keys), keyed(new, keys)
    both = old.index.intersection(new.index)
    counts = {"same": 0, "within": 0, "moved": 0, "gone": len(old) - len(both),
              "new": len(new) - len(both)}  # fmt: skip
    told = [f"  gone: {', '.join(map(str, row[:-1]))}" for row in old.index.difference(new.index)]
    values = [
        c
        for c in old.columns.intersection(new.columns)
        if c not in (*keys, *ENDS)
        and all(pd.api.types.is_numeric_dtype(table[c]) for table in (old, new))
    ]
    for row in both:
        for column in values:
            a, b = old.at[row, column], new.at[row, column]
            same = (pd.isna(a) and pd.isna(b)) or a == b
            if same or (np.isfinite([a, b]).all() and abs(a - b) <= SAME * max(abs(a), abs(b))):
                counts["same"] += 1
                continue
            ends = [old.at[row, e] if e in old else np.nan for e in ENDS[:2]]
            inside = ends[0] <= b <= ends[1]
            counts["within" if inside else "moved"] += 1
            where = ", ".join(map(str, row[:-1]))
            told.append(f"  {column}: {a:.6g} -> {b:.6g}{' (within)' if inside else ''}: {where}")
    return counts, told


def words_of(table: pd.DataFrame, other: pd.DataFrame) -> list[str]:
    """Return the columns that name a row: words, and numbers that stand before the first result."""
    shared = [c for c in table.columns if c in other.columns]
    known = {"estimate", "count", "warning", *ENDS}
    keys = []
    for column in shared:
        number = pd.api.types.is_float_dtype(table[column]) and column not in (
            "p", "psi", "load", "overhead", "at", "place", "utilization", "alpha",
        )  # fmt: skip
        if column not in known and not number:
            keys.append(column)
    return [k for k in keys if k not in ("method", "verdict", "note", "jobs", "precise")] or shared[
        :1
    ]


def reasons() -> dict[str, list[str]]:
    """Return by claim why its verdict changed, and what the paper says."""
    text = REREAD.read_text("utf-8")
    return {item: rest.split(" | ") for item, rest in re.findall(CHANGED, text, re.MULTILINE)}


def before_and_after(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each row of two ledgers, in the order of the new one, with both verdicts."""
    cells = ["published", "reproduced", "verdict"]
    ledgers = {"after": new, "before": old}
    both = pd.concat(
        [keyed(t, ["study", "item"])[cells].add_suffix(f" {n}") for n, t in ledgers.items()], axis=1
    ).fillna("")
    verdicts = both["verdict before"], both["verdict after"]
    printed = both["published after"].where(both["published after"] != "", both["published before"])
    columns = [f"{cell} {when}" for cell in cells[1:] for when in ("before", "after")]
    changed = np.where(verdicts[0] == verdicts[1], "", "changed")
    table = both[columns].assign(printed=printed, changed=changed).droplevel("#").reset_index()
    told = reasons()
    why, words = zip(*(told.get(item, ["", ""]) for item in table["item"]), strict=True)
    return table.assign(why=why, paper=words)


def print_table(table: pd.DataFrame) -> None:
    """Print a table as Markdown."""
    rows = [table.columns, ["---"] * len(table.columns), *table.to_numpy()]
    print("\n".join(f"| {' | '.join(map(str, row))} |" for row in rows))


def main(old: Path, new: Path, studies: list[str]) -> int:
    """Compare, print and return the exit status."""
    if "--table" in studies:
        ledgers = [pd.read_csv(folder / "ledger.csv", dtype=str) for folder in (old, new)]
        wanted = {*studies} - {"--table"} or {*ledgers[0]["study"], *ledgers[1]["study"]}
        print_table(before_and_after(*(each[each["study"].isin(wanted)] for each in ledgers)))
        return 0
    bad = 0
    for file in sorted(old.rglob("*.csv")):
        name = file.relative_to(old)
        if studies and name.parts[0] not in (*studies, "ledger.csv"):
            continue
        if not (new / name).exists():
            print(f"{name}: gone")
            continue
        one, other = (pd.read_csv(folder / name) for folder in (old, new))
        if name.name == "ledger.csv":
            keep = one["study"].isin(other["study"])
            one, keys = one[keep], ["study", "item"]
            both = {"verdict": one, "verdict_new": other}
            both = {name: keyed(table, keys)["verdict"] for name, table in both.items()}
            verdicts = pd.concat(both, axis=1, join="inner")
            for row, pair in verdicts[verdicts["verdict"] != verdicts["verdict_new"]].iterrows():
                print(f"  {row[1]}: {pair['verdict']} -> {pair['verdict_new']}")
            for table in (one, other):
                table["reproduced"] = pd.to_numeric(table["reproduced"], errors="coerce")
        else:
            keys = words_of(one, other)
        counts, told = compare(one, other, keys)
        print(f"{name}: " + ", ".join(f"{count} {what}" for what, count in counts.items() if count))
        print(
            "\n".join(told[:20]) + ("\n  ..." if len(told) > 20 else "") if told else "",
            end="\n"[: bool(told)],
        )
        bad += counts["moved"] + counts["gone"]
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
