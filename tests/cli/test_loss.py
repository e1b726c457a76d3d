import json
import subprocess
import sys

import pytest

import coalloc_lib as co
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.cli import loss as command
from tests.cli.conftest import LOSS, over, rows

SAMPLED = [*LOSS, "--request", "unordered", "--method", "simulation", "--jobs", "2000"]


def test_loss_prints_the_published_number(run):
    arguments = ["loss", "--clusters", "32,32", "--sizes", "D(0.95)[1,32]", "--components", 2]
    arguments += ["--request", "unordered", "--method", "approximation"]
    assert run(*arguments) == "0.397\n"
    answer = json.loads(run(*arguments, "--json"))
    assert set(answer) == {"capacity_loss", "max_utilization", "method"}
    assert answer["capacity_loss"] == pytest.approx(0.397, abs=5e-4)
    assert answer["capacity_loss"] + answer["max_utilization"] == pytest.approx(1)
    assert answer["method"] == "approximation"
    assert run(*arguments, "--one-is-power-of-two") != "0.397\n"


def test_unordered_requests_are_exact_by_the_markov_chain(run):
    """A simulation confirms that the exact loss differs from the approximation."""
    asked = [*LOSS, "--request", "unordered", "--json"]
    exact, close = (
        json.loads(run(*asked, "--method", method))["capacity_loss"]
        for method in ("exact", "approximation")
    )
    first_fit = run(*asked, "--method", "approximation", "--placement", "first-fit")
    assert json.loads(first_fit)["capacity_loss"] != close
    low, high = json.loads(run(*asked, "--method", "simulation"))["ci95"]
    assert low < exact < high
    assert exact - close > 0.002
    assert run(*asked[:-1]) == f"{exact:.3f}, exact\n"  # where no method is given
    loss = ["loss", "--clusters", "4x32", "--sizes", "U[1,16]", "--request", "ordered"]
    assert run(*loss) == run(*loss, "--components", 4) == "0.380, exact\n"
    one = ["loss", "--clusters", "32", "--sizes", "U[1,4]", "--components", "1", "--request"]
    assert {run(*one, request) for request in co.jobs.REQUESTS} == {"0.032, exact\n"}


IMPORTED = """
import sys
from coalloc_lib.cli import main
main(["loss", "--clusters", "32,32", "--sizes", "U[1,16]", "--request", "unordered", *sys.argv[1:]])
print(*sys.modules)
"""


def test_a_formula_waits_for_nothing_that_it_does_not_need():
    command = [sys.executable, "-c", IMPORTED, "--method", "approximation"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    loss, modules = result.stdout.splitlines()
    assert float(loss) > 0
    unneeded = {"pandas", "scipy.signal", "scipy.sparse", "matplotlib", "simpy", "joblib"}
    assert not unneeded & set(modules.split())


def test_without_a_method_what_is_not_affordable_is_simulated_and_says_so(run):
    """The Markov chain of two clusters of 32 processors has half a million states."""
    asked = ["loss", "--clusters", "32,32", "--sizes", "U[1,16]", "--request", "unordered"]
    answer = json.loads(run(*asked, "--json"))
    assert answer["method"] == "simulation"
    assert answer["ci95"][0] < answer["capacity_loss"] < answer["ci95"][1]
    half_width = (answer["ci95"][1] - answer["ci95"][0]) / 2
    expected = f"{answer['capacity_loss']:.4f} ± {half_width:.4f} (95 %)"
    assert run(*asked) == f"{expected}, simulation\n"
    assert run(*asked, "--method", "simulation") == f"{expected}\n"


@pytest.mark.parametrize(
    "options",
    [["--scheduling", "fpfs", "--max-jumps", "9"], ["--service", "deterministic"], ["--seed", "3"]],
)
def test_what_no_formula_answers_is_simulated(run, options):
    asked = [*LOSS, "--request", "unordered", *options]
    answer = json.loads(run(*asked, "--json"))
    assert answer["method"] == "simulation"
    assert answer == json.loads(run(*asked, "--json", "--method", "simulation"))


@pytest.mark.parametrize("seed", range(2))
def test_a_loss_of_nothing_has_no_sign(run, seed):
    """The loss of jobs as large as the cluster is 0 up to rounding errors of either sign."""
    full = ["loss", "--clusters", "8", "--sizes", "U[8,8]", "--request", "total"]
    found = run(*full, "--method", "simulation", "--jobs", 2000, "--seed", seed)
    assert found.startswith("0.0000 ")


def test_the_json_of_a_small_loss_is_not_rounded(capsys):
    command._print(Interval(4e-5, 2e-5, 6e-5, 20), None, True, name_method=False)
    answer = json.loads(capsys.readouterr().out)
    assert (answer["capacity_loss"], answer["max_utilization"]) == (4e-5, 1 - 4e-5)
    assert answer["ci95"] == [2e-5, 6e-5]


@pytest.mark.parametrize("loss", [-1e-17, -4e-5])
def test_a_loss_by_formula_has_no_sign_if_it_is_rounded_to_0(capsys, loss):
    command._print(Interval.exact(loss), "exact", False, name_method=True)
    assert capsys.readouterr().out == "0.000, exact\n"


def test_the_default_backlog_is_that_of_the_library(run):
    overtaking = [*SAMPLED, "--scheduling", "fpfs", "--max-jumps", "20"]
    assert run(*overtaking) == run(*overtaking, "--backlog", co.saturation.HELD)


def test_policies_and_service_times_change_the_simulated_loss(run):
    choices = [
        [],
        ["--seed", "1"],
        ["--placement", "first-fit"],
        ["--scheduling", "fpfs", "--max-jumps", "20"],
        ["--scheduling", "fpfs", "--max-jumps", "20", "--backlog", "5"],
        ["--service", "deterministic"],
        ["--service", "hyperexponential:3"],
    ]
    assert len({run(*SAMPLED, *choice) for choice in choices}) == len(choices)
    loss = [json.loads(run(*SAMPLED, *c, "--json"))["capacity_loss"] for c in choices]
    assert loss[3] < loss[0]  # who may overtake loses less


REFUSED = """
--request any -> --request = 'any' & ordered, unordered, flexible, total
--method guess -> --method = 'guess' & exact
--placement first-fit -> cannot be used with --request ordered
--scheduling fpfs -> fpfs needs --max-jumps
--scheduling online -> --scheduling online books jobs when they are submitted
--max-jumps 3 -> --max-jumps cannot be used with & fpfs
--sizes U[5,9] -> 9 & 8 processors
--sizes U[1 -> --sizes = 'U[1'
--clusters 8,x -> --clusters = '8,x' & 64,2x32
--service hyperexponential:0.5 -> coefficient
--service deterministic --method exact -> use --method simulation
--method approximation -> use --method exact
--request unordered --clusters 4x32 --method exact -> states or more & approximation or --method sim
--request unordered --clusters 4x32 --method exact --placement best-fit -> ; use --method sim
--request unordered --clusters m64 --method approximation -> years & use --method simulation
--request unordered --placement best-fit --method approximation -> no formula for --placement best
--seed -1 -> '--seed' & it is '-1'
--seed 1 -> --seed is for --method simulation
--request total --method simulation --backlog 3 -> --backlog
--request total --method simulation --scheduling fpfs --max-jumps 1 --backlog 0 -> '--backlog'
--colour red -> No such option: --colour
"""


@pytest.mark.parametrize(("arguments", "words"), rows(REFUSED))
def test_loss_refuses_what_is_wrong_in_one_line(refused, arguments, words):
    line = refused("loss", *over([*LOSS[1:], "--request", "ordered"], arguments))
    assert all(word in line for word in words), line
    assert "budget" not in line  # there is no such option


def test_what_is_missing_is_named(refused):
    line = refused(*LOSS)
    assert "Missing option '--request'" in line
    assert "coalloc loss --help" in line
