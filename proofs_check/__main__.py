"""``python -m proofs_check`` is ``twofold``."""

import sys
from pathlib import Path

# -m looks in the working folder first, where packages named theorems or figures may be somebody else's
if not sys.flags.safe_path and Path(sys.path[0]).resolve() != Path(__file__).resolve().parents[1]:
    sys.path.append(sys.path.pop(0))

from proofs_check.commands.cli import main

if __name__ == "__main__":
    sys.exit(main())
