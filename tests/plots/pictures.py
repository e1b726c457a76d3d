"""Functions that several tests of pictures use."""


def texts(axes):
    return [text.get_text() for text in axes.texts]


def subtitle_of(figure):
    """Return the subtitle of a figure as a single line."""
    return figure.texts[-1].get_text().replace("\n", " ")


def marker(line):
    return "" if line.get_marker() == "None" else line.get_marker()
