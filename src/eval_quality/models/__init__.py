"""Typed models of every artifact, generated from the declarations in ``eval_quality.artifacts``.

Reached through the root package; pydantic is imported when the first model is.
"""
