"""The values of the controls for which an explorer has drawn its pictures."""

from collections.abc import Mapping
from typing import Any


class Drawn:
    """The values of the controls for which an explorer has drawn its pictures.

    Attributes
    ----------
    values : dict of str to object, or None
        The values for which a picture was last drawn, even if they were rejected. It is None if no
        picture was drawn, or if the drawing was interrupted.
    is_coarse : bool
        Whether a finer picture of these values follows.
    """

    def __init__(self) -> None:
        self.values: Mapping[str, Any] | None = None
        self.is_coarse = False
        #: The values of the most recent precise picture, and those of the precise one before.
        self._fine: tuple[Mapping[str, Any] | None, Mapping[str, Any] | None] = None, None

    def suffices(self, values: Mapping[str, Any], coarse: bool) -> bool:
        """Return whether `values` are drawn already, with at least the wanted detail."""
        return values == self.values and (coarse or not self.is_coarse)

    def begin(self, values: Mapping[str, Any]) -> None:
        """Note that the drawing of `values` begins."""
        self.values, self.is_coarse = values, False

    def finish(self, values: Mapping[str, Any], coarse: bool) -> None:
        """Note that the drawing of a coarse or a fine picture has ended.

        Nothing is noted if the drawing of other values has begun in the meantime.
        """
        if values != self.values:
            return
        self.is_coarse = coarse
        if not coarse and self.values != self._fine[0]:
            self._fine = self.values, self._fine[0]

    def interrupt(self) -> None:
        """Note that the drawing was interrupted, so that the same values can be drawn again."""
        self.values, self.is_coarse = None, False

    def before(self, values: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the values of the last fine picture of other values, or None."""
        last, earlier = self._fine
        return earlier if values == last else last
