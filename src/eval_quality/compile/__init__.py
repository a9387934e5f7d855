"""Compile: a parsed evaluation contract held to every discipline rule, in a fixed order (spec 05).

``compile_contract`` runs the table of checks in ``order`` and returns the contract unchanged. Other stages judge their
own values by the same rules and import them from the modules that hold them:

- ``witnesses``: ``undeclared_inputs``, ``uncarried_evidence``, ``volatile_evidence``, ``kind_of_inputs``,
  ``kind_of_operation`` (pre-flight);
- ``inventory``: ``repeated_interface_identifiers``, ``unsupported_kinds``, ``operation_signature``, ``FAMILY_OF_KIND``
  (pre-flight, probe qualification);
- ``sites.bare_site`` makes one expression a site for ``legality`` (``unbound_elements``, ``illegal_operands``,
  ``nested_quantifiers``, ``quantifiers_over_scalars``), ``patterns.rejected_patterns`` and
  ``reachability.unreachable_evidence`` (probe qualification);
- ``bindings.captured_bindings`` (score).

A rule yields failures in the order it meets them; ``raise_first`` raises the first.
"""

from .order import CHECKS, compile_contract, raise_first

__all__ = ["CHECKS", "compile_contract", "raise_first"]
