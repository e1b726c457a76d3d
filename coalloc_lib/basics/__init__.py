"""Foundations of the library that know nothing about clusters, jobs or statistics.

They are argument checks, atomic writing of files, random seeds, progress bars, formatting for
notebooks, and compilation. Code that only one other layer uses belongs in that layer. Begin with
`checks`, which every public function uses.
"""
