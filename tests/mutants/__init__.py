"""Do the tests bite? Small mistakes are made in copies of the library, and tests must notice.

``python -m tests.mutants`` tries all of them, ``python -m tests.mutants WORD ...`` those whose file
or change has one of the words; ``-j 2`` tries two at a time. `tool` makes a mistake and runs the
tests that should notice it; the mistakes are in the other modules, by the layer of what they spoil.
"""
