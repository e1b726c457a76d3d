import sys

from tests.conftest import ROOT

sys.path.append(str(ROOT / "data" / "traces"))  # the scripts that make the stand-ins
