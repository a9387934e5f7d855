"""The words of a report: every vocabulary of the artifacts, for somebody who meets it for the first time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

Tone = Literal["good", "bad", "warn", "odd", "calm"]
"""What a colour says: as it should be, not as it should be, look here, nothing was measured, neither."""


class StateWords(NamedTuple):
    """An outcome state: its letter, what it is called, and what it means."""

    letter: str
    tone: Tone
    meaning: str


STATES: Final[Mapping[str, StateWords]] = {
    "caught": StateWords("C", "good", "the planted defect showed and a finding says so"),
    "missed": StateWords("M", "bad", "the planted defect showed and no finding says so"),
    "bypassed": StateWords("B", "bad", "a miss that a waiver was held against, without its condition being met"),
    "abstained": StateWords("A", "bad", "the check had no evidence to decide on"),
    "false-positive": StateWords("F", "bad", "a finding reports a defect on a system that has none"),
    "unreached": StateWords("U", "warn", "the steps this check looks at never happened"),
    "infrastructure-error": StateWords("I", "odd", "the trial proves nothing: its set-up or its citations were broken"),
    "oracle-error": StateWords("O", "odd", "the trial proves nothing: the check itself broke down"),
    "judge-error": StateWords("J", "odd", "the trial proves nothing: a judge left a criterion without a score"),
    "confirmed": StateWords("H", "calm", "the behavior held, and nobody claims otherwise"),
    "passed-clean-control": StateWords("P", "good", "a system without a defect, and nothing was reported against it"),
    "not-applicable": StateWords("N", "calm", "does not count here: never exercised by the evaluator, or waived"),
}

VERDICT_TONES: Final[Mapping[str, Tone]] = {
    "PASS": "good",
    "WAIVED": "warn",
    "CONCERNS": "warn",
    "FAIL": "bad",
    "Not scored": "odd",
    "Invalid": "odd",
    "No verdict": "calm",
}
VERDICT_RANK: Final = ("No verdict", "PASS", "WAIVED", "CONCERNS", "Not scored", "FAIL", "Invalid")
"""From best to worst; a run is as good as its worst probe."""
HEADLINES: Final[Mapping[str, str]] = {
    "PASS": "The evaluation did its work on every probe that was scored.",
    "WAIVED": "The evaluation failed somewhere, and every such failure was accepted in advance.",
    "CONCERNS": "Nothing failed outright, and something keeps this from being a clean pass.",
    "FAIL": "The evaluation did not do its work: something that matters went wrong.",
    "Not scored": "A probe of the run has no score here, so this says less than the run should.",
    "Invalid": "The run proves nothing, one way or the other.",
    "No verdict": "No probe was scored, so there is nothing to judge yet.",
}
MODES: Final[Mapping[str, str]] = {
    "production": "a verdict on the system (production run)",
    "contract-scoring": "a verdict on the contract (contract-scoring run)",
}


class ClassWords(NamedTuple):
    """A class of probes: its title, and what its probes are."""

    title: str
    meaning: str


CLASSES: Final[Mapping[str, ClassWords]] = {
    "defect": ClassWords("Defect", "the system with a defect planted in it"),
    "gameability": ClassWords("Gameability", "a degenerate system that a naive check would let pass"),
    "zero-action": ClassWords("Zero action", "a system that claims to act and does nothing"),
    "canary": ClassWords("Canary", "a probe that tests the setting rather than the evaluation"),
    "clean-control": ClassWords("Clean control", "the system as it is, without a known defect"),
    "unknown": ClassWords("Class not told", "nothing given says what kind of probe this is"),
}

FLOOR_DECISIONS: Final[Mapping[str, tuple[str, Tone]]] = {
    "meets": ("meets its floor", "good"),
    "does-not-meet": ("does not meet its floor", "bad"),
    "undeclared": ("no floor", "calm"),
}
FLOOR_BASES: Final[Mapping[str, str]] = {
    "no-floor-declared": "no least catch rate was declared for this class",
    "no-eligible-probe": "a floor was declared and no probe of this class was scored",
    "not-comparable": "a probe of this class was not scored soundly enough to be compared",
    "no-exercised-probe": "the evaluator never exercised a probe of this class",
    "unexercised-probe": "the evaluator never exercised one of the probes",
    "rate-below-floor": "the catch rate is below the floor",
    "rate-meets-floor": "the catch rate reaches the floor",
}

ROUTES: Final[Mapping[str, str]] = {
    "historical": "a defect that was really there and was really fixed",
    "controlled-mutation": "a defect planted on purpose",
    "gameability": "a degenerate system",
    "canary": "a canary",
    "clean-control": "no known defect",
}


class RuleWords(NamedTuple):
    """A discipline rule: what it asks for, and what a contract does to satisfy it."""

    asks: str
    closed_by: str


RULES: Final[Mapping[str, RuleWords]] = {
    "success-indicator-separation": RuleWords(
        "a success indicator is not believed alone",
        "let one oracle of a behavior look at the operation's success indicator and at another described value of the "
        "same step, in its direction and in its check",
    ),
    "whole-body": RuleWords(
        "an answer is looked at whole",
        "let one oracle look at every required key of the operation's answer at one step, in its direction and in its "
        "check",
    ),
    "malformed-input": RuleWords(
        "malformed input is tried",
        "add a step that binds a type-violating value to an input of the operation, and let a check look at that step",
    ),
    "per-record": RuleWords(
        "every record of a collection is looked at",
        "let an oracle quantify over the declared collection, with a predicate that reads a value of each member",
    ),
    "sibling-cross-check": RuleWords(
        "operations and parameters that should behave alike are held against each other",
        "declare the sibling groups, and let one oracle look at two members of each, in its direction and in its check",
    ),
    "omission-and-completeness": RuleWords(
        "what is left out is noticed",
        "let a check hold the collection against its reference set: all of it when its size is fixed, each member of it "
        "when its size is only bounded",
    ),
    "state-change-read-back": RuleWords(
        "a write is read back",
        "add a step that reads after the operation that writes, and let one oracle hold what was sent against what is "
        "read",
    ),
}

PREFLIGHT_CHECKS: Final[Mapping[str, str]] = {
    "interface-present": "the operation answers",
    "input-sensitivity": "the operation reacts to its input",
    "state-reset": "the fixture can be returned to its starting state",
    "clean-control": "the unchanged system shows no planted defect",
    "seeded-faults-scoped": "the planted defect shows only where it should",
    "seeded-fault-fired": "the planted defect shows",
}

ATTESTED: Final[Mapping[str, str]] = {
    "contractSchemaVersion": "version of the contract's schema",
    "corpusDigest": "which corpus was used",
    "fixtureDigest": "what the fixture answered",
    "evaluatorConfigurationDigest": "who evaluated",
    "scoringPolicyDigest": "which policy was applied",
    "mode": "the mode of the run",
    "evidenceSetCompleteness": "that no evidence was left out of the aggregate",
    "probeClass": "which class each probe belongs to",
}

DOMINANCE: Final[Mapping[str, str]] = {
    "a-dominates-b": "stronger than the baseline",
    "b-dominates-a": "weaker than the baseline",
    "equivalent": "as strong as the baseline",
    "incomparable": "not to be compared with the baseline",
}


def plural(number: int, noun: str, many: str | None = None) -> str:
    """``1 trial``, ``3 trials``."""
    return f"{number} {noun}" if number == 1 else f"{number} {many or noun + 's'}"


def listed(items: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))
