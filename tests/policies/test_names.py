"""The names and options of policies."""

from coalloc_lib.policies import names


def test_the_options_of_a_policy_are_what_it_is_made_with():
    words = {"rule": "best-fit", "counted": "head", "order": "smallest"}
    words |= {"release_early": True, "adaptive": True}
    for policy in names.SCHEDULING.values():
        given = {name: words.get(name, 7) for name in names.options_of(policy)}
        made = policy(**given)
        assert {name: getattr(made, name) for name in given} == given
        policy(**{name: given[name] for name in names.needed_by(policy)})
