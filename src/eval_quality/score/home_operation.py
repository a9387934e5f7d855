"""The operation a defect signature is about (spec 09, section 7.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from eval_quality.artifacts.defect_signature import DefectSignature
from eval_quality.artifacts.interfaces import AnyOperation, PermittedInterface
from eval_quality.artifacts.probe import Probe
from eval_quality.compile.inventory import FAMILY_OF_KIND, operation_signature
from eval_quality.plan_index import OperationKey, operation_key


class HomeOperation(NamedTuple):
    """An operation, with the interface that declares it."""

    interface_id: str
    operation: AnyOperation

    @property
    def key(self) -> OperationKey:
        return operation_key(self.interface_id, self.operation["operationId"])


def resolve_home_operation(
    signature: DefectSignature, interfaces: Sequence[PermittedInterface]
) -> HomeOperation | None:
    """The first operation of the signature's family that is what the signature names, whatever parameters are called."""
    family = FAMILY_OF_KIND[signature["interfaceKind"]]
    wanted = operation_signature(cast(AnyOperation, signature))
    for interface in interfaces:
        if FAMILY_OF_KIND[interface["kind"]] == family:
            for operation in interface["operations"]:
                if operation_signature(operation) == wanted:
                    return HomeOperation(interface["logicalId"], operation)
    return None


def signature_of(probe: Probe) -> DefectSignature | None:
    """A probe's signature; a clean control has none."""
    return None if probe["expectedClean"] else cast(Mapping[str, Any], probe)["defectSignature"]


def home_operation_of(probe: Probe, interfaces: Sequence[PermittedInterface]) -> HomeOperation | None:
    """The operation a probe is about; none for a clean control, an unsigned probe, or one that no interface declares."""
    signature = signature_of(probe)
    return None if signature is None else resolve_home_operation(signature, interfaces)
