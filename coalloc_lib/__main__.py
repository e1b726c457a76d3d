"""``python -m coalloc_lib`` is the command ``coalloc``."""

import sys

from coalloc_lib.cli import main

sys.exit(main())
