"""Foundations: argument checks, atomic files, seeds, progress, notebook display, compilation.

Nothing here knows of clusters, jobs or statistics; what only one layer uses belongs there.
Begin with `checks`, on which every public function relies.
"""
