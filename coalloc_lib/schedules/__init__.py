"""Finished schedules: metrics, verification, why jobs waited, files of other tools.

Everything here reads a schedule of either engine and changes nothing; running one belongs in
`simulation`. Begin with `schedule`.
"""
