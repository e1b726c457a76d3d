"""What there is: systems of clusters, sizes and times, streams of jobs, and where a job goes.

A job flows from here to a schedule. Nothing here knows when a job starts: that is what policies
decide and engines do.
"""
