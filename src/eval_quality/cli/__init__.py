"""The command line: grammar, inputs, output, exit codes. Internal; the console script is ``eval-quality``."""
