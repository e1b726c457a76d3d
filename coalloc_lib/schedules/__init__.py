"""What came out: the schedule of a run, its metrics, whether it is right, and why a job waited.

Everything here reads a finished schedule, of whichever engine, and changes nothing. Running one
belongs into `simulation`.
"""
