"""What the tests of both studies share."""

from coalloc_lib.studies.measurements import Scale

TINY = Scale(
    jobs=10_000,
    replications=5,
    precision=0.5,
    most_jobs=2000,
    cell_jobs=20_000,
    response_jobs=100_000,
    response_replications=2,
    bound_arrivals=3000,
    bound_replications=2,
    map_jobs=1500,
)


def check_cells(cells, *, calculated, simulated, slack):
    """Every calculated cell is the printed one but for its last digit; simulated ones are near.

    Near is two half-widths and `slack`.
    """
    off = {c.published.item: c.loss.estimate - c.published.capacity_loss for c in cells}
    half = {c.published.item: c.loss.half_width for c in cells if c.is_simulated}
    assert (len(off) - len(half), len(half)) == (calculated, simulated)
    for item, difference in off.items():
        assert abs(difference) < (2 * half[item] + slack if item in half else 0.0006), item
