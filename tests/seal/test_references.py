"""Evidence in words: what is said of targets, steps, and the steps they are told apart from."""

from __future__ import annotations

import itertools

import pytest

from eval_quality.errors import PreconditionError, StructuralFailure
from eval_quality.plan_index import build_plan_index
from eval_quality.seal import render_evidence_references
from eval_quality.seal.phrases import join_and
from tests.contracts import Json
from tests.seal.plans import captured, create, get, index_of, interfaces, literal, step

MALFORMED = {"matcher": "type-violating"}
SHOP = (
    create("make", title=literal("Tea"), qty=literal(2)),
    get("read", "make", id=captured("/interactions/make/response-body/id")),
    create("bad", title=MALFORMED, qty=literal(1)),
    step("exp", "export-orders", interface="cli", option={"format": literal("json")}),
    step("wipe", "reset-shop", interface="tools", arguments=None),
)
MAKE = "the create order endpoint (with the supplied body qty and the supplied body title)"
READ = 'the get order endpoint of interface "api" (with the supplied path id)'
EXPORT = "the export orders command (with the supplied option format)"


def said(*targets: str, steps: tuple[Json, ...] = SHOP) -> str:
    """The phrase for targets written without their common root."""
    return render_evidence_references([f"/interactions/{target}" for target in targets], index_of(*steps))


@pytest.mark.parametrize(
    ("target", "phrase"),
    [
        ("make/response-status", f"its transport status from {MAKE}"),
        ("make/response-body", f"the response body you obtained from {MAKE}"),
        ("make/response-body/", f"the response body you obtained from {MAKE}"),
        ("make/response-body/a~1b//0", f"its a/b.0 field from {MAKE}"),
        ("make/response-headers", f"the response headers you obtained from {MAKE}"),
        ("make/response-headers/Location", f"its Location header from {MAKE}"),
        ("make/call-inputs/body", f"the body you sent to {MAKE}"),
        ("make/call-inputs/body/title", f"the body title value you sent to {MAKE}"),
        ("exp/exit-code", f"its exit code from {EXPORT}"),
        ("exp/stdout", f"the standard output you obtained from {EXPORT}"),
        ("exp/stdout/rows", f"the rows field of its standard output from {EXPORT}"),
        ("exp/stderr", f"the standard error you obtained from {EXPORT}"),
        ("exp/stderr/line", f"the line field of its standard error from {EXPORT}"),
        ("exp/artifact/log", f"the log it wrote from {EXPORT}"),
        ("exp/artifact/log/rows", f"the rows field of the log it wrote from {EXPORT}"),
        ("wipe/response-body/done", "its done field from the reset shop tool"),
        ("read/response-body/title", f"its title field from {READ}"),
    ],
)
def test_every_channel_has_its_words(target: str, phrase: str) -> None:
    assert said(target) == phrase


def test_everything_sorted_is_sorted_by_utf_16_units() -> None:
    """Spec 06, section 7: an astral character, whose first unit is a surrogate, comes before U+FFFF."""
    astral, last = "\U00010000", "\uffff"
    assert said(f"make/stdout/{last}", f"make/stdout/{astral}").endswith(
        f": the {astral} field of its standard output and the {last} field of its standard output"
    )
    assert said(f"make/stdout/{last}", f"bad/stdout/{astral}").startswith(f"the {astral} field")
    steps = (create("s", **{last: literal(1), astral: literal(2)}),)
    assert said("s/stdout", steps=steps).endswith(f"(with the supplied body {astral} and the supplied body {last})")


def test_targets_of_one_step_are_told_together() -> None:
    assert said("make/response-body/id", "make/response-status", "make/response-headers/Location") == (
        f"{MAKE}: its Location header, its id field, and its transport status"
    )
    assert said("exp/stdout/rows", "exp/stderr", "exp/exit-code", "exp/stderr") == (
        f"{EXPORT}: its exit code, the rows field of its standard output, and the standard error you obtained"
    )


def test_a_step_is_compared_with_the_one_that_follows_it() -> None:
    sent, seen = "make/call-inputs/body/title", "read/response-body/title"
    expected = f"the body title value you sent to {MAKE}, compared with its title field from {READ}"
    assert said(sent, seen) == said(seen, sent) == expected


def test_two_parts_of_a_comparison_are_ordered_by_what_they_name_and_then_by_their_steps() -> None:
    assert said("make/response-status", "read/response-body") == (
        f"the response body you obtained from {READ}, compared with its transport status from {MAKE}"
    )
    assert said("make/response-body/id", "read/response-body/id") == (
        f"its id field from {MAKE}, compared with its id field from {READ}"
    )


def test_parts_of_one_name_are_ordered_by_the_words_for_their_steps() -> None:
    steps = (get("a", id=literal(1)), create("b", "a", t=literal(1)))
    created, got = "the create order endpoint", 'the get order endpoint of interface "api"'
    assert said("a/response-body/id", "b/response-body/id", steps=steps) == (
        f"its id field from {created} (with the supplied body t), "
        f"compared with its id field from {got} (with the supplied path id)"
    )


def test_a_step_named_twice_is_no_part_of_a_comparison() -> None:
    assert "compared" not in said("make/response-status", "make/response-body", "read/response-body")
    assert "compared" not in said("make/response-status", "read/response-status", "read/response-body")


def test_along_a_chain_steps_are_paired_from_its_start() -> None:
    chain = [get(f"s{n}", f"s{n - 1}" if n else None, id=literal(n)) for n in range(5)]
    phrase = said(*(f"s{n}/response-status" for n in range(5)), steps=tuple(chain))
    assert phrase.count("compared with") == 2
    status = 'its transport status from the get order endpoint of interface "api" (with the path id {})'
    alone = status.format(4)
    pairs = [f"{status.format(n)}, compared with {status.format(n + 1)}" for n in (0, 2)]
    assert phrase == join_and(sorted([*pairs, alone]))


def test_of_two_followers_the_first_by_name_is_compared() -> None:
    steps = (create("make", a=literal(1)), get("z", "make", id=literal(1)), get("b", "make", id=literal(2)))
    phrase = said("make/response-status", "z/response-status", "b/response-status", steps=steps)
    assert "compared with its transport status from the get order endpoint" in phrase
    assert phrase.index("(with the path id 2)") < phrase.index("(with the path id 1)")


def test_steps_that_follow_each_other_in_a_circle_are_told_one_by_one() -> None:
    steps = (create("a", "b", x=literal(1)), get("b", "a", id=literal(1)))
    assert "compared" not in said("a/response-status", "b/response-status", steps=steps)


def test_a_malformed_input_hides_the_others() -> None:
    assert said("make/response-body/id", "bad/response-status") == (
        f"its id field from {MAKE} and its transport status from the create order endpoint "
        "(with a malformed body title value)"
    )


def references(*values: Json) -> list[str]:
    """What is said of steps that bind these values, named by one direction, in the order of the values."""
    steps = [get(f"s{number}", id=value) for number, value in enumerate(values)]
    targets = [f"/interactions/s{number}/response-body/f{number}" for number in range(len(values))]
    phrase = render_evidence_references(
        targets, index_of(create("a", t=literal("A")), create("b", t=literal("B")), *steps)
    )
    root = 'field from the get order endpoint of interface "api" '
    separators = (", and its f", ", its f", " and its f")
    for separator in separators:
        phrase = phrase.replace(separator, "\0its f")
    parts = dict(part.removeprefix("its f").split(f" {root}", 1) for part in phrase.split("\0"))
    return [parts[str(number)] for number in range(len(values))]


def test_steps_are_told_apart_at_the_first_level_that_does() -> None:
    assert references(literal(5)) == ["(with the supplied path id)"]
    assert references(literal(5), {"principal": "owner"}) == [
        "(with the stated path id)",
        "(with the path id of the owner account)",
    ]
    assert references(literal("7"), literal({"z": 1, "a": "x", "10": 1e21, "9": -0.5})) == [
        '(with the path id "7")',
        '(with the path id {"9":-0.5,"10":1e+21,"a":"x","z":1})',
    ]
    assert references({"matcher": "any"}, {"principal": "owner"}, captured("/interactions/a/response-body/id")) == [
        "(with the supplied path id)",
        "(with the path id of the owner account)",
        "(with the path id you obtained earlier)",
    ]


def test_captured_values_are_followed_to_their_source() -> None:
    source = '(with the path id you obtained as its id field from the create order endpoint (with the body t "{}"))'
    assert references(*(captured(f"/interactions/{name}/response-body/id") for name in "ab")) == [
        source.format("A"),
        source.format("B"),
    ]


def test_inputs_captured_from_one_step_are_told_together() -> None:
    source = "/interactions/a/response-body"
    steps = (
        create("a", t=literal("A")),
        create("s", x=captured(f"{source}/x"), m=literal(1), y=captured(f"{source}/y")),
        create("t", x=captured(f"{source}/x"), m=literal(2), y=captured(f"{source}/y")),
    )
    assert said("s/response-status", "t/exit-code", steps=steps).startswith(
        "its exit code from the create order endpoint (with the body m 2 and the body x and body y you obtained as its "
        'x field and its y field from the create order endpoint (with the body t "A"))'
    )


def test_two_ways_to_one_source_are_both_followed() -> None:
    steps = (
        create("source", t=literal("A")),
        *(get(name, id=captured("/interactions/source/response-body/id")) for name in ("one", "other")),
        *(
            create(
                name,
                m=literal(name),
                x=captured("/interactions/one/response-body/id"),
                y=captured("/interactions/other/response-body/id"),
            )
            for name in ("s", "t")
        ),
    )
    assert said("s/response-status", "t/response-body", steps=steps).count('(with the body t "A")') == 4


def test_a_circle_of_captures_ends_where_it_would_begin_again() -> None:
    steps = (
        get("a", id=captured("/interactions/b/response-body/id")),
        get("b", id=captured("/interactions/a/response-body/of")),
    )
    assert said("a/response-status", "b/response-body", steps=steps) == (
        'its transport status from the get order endpoint of interface "api" (with the path id you obtained as its id '
        'field from the get order endpoint of interface "api" (with the path id you obtained earlier)) and '
        'the response body you obtained from the get order endpoint of interface "api" (with the path id you obtained '
        'as its of field from the get order endpoint of interface "api" (with the path id you obtained earlier))'
    )


def test_a_long_chain_of_captures_is_followed_to_its_end() -> None:
    length = 2000
    chain = [get(f"s{n}", id=captured(f"/interactions/s{n - 1}/response-body/id")) for n in range(1, length)]
    phrase = said("s1999/response-body", "s1998/response-status", steps=(get("s0", id=literal("start")), *chain))
    assert phrase.count("you obtained as its id field from") == 1999 + 1998
    assert phrase.count('(with the path id "start")') == 2


def test_an_expansion_that_eats_its_budget_is_tried_with_a_larger_one() -> None:
    long = "x" * 60_000
    sources = [create(f"src{n}", t=literal(long)) for n in range(3)]
    shared = {f"k{n}": captured(f"/interactions/src{n}/response-body/id") for n in range(3)}
    first, second = (
        create(f"s{n}", None, **shared, z=captured(f"/interactions/end{n}/response-body/id")) for n in range(2)
    )
    ends = [create(f"end{n}", t=literal(n)) for n in range(2)]
    steps = (*sources, *ends, first, second)
    phrase = said("s0/response-status", "s1/response-body", steps=steps)
    assert phrase.count(long) == 6
    assert phrase.count("(with the body t 0)") == phrase.count("(with the body t 1)") == 1


def twins_after(units: int, **apart: str) -> tuple[Json, ...]:
    """Two steps that first capture from a source told in this many UTF-16 units, and then each from its own end."""
    frame = 'the create order endpoint (with the body t "")'
    odd = (units - len(frame)) % 2
    text = "\U0001f375" * ((units - len(frame) - odd) // 2) + "x" * odd
    ends = [create(f"end{number}", t=literal(number)) for number in range(2)]
    twins = [
        create(
            f"s{number}",
            None,
            a=captured("/interactions/source/response-body/id"),
            z=captured(f"/interactions/end{number}/response-body/id"),
            **{key: literal(f"{value}{number}") for key, value in apart.items()},
        )
        for number in range(2)
    ]
    return (create("source", t=literal(text)), *ends, *twins)


TWINS = ("s0/response-status", "s1/response-body")


@pytest.mark.parametrize(("units", "followed"), [(99_999, True), (100_000, False)])
def test_a_budget_is_spent_at_its_last_unit(units: int, followed: bool) -> None:
    """Spec 06, section 3.4: what is told of a source counts in UTF-16 units; nothing left is nothing to expand with."""
    phrase = said(*TWINS, steps=twins_after(units, own="number "))
    assert ("the body z you obtained as its id field" in phrase) is followed
    assert ("the body z you obtained earlier" in phrase) is not followed


def test_the_second_budget_is_the_last() -> None:
    assert said(*TWINS, steps=twins_after(3_999_999)).count("the body z you obtained as its id field") == 2
    with pytest.raises(StructuralFailure, match="even fully escalated"):
        said(*TWINS, steps=twins_after(4_000_000))


def test_what_no_level_tells_apart_is_refused() -> None:
    with pytest.raises(StructuralFailure) as caught:
        said("s/response-status", "t/response-status", steps=(create("s", a=literal(1)), create("t", a=literal(1))))
    assert caught.value.code == "irreducible-step-reference"
    assert caught.value.artifact_path == "EvalContract.interactionPlan[operationId=create-order]"
    with pytest.raises(StructuralFailure) as caught:
        said("s/response-status", "t/response-status", steps=(get("s", id=literal(1)), get("t", id=literal(1))))
    assert caught.value.artifact_path == "EvalContract.interactionPlan[interfaceId=api][operationId=get-order]"
    assert 'operation "get-order" on interface "api" that one direction references' in caught.value.detail


@pytest.mark.parametrize(
    ("first", "second", "refused"),
    [
        ("a/response-body", "b/call-inputs/body", "create-order"),
        ("a/response-body", "b/artifact/log", "create-order"),
        ("a/call-inputs/path", "b/response-body", "get-order"),
        ("a/response-body", "b/response-body", "get-order"),
    ],
)
def test_of_two_parts_nothing_tells_apart_the_one_told_first_is_refused(first: str, second: str, refused: str) -> None:
    """Spec 06, section 3.6: the parts of a comparison are put in order, and then written."""
    steps = (
        get("a", id=literal(1)),
        get("a2", id=literal(1)),
        create("b", "a", x=literal(1)),
        create("b2", x=literal(1)),
    )
    with pytest.raises(StructuralFailure, match=f'invoking operation "{refused}"'):
        said(first, second, "a2/response-body", "b2/response-body", steps=steps)


def test_a_raw_body_is_one_input() -> None:
    raw = {"kind": "raw", "base64": "AA=="}
    steps = (step("s", "create-order", body=raw, query={"q": literal(1)}), create("t", a=literal(1)))
    assert said("s/response-status", "t/response-body", steps=steps).startswith(
        "its transport status from the create order endpoint (with the supplied body raw bytes and the supplied query "
        "q)"
    )


def test_order_of_pointers_steps_and_interfaces_does_not_show() -> None:
    targets = [
        f"/interactions/{each}" for each in ("make/response-body/id", "read/response-body", "bad/response-status")
    ]
    expected = render_evidence_references(targets, index_of(*SHOP))
    for pointers in itertools.permutations(targets):
        index = build_plan_index(list(reversed(SHOP)), list(reversed(interfaces())))
        assert render_evidence_references(pointers, index) == expected


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            "make/teapot",
            "not an interaction-rooted evidence pointer of a recognized channel: /interactions/make/teapot",
        ),
        ("gone/stdout", "evidence target names a step the interaction plan does not declare: gone"),
        (
            "odd/stdout",
            'step names operation "no-such" on interface "api", which that interface does not declare',
        ),
    ],
)
def test_a_pointer_at_nothing_is_a_defect_of_the_caller(target: str, message: str) -> None:
    with pytest.raises(PreconditionError) as caught:
        said(target, steps=(*SHOP, step("odd", "no-such")))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("items", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b, and c")]
)
def test_lists_in_words(items: list[str], text: str) -> None:
    assert join_and(items) == text
