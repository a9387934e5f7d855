"""How fast the package is, and what it keeps in memory: ``python -m benchmarks --help``.

``inputs`` makes what is read, ``processes`` times whole commands, ``in_process`` times the library beside its floor, and
``report`` prints both. Nothing here fails for being slow; only a run that breaks does.
"""
