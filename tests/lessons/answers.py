"""What the tests of all exercises share: right answers are taken, wrong ones get a hint."""


def assert_right(check, number, answer):
    assert "Right" in check(number, answer).data


def hint_of(check, number, answer):
    """Return the hint that a wrong answer gets, in one line."""
    words = check(number, answer).data
    assert "Not yet" in words
    assert "\n" not in words
    return words.split("Not yet: ")[1]
