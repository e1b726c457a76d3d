"""What the tests of pictures share."""


def texts(axes):
    return [text.get_text() for text in axes.texts]


def subtitle_of(figure):
    """Return the subtitle of a figure, on one line."""
    return figure.texts[-1].get_text().replace("\n", " ")
