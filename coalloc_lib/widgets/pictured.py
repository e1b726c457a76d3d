"""The base class of the schedule player and the reservation calendar."""

from collections.abc import Callable
from typing import Any

import anywidget

from coalloc_lib.plots import Picture
from coalloc_lib.widgets import pages
from coalloc_lib.widgets.view import ExplorerView


class Pictured(ExplorerView, anywidget.AnyWidget):
    """Base class for widgets that have a still picture, which is shown without a kernel."""

    #: The HTML before the still picture.
    hint = ""
    #: The method that returns the still picture of the widget and its description.
    picture: Callable[[], Picture]

    def boxed(self) -> dict[str, str]:
        """Return the still picture by MIME type, in an HTML element that the widget replaces."""
        still = self.picture()._repr_mimebundle_()
        # The picture is sent only as HTML, because a screen reader would find no description in an
        # image.
        html = pages.box(type(self).__name__, self.model_id, still["text/html"])
        return still | {"text/html": html}

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        still = self.boxed()
        return data | still | {"text/html": self.hint + still["text/html"]}, metadata
