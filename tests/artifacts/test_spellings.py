"""Texts with a spelling of their own: identifiers, pointers, decimals, timestamps (spec 01, sections 3 to 6 and 9)."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.artifacts import bodies, expressions, pointers, primitives, witnesses
from eval_quality.artifacts.schema import shape_of


@pytest.mark.parametrize(
    ("annotation", "accepted", "refused"),
    [
        (
            primitives.Rfc3339Utc,
            ["2026-01-01T00:00:00Z", "2026-12-31T23:59:59.123456789Z", "2024-02-29T00:00:00Z", "0000-02-29T00:00:00Z"],
            [
                *("2026-01-01T00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:60Z", "2026-01-01t00:00:00Z"),
                *("2026-01-01T00:00:00z", "2026-01-01T00:00:00+00:00", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z"),
                *("2026-01-01T00:00:00.Z", "2026-01-01T00:00:00Z\n", "٢026-01-01T00:00:00Z"),
            ],
        ),
        (
            pointers.EvidencePointer,
            [
                *("/interactions/a/response-body", "/interactions/a/response-body/", "/interactions/a/stdout/x~0~1/"),
                *("/interactions/a/call-inputs/body", "/interactions/a/call-inputs/arguments/x"),
                *("/interactions/a/artifact/f/x", "/interactions/a/stdout/*", "/interactions/a/stdout/x\n"),
                *("/interactions/a/stderr/\ud800", "@/", "@//", "@/~01", "@/😀"),
            ],
            [
                *(
                    "/interactions/a/call-inputs",
                    "/interactions/a/call-inputs/cookie",
                    "/interactions/a/call-inputs/bodyx",
                ),
                *("/interactions/a/response-status/", "/interactions/a/exit-code/x", "/interactions/a/artifact"),
                *("/interactions/a/artifact/", "/interactions/a/artifact/F", "/interactions/A/stdout"),
                *("/interactions/a--b/stdout", "/interactions/a/response-body/x~2", "/interactions/a/responses"),
                *("/interactions/a/stdout\n", "/interactions/a/exit-code\n", "@", "@a", "a", "#/a", ""),
            ],
        ),
        (pointers.DescriptorPointer, ["", "/", "//", "/*/x", "/\n"], ["a", "/~", "/~2", "\n"]),
        (
            primitives.PathTemplate,
            ["/", "//", "/a/", "/{id}.json", "/{id}{x}", "/a?x=1", "/\n"],
            ["", "a", "/{}", "/a:b", "/{x y}", "/}", "/{a"],
        ),
        (expressions.AnchoredPattern, ["^$", "^a|b$", "^\n$"], ["^", "$", "(^a$)", "^a$\n", ""]),
        (bodies.CanonicalBase64, ["", "AA==", "AAA=", "AAE=", "AAAA"], ["AB==", "AAB=", "A", "AAAA\n", "AA=="[:3]]),
        (
            bodies.ContentType,
            ["text/plain", "a/b;x", "text/plain; ", "a/b;\té"],
            ["text", "text/plain;", "text/plain ;a=b", "a/b;\n", "a/b\n", "a/b;x\r"],
        ),
        (primitives.UnsignedDecimalString, ["0", "0.0", "10.50"], ["-0", "00", "1.", ".5", "1\n", "٣"]),
        (primitives.PositiveDecimalString, ["1", "0.01", "10.0"], ["0", "0.0", "01", "1."]),
        (primitives.Identifier, ["a", "0-a"], ["", "A", "a-", "-a", "a--b", "a\n", "é"]),
        (primitives.RubricCriterionId, ["RC-001", "RC-0000"], ["RC-01", "R-001", "RC-00٣"]),
        (primitives.ToolName, ["A_-9"], ["", "a.b", "é", "a\n"]),
        (primitives.EnvironmentKeyName, ["_", "A9"], ["9", "", "A-B"]),
        (witnesses.WitnessChannel, ["path", "arguments"], ["header", "Path"]),
    ],
)
def test_a_text_is_spelled_as_its_pattern_says(annotation: Any, accepted: list[str], refused: list[str]) -> None:
    accepts = shape_of(annotation).accepts
    assert [text for text in accepted if not accepts(text)] == []
    assert [text for text in refused if accepts(text)] == []
