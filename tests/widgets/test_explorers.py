"""The explorers of the library without a browser: a picture follows its controls and comes back."""

import pytest

from coalloc_lib import widgets
from tests.widgets.explorers import check_entries, check_following, check_line, schedule_explorer

MAKERS = {
    "loss": widgets.loss_explorer,
    "schedule": schedule_explorer,
}
#: Another value for each control. A control that has no effect comes after the control that gives
#: it an effect.
OTHER = {
    "loss": {
        "clusters": 5, "cluster size": 40, "components": 3, "size distribution": "D(q)",
        "smallest size": 2, "largest size": 9, "placement": "first fit",
    },
    "schedule": {"request type": "ordered", "placement": "best fit", "scheduling": "FPFS"},
}  # fmt: skip

pytestmark = pytest.mark.usefixtures("quick", "without_images")


@pytest.mark.parametrize("name", MAKERS)
def test_every_slider_has_an_entry_of_its_name(name):
    check_entries(MAKERS[name]())


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_shown_follows_every_control_and_comes_back(name):
    check_following(MAKERS[name](), OTHER[name])


@pytest.mark.parametrize("name", MAKERS)
def test_one_line_recreates_an_explorer(name):
    label = "placement" if name == "loss" else next(reversed(OTHER[name]))
    check_line(MAKERS[name], MAKERS[name](), label, OTHER[name][label])
