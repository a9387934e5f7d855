"""Products of stages against their own types."""

from typing import TypedDict

import pytest

from eval_quality.artifacts.strength_aggregate import StrengthFloors
from eval_quality.assembled import conforming, path_text
from eval_quality.errors import PreconditionError


class Counted(TypedDict):
    """A product with a list in it."""

    counts: list[int]


def test_a_product_that_conforms_comes_back_in_normal_form() -> None:
    product = {"counts": [1, 2]}
    assert conforming(Counted, product, "f()") is product
    normal = conforming(Counted, {"counts": [1.0]}, "f()")
    assert [type(each) for each in normal["counts"]] == [int]


@pytest.mark.parametrize(
    ("annotation", "product", "told", "pointers"),
    [
        (Counted, {"counts": [1, "2"]}, '1 issue, first at "counts[1]"', ["/counts/1"]),
        (Counted, {"counts": [None, "2"]}, '2 issues, first at "counts[0]"', ["/counts/0", "/counts/1"]),
        (Counted, 3, '1 issue, first at "(root)"', [""]),
        (StrengthFloors, {"zero-action": 2}, '1 issue, first at "["zero-action"]"', ["/zero-action"]),
    ],
)
def test_a_product_that_does_not_conform_is_a_defect(
    annotation: object, product: object, told: str, pointers: list[str]
) -> None:
    with pytest.raises(PreconditionError) as raised:
        conforming(annotation, product, "f(): assembled nonsense")
    assert str(raised.value) == f"f(): assembled nonsense: {told}"
    assert [issue.pointer for issue in raised.value.issues] == pointers


def test_paths_as_text() -> None:
    assert path_text(("reducedProbeOutcomes", 0, "trialVotes", 1)) == "reducedProbeOutcomes[0].trialVotes[1]"
    assert path_text(("strength", "vector", "zero-action", "rate")) == 'strength.vector["zero-action"].rate'
