"""What the paper prints of waits and attempts, number by number, beside what came out."""

from coalloc_lib.estimates import Interval
from coalloc_lib.studies.ledger import Row, judge_number
from coalloc_lib.studies.online_batch.claims import Runs
from coalloc_lib.studies.online_batch.figures import LONGEST, TABLE2
from coalloc_lib.studies.online_batch.parameters import EXACT, NAME
from coalloc_lib.studies.online_batch.runs import Case


def printed_rows(runs: Runs) -> list[Row]:
    """Return a row for each longest wait and number of attempts that the paper prints."""
    rows = []
    for label, case in runs.waiting.entries.items():
        printed = LONGEST.get((case.log.name, case.policy))
        if printed is not None:
            value = Interval.exact(runs.waiting.result(label).number("longest"))
            rows.append(_printed("Figure 4 longest wait", case, printed, value, "hours"))
    for label, case in runs.attempts.entries.items():
        for size, printed in TABLE2.get(case.log.name, {}).items():
            found = runs.attempts.cell(label, size) if case.length == EXACT else None
            if found is not None:
                item = f"Table 2 ({size[0]}:{size[1]}]"
                rows.append(_printed(item, case, printed, found, "attempts"))
    return rows


def _printed(item: str, case: Case, printed: float, found: Interval, unit: str) -> Row:
    decimals = 0 if printed == int(printed) else (1 if unit == "hours" else 2)
    name = f"{item} {case.log.name} {case.servers} {case.policy}"
    low, high = (found.low, found.high) if found.count else (None, None)
    verdict, note = judge_number(printed, found, decimals)
    told = f"{unit}, {case.machine}"
    return Row(NAME, name, told, printed, found.estimate, low, high, verdict, note)
