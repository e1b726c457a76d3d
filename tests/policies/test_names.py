"""Names of systems and policies are read alike wherever they are written."""

import pytest

from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.system import NAMED_SYSTEMS
from coalloc_lib.policies import names
from coalloc_lib.widgets import division_picture


def test_a_text_of_sizes_and_a_name_give_a_system():
    assert names.parse_clusters("64, 32,32").sizes == (64, 32, 32)
    assert names.parse_clusters("64,2x32").sizes == names.parse_clusters("64, 32,32").sizes
    for name, sizes in NAMED_SYSTEMS.items():
        assert names.parse_clusters(name).sizes == sizes


@pytest.mark.parametrize("text", ["", "a", "8;8", "8,,8", "8,0", "8,-1", "8.5", None, 8])
def test_any_other_text_is_refused_alike_on_the_command_line_and_in_a_notebook(text):
    with pytest.raises(InputError, match=r"^--clusters = ") as shell:
        names.parse_clusters(text, "--clusters")
    if not isinstance(text, str):
        return
    with pytest.raises(InputError, match=r"^sizes = ") as notebook:
        division_picture(text)
    assert str(shell.value).removeprefix("--clusters") == str(notebook.value).removeprefix("sizes")


def test_the_options_of_a_policy_are_what_it_is_made_with():
    words = {"rule": "best-fit", "release_early": True, "counted": "head", "order": "smallest"}
    for policy in names.SCHEDULING.values():
        given = {name: words.get(name, 7) for name in names.options_of(policy)}
        made = policy(**given)
        assert {name: getattr(made, name) for name in given} == given
        policy(**{name: given[name] for name in names.needed_by(policy)})
