"""The methods that an explorer calls on the widget that shows its picture."""

from collections.abc import Mapping

from coalloc_lib.basics.checks import InputError


class ExplorerView:
    """Base class for the view of an explorer: the widget that shows the picture.

    An `Explorer` gives its view the class ``coalloc-past`` while the view does not show the values
    of the controls.
    """

    def boxed(self) -> Mapping[str, str]:
        """Return the picture as a dict by MIME type, which a notebook file can store."""
        raise InputError(
            f"{type(self).__name__} does not define how its picture is stored in a notebook; "
            "define its method `boxed`"
        )

    def wait(self) -> None:
        """Keep the previous picture, and say that a finer picture follows."""

    def fade(self) -> None:
        """Keep the previous picture, which will not be replaced until a control changes.

        The values of the controls are wrong, or the user has interrupted the drawing.
        """
