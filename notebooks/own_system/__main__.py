"""Run the commands ``python -m own_system report`` and ``python -m own_system import``."""

import sys

from own_system.commands import main

sys.exit(main())
