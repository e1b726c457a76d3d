"""The states of a job in Slurm's accounting data, and the corresponding statuses in a log.

The states are those of https://slurm.schedmd.com/job_state_codes.html and of sacct.
"""

import re

#: The job states in Slurm, each with its abbreviation in the output of ``sacct``, or with an empty
#: string if it has none.
STATES = {
    "BOOT_FAIL": "BF", "CANCELLED": "CA", "COMPLETED": "CD", "CONFIGURING": "CF",
    "COMPLETING": "CG", "DEADLINE": "DL", "EXPEDITING": "EX", "FAILED": "F", "LAUNCH_FAILED": "LF",
    "NODE_FAIL": "NF", "OUT_OF_MEMORY": "OOM", "PENDING": "PD", "POWER_UP_NODE": "PN",
    "PREEMPTED": "PR", "RUNNING": "R", "RECONFIG_FAIL": "RC", "REQUEUED": "RQ",
    "REQUEUE_FED": "RF", "REQUEUE_HOLD": "RH", "RESIZING": "RS", "RESV_DEL_HOLD": "RD",
    "REVOKED": "RV", "SIGNALING": "SI", "SPECIAL_EXIT": "SE", "STAGE_OUT": "SO", "STOPPED": "ST",
    "SUSPENDED": "S", "TIMEOUT": "TO", "UPDATE_DB": "",
}  # fmt: skip
#: The Slurm states of jobs that are waiting or running.
OPEN = {
    "PENDING", "RUNNING", "CONFIGURING", "EXPEDITING", "SIGNALING", "STOPPED", "POWER_UP_NODE",
}  # fmt: skip
#: The Slurm states in which the end decides whether a record is complete. If the record has an end,
#: the job continues in another record, or its processors are being released. If it has no end, the
#: job is still running.
OPEN_WITHOUT_END = {
    "RESIZING", "SUSPENDED", "COMPLETING", "STAGE_OUT", "REQUEUE_HOLD", "REQUEUE_FED",
    "SPECIAL_EXIT", "RESV_DEL_HOLD", "UPDATE_DB",
}  # fmt: skip
#: A dict from Slurm states to the status in the Standard Workload Format: 1 for completed, 5 for
#: cancelled, -1 for unknown. All other states get the status 0, which means failed. A record that
#: ends because its job changes size counts as completed.
STATUS = {
    "COMPLETED": 1, "RESIZING": 1, "CANCELLED": 5, "REVOKED": 5, "SUSPENDED": -1, "COMPLETING": -1,
    "STAGE_OUT": -1, "UPDATE_DB": -1,
}  # fmt: skip
_LONG = {short: name for name, short in STATES.items() if short}


def state_of(text: str) -> str:
    """Return the full name, in capital letters, of a job state that ``sacct`` printed.

    For example, ``sacct`` prints "CANCELLED by 1000", or "OUT_OF_ME+" if the column is too narrow.
    A truncated name that several states can have, such as "RE+", is returned unchanged.
    """
    first = re.split(r"[\s,]", text.strip(), maxsplit=1)[0].upper()
    if first.endswith("+"):
        possible = [name for name in STATES if name.startswith(first[:-1])]
        return possible[0] if len(possible) == 1 else first
    return _LONG.get(first, first)
