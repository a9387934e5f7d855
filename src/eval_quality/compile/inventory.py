"""The operations a contract permits: identifiers, kinds and signatures (spec 05, sections 5.1 and 5.10; AD-19, AD-40).

1. An interface's identifier is unique across the contract, whatever its kind.
2. No two operations of one family of interfaces are the same operation: their signatures differ.
3. An interface is of a kind that can be evaluated.

Pre-flight repeats the first and the third; probe qualification compares signatures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, cast

from eval_quality.declared_inputs import is_command_operation, is_mcp_operation
from eval_quality.errors import StructuralFailure

from .paths import interface_path, operation_path

if TYPE_CHECKING:
    from eval_quality.artifacts.interfaces import AnyOperation, ApiOperation, InterfaceKind, PermittedInterface

    from .subject import Subject

OperationFamily = Literal["api", "cli", "mcp"]

SUPPORTED_KINDS: Final = ("api", "cli", "mcp")
FAMILY_OF_KIND: Final[dict[InterfaceKind, OperationFamily]] = {"api": "api", "web": "api", "cli": "cli", "mcp": "mcp"}
"""Interfaces whose operations are compared with each other."""

_PATH_PARAMETER: Final = re.compile(r"\{[A-Za-z0-9_-]+\}")


def repeated_interface_identifiers(interfaces: Sequence[PermittedInterface]) -> Iterator[StructuralFailure]:
    """Interfaces that carry an identifier an earlier one has."""
    first_with: dict[str, int] = {}
    for position, interface in enumerate(interfaces):
        first = first_with.setdefault(interface["logicalId"], position)
        if first != position:
            here, there = f"permittedInterfaces[{position}]", f"permittedInterfaces[{first}]"
            yield StructuralFailure(
                "duplicate-interface-identifier",
                f"EvalContract.{here}.logicalId",
                f'"{interface["logicalId"]}" is already the identifier of {there}; an interface\'s identifier is '
                f"unique across the contract, so {there} and {here} cannot both carry it (AD-19)",
            )


def unsupported_kinds(interfaces: Sequence[PermittedInterface]) -> Iterator[StructuralFailure]:
    """Interfaces of a kind no port can drive."""
    for interface in interfaces:
        if interface["kind"] not in SUPPORTED_KINDS:
            yield StructuralFailure(
                "unsupported-interface-kind",
                f"{interface_path(interface['logicalId'])}.kind",
                f'"{interface["kind"]}" is not supported; {_kinds_clause(SUPPORTED_KINDS)} (AD-10)',
            )


def operation_signature(operation: AnyOperation) -> str:
    """What an operation is, apart from its name: two of one family with one signature are the same operation.

    An HTTP operation's method and path with the names of its parameters erased, a command's executable and subcommands,
    a tool's published name.
    """
    if is_command_operation(operation):
        invocation = operation["invocation"]
        return " ".join([invocation["executable"], *invocation["subcommandPath"]])
    if is_mcp_operation(operation):
        return operation["toolName"]
    http = cast("ApiOperation", operation)
    return f"{http['method']} {_PATH_PARAMETER.sub('{}', http['pathTemplate'])}"


def check_interface_identifiers(subject: Subject) -> Iterator[StructuralFailure]:
    """Interface identifiers are unique (row 2)."""
    return repeated_interface_identifiers(subject.contract["permittedInterfaces"])


def check_signatures(subject: Subject) -> Iterator[StructuralFailure]:
    """No operation is declared twice under two names (row 14)."""
    first_with: dict[tuple[OperationFamily, str], str] = {}
    for interface in subject.contract["permittedInterfaces"]:
        family = FAMILY_OF_KIND[interface["kind"]]
        how = "after parameter-name erasure" if family == "api" else "on the identity it renders"
        for operation in interface["operations"]:
            signature = operation_signature(operation)
            path = operation_path(interface["logicalId"], operation["operationId"])
            first = first_with.setdefault((family, signature), path)
            if first is not path:
                yield StructuralFailure(
                    "duplicate-operation-signature",
                    path,
                    f'collides with {first.removeprefix("EvalContract.")} {how} ("{signature}") among {family}-shaped '
                    "operations (AD-19, AD-40)",
                )


def check_interface_kinds(subject: Subject) -> Iterator[StructuralFailure]:
    """Every interface is of a kind that can be evaluated (row 18)."""
    return unsupported_kinds(subject.contract["permittedInterfaces"])


def _kinds_clause(kinds: Sequence[str]) -> str:
    """Kinds and the verb that agrees with them: ``"api", "cli" and "mcp" are``."""
    *others, last = [f'"{kind}"' for kind in kinds]
    return f"{', '.join(others)} and {last} are" if others else f"{last} is"
