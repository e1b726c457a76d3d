import sys

from tests.conftest import ROOT

DATA = ROOT / "data" / "traces"
sys.path.append(str(DATA))  # the scripts that make the stand-ins
