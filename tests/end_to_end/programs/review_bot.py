"""The review bot of ``examples/review-bot-cli``: shipped, or with one of the two planted defects (``VARIANT``)."""

import json
import os
import sys

VARIANT = os.environ.get("VARIANT", "shipped")
REPORT = "report.json"
FINDING = {"rule": "sql-injection", "line": 41}


def review(diff: str) -> int:
    """Write the report on a diff; the exit code tells whether it has findings."""
    if not diff.startswith(("planted-", "rename-")):
        print("usage: review-bot review --diff NAME", file=sys.stderr)
        return 64
    found = {"shipped": diff.startswith("planted-"), "flags-all": True, "blind": False}[VARIANT]
    findings = [FINDING] if found else []
    report = {
        "summary": "1 finding" if found else "0 findings",
        "findings": findings,
        "elapsed_ms": 812 if found else 640,
    }
    with open(REPORT, "w", encoding="utf-8") as file:
        json.dump(report, file)
    return 1 if found else 0


if os.path.exists(REPORT):
    os.unlink(REPORT)
match sys.argv[1:]:
    case ["review", "--diff", name]:
        sys.exit(review(name))
    case ["version"]:
        print("review-bot 2.4.0")
