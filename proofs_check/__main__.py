"""``python -m proofs_check`` is ``twofold``."""

import sys

from proofs_check.commands.cli import main

if __name__ == "__main__":
    sys.exit(main())
