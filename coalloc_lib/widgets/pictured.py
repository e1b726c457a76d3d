"""The base class of the player and the calendar: a widget that also has a still picture."""

from collections.abc import Callable
from typing import Any

import anywidget

from coalloc_lib.plots import Picture
from coalloc_lib.widgets import pages


class Pictured(anywidget.AnyWidget):
    """Base class of a widget with a still picture, for notebooks whose kernel does not run."""

    #: The HTML before the still picture.
    hint = ""
    #: The method that returns the still picture with its description in words.
    picture: Callable[[], Picture]

    def boxed(self) -> dict[str, str]:
        """Return the still picture by MIME type, in an HTML element that the widget replaces."""
        still = self.picture()._repr_mimebundle_()
        # The picture is sent as HTML only, because an image would have no description for a
        # screen reader.
        html = pages.box(type(self).__name__, self.model_id, still["text/html"])
        return still | {"text/html": html}

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        still = self.boxed()
        return data | still | {"text/html": self.hint + still["text/html"]}, metadata
