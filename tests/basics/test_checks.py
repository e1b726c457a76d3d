"""Columns of anything: taken for what they are, or refused in one line."""

import inspect
import pickle
import warnings
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import (
    ImpossibleJobError,
    InputError,
    at_most,
    boolean,
    floats,
    instants,
    not_negative,
    number_in,
    numbers,
    one_of,
    path_of,
    positive,
    shown,
    times,
    whole,
    whole_in,
    whole_numbers,
)

HOUR = timedelta(hours=1)
NOON = datetime(2020, 3, 28, 12)
SUMMER = ZoneInfo("Europe/Amsterdam")  # clocks are put forward in the night after NOON
SECONDS = [0.0, 3600.0, 7200.0]
LENGTHS = [0 * HOUR, HOUR, 2 * HOUR]
MOMENTS = [NOON, NOON + HOUR, NOON + 2 * HOUR]

#: Three instants with a distance of one hour, in the various types in which users give them.
AS_LENGTHS = {
    "floats": SECONDS,
    "timedeltas": LENGTHS,
    "numpy, nanoseconds": np.array(LENGTHS, "timedelta64[ns]"),
    "pandas column": pd.Series(LENGTHS),
    "mixed kinds of timedelta": [timedelta(0), np.timedelta64(1, "h"), pd.Timedelta(2, "h")],
}
AS_MOMENTS = {
    "datetimes": MOMENTS,
    "two zones": [
        MOMENTS[0].replace(tzinfo=UTC),
        (MOMENTS[1] + 2 * HOUR).replace(tzinfo=timezone(2 * HOUR)),
        MOMENTS[2].replace(tzinfo=UTC),
    ],
    "numpy, nanoseconds": np.array(MOMENTS, "datetime64[ns]"),
    "pandas column": pd.Series(MOMENTS),
    "pandas zoned": pd.Series(MOMENTS).dt.tz_localize("Asia/Tokyo"),
    "pandas category": pd.Series(MOMENTS, dtype="category"),
}


@pytest.mark.parametrize("values", AS_LENGTHS.values(), ids=AS_LENGTHS)
def test_lengths_of_time_are_seconds(values):
    assert times("runtime", values).tolist() == SECONDS
    assert instants("submit", values).tolist() == SECONDS


@pytest.mark.parametrize("values", AS_MOMENTS.values(), ids=AS_MOMENTS)
def test_moments_are_seconds_since_the_first(values):
    assert instants("submit", values).tolist() == SECONDS
    assert instants("submit", values[::-1]).tolist() == SECONDS[::-1]
    words = r"; give numbers of seconds or timedeltas \(for an instant, the time since the first"
    with pytest.raises(InputError, match=f"^runtime holds datetimes{words}"):
        times("runtime", values)
    with pytest.raises(InputError, match=r"^runtime holds datetimes; .*the first submission\)"):
        times("runtime", values)
    with pytest.raises(InputError, match=r"^span_penalty holds datetimes; give numbers"):
        numbers("span_penalty", values)


def test_a_night_in_which_clocks_are_put_forward_is_an_hour_shorter():
    day = [NOON.replace(tzinfo=SUMMER), (NOON + 24 * HOUR).replace(tzinfo=SUMMER)]
    assert instants("submit", day).tolist() == [0, 23 * 3600]
    assert instants("submit", pd.Series(day)).tolist() == [0, 23 * 3600]
    naive = [moment.replace(tzinfo=None) for moment in day]
    assert instants("submit", naive).tolist() == [0, 24 * 3600]


def test_days_and_years_are_moments_too():
    assert instants("submit", [date(2020, 3, 1), date(2020, 2, 28)]).tolist() == [2 * 86400, 0]
    years = np.array(["2020", "2021"], "datetime64[Y]")
    assert instants("submit", years).tolist() == [0, 366 * 86400]


@given(st.lists(st.integers(0, 2**40), min_size=1), st.sampled_from(["us", "ms", "s", "m"]))
def test_any_unit_gives_the_nearest_float(counts, unit):
    per_second = {"us": 10**6, "ms": 1000, "s": 1, "m": Fraction(1, 60)}[unit]
    wanted = [float(Fraction(count) / per_second) for count in counts]
    assert times("runtime", np.array(counts, f"timedelta64[{unit}]")).tolist() == wanted
    first = min(counts)
    since = [float(Fraction(count - first) / per_second) for count in counts]
    assert instants("submit", np.array(counts, f"datetime64[{unit}]")).tolist() == since


NUMBERS = {
    "list": [0, 1.5, 2],
    "decimals": [Decimal(0), Decimal("1.5"), Decimal(2)],
    "fractions": [Fraction(0), Fraction(3, 2), Fraction(2)],
    "numpy scalars": [np.int8(0), np.float32(1.5), np.uint64(2)],
    "long double": np.array([0, 1.5, 2], np.longdouble),
    "pandas nullable": pd.Series([0, 1.5, 2], dtype="Float64"),
    "pandas category": pd.Series([0, 1.5, 2], dtype="category"),
    "a strided view": np.array([0, 9, 1.5, 9, 2])[::2],
}


@pytest.mark.parametrize("values", NUMBERS.values(), ids=NUMBERS)
def test_numbers_are_what_they_are(values):
    array = times("runtime", values)
    assert array.tolist() == [0, 1.5, 2]
    assert array.dtype == np.float64
    assert array.flags.c_contiguous
    assert not np.shares_memory(array, np.asarray(values))


def without_unit():
    """Return a `numpy.timedelta64` without a unit, which NumPy 2.5 and later deprecate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return np.array([3], "timedelta64")


REFUSED = {
    "a word": ("123", r"x = '123'; give numbers"),
    "digits": (["3"], r"x\[0\] = '3'; give a number"),
    "truth values": ([1, True], r"x\[1\] = True"),
    "a truth value of numpy": ([1.0, np.True_], r"x\[1\] = .*True"),
    "none in pandas": (pd.Series([1, None], dtype="Int64"), r"x\[1\] = (nan|<NA>)"),
    "masked": (np.ma.array([1.0, 2.0], mask=[0, 1]), r"x\[1\] is masked; remove"),
    "a list in a list": ([1, [2]], r"x\[1\] = \[2\]; give rows of one length"),
    "two dimensions": ([[1, 2], [3, 4]], "x has 2 dimensions; give one value for each job"),
    "no unit": (without_unit(), "x holds timedeltas of unit 'generic'; give seconds"),
    "not a time": (np.array([0, "NaT"], "timedelta64[s]"), r"x\[1\] = nan; give a finite"),
    "not a time of pandas": (pd.Series([NOON, pd.NaT]), r"x\[1\] = nan"),
    "not a time in a list": ([NOON, pd.NaT], r"x\[1\] = NaT"),
    "dates and numbers": ([NOON, 5.0], "x holds datetimes and numbers; give values of one kind"),
    "zones and none": ([NOON, NOON.replace(tzinfo=UTC)], "x holds datetimes with and without"),
    "nothing time": ([np.timedelta64(3, "M")], "x holds timedeltas of unit 'M'; give seconds"),
    "lengths and numbers": ([np.timedelta64(5, "s"), 5], "x holds numbers and timedeltas"),
    "far too many digits": ([10**400], r"x\[0\] = 1000.* has more digits"),
    "too many digits": ([0, 2**53 + 1], r"x\[1\] = 9007199254740993 has more digits"),
    "unsigned": (np.array([1, 2**64 - 1], np.uint64), r"x\[1\] = 18446744073709551615 has"),
    "long double": (np.array([1, 2], np.longdouble) / 3, r"x\[0\] = .*3333.* has more digits"),
    "long double, nan": (np.array([np.nan], np.longdouble), r"x\[0\] = nan; give a finite"),
    "signalling": ([Decimal("sNaN")], r"x\[0\] = nan; give a finite"),
    "negative length": ([timedelta(-1)], r"x\[0\] = -86400; give a finite"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_time_is_refused_in_one_line(name):
    values, message = REFUSED[name]
    with pytest.raises(InputError, match=f"^{message}") as caught:
        instants("x", values)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


TOO_FAR_APART = {
    "instants": [pd.Timestamp("2020-01-01T00:00:00.000000001"), pd.Timestamp("2400-01-01")],
    "numpy lengths": [np.timedelta64(1, "ns"), np.timedelta64(250_000, "D")],
    "pandas and Python": [timedelta(days=200_000), pd.Timedelta("1ns")],
    "an array": np.array(["1700-01-01", "2200-01-01"], "datetime64[ns]"),
}


@pytest.mark.parametrize("values", TOO_FAR_APART.values(), ids=TOO_FAR_APART)
def test_times_too_far_apart_for_their_unit_are_refused(values):
    """NumPy converts all times to nanoseconds, and 64 bits can count at most 292 years in them."""
    with pytest.raises(InputError, match=r"^x spans more time than the unit 'ns' .*; give"):
        instants("x", values)


def test_times_of_different_units_are_exact_within_the_range_of_the_finest():
    lengths = [np.timedelta64(100_000, "D"), np.timedelta64(1, "ns"), np.timedelta64("NaT", "s")]
    assert times("x", lengths[:2]).tolist() == [8.64e9, 1e-9]
    with pytest.raises(InputError, match=r"^x\[2\] = nan; give a finite number"):
        times("x", lengths)
    moments = [date(2020, 1, 1), datetime(2020, 1, 2), np.datetime64("2020-01-03", "h")]
    assert instants("x", moments).tolist() == [0, 86_400, 2 * 86_400]


@given(hnp.arrays(hnp.scalar_dtypes(), hnp.array_shapes(min_dims=0, max_dims=2, min_side=0)))
def test_any_dtype_is_taken_exactly_or_refused(array):
    try:
        taken = numbers("x", array)
    except InputError:
        return
    assert array.dtype.kind in "iuf"
    np.testing.assert_array_equal(taken, array)


junk = st.recursive(
    st.one_of(
        *(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3)),
        *(st.complex_numbers(), st.datetimes(), st.timedeltas(), st.decimals()),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner),
    max_leaves=6,
)


@given(junk)
def test_anything_is_taken_or_refused_in_one_line(value):
    for check in (instants, times, numbers, whole_numbers, not_negative, positive, whole, path_of):
        try:
            check("x", value)
        except InputError as error:
            assert "\n" not in str(error)  # noqa: PT017
            assert str(error).startswith("x")  # noqa: PT017


CHECKS = [
    check
    for name, check in inspect.getmembers(checks, inspect.isfunction)
    if next(iter(inspect.signature(check).parameters)) == "name" and not name.startswith("_")
]
OTHERS = {"kind": str, "example": "a text", "most": 5, "choices": ("a", "b")}
WRONG = (
    "x\0", -1.5, 10**400, object(), [np.nan], [1, "a"], [NOON, 1.0], [[-1.0]], np.ma.masked_all(2),
)  # fmt: skip
#: The checks of single values. The other checks convert columns.
SINGLE = (
    at_most, checks.boolean, checks.finite, checks.instance_of, not_negative, checks.one_of,
    checks.path_of, positive, whole,
)  # fmt: skip
#: Wrong values for the checks that other checks call, which take only numbers.
NUMBERS_ONLY = {at_most: [10**400], checks.not_negative_numbers: [[1, -1.5], [np.nan]]}


@pytest.mark.parametrize("check", CHECKS)
def test_every_error_begins_with_the_name_of_the_argument(check):
    """The command line reads the name from the error, and the calendar reads the attribute."""
    held = {name: OTHERS[name] for name in inspect.signature(check).parameters if name in OTHERS}
    messages = []
    for wrong in NUMBERS_ONLY.get(check, WRONG):
        try:
            check("horizon", wrong, **held)
        except InputError as error:
            messages.append(str(error))
            assert error.argument == ("horizon" if check in SINGLE else "")  # noqa: PT017
    assert messages
    assert all(message.startswith(("horizon ", "horizon[")) for message in messages)


def test_whole_numbers_are_whole_and_named_by_their_place():
    assert whole_numbers("x", [[1, 2.0], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert whole_numbers("x", np.array([3], np.uint8)).dtype == np.int64
    for values, message in (
        ([1, 2.5], r"x\[1\] = 2.5; give a whole number of 1 or more"),
        ([[1, 2], [3, 0]], r"x\[1, 1\] = 0"),
        (np.array([2**64 - 1], np.uint64), r"x\[0\] = 18446744073709551615 has"),
        ([], "x is empty"),
        (pd.Series([NOON]), "x holds datetimes"),
    ):
        with pytest.raises(InputError, match=f"^{message}"):
            whole_numbers("x", values)


def test_an_error_shows_little_of_what_is_long():
    class Bad:
        def __repr__(self):
            raise RuntimeError

    long = [list(range(10_000)), np.arange(10_000), np.ones((300, 300)), pd.Series(range(1000))]
    for value in (*long, "x" * 10_000, {i: i for i in range(1000)}, 10**5000, Bad(), "a\nb"):
        text = shown(value)
        assert 0 < len(text) <= 60
        assert "\n" not in text
    assert shown(np.float64(2.5)) == "2.5"
    assert shown([1, 2]) == shown(np.array([1, 2])) == "[1, 2]"


@pytest.mark.parametrize("value", ["3", True, None, np.True_, timedelta(1), [3], 3j, np.array([3])])
@pytest.mark.parametrize("check", [not_negative, positive, whole])
def test_what_is_no_number_is_refused(check, value):
    with pytest.raises(InputError, match=r"^x = .*; give a number"):
        check("x", value)


def test_numbers_of_any_kind_are_numbers():
    for value in (3, 3.0, np.int8(3), np.float32(3), Decimal(3), Fraction(3), np.array(3)):
        assert positive("x", value) == whole("x", value) == 3
    assert whole("x", 10**400) == 10**400
    for exact in (Decimal(2**53 + 1), Fraction(2**53 + 1)):
        assert whole("x", exact) == 2**53 + 1
    for value in (Decimal("3.00000000000000000001"), Fraction(10**20 + 1, 10**20), Decimal("NaN")):
        with pytest.raises(InputError, match=r"^x = .*; give a whole number of 1 or more"):
            whole("x", value)
    for value in (10**400, np.inf, np.nan, 0, -1, Decimal("sNaN")):
        with pytest.raises(InputError, match=r"^x = .*above 0"):
            positive("x", value)
    assert not_negative("x", -0.0) == not_negative("x", np.float32(0)) == 0
    assert not_negative("x", Decimal("0.5")) == 0.5
    for value in (10**400, np.inf, np.nan, -1, -1e-300, Decimal("sNaN")):
        with pytest.raises(InputError, match=r"^x = .*; give a finite number of 0 or more"):
            not_negative("x", value)
    with pytest.raises(InputError, match=r"^x = 1000.*\.\.\..*000; give at most 5"):
        at_most("x", 10**400, 5)


@pytest.mark.parametrize("value", ["d", None, ["a"], np.array(["a", "b"]), pd.Series(["a"]), 1])
def test_what_is_no_choice_is_answered_with_all(value):
    with pytest.raises(InputError, match=r"^x = .*; choose one of 'a', 'b'$"):
        one_of("x", value, ("a", "b"))


@pytest.mark.parametrize(
    "text", ["1_000", "１２", "²", "٣", "+5", "-1", "1.0", "", "9" * 17, "9" * 5000]
)
def test_a_text_is_a_whole_number_in_plain_digits_only(text):
    fault = "too large for a float" if text.startswith("99") else "not a whole number of 0 or more"
    with pytest.raises(ValueError, match=f"^{fault}$"):
        whole_in(text)
    with pytest.raises(ValueError, match=r"whole|float"):
        whole_in(text)
    if len(text) < 17 and "_" not in text and text.isascii() and text:
        assert number_in(text) == float(text)


@pytest.mark.parametrize("text", ["1_0.5", "nan", "inf", "1e400", "0x1", "٣", "", "1 2", "--1"])
def test_a_text_is_a_number_in_plain_digits_only(text):
    with pytest.raises(ValueError, match="not a finite number"):
        number_in(text)


def test_floats_are_read_from_numbers_and_truth_values_only():
    for values in ([0, 1], (False, True), np.array([0, 1]), pd.Series([0.0, 1.0])):
        found = floats("x", values)
        assert (found.dtype, found.tolist()) == (float, [0.0, 1.0])
        assert found is not values
    for check in (floats, checks.not_negative_numbers):
        with pytest.raises(InputError, match=r"^x\[1\] = 'a'; give a number$"):
            check("x", [1.0, "a"])
        with pytest.raises(InputError, match=r"^x\[0\] = \[1\]; give rows of one length$"):
            check("x", [[1], [1, 2]])


NOT_FLOATS = {
    "a masked value": (np.ma.array([1.0, 9.0], mask=[0, 1]), r"x\[1\] is masked; remove"),
    "a masked whole number": (np.ma.array([1, 9], mask=[0, 1]), r"x\[1\] is masked; remove"),
    "digits": ([1.0, "1"], r"x\[1\] = '1'; give a number"),
    "an array of digits": (np.array(["1", "2"]), "x holds values of type <U1; give numbers"),
    "dates": ([date(2020, 1, 1)], "x holds datetimes; give numbers"),
    "an array of dates": (np.array(["2020-01-01"], "datetime64[D]"), "x holds datetimes; give"),
    "a column of dates": (pd.Series(MOMENTS), "x holds datetimes; give numbers"),
    "timedeltas": (LENGTHS, "x holds timedeltas; give numbers"),
    "an array of timedeltas": (np.array(LENGTHS, "timedelta64[s]"), "x holds timedeltas; give"),
    "a long number": ([0, 2**53 + 1], r"x\[1\] = 9007199254740993 has more digits"),
    "a long number beside a fraction": ([2**53 + 1, 0.5], r"x\[0\] = 9007199254740993 has more"),
    "a long number in an array": (np.array([2**53 + 1]), r"x\[0\] = 9007199254740993 has more"),
    "rows of two lengths": ([[1], [1, 2]], r"x\[0\] = \[1\]; give rows of one length"),
}


@pytest.mark.parametrize("check", [floats, checks.not_negative_numbers])
@pytest.mark.parametrize(("values", "words"), NOT_FLOATS.values(), ids=NOT_FLOATS)
def test_floats_reject_what_numpy_would_convert_silently(check, values, words):
    with pytest.raises(InputError, match=f"^{words}"):
        check("x", values)


MASKED = np.ma.array([1.0, 2.0], mask=[0, 1])


@pytest.mark.parametrize("check", [floats, numbers, whole_numbers, checks.not_negative_numbers])
@pytest.mark.parametrize(
    ("values", "place"),
    [
        ([np.ma.masked, 1.0], "0"),
        ((1.0, np.ma.masked), "1"),
        ([np.ma.array([1.0, 2.0]), MASKED], "1"),
        ([[1.0, 2.0], [1.0, np.ma.masked]], r"1\]\[1"),
        ([np.ma.array(1, mask=True), 1], "0"),
    ],
)
def test_masked_items_of_a_list_are_refused(check, values, place):
    with pytest.raises(InputError, match=rf"^x\[{place}\] is masked; remove the masked entries"):
        check("x", values)


def test_rows_without_masked_entries_are_taken():
    rows = [np.ma.array([1.0, 2.0]), np.ma.array([3.0, 4.0], mask=[0, 0])]
    for check in (floats, numbers):
        assert check("x", rows).tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("value", ["no", 1, 0.0, None, [True]])
def test_only_a_truth_value_is_true_or_false(value):
    with pytest.raises(InputError, match=r"^x = .*; give True or False$"):
        boolean("x", value)
    assert boolean("x", True) is boolean("x", np.True_) is True
    assert boolean("x", False) is boolean("x", np.False_) is False


def test_digits_are_read_as_python_reads_them():
    for text in ("0", "000", "007", " 12 ", str(2**53)):
        assert whole_in(text) == int(text)
    for text in ("-1", "+.5", "3.", "1e-3", " 7 "):
        assert number_in(text) == float(text)


def test_the_error_for_an_impossible_job_can_be_sent_to_another_process():
    error = ImpossibleJobError(3, "it needs 9 processors")
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error)
    assert str(copy).startswith("job 3 can never start: it needs 9 processors; remove the job, ")
    assert (copy.job, copy.reason) == (3, "it needs 9 processors")
