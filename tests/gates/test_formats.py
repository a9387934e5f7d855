from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from .repository import Repository

SECTION: dict[str, Any] = {
    "manifest": {"file": "p.toml", "fields": ["project.description"]},
    "paths": [{"path": "src"}],
    "patterns": [{"name": "work", "match": "work", "reason": "100%, sure"}],
}


@pytest.fixture(autouse=True)
def _tree(repository: Repository) -> None:
    repository.write(
        {
            "src/a, b.py": "\nwork: x\n",
            "p.toml": '[project]\ndescription = "work"\n',
            "eval-quality.config.json": json.dumps({"package-boundary": SECTION, "doc-claims": {"pages": []}}),
        }
    )


def sarif(repository: Repository, *arguments: str) -> dict[str, Any]:
    answer = repository.run(*arguments, "--format", "sarif")
    assert answer.err == ""
    Sarif.model_validate_json(answer.out)
    document: dict[str, Any] = json.loads(answer.out)
    return document


def test_json(repository: Repository) -> None:
    answer = repository.run("package-boundary", "--format=json")
    assert (answer.code, answer.err) == (1, "")
    assert json.loads(answer.out) == {
        "exitCode": 1,
        "gates": [
            {
                "gate": "package-boundary",
                "status": "failed",
                "exitCode": 1,
                "notes": [],
                "findings": [
                    {
                        "file": "p.toml#project.description",
                        "line": 1,
                        "rule": "work",
                        "message": "work",
                        "reason": "100%, sure",
                    },
                    {"file": "src/a, b.py", "line": 2, "rule": "work", "message": "work: x", "reason": "100%, sure"},
                ],
                "refusals": [],
            }
        ],
    }


def test_sarif_fits_its_schema_and_places_every_finding(repository: Repository) -> None:
    document = sarif(repository, "package-boundary")
    (run,) = document["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["package-boundary/work"] * 2
    assert run["results"][0]["locations"][0] == {
        "physicalLocation": {
            "artifactLocation": {"uri": "p.toml", "uriBaseId": "ROOT"},
            "region": {"startLine": 1},
        },
        "logicalLocations": [{"fullyQualifiedName": "p.toml#project.description:1"}],
    }
    assert run["results"][1]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "src/a%2C%20b.py", "uriBaseId": "ROOT"},
        "region": {"startLine": 2},
    }


def test_sarif_of_every_gate_that_ran_or_could_not(repository: Repository) -> None:
    document = sarif(repository, "--all")
    failed, refused = document["runs"]
    assert failed["invocations"][0] == {
        "executionSuccessful": True,
        "exitCode": 1,
        "toolExecutionNotifications": [],
        "toolConfigurationNotifications": [],
    }
    assert refused["automationDetails"] == {"id": "doc-claims/"}
    assert refused["invocations"][0]["executionSuccessful"] is False
    (notification,) = refused["invocations"][0]["toolConfigurationNotifications"]
    assert notification["message"]["text"].startswith("doc-claims: ")


def test_github_annotations(repository: Repository) -> None:
    answer = repository.run("--all", "--format=github")
    assert (answer.code, answer.err) == (64, "")
    first, second, third = answer.out.splitlines()
    assert first == (
        "::error file=p.toml,line=1,title=package-boundary/work::p.toml#project.description:1: work (100%25, sure)"
    )
    assert second == "::error file=src/a%2C b.py,line=2,title=package-boundary/work::work: x (100%25, sure)"
    assert third.startswith("::error title=doc-claims::doc-claims: ")
    assert "%0A  pages: Too small: expected array to have >=1 items" in third


def test_what_is_only_reported_is_a_warning(repository: Repository) -> None:
    layer = {"name": "all", "match": "prefix", "path": "src/", "imports": []}
    section = {"roots": [{"path": "src"}], "layers": [layer], "reportOnly": True}
    repository.write({"src/a, b.py": "import b\n", "src/b.py": ""})
    repository.configure("dependency-direction", **section)
    answer = repository.run("dependency-direction", "--format=github")
    assert answer.code == 0
    assert answer.out.splitlines()[1] == (
        '::warning file=src/a%2C b.py,line=1,title=dependency-direction/layer::"b": all may not import all'
    )
    assert sarif(repository, "dependency-direction")["runs"][0]["results"][0]["level"] == "warning"
    assert json.loads(repository.run("dependency-direction", "--format=json").out)["gates"][0]["status"] == "passed"
