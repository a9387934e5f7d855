"""``python -m eval_quality.gates`` is the program ``eval-quality-gates``."""

import sys

from .main import main

if __name__ == "__main__":
    sys.exit(main())
