"""Read exports of Slurm's accounting data, which ``sacct --parsable2`` prints."""

from own_system.sacct.columns import COMMAND
from own_system.sacct.reader import read_sacct

__all__ = ["COMMAND", "read_sacct"]
