"""``eval-quality-gates``: eight deterministic checks a repository's owner configures (spec 14).

The gates know nothing of the evaluation engine and nothing in the engine knows them. ``registry`` lists them, ``gate``
says what a gate is (a configuration model and a place in, a report out), ``discovery`` and ``sections`` turn a
configuration file into a model, ``formats`` prints a report and ``main`` picks the exit code. Every other module
serves one gate, or a vocabulary several gates share.
"""
