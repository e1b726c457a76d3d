"""Run the commands ``python -m studies reproduce`` and ``python -m studies judge``."""

import sys

from studies.commands import main

sys.exit(main())
