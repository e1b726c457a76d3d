"""Three-valued logic for the answers to claims: True, False, or None if it is undecided."""


def all_of(*answers: bool | None) -> bool | None:
    """Return True if all answers are True, False if one is False, and otherwise None.

    An answer can be True, False, or None for undecided.
    """
    if False in answers:
        return False
    return None if None in answers else True


def not_(answer: bool | None) -> bool | None:
    """Return the negation of an answer; the negation of None (undecided) is None."""
    return None if answer is None else not answer
