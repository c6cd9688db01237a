"""``python -m figures ...`` is ``twofold figures ...``."""

import sys

from proofs_check.commands.cli import main

if __name__ == "__main__":
    sys.exit(main(["figures", *sys.argv[1:]]))
