"""Digests of bytes, values, JSON text, fields and directories (spec 03, section 4)."""

from __future__ import annotations

import pytest

from eval_quality.canonical import (
    digest_artifact,
    digest_bytes,
    digest_composite,
    digest_directory,
    digest_json,
)
from eval_quality.errors import PreconditionError, RuntimeFault

ZEROS = "sha256:" + "0" * 64


def test_digests_are_the_published_ones() -> None:
    assert digest_bytes(b"abc") == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert digest_artifact(None, "T") == "sha256:74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"
    assert digest_artifact({}, "T") == "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert (
        digest_composite({"b": 1, "a": "x"}, "T")
        == "sha256:d72b56710416c9b8eef0ab2692a6429dff1c38d77a1d2c857424654981584a69"
    )
    assert (
        digest_directory({"a/b.txt": ZEROS}, "T")
        == "sha256:a6d3b5a3e93de6b7fc30e4320905ef4f0d3875eb2b535431cfeb8cbeea1506a1"
    )
    assert (
        digest_json('{"b":1,"a":[ 1.0 , -0 ]}', "T")
        == "sha256:c16f2ca06a00e84e71b99d589dfd80d98d134494931b64d90a89589d8d317c6f"
    )


def test_the_digest_of_text_is_that_of_its_value_and_not_of_its_spelling() -> None:
    assert digest_json(b'{ "a": 1e0 }\n', "T") == digest_artifact({"a": 1}, "T") == digest_bytes(b'{"a":1}')


def test_true_and_one_differ() -> None:
    assert digest_artifact(True, "T") != digest_artifact(1, "T")


def test_what_cannot_be_canonicalized_has_no_digest() -> None:
    with pytest.raises(RuntimeFault, match=r"^non-canonicalizable-value in T: non-finite number at \$\.a$"):
        digest_composite({"a": float("nan")}, "T")
    with pytest.raises(RuntimeFault, match=r'^non-canonicalizable-value in T: duplicate object key "a" at offset 10$'):
        digest_json('{"a":1,"a":1}', "T")


def test_a_composite_needs_fields_of_its_own() -> None:
    with pytest.raises(PreconditionError, match=r"^composite requires at least one field$"):
        digest_composite({}, "T")
    with pytest.raises(PreconditionError, match=r'^composite fields must not carry a "protocol" member$'):
        digest_composite({"protocol": "mine"}, "T")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "directory requires at least one member"),
        ({"": ZEROS}, "directory member path must not be empty"),
        ({"a\\b": ZEROS}, 'directory member path must use forward slashes: "a\\\\b"'),
        ({"/a": ZEROS}, 'directory member path must be relative: "/a"'),
        ({"a//b": ZEROS}, 'directory member path not in canonical form: "a//b"'),
        ({"a/./b": ZEROS}, 'directory member path not in canonical form: "a/./b"'),
        ({"..": ZEROS}, 'directory member path not in canonical form: ".."'),
        ({"a/": ZEROS}, 'directory member path not in canonical form: "a/"'),
        ({"a": ZEROS + "\n"}, 'directory member "a" is not a sha256: digest'),
        ({"a": ZEROS.upper()}, 'directory member "a" is not a sha256: digest'),
        ({"b//": ZEROS, "2": "x"}, 'directory member "2" is not a sha256: digest'),
        ({"b": "x", "/a": ZEROS}, 'directory member "b" is not a sha256: digest'),
    ],
)
def test_a_directory_needs_canonical_paths_and_digests(members: dict[str, str], message: str) -> None:
    with pytest.raises(PreconditionError) as caught:
        digest_directory(members, "T")
    assert str(caught.value) == message
