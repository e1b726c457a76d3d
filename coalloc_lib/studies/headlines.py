"""Words for titles of figures: each from intervals, and each can say the opposite."""

from collections.abc import Iterable, Mapping

from coalloc_lib.estimates import Interval


def tally(answers: Mapping[str, bool | None], what: str = "") -> str:
    """Return for how many the answer is yes, and for whom it is undecided.

    Parameters
    ----------
    answers : dict
        True, False, or None where the intervals do not decide.
    what : str
        What is counted.

    Examples
    --------
    >>> tally({"U[1,7]": True, "U[1,14]": False}, "distributions")
    '1 of 2 distributions'
    >>> tally({"U[1,7]": True, "U[1,14]": None}, "distributions")
    '1 of 2 distributions (undecided: U[1,14])'
    >>> tally({"U[1,7]": False, "U[1,14]": None}), tally({"U[1,7]": False})
    ('0 of 2 (undecided: U[1,14])', 'none of 1')
    """
    undecided = [name for name, answer in answers.items() if answer is None]
    yes = sum(bool(answer) for answer in answers.values())
    count = yes or (0 if undecided else "none")
    words = f"{count} of {len(answers)} {what}".strip()
    return f"{words} (undecided: {', '.join(undecided)})" if undecided else words


def points(intervals: Iterable[Interval]) -> str:
    """Return from what to what differences reach, in percentage points.

    Examples
    --------
    >>> points([Interval.exact(0.021), Interval.exact(0.065)])
    '2.1 to 6.5 points'
    """
    found = [interval.estimate for interval in intervals]
    ends = dict.fromkeys(f"{100 * end + 0.0:.1f}" for end in (min(found), max(found)))
    return f"{' to '.join(ends)} points"


def compared(change: Interval, more: str = "more", less: str = "less") -> str:
    """Return by how many percentage points something is more or less.

    Examples
    --------
    >>> compared(Interval.exact(0.05)), compared(Interval.exact(-0.05))
    ('5.0 points more', '5.0 points less')
    >>> compared(Interval(0.001, -0.01, 0.012, 8))
    'neither more nor less for certain (+0.1 ± 1.1 points)'
    """
    if change.above(0):
        return f"{100 * change.estimate:.1f} points {more}"
    if change.below(0):
        return f"{-100 * change.estimate:.1f} points {less}"
    found = f"{100 * change.estimate:+.1f} ± {100 * change.half_width:.1f} points"
    return f"neither {more} nor {less} for certain ({found})"
