"""Score: did the evaluation catch the planted defect? (spec 09)

``stage.score`` is the entry. A probe is judged by ``qualification``; each trial by ``trial``, which selects observations
(``selection``), matches the probe's signature (``witness_match``), sorts findings (``finding_map``) and decides about
each oracle (``outcome``). Votes are reduced by ``reduction``, everything that is wrong is pooled in an ``assessment``,
and ``verdicts`` walks the ladder. ``identity``, ``strength``, ``consistency`` and ``dominance`` are read by what comes
after.
"""
