"""The Python code of two scenarios of the playground, and files to save and to load them."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Any
from urllib.parse import urlencode

import ipywidgets as ipw
import pandas as pd

from coalloc_lib.basics.files import csv_of
from coalloc_lib.model.distributions import SizeDistribution
from coalloc_lib.policies import Scheduling
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.scenario_pairs import SIDES, by_size, over_load
from coalloc_lib.widgets.centres import scenario_of
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.playground_board import playground_picture


def code_of(scenarios: Sequence[Scenario], load: float) -> str:
    """Return Python code that makes the scenarios A and B, and prints the table of the playground.

    Parameters
    ----------
    scenarios : sequence of Scenario
        The two scenarios.
    load : float
        The offered load of A. The same jobs arrive at B.
    """
    text = "import coalloc_lib as co\nfrom coalloc_lib.statistics.scenario_pairs import by_size\n"
    for side, scenario in zip(SIDES, scenarios, strict=True):
        lines = ",\n    ".join(_arguments(scenario))
        text += f"\n{side} = co.Scenario(\n    {lines})"
    return f"{text}\nprint(by_size(A, B, load={load:.6g}))"


def _arguments(part: Any) -> list[str]:
    # An argument whose default is None or empty is left out of the code if it has its default.
    values = {field: getattr(part, field.name) for field in fields(part)}
    return [
        f"{field.name}={_in_python(value)}"
        for field, value in values.items()
        if value not in (None, "") or value != field.default
    ]


def _in_python(value: Any) -> str:
    if isinstance(value, SizeDistribution):
        return f"co.parse_sizes({str(value)!r})"
    if isinstance(value, Scheduling):
        return f"co.{value!r}"
    name = type(value).__name__
    return f"co.{name}({', '.join(_arguments(value))})" if is_dataclass(value) else repr(value)


def start_button(box: Explorer) -> ipw.Button:
    """Return a button that sets all controls of the playground to what they are now."""
    first = urlencode(box.values)
    button = ipw.Button(description="start again", tooltip="set all controls as they were at first")
    button.on_click(lambda _button: box.recreate(first))
    return button


def file_buttons(box: Explorer, links: ipw.HTML) -> list[ipw.Widget]:
    """Return the buttons that make files of the playground and that load a scenario from a file.

    Parameters
    ----------
    box : Explorer
        The playground.
    links : HTML
        The widget that shows the links to the files.
    """

    def fill(_button: Any) -> None:
        links.value = ""
        if box.is_possible:  # Otherwise the explorer shows an error beside the wrong control.
            links.value = _links(box.values, *(scenario_of(box.values, side) for side in SIDES))

    def read(change: Mapping[str, Any]) -> None:
        for file in change["new"]:
            content, values = bytes(file["content"]), None
            with suppress(ValueError):
                values = json.loads(content)
            if isinstance(values, dict):
                box.recreate(urlencode(values), f"{file['name']}: ")
            else:
                begin = str(content[:30], "utf-8", "replace")
                box.reject(
                    f"{file['name']}: a file that begins with {begin!r} has no scenario; give a "
                    "scenario.json that 'make files' has made"
                )
        load.value = ()  # Otherwise the same file could not be loaded a second time.

    save = ipw.Button(description="make files", tooltip="scenario, table and figure to save")
    load = ipw.FileUpload(accept=".json", description="load scenario")
    links.add_class("coalloc-files")
    save.on_click(fill)
    load.observe(read, "value")
    return [save, load]


def _links(values, one, other):
    table = pd.concat([by_size(one, other, values["load"]), over_load(one, other)])
    files = {
        "scenario.json": json.dumps(values, indent=1).encode(),
        "table.csv": csv_of(table).encode(),
        "figure.svg": playground_picture(one, other).image,
    }
    address = "data:application/octet-stream;base64,"
    return " ".join(
        f'<a download="{name}" href="{address}{b64encode(data).decode()}">{name}</a>'
        for name, data in files.items()
    )
