"""Co-allocation with communication considerations."""
