"""Two sites with small logs, as in the tests of the report."""

from tests.own_system.conftest import files, logs, report

__all__ = ["files", "logs", "report"]
