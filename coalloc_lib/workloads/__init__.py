"""Where job streams come from: logs, catalogues of logs, and models."""
