"""What both studies ask of the cells of their tables."""


def check_calculated(cells, count):
    """Every calculated cell is the printed one, but for its last digit."""
    off = {c.published.item: c.loss - c.published.capacity_loss for c in cells if not c.interval}
    assert len(off) == count
    assert max(map(abs, off.values())) < 0.0006, off


def check_simulated(cells, count, slack):
    """Every simulated cell is near the printed one: by two half-widths and `slack`."""
    simulated = [cell for cell in cells if cell.interval is not None]
    assert len(simulated) == count
    for cell in simulated:
        most = 2 * cell.interval.half_width + slack
        assert abs(cell.loss - cell.published.capacity_loss) < most, cell.published.item
