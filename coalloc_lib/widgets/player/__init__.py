"""The schedule player: a finished schedule played, in a notebook or in a page of its own."""

from coalloc_lib.widgets.player.widget import Player

__all__ = ["Player"]
