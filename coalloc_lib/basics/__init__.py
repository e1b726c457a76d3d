"""Foundations of the library, which do not import any other layer.

They are argument checks, atomic writing of files, random seeds, progress bars, formatting for
notebooks, estimates with their intervals, and compilation. Begin with `checks`, which every public
function uses.
"""
