"""Artifacts as they are on the wire: ``TypedDict`` declarations, their shapes, and the parse every stage begins with.

Internal: the typed models of the library surface are in ``eval_quality.models``. Inside the package an artifact is the JSON
value itself, validated once and never mutated. Fixed-length arrays are annotated as tuples and are lists at run time.
"""
