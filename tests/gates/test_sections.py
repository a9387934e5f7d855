"""The issue texts of a section are part of the interface: which appear, in which order, and how they read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest

from eval_quality.gates.refusals import MalformedSection
from eval_quality.gates.sections import Into, Least, Most, NonEmpty, Path, matches, read_section


@dataclass(frozen=True)
class Dog:
    kind: Literal["dog"]
    tricks: int = 0


@dataclass(frozen=True)
class Cat:
    kind: Literal["cat"]
    lives: Annotated[int, Least(1), Most(9)]


@dataclass(frozen=True, kw_only=True)
class House:
    name: NonEmpty
    floor_count: Annotated[int, Least(1)] = 1
    pets: Annotated[tuple[Dog | Cat, ...], Least(1)]
    colour: Literal["red", "blue"] = "red"
    keys: Mapping[Annotated[str, matches("^[a-z]+$")], bool] | None = None
    owner: Annotated[str, matches("^[A-Z]$", "is no initial"), Into(str.lower)] | Dog | None = None

    def refine(self) -> Iterator[tuple[Path, str]]:
        if self.name == "barn":
            yield ("name",), "is no house"


PETS = [{"kind": "dog"}]


def issues(value: object) -> list[str]:
    with pytest.raises(MalformedSection) as caught:
        read_section(House, value, "head")
    head, *lines = str(caught.value).split("\n")
    assert head == "head"
    return [line.removeprefix("  ") for line in lines]


def test_a_section_is_read_with_its_defaults() -> None:
    house = read_section(House, {"name": "a", "floorCount": 2.0, "pets": PETS, "owner": "Q"}, "")
    assert house == House(name="a", floor_count=2, pets=(Dog("dog"),), owner="q")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ["(the section itself): Invalid input: expected object, received null"]),
        (
            {},
            [
                "name: Invalid input: expected string, received undefined",
                "pets: Invalid input: expected array, received undefined",
            ],
        ),
        ({"name": "", "pets": PETS}, ["name: Too small: expected string to have >=1 characters"]),
        (
            {"name": [], "pets": ""},
            [
                "name: Invalid input: expected string, received array",
                "name: Too small: expected array to have >=1 items",
                "pets: Invalid input: expected array, received string",
                "pets: Too small: expected string to have >=1 characters",
            ],
        ),
        ({"name": "a", "pets": []}, ["pets: Too small: expected array to have >=1 items"]),
        ({"name": "a", "pets": PETS, "floorCount": 1.5}, ["floorCount: Invalid input: expected int, received number"]),
        (
            {"name": "a", "pets": PETS, "floorCount": True},
            ["floorCount: Invalid input: expected number, received boolean"],
        ),
        ({"name": "a", "pets": PETS, "floorCount": 0}, ["floorCount: Too small: expected number to be >=1"]),
        (
            {"name": "a", "pets": PETS, "floorCount": 2**53},
            ["floorCount: Too big: expected int to be <=9007199254740991"],
        ),
        ({"name": "a", "pets": PETS, "colour": "x"}, ['colour: Invalid option: expected one of "red"|"blue"']),
        ({"name": "a", "pets": PETS, "colour": None}, ['colour: Invalid option: expected one of "red"|"blue"']),
        (
            {"name": "a", "pets": [{"kind": "cow"}]},
            ["pets.0.kind: Invalid discriminator value. Expected 'dog' | 'cat'"],
        ),
        ({"name": "a", "pets": [{"kind": "cat", "lives": 10}]}, ["pets.0.lives: Too big: expected number to be <=9"]),
        ({"name": "a", "pets": PETS, "keys": {"B": True}}, ["keys.B: Invalid key in record"]),
        ({"name": "a", "pets": PETS, "keys": []}, ["keys: Invalid input: expected record, received array"]),
        ({"name": "a", "pets": PETS, "owner": "QQ"}, ["owner: is no initial"]),
        ({"name": "a", "pets": PETS, "owner": 1}, ["owner: Invalid input"]),
        (
            {"name": "barn", "x": 1, "pets": PETS, "y": 2},
            ['(the section itself): Unrecognized keys: "x", "y"', "name: is no house"],
        ),
        ({"name": "barn", "pets": [1]}, ["pets.0: Invalid input: expected object, received number"]),
    ],
)
def test_issues(value: object, expected: list[str]) -> None:
    assert issues(value) == expected
