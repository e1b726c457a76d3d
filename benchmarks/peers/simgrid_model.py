"""The same on SimGrid's actors: each job sleeps for its run time; the policy is the textbook's."""

import tempfile
from pathlib import Path

import simgrid
from simgrid import Actor, Engine, Semaphore, this_actor
from textbook import begun, easy_starts, fcfs_starts

PACKAGE = "simgrid"
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="site" routing="Full"><host id="machine" speed="1Gf"/></zone>
</platform>
"""


def version():
    """Return the version, which a distribution's package tells pip nothing of."""
    return simgrid.simgrid_version


def add_actor(host, name, function, *arguments):
    """Start an actor; before version 4.1 the host had no method for it."""
    if hasattr(host, "add_actor"):
        host.add_actor(name, function, *arguments)
    else:
        Actor.create(name, host, function, *arguments)


class Machine:
    """A machine with its queue: a source of jobs, a scheduler, and an actor for each job."""

    def __init__(self, processors, jobs, starts_now):
        self.jobs, self.start, self.starts_now = jobs, [None] * len(jobs), starts_now
        self.idle, self.waiting, self.running = processors, [], {}
        self.changed = Semaphore(0)

    def source(self):
        """Submit each job at its instant."""
        for job in self.jobs:
            if job.submit > Engine.clock:
                this_actor.sleep_until(job.submit)
            self.waiting.append(job)
            self.changed.release()

    def scheduler(self):
        """Start jobs whenever something has changed, once all of the instant has happened."""
        left = len(self.jobs)
        while left:
            self.changed.acquire()
            this_actor.yield_()
            now = round(Engine.clock)
            for job in self.starts_now(now, self.idle, self.waiting, self.running.values()):
                self.start[job.number] = now
                self.idle -= job.processors
                self.running[job.number] = begun(job, now)
                add_actor(this_actor.get_host(), f"job {job.number}", self.run, job)
                left -= 1
            self.waiting = [job for job in self.waiting if self.start[job.number] is None]

    def run(self, job):
        """Hold the processors of a job for its run time."""
        this_actor.sleep_for(job.runtime)
        self.idle += job.processors
        del self.running[job.number]
        self.changed.release()


def simulate(processors, jobs, starts_now):
    """Return the start of each job. A process can do this once: SimGrid has one engine in each."""
    engine = Engine(["peers", "--log=root.thresh:warning"])
    with tempfile.TemporaryDirectory() as folder:
        platform = Path(folder, "platform.xml")
        platform.write_text(PLATFORM, encoding="utf-8")
        engine.load_platform(str(platform))
    host, machine = engine.host_by_name("machine"), Machine(processors, jobs, starts_now)
    add_actor(host, "source", machine.source)
    add_actor(host, "scheduler", machine.scheduler)
    engine.run()
    return machine.start


def fcfs(processors, jobs):
    """Return the start of each job under FCFS."""
    return simulate(processors, jobs, fcfs_starts)


def easy(processors, jobs):
    """Return the start of each job under EASY."""
    return simulate(processors, jobs, easy_starts)
