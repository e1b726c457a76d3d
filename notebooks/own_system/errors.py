"""Errors that a notebook shows as one line."""

from coalloc_lib.basics.checks import InputError


class ShortError(InputError):
    """An `InputError` that IPython shows without a traceback, because its message says it all."""

    def _render_traceback_(self) -> list[str]:
        # IPython calls this method, if an error has it, in place of writing a traceback.
        return [f"InputError: {self}"]
