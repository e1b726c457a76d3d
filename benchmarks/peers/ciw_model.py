"""The queue on Ciw, a simulator of queueing networks, whose customers hold one server each."""

import itertools
import math

import ciw

PACKAGE = "ciw"


def fcfs(processors, jobs):
    """Return the start of each job of one processor under FCFS."""
    if any(job.processors > 1 for job in jobs):
        raise ValueError("a customer of Ciw takes one server")
    submit = [0] + [job.submit for job in jobs]
    gaps = [later - earlier for earlier, later in itertools.pairwise(submit)]
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Sequential([*gaps, math.inf])],
        service_distributions=[ciw.dists.Sequential([job.runtime for job in jobs])],
        number_of_servers=[processors],
    )
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_customers(len(jobs), method="Finish")
    records = sorted(simulation.get_all_records(), key=lambda record: record.id_number)
    return [record.service_start_date for record in records]
