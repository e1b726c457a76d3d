"""Functions that several tests of pictures use."""


def texts(axes):
    return [text.get_text() for text in axes.texts]


def subtitle_of(figure):
    """Return the subtitle of a figure as a single line."""
    return figure.texts[-1].get_text().replace("\n", " ")


def marker(line):
    return "" if line.get_marker() == "None" else line.get_marker()


def tick_labels(axis):
    """Return the labels of the major ticks that lie within the limits of an axis."""
    axis.get_figure().draw_without_rendering()
    low, high = sorted(axis.get_view_interval())
    ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
    # A limit of a logarithmic axis may be rounded.
    inside = [label.get_text() for at, label in ticks if 0.999999 * low <= at <= 1.000001 * high]
    return [text for text in inside if text]


#: Three values on a logarithmic axis, with small and large ranges, near 1 and far from 1.
ON_LOG_AXIS = (
    (10, 30, 80), (5, 9, 20), (0.01, 0.05, 0.1), (5, 9, 14), (0.95, 1, 1.05), (30, 30.5, 31),
    (1.5, 9, 85), (2, 9, 150), (7, 7, 7),
)  # fmt: skip
