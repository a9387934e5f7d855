"""What the lines of a verdict's basis mean (spec 09, section 15.3), in words and with the contract's own names.

``EXPLANATIONS`` holds one entry for each line that an artifact can carry. Equal lines, one a trial, are told once with
their number. A line of no known form is told as it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from .names import Names
from .view import Condition
from .words import RULES, STATES, plural

Explain = Callable[[Mapping[str, str], Names], str]


class Explanation(NamedTuple):
    """A form of basis line, and what it means."""

    pattern: str
    text: Explain


_BEHAVIOURAL: Final[Mapping[str, str]] = {
    "missed": "The planted defect showed, and the evaluator did not report it against {oracle}.",
    "abstained": "{oracle} had no evidence to decide on, so nothing was checked where something should have been.",
    "bypassed": "A waiver was held against a miss of {oracle}, and its condition is not met.",
    "false-positive": "The evaluator reports a defect against {oracle} on a system that has none: a false alarm.",
}


def _behavioural(found: Mapping[str, str], names: Names) -> str:
    oracle, state = names.oracle(found["oracle"]), found["state"]
    told = _BEHAVIOURAL[state].format(oracle=oracle) if state in _BEHAVIOURAL else f"{oracle} ended as {state}."
    if found["place"] == "below":
        return f"{told} The behavior is less severe than the policy's floor, so this is a concern and not a failure."
    return f"{told} The behavior is severe enough for the policy to call this a failure."


def _coverage(found: Mapping[str, str], names: Names) -> str:
    rule = found["rule"]
    asks = f" ({RULES[rule].asks})" if rule in RULES else ""
    return (
        f"The contract does not satisfy the discipline rule {rule}{asks}, and the gap is severe enough to be a concern. "
        "Coverage, below, says what would close it."
    )


def _unreached(found: Mapping[str, str], names: Names) -> str:
    return f"The steps that {names.oracle(found['oracle'])} looks at never happened, so it has nothing to say."


def _waived(found: Mapping[str, str], names: Names) -> str:
    return f"A failure of {names.oracle(found['oracle'])} was accepted in advance by a waiver whose condition is met."


def _always(text: str) -> Explain:
    return lambda found, names: text.format_map(found)


_ORACLE: Final = "(?P<oracle>O-[0-9]+)"
_FINDING: Final = "(?P<finding>F-[0-9]+)"
EXPLANATIONS: Final = (
    Explanation(
        f"oracle {_ORACLE} resolved (?P<state>\\S+) (?P<place>at or above|below) the severity floor", _behavioural
    ),
    Explanation(
        "evidence reported incomplete",
        _always("The evaluator says itself that its evidence is not complete."),
    ),
    Explanation(
        "evidence truncated past its disclosed bound",
        _always("Evidence was cut shorter than the evaluator disclosed, so what is missing is unknown."),
    ),
    Explanation("evidence unavailable", _always("Evidence that the score needs is not to be had.")),
    Explanation("evidence internally inconsistent", _always("The evidence contradicts itself.")),
    Explanation(
        "presented lineage chain is internally inconsistent",
        _always("The chain of contract revisions has a gap, a repetition or a wrong count."),
    ),
    Explanation(
        "evaluator recommendation (?P<recommendation>FAIL|CONCERNS)",
        _always("The evaluator itself recommends {recommendation} for the system, and a production run heeds it."),
    ),
    Explanation("coverage gap (?P<rule>\\S+) unsatisfied at or above the severity floor", _coverage),
    Explanation(
        f"finding {_FINDING} confidence (?P<confidence>\\S+) below the policy threshold",
        _always("The evaluator is less sure of finding {finding} ({confidence} of 1) than the policy asks."),
    ),
    Explanation(
        f"finding {_FINDING}: defect finding citing no oracle",
        _always(
            "Finding {finding} reports a defect that no oracle of the contract watches for: the contract may be "
            "missing a check."
        ),
    ),
    Explanation(
        "(?P<completed>[0-9]+) completed trials below the declared minimum of (?P<minimum>[0-9]+)",
        _always("Only {completed} of the {minimum} trials that the policy asks for count, which is too thin a basis."),
    ),
    Explanation(f"oracle {_ORACLE} resolved unreached", _unreached),
    Explanation(f"oracle {_ORACLE} waived \\(not-applicable\\)", _waived),
    Explanation(
        f"oracle {_ORACLE} resolved (?P<state>infrastructure-error|oracle-error|judge-error)",
        lambda found, names: f"{names.oracle(found['oracle'])} could not be judged: {STATES[found['state']].meaning}.",
    ),
    Explanation("pre-flight verdict did not pass", _always("The environment was not fit to be scored.")),
)


@cache
def _forms() -> tuple[tuple[re.Pattern[str], Explain], ...]:
    return tuple((re.compile(each.pattern), each.text) for each in EXPLANATIONS)


def explain(line: str, names: Names) -> str:
    """What one line means."""
    for pattern, text in _forms():
        found = pattern.fullmatch(line)
        if found is not None:
            return text(found.groupdict(), names)
    return "A condition of this verdict."


def conditions_of(basis: Iterable[str], names: Names) -> tuple[Condition, ...]:
    """The conditions behind a verdict, each once, in their order."""
    return tuple(_conditions(Counter(basis), names))


def _conditions(counted: Counter[str], names: Names) -> Iterator[Condition]:
    for line, number in counted.items():
        times = f"in {plural(number, 'trial')}" if number > 1 else ""
        yield Condition(line, explain(line, names), times)
