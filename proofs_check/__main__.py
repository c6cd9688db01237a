"""``python -m proofs_check`` is ``twofold``."""

import os
import sys

# -m looks in the working folder first, where theorems, figures or pathlib may be somebody else's: until that is mended
# nothing is imported that Python has not imported itself
if not sys.flags.safe_path and os.path.realpath(sys.path[0]) != os.path.realpath(os.path.join(__file__, "../..")):
    sys.path.append(sys.path.pop(0))

from proofs_check.commands.cli import main

if __name__ == "__main__":
    sys.exit(main())
