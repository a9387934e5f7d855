"""Sealing: a compiled contract becomes a brief that tells an evaluator where to look, not what to find (spec 06)."""

from .audit import audit_brief_scripting
from .brief import seal_contract
from .prose import render_direction_text
from .references import render_evidence_references

__all__ = ["audit_brief_scripting", "render_direction_text", "render_evidence_references", "seal_contract"]
