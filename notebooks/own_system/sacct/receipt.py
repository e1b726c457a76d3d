"""The receipt of an export of ``sacct``: the lines that were left out or noted, and why."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from own_system.sacct.elapsed import IN_HOURS, LONGER, SHORTER

# Reasons for leaving out a line in the output of ``sacct``. If several reasons apply to a line, the
# line is counted under the first one.
STEPS = "steps of jobs"
OTHER_CLUSTER = "of other clusters"
STILL_OPEN = "still waiting or running"
REVOKED = "revoked, because another cluster ran them"
REPEATED = "repeated lines"
NEVER_STARTED = "never started"
NO_END = "without a time of submission or of end"
END_BEFORE_START = "end before they start"
TOO_SHORT = "ran for less than a second"
NO_PROCESSORS = "without processors"
COMPONENTS = "further components of heterogeneous jobs"
# Notes about unusual lines of the output of ``sacct`` that are accepted. The module `elapsed` has
# further notes.
NO_LIMIT = "without a time limit"
REQUEUED = "further runs of requeued jobs"
RESIZED = "further segments of resized jobs"
START_BEFORE_SUBMISSION = "start before their submission"
UNCLEAR_TIMES = "with times such as 12:00, read as minutes:seconds"
UNKNOWN_STATE = "in an unknown state, read as failed"
READ_AS_UTC = "in times without a zone, read as UTC"
HOUR_TWICE = "in the hour that comes twice when summer time ends"
HOUR_SKIPPED = "in the hour that the clock skips"

#: A dict from each reason for leaving out a line to what a user can do about it.
LEFT_OUT = {
    STEPS: "nothing; --allocations leaves them out",
    OTHER_CLUSTER: "import each cluster by itself",
    STILL_OPEN: "export them when they have ended",
    REVOKED: "nothing: they took no processors here",
    REPEATED: "nothing: the last line of a run counts",
    NEVER_STARTED: "nothing: they took no processors",
    NO_END: "see 'sacctmgr show runawayjobs'",
    END_BEFORE_START: "check for swapped columns, and the clocks",
    TOO_SHORT: "nothing: they took no time",
    NO_PROCESSORS: "export AllocCPUS and ReqCPUS, or count nodes",
    COMPONENTS: "nothing: they are added to their job",
}
#: Some lines are read, but with a note, because something about them is unusual. This dict says
#: for each note what a user can do about such lines.
NOTED = {
    NO_LIMIT: "they are planned with their run time, unless you give a limit",
    REQUEUED: "nothing: each run took processors, and is a job",
    RESIZED: "nothing: each has its own processors, and is a job",
    START_BEFORE_SUBMISSION: "nothing: their wait is not known",
    LONGER: "check the columns and the time zone; the time from start to end is used",
    SHORTER: (
        "nothing if they were suspended, otherwise check the columns and the time zone; the "
        "elapsed time is used"
    ),
    IN_HOURS: (
        "check whether Elapsed is in hours:minutes or in minutes; the time from start to end is "
        "used"
    ),
    UNCLEAR_TIMES: "check that they are not hours:minutes",
    UNKNOWN_STATE: "check the column State",
    READ_AS_UTC: "name the time zone, such as Europe/Amsterdam",
    HOUR_TWICE: "nothing: the reading that agrees with the elapsed time is used",
    HOUR_SKIPPED: "check the time zone; they are read as one hour later",
}


class Receipt:
    """A count of the lines of ``sacct`` that were left out, and of the lines read with a note.

    Attributes
    ----------
    counts : Counter
        The number of lines for each reason of `LEFT_OUT` and each note of `NOTED`.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._first_lines: dict[str, int] = {}

    def leave_out(self, reasons: dict[str, NDArray]) -> NDArray[np.bool_]:
        """Count lines to leave out by reason, and return a boolean mask of the lines to keep.

        Parameters
        ----------
        reasons : dict of str to ndarray of bool
            The lines to which each reason applies. A line counts under the first of its reasons.
        """
        first = np.select([*reasons.values()], range(len(reasons)), len(reasons))
        for place, reason in enumerate(reasons):
            self.counts[reason] += int((first == place).sum())
        return first == len(reasons)

    def note(self, notes: dict[str, NDArray], numbers: NDArray[np.int64]) -> None:
        """Count the lines in the output of ``sacct`` to which each note applies.

        The array `numbers` has the line numbers in the file.
        """
        for what, mask in notes.items():
            self.counts[what] = int(mask.sum())
            if mask.any() and what in (LONGER, SHORTER, IN_HOURS):
                self._first_lines[what] = int(numbers[mask.argmax()])

    def rows(self) -> list[tuple[str, int, str, str]]:
        """Return the lines that were left out or noted, as one row for each reason and each note.

        A row has the outcome, the number of lines, the reason or note, and a remedy.
        """
        rows = []
        for outcome, remedies in (("left out", LEFT_OUT), ("noted", NOTED)):
            for what, remedy in remedies.items():
                if not self.counts[what]:
                    continue
                if what in self._first_lines:
                    remedy += f"; the first is line {self._first_lines[what]}"
                rows.append((outcome, self.counts[what], what, remedy))
        return rows

    def why_empty(self) -> tuple[str, str]:
        """Return why all lines were left out, and a remedy for the most frequent reason."""
        why = ", ".join(f"{count:,} {reason}" for reason, count in self.counts.items() if count)
        remedy = (LEFT_OUT | NOTED)[self.counts.most_common(1)[0][0]]
        return why, "export a longer time" if remedy.startswith("nothing") else remedy
