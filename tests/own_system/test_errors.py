"""Errors that a notebook shows as one line."""

from IPython.core.interactiveshell import InteractiveShell

from own_system.errors import ShortError


def test_ipython_shows_the_error_as_one_line(capsys):
    shell = InteractiveShell()
    shell.push({"ShortError": ShortError})
    assert not shell.run_cell("raise ShortError('option = 3; give a name')").success
    assert capsys.readouterr().out.splitlines() == ["InputError: option = 3; give a name"]
