"""Checks resolved over recorded evidence: operands, operators, three-valued resolution (spec 04, sections 1 to 5)."""

from .evidence import (
    ABSENT,
    Absent,
    PointerDenotesCollection,
    ReferenceSetKeys,
    ResolvedValue,
    ResolveOperand,
    make_pointer_denotes_collection,
    make_resolve_operand,
    make_witness_pointer_denotes_collection,
    reference_set_keys_of,
)
from .resolution import CheckResolver, resolve_check

__all__ = [
    "ABSENT",
    "Absent",
    "CheckResolver",
    "PointerDenotesCollection",
    "ReferenceSetKeys",
    "ResolveOperand",
    "ResolvedValue",
    "make_pointer_denotes_collection",
    "make_resolve_operand",
    "make_witness_pointer_denotes_collection",
    "reference_set_keys_of",
    "resolve_check",
]
