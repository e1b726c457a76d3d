"""What everything stands on: arguments, whole files, seeds, bars, what an object shows, kernels.

Nothing here knows of clusters, jobs or statistics. What one layer alone uses belongs there.
"""
