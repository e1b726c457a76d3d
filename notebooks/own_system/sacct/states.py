"""The states of a job in Slurm's accounting, and the statuses of a log that correspond to them.

The states are those of https://slurm.schedmd.com/job_state_codes.html and of sacct.
"""

import re

#: Each state with its short form, empty if it has none.
STATES = {
    "BOOT_FAIL": "BF", "CANCELLED": "CA", "COMPLETED": "CD", "CONFIGURING": "CF",
    "COMPLETING": "CG", "DEADLINE": "DL", "EXPEDITING": "EX", "FAILED": "F", "LAUNCH_FAILED": "LF",
    "NODE_FAIL": "NF", "OUT_OF_MEMORY": "OOM", "PENDING": "PD", "POWER_UP_NODE": "PN",
    "PREEMPTED": "PR", "RUNNING": "R", "RECONFIG_FAIL": "RC", "REQUEUED": "RQ",
    "REQUEUE_FED": "RF", "REQUEUE_HOLD": "RH", "RESIZING": "RS", "RESV_DEL_HOLD": "RD",
    "REVOKED": "RV", "SIGNALING": "SI", "SPECIAL_EXIT": "SE", "STAGE_OUT": "SO", "STOPPED": "ST",
    "SUSPENDED": "S", "TIMEOUT": "TO", "UPDATE_DB": "",
}  # fmt: skip
#: A job in one of these states is waiting or running.
OPEN = {
    "PENDING", "RUNNING", "CONFIGURING", "EXPEDITING", "SIGNALING", "STOPPED", "POWER_UP_NODE",
}  # fmt: skip
#: A record in one of these states is closed if it has an end: the job goes on in another record,
#: or its processors are being given back. A job without an end is waiting or running.
OPEN_WITHOUT_END = {
    "RESIZING", "SUSPENDED", "COMPLETING", "STAGE_OUT", "REQUEUE_HOLD", "REQUEUE_FED",
    "SPECIAL_EXIT", "RESV_DEL_HOLD", "UPDATE_DB",
}  # fmt: skip
#: The statuses of the Standard Workload Format: 1 for completed, 5 for cancelled, -1 for not known.
#: A job in any other state has failed, 0. A segment of a resized job has done its work.
STATUS = {
    "COMPLETED": 1, "RESIZING": 1, "CANCELLED": 5, "REVOKED": 5, "SUSPENDED": -1, "COMPLETING": -1,
    "STAGE_OUT": -1, "UPDATE_DB": -1,
}  # fmt: skip
_LONG = {short: name for name, short in STATES.items() if short}


def state_of(text: str) -> str:
    """Return the full name of a state that ``sacct`` printed, in capitals.

    For example, ``sacct`` prints "CANCELLED by 1000", or "OUT_OF_ME+" if the column is too narrow.
    A beginning that several states have in common, such as "RE+", is returned unchanged. It is not
    the name of a state.
    """
    first = re.split(r"[\s,]", text.strip(), maxsplit=1)[0].upper()
    if first.endswith("+"):
        possible = [name for name in STATES if name.startswith(first[:-1])]
        return possible[0] if len(possible) == 1 else first
    return _LONG.get(first, first)
