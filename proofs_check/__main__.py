"""``python -m proofs_check`` is ``twofold``."""

import gc
import os
import sys

# -m looks in the working folder first, where theorems, figures or pathlib may be somebody else's: until that is mended
# nothing is imported that Python has not imported itself
here = __name__ == "__main__" and not sys.flags.safe_path
if here and os.path.realpath(sys.path[0]) != os.path.realpath(os.path.join(__file__, "../..")):
    sys.path.append(sys.path.pop(0))


def main() -> int:
    """Run the command line; an interruption is told in one line while its modules are read, too."""
    try:
        from proofs_check.commands.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("twofold: interrupted", file=sys.stderr)
        return 130
    finally:
        # what is left would be gone through once more as the process ends, a tenth of what a short command takes
        gc.freeze()


if __name__ == "__main__":
    sys.exit(main())
