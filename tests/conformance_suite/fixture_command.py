"""The command that conformance is tried on: its first word says what to do."""

import json
import sys
import time

word, *rest = sys.argv[1:]
match word:
    case "argv":
        print(json.dumps({"argv": rest}))
    case "fail":
        sys.exit(3)
    case "write":
        with open("report.txt", "w", encoding="utf-8") as report:
            report.write("written by the run")
    case "sleep":
        time.sleep(60)
    case "flood":
        print("x" * 100_000)
