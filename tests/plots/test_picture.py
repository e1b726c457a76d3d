"""Pictures describe a figure to readers who cannot see it."""

from coalloc_lib import plots


def test_a_given_description_is_used_also_beside_the_numbers():
    figure, _ = plots.new_figure()
    plots.title_figure(figure, "Waits")
    given = plots.Picture(figure, alt="a line that rises", rows=["0.2: 1"])
    shown = given._repr_mimebundle_()
    assert shown["text/plain"] == given.alt == "a line that rises"
    assert 'alt="a line that rises"' in shown["text/html"]
    assert "<li>0.2: 1</li>" in shown["text/html"]
    other = plots.Picture(figure, rows=["0.2: 1"])._repr_mimebundle_()
    assert other["text/plain"] == "Waits; its numbers are listed below"
