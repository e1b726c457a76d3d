"""What both studies ask of the cells of their tables."""


def check_calculated(cells, count):
    """Every calculated cell is the printed one, but for its last digit."""
    off = {
        c.published.item: c.loss.estimate - c.published.capacity_loss
        for c in cells
        if not c.is_simulated
    }
    assert len(off) == count
    assert max(map(abs, off.values())) < 0.0006, off


def check_simulated(cells, count, slack):
    """Every simulated cell is near the printed one: by two half-widths and `slack`."""
    simulated = [cell for cell in cells if cell.is_simulated]
    assert len(simulated) == count
    for cell in simulated:
        most = 2 * cell.loss.half_width + slack
        assert abs(cell.loss.estimate - cell.published.capacity_loss) < most, cell.published.item
