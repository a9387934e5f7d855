"""``python -m eval_quality`` is ``eval-quality``."""

import sys

from eval_quality.cli.main import main

sys.exit(main())
