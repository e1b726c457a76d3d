"""From the probabilities that i jobs fit to the multiprogramming level and the utilization."""

#: The sums stop where what is left of them is no more than this share of the result.
PRECISION = 1e-12


def exponential_level(fits, most):
    """Return the mean multiprogramming level with exponential service.

    Parameters
    ----------
    fits : iterator of float
        F^(i)(N), the probability that i random jobs fit together, for i = 1, 2, ...; F^(1)(N)
        is 1.
    most : int
        No more jobs than this fit, B.

    Notes
    -----
    1/M = sum of (F^(i)(N) - F^(i+1)(N)) / i, which is equation (2), 1 - sum of F^(i)(N) / (i(i-1)),
    written so that nothing cancels. What is left at i lies between F^(i)(N)/B and F^(i)(N)/i.

    References
    ----------
    Bucur, Epema (2003), equations (2) and (5).
    """
    inverse, previous, jobs = 0.0, 1.0, 0
    for jobs, fit in enumerate(fits, start=1):
        if jobs > 1:
            inverse += (previous - fit) / (jobs - 1)
        previous = fit
        if jobs == most or fit / jobs <= PRECISION * inverse:
            break
    return 1 / (inverse + previous / jobs)


def slotted_level(fits, most):
    """Return the mean multiprogramming level where all jobs in service start and end together.

    Parameters and stopping are those of `exponential_level`; M = sum of F^(i)(N) over i. That
    takes all jobs of a slot for fresh draws: see `coalloc_lib.analytic.slotted`.

    References
    ----------
    Bucur, Epema (2003), equation (4).
    """
    level = 0.0
    for jobs, fit in enumerate(fits, start=1):
        level += fit
        if jobs == most or fit * (most - jobs) <= PRECISION * level:
            break
    return level


LEVELS = {"exponential": exponential_level, "slotted": slotted_level}
