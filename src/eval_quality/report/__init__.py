"""``eval-quality-report``: what a run left, as something a person can look at.

Four steps, each a module or two: ``reading`` turns files into recognised artifacts, ``run`` puts the artifacts of one
run together (or says why they are not of one run), ``build`` turns a run into a ``view.Report``, which is everything
that is shown, in words; and ``terminal``, ``html``, ``markdown`` and ``junit`` each render that one view. Nothing but
``reading`` and ``main`` touches a file, and no renderer decides anything.
"""
