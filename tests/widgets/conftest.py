"""Two sites with small logs, as the tests of the report have them."""

from tests.own_system.conftest import files, logs, report

__all__ = ["files", "logs", "report"]
