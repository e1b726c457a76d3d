"""Make the synthetic logs of this folder, and the model parameters that they are drawn from.

    python data/traces/make_traces.py             logs from the parameters that are here
    python data/traces/make_traces.py --fit       parameters from the real logs, then the logs
    python data/traces/make_traces.py --compare   print the table of README.md

`--fit` and `--compare` need the real logs, in the folder that COALLOC_TRACES names or fetched
with `coalloc traces fetch CTC-SP2 KTH-SP2`. The logs depend on nothing but the parameters and
the seed, so making them again gives the same bytes.
"""

import argparse
import json
import sys
from pathlib import Path

import fit_classes as of_classes
import fit_model
import numpy as np
from adapted_lublin import AdaptedLublin

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.workloads.catalogue import load_stand_in, load_trace, trace
from coalloc_lib.workloads.swf_writer import write_swf

HERE = Path(__file__).parent
#: One seed a log; any would do.
SEEDS = {"CTC-SP2": 20031, "KTH-SP2": 20032}
COUNT = 10_000
#: Of which log the parameters of Jann and others are shipped too.
OF_CLASSES = "CTC-SP2"
#: The rows of the comparison: a log and the widest job that is kept.
COMPARED = (("CTC-SP2", None), ("CTC-SP2", 128), ("KTH-SP2", None))


def model_file(name, folder=HERE):
    """Return the path of a log's parameters."""
    return folder / f"{name.lower()}.model.json"


def fit(name, folder=HERE):
    """Fit the model to a real log and write its parameters."""
    parameters = fit_model.fit(load_trace(name, missing="error")).to_dict()
    # Ten digits: what a later release of the minimiser changes lies below them or matters.
    _write(model_file(name, folder), parameters, 10, indent=1)


def fit_classes(name, folder=HERE):
    """Fit the workload of Jann and others to a real log and write its parameters: no job."""
    fitted = of_classes.fit_workload(load_trace(name, missing="error").jobs())
    classes = [of_classes.parameters(one) for one in fitted.classes]
    parameters = {"log": name, "longest": fitted.longest_estimate, "classes": classes}
    _write(folder / f"{name.lower()}.jann.json", parameters, 6)


def _write(path, parameters, digits, **how):
    def rounded(text):
        return float(f"{float(text):.{digits}g}")

    text = json.dumps(json.loads(json.dumps(parameters), parse_float=rounded), **how)
    with atomic_path(path) as beside:
        beside.write_text(text + "\n", encoding="utf-8")


def make(name, folder=HERE):
    """Draw a log from the parameters that are in `HERE` or `folder` and write it."""
    model = AdaptedLublin.from_dict(json.loads(model_file(name, folder).read_text("utf-8")))
    jobs = model.sample(COUNT, SEEDS[name])
    write_swf(folder / f"{name}-synthetic.swf.gz", jobs, header(name, model))


def header(name, model):
    """Return the header of a synthetic log; it says what the log is."""
    entry = trace(name)
    return {
        "Version": "2.2",
        "Computer": f"none: SYNTHETIC stand-in for the log {name}",
        "Acknowledge": f"{entry.acknowledge}, for the log that the parameters were fitted to",
        "MaxJobs": str(COUNT),
        "MaxRecords": str(COUNT),
        "MaxNodes": str(entry.processors),
        "MaxProcs": str(entry.processors),
        # The model has hours of the day and no days of the week: any day will do.
        "UnixStartTime": str(round(model.start)),
        "Note": "THIS IS NOT A LOG OF A MACHINE. All jobs are drawn from a model after Lublin and "
        "Feitelson (2003) with requested times after Tsafrir et al. (2005).",
        "Seed": f"numpy.random.default_rng({SEEDS[name]})",
        "Parameters": json.dumps(model.to_dict()),
    }


def compare():
    """Yield the lines of the table of moments, real beside synthetic."""
    columns = ("log", "jobs", "mean size", "cv", "mean run time (s)", "cv", "offered load")
    columns += ("run time / request, median",)
    yield f"| {' | '.join(columns)} |"
    yield f"|{' --- |' * len(columns)}"
    for name, largest in COMPARED:
        kept = "" if largest is None else f", at most {largest} processors"
        for kind, log in (
            ("real", load_trace(name, missing="error")),
            ("synthetic", load_stand_in(name)),
        ):
            cells = [f"{name}{kept}, {kind}", *moments(log, largest)]
            yield f"| {' | '.join(cells)} |"


def moments(log, largest):
    """Return the moments of a log as the cells of a row."""
    jobs = log.jobs(largest=largest)
    size, runtime = jobs.processors, jobs.runtime
    load = jobs.work.sum() / (np.ptp(jobs.submit) * log.processors)
    return (
        f"{len(jobs):,}",
        f"{size.mean():.2f}",
        f"{size.std() / size.mean():.2f}",
        f"{runtime.mean():,.0f}",
        f"{runtime.std() / runtime.mean():.2f}",
        f"{load:.3f}",
        f"{np.median(runtime / jobs.estimate):.2f}",
    )


def main():
    """Do what the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description="Make the synthetic logs of data/traces.")
    parser.add_argument("--fit", action="store_true", help="fit the parameters anew first")
    parser.add_argument("--compare", action="store_true", help="print the table, make nothing")
    options = parser.parse_args()
    try:
        if options.compare:
            print("\n".join(compare()))
            return 0
        for name in SEEDS:
            if options.fit:
                fit(name)
                if name == OF_CLASSES:
                    fit_classes(name)
            make(name)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
