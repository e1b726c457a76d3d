"""The model: systems of clusters, sizes and times, streams of jobs, and their placement.

When a job starts does not belong here: policies decide it, and engines carry it out. Begin with
`system` and `jobs`.
"""
