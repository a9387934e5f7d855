"""A run whose every free text tries to be something else than text."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from eval_quality.canonical import digest_artifact

from .runs import EXAMPLE, load, save

MARKUP: Final = (
    "</p></li></details></style></script></title><script>document.title='pwned'</script>"
    "<img src=http://evil.example/i.png onerror=\"document.title='pwned'\">"
    "<a href=\"javascript:document.title='pwned'\">click</a>{{ 7 * 7 }}{% raw %} \" ' & ]]>"
)
ACTING: Final = "\x1b[31mred\x1b]0;title\x07 \u202egnp.exe\u202c \x00 end\r\nFAIL"
MARKDOWN: Final = (
    "@everyone #1 http://evil.example www.evil.example | [x](http://evil.example) `code` <!-- --> **b** :smile:"
)
HOSTILE: Final = f"{ACTING} {MARKDOWN} {MARKUP}"


def write_hostile_run(folder: Path) -> Path:
    """The run as files in a folder."""
    contract = load(EXAMPLE / "expected/eval-contract.json")
    for behavior in contract["behaviors"]:
        behavior["description"] = HOSTILE
    for oracle in contract["oracles"]:
        oracle["direction"]["scope"] = HOSTILE
    contract["waivers"] = [
        {
            "id": "W-001",
            "rule": HOSTILE,
            "rationale": HOSTILE,
            "condition": HOSTILE,
            "approval": HOSTILE,
            "expiresAt": "2027-01-31T00:00:00Z",
        }
    ]
    save(folder / "contract.json", contract)
    digest = digest_artifact(contract, "EvalContract")
    for number in (1, 2, 3):
        record = load(EXAMPLE / f"record-P-001-{number}.json")
        record |= {"runId": HOSTILE, "contractDigest": digest}
        for finding in record["findings"]:
            finding["summary"] = HOSTILE
        save(folder / f"record-{number}.json", record)
    probe = load(EXAMPLE / "probe-P-001.json")
    probe["rationale"] = HOSTILE
    probe["defects"][0]["summary"] = HOSTILE
    probe["qualification"] |= {"mutationSource": HOSTILE, "expectedObservableFailure": HOSTILE}
    save(folder / "probe.json", probe)
    evidence: Any = load(EXAMPLE / "expected/evidence-artifact-P-001.json")
    evidence |= {"runId": HOSTILE, "verdictBasis": [HOSTILE], "systemRecommendationNote": HOSTILE}
    evidence["strength"] |= {"comparable": False, "note": HOSTILE}
    evidence["coverageGaps"] = [
        {
            "rule": HOSTILE,
            "relevancePredicate": "x",
            "satisfactionPredicate": "x",
            "satisfied": False,
            "severity": "critical",
        }
    ]
    save(folder / "evidence.json", evidence)
    return folder
