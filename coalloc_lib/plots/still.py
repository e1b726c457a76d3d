"""placeholder."""
def still(*a, **k):
    """Return none."""
